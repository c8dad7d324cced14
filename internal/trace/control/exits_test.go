package control_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
)

// Exits are the ways out of a loop's body, and Conditions what holds on one of
// them; RunsOver is what the loop runs over.
func TestExits(t *testing.T) {
	code := layertest.Load(t, `
func a()
func whole(list []string) {
	for range list { a() }
}
func search(list []string, x string) {
	for _, s := range list {
		a()
		if s == x { break }
	}
}
func twoWays(list []string, x bool, y bool) {
	for range list {
		a()
		if x { return }
		if y { break }
	}
}
func inLoop(list []string, n int) {
	for range n {
		for range list { a() }
		println()
	}
}
func searchInLoop(list []string, n int) {
	for range n {
		for _, s := range list {
			a()
			if s == "" { break }
		}
		println()
	}
}
`)
	for fn, want := range map[string]string{"whole": "", "search": "true", "twoWays": "true; true false", "inLoop": "", "searchInLoop": "true"} {
		a := code.Call(fn, "a")
		header := code.Prog.Graphs.Header(a.Block(), code.Func(fn).Blocks[0])
		if header == nil {
			t.Errorf("%s: the call stands in no loop", fn)
			continue
		}
		var exits []string
		for _, e := range code.Prog.Graphs.Exits(header) {
			var holds []string
			for _, c := range control.Conditions(header, e[0], e[1]) {
				holds = append(holds, fmt.Sprint(c.Want))
			}
			exits = append(exits, strings.Join(holds, " "))
		}
		if got := strings.Join(exits, "; "); got != want {
			t.Errorf("%s is left where %s", fn, got)
		}
		if over := control.RunsOver(header); over != ssa.Value(code.Func(fn).Params[0]) {
			t.Errorf("%s runs over %v", fn, over)
		}
	}
}

// Reaches is the block without which an object gets nowhere.
func TestReaches(t *testing.T) {
	code := layertest.Load(t, `
func send(m *bigtable.Mutation)
func sent(ok bool) {
	mut := bigtable.NewMutation()
	mut.DeleteRow()
	if ok { send(mut) }
}
func branches(ok bool) {
	mut := bigtable.NewMutation()
	if ok { send(mut) } else { send(mut) }
}
`)
	for fn, want := range map[string]*ssa.BasicBlock{
		"sent":     code.Call("sent", "send").Block(),
		"branches": code.Func("branches").Blocks[0],
	} {
		made := code.Call(fn, "NewMutation").Value()
		if got := control.Reaches(made, func(*ssa.Call) bool { return false }); got != want {
			t.Errorf("%s: %v, not %v", fn, got, want)
		}
	}
}
