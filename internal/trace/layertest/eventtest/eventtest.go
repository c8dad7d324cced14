// Package eventtest looks at events for the tests of the layers that find them.
package eventtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Check holds the events of a source in the lines that have a comment against
// it: the operation without its package, how many calls away it is (where it
// is not the client's own call), and its cases: conditions and arguments.
func Check(t *testing.T, code *layertest.Code, events []*event.Event) {
	t.Helper()
	got := map[int][]string{}
	for _, e := range events {
		if e.Op == "bigtable.Time" || strings.HasPrefix(e.Op, "time.") {
			continue // judged by themselves
		}
		line := code.Prog.Pass.Fset.Position(e.Pos()).Line
		got[line] = append(got[line], text(e))
	}
	for line, want := range code.Comments() {
		if got := strings.Join(got[line], "; "); got != want {
			t.Errorf("line %d:\n got %s\nwant %s", line, got, want)
		}
	}
}

func text(e *event.Event) string {
	s := e.Op[strings.LastIndexByte(e.Op, '.')+1:]
	if e.Depth > 0 {
		s += fmt.Sprintf("^%d", e.Depth)
	}
	for i, c := range e.Cases {
		if i > 0 {
			s += " |"
		}
		args := c.Args
		if strings.Contains(e.Op, "Mutation.") || strings.Contains(e.Op, "Write.") {
			args = args[1:] // which mutation it is
		}
		var seen []*value.Value
		for _, a := range args {
			if a.Name != "an argument that no rule looks at" {
				seen = append(seen, a)
			}
		}
		s += " " + summary.GuardString(c.When) + summary.GuardString(c.Guards) + summary.ArgString(seen)
	}
	return s
}

// TableNames lists the names under which tables are opened.
func TableNames(tables []*value.Value) string {
	var names []string
	for _, table := range tables {
		names = append(names, value.Glob(table.Base().Args[1]))
	}
	return strings.Join(slices.Compact(names), " ")
}
