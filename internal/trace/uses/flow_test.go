package uses_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/trace/uses"
)

// check holds what may be in each show(x) against the comment behind it: the
// functions by whose calls the mutations came to be there, and the parameters
// of the function that may hold some.
func flowCheck(t *testing.T, src string, facts ...layertest.Fact) {
	t.Helper()
	code := layertest.Load(t, src, facts...)
	flows := uses.NewFlows(eval.New(code.Prog))
	code.Check(func(s layertest.Shown) string {
		contents := flows.ContentsOf(s.Value)
		sites := map[string]string{}
		for _, fn := range code.Prog.Funcs {
			for _, call := range code.Prog.Calls[fn] {
				if v, ok := call.(*ssa.Call); ok && layertest.CalleeOf(call) == "NewMutation" {
					sites[code.Prog.Sites.Site(v)] = layertest.NameOf(fn)
				}
			}
		}
		var out []string
		for _, id := range contents.SortedSites() {
			for code.Prog.Sites.Parent[id] != "" {
				id = code.Prog.Sites.Parent[id]
			}
			if sites[id] == "" {
				sites[id] = "elsewhere"
			}
			out = append(out, sites[id])
		}
		for _, i := range contents.Of(s.Call.Parent()) {
			out = append(out, fmt.Sprintf("$%d", i))
		}
		sort.Strings(out)
		return strings.Join(slices.Compact(out), " ")
	})
}

// What is appended to a slice, stored in an element or in a map is in it, and
// in what is made of it.
func TestContainers(t *testing.T) {
	flowCheck(t, `
func a() *bigtable.Mutation { return bigtable.NewMutation() }
func b() *bigtable.Mutation { return bigtable.NewMutation() }
func slices() {
	var muts []*bigtable.Mutation
	muts = append(muts, a())
	show(muts) // a
	muts = append(muts, b())
	show(muts[1:]) // a b
	show([]*bigtable.Mutation{b()}) // b
}
func indexed(n int) {
	muts := make([]*bigtable.Mutation, n)
	for i := range muts {
		muts[i] = a()
	}
	show(muts) // a
}
func maps(key string) {
	muts := map[string]*bigtable.Mutation{}
	muts[key] = a()
	show(muts) // a
	for _, m := range muts {
		show(m) // a
	}
}
func structs() {
	var job struct { muts []*bigtable.Mutation; name string }
	job.muts = append(job.muts, a())
	show(job.muts) // a
}
func given(muts []*bigtable.Mutation, n int) {
	show(append(muts, b())) // $0 b
}
`)
}

// What is sent on a channel comes out of it, and of those that may be the same.
func TestChannels(t *testing.T) {
	flowCheck(t, `
func send(ch chan<- *bigtable.Mutation) { ch <- bigtable.NewMutation() }
func receive(ch chan *bigtable.Mutation) {
	show(<-ch) // $0 pipe.second send
	select {
	case m := <-ch:
		show(m) // $0 pipe.second send
	}
	for m := range ch {
		show(m) // $0 pipe.second send
	}
}
func others(ch chan []*bigtable.Mutation) {
	show(<-ch) // $0
}
type pipe struct { in, out chan *bigtable.Mutation }
func (p *pipe) first(m *bigtable.Mutation) { p.in <- m }
func (p *pipe) second(done chan bool) {
	select {
	case p.out <- bigtable.NewMutation():
	case <-done:
	}
	show(<-p.out) // pipe.second send
	show(<-p.in) // send
}
`)
}

// A batch has a method that adds to it. In its own methods it holds what they
// and its literals put there, and its receiver; where it is filled, what it is
// given too.
func TestBatches(t *testing.T) {
	flowCheck(t, `
type batch struct { muts []*bigtable.Mutation }
func (b *batch) add(m *bigtable.Mutation) { b.muts = append(b.muts, m) }
func (b *batch) addNew() { b.muts = append(b.muts, bigtable.NewMutation()) }
func (b *batch) flush() { show(b.muts) } // $0 batch.addNew literal
func literal() *bigtable.Mutation { return bigtable.NewMutation() }
func made() *bigtable.Mutation { return bigtable.NewMutation() }
func f() {
	b := &batch{muts: []*bigtable.Mutation{literal()}}
	b.add(made())
	b.addNew()
	show(b) // batch.addNew literal made
	b.flush()
}
`)
}

// What a function puts in its parameters is known to its callers; of one in
// another package, by its fact.
func TestOf(t *testing.T) {
	const src = `
-- dep/dep.go --
type Batch struct { muts []*bigtable.Mutation }
func (b *Batch) Add(m *bigtable.Mutation) { b.muts = append(b.muts, m) }
-- p/p.go --
type batch struct { muts []*bigtable.Mutation }
func (b *batch) add(m *bigtable.Mutation) { b.muts = append(b.muts, m) }
func addTwice(m *bigtable.Mutation, b *batch) { b.add(m); b.add(m) }
func (b *batch) size() int { return len(b.muts) }
func f() {
	b := new(dep.Batch)
	b.Add(bigtable.NewMutation())
	show(b) // f
}
`
	fact := layertest.Fact{Of: "dep.Batch.Add", Fact: &summary.Summary{Flows: []summary.Flow{{From: 1, To: 0}}}}
	flowCheck(t, src, fact)
	code := layertest.Load(t, src, fact)
	flows := uses.NewFlows(eval.New(code.Prog))
	for fn, want := range map[string]string{
		"batch.add": "puts $1 in $0", "addTwice": "puts $0 in $1", "batch.size": "",
	} {
		if got := (&summary.Summary{Flows: flows.Of(code.Func(fn))}).String(); got != want {
			t.Errorf("%s %s, want %s", fn, got, want)
		}
	}
}
