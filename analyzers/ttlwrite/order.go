package ttlwrite

import (
	"fmt"
	"go/ast"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// sequences judges the order of the operations on each mutation: of what a call reaches,
// those of the function that it is in.
func sequences(p *check.Pass, ms mutations) {
	judged := func(by func(*check.Pass, *trace.Event, trace.Case, *mutation, func(*trace.Event) bool) []check.Finding) check.Judge {
		return func(e *trace.Event, c trace.Case) []check.Finding { return by(p, e, c, ms.of(p, e), before(p, e)) }
	}
	for _, e := range p.Events {
		switch e.Op {
		case btapi.Set:
			p.Event(e, judged(sameTimestamp))
		case btapi.DeleteCellsInColumn, btapi.DeleteCellsInFamily, btapi.DeleteRow:
			p.Event(e, judged(deleteAfterSet))
		}
	}
}

// before returns what reports whether a write comes before an event, to the same mutation.
func before(p *check.Pass, e *trace.Event) func(*trace.Event) bool {
	named := mutationOf(p, e) != ""
	return func(f *trace.Event) bool {
		if f.Node == e.Node || !f.Precedes(e) {
			return false
		}
		same, known := e.SameObject(f)
		return same || !known && named
	}
}

// mutations are the writes of a package, by what [mutationOf] names.
type mutations map[string]*mutation

func mutationsOf(p *check.Pass) mutations {
	ms := mutations{}
	for _, e := range p.Events {
		if e.Op == btapi.Set {
			ms.of(p, e).add(e)
		}
	}
	return ms
}

// of returns the mutation of an event, told apart by what holds it where it has no name.
func (ms mutations) of(p *check.Pass, e *trace.Event) *mutation {
	key := mutationOf(p, e)
	if key == "" {
		key = fmt.Sprintf("in %p", e.Fn)
	}
	if ms[key] == nil {
		ms[key] = &mutation{alike: map[string][]*trace.Event{}, columns: map[[2]string][]*trace.Event{}}
	}
	return ms[key]
}

// A mutation is the writes to one, all, by their column and timestamp, and by the names of
// family and column: mutations with thousands of writes are common in generated code.
type mutation struct {
	sets    []*trace.Event
	alike   map[string][]*trace.Event
	columns map[[2]string][]*trace.Event
}

func (m *mutation) add(e *trace.Event) {
	m.sets = append(m.sets, e)
	for _, key := range cellKeys(e) {
		m.alike[key] = append(m.alike[key], e)
	}
	for _, c := range e.Cases {
		family, ok := c.Args[1].IsStr()
		if column, named := c.Args[2].IsStr(); ok && named {
			m.columns[[2]string{family, column}] = append(m.columns[[2]string{family, column}], e)
		}
	}
}

// cellKeys returns what two writes have one of in common that are certainly given the
// same column and timestamp.
func cellKeys(e *trace.Event) []string {
	var keys []string
	for _, column := range argumentKeys(e, 2) {
		for _, ts := range argumentKeys(e, 3) {
			keys = append(keys, column+"\x00"+ts)
		}
	}
	return keys
}

func argumentKeys(e *trace.Event, i int) []string {
	var keys []string
	if key := e.ArgumentKey(i); key != "" {
		keys = append(keys, "as "+key)
	}
	if len(e.Cases) == 1 && i < len(e.Cases[0].Args) {
		keys = append(keys, e.Cases[0].Args[i].String())
	}
	return keys
}

// mutationOf names the mutation that an event works on, "" if it is not
// known.
func mutationOf(p *check.Pass, e *trace.Event) string {
	if len(e.Cases) == 0 || len(e.Cases[0].Args) == 0 {
		return ""
	}
	if e.ViaField {
		if sel, ok := e.Call.Fun.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				return fmt.Sprintf("object %p", p.TypesInfo.Uses[id])
			}
		}
		return ""
	}
	v := e.Cases[0].Args[0].Base()
	if id := trace.Root(v); id != "" {
		return id
	}
	if v.Kind == value.Param {
		return fmt.Sprintf("%p %d", v.Site, v.Num)
	}
	return ""
}

// sameTimestamp reports the second of two writes to one cell.
func sameTimestamp(p *check.Pass, e *trace.Event, c trace.Case, m *mutation, before func(*trace.Event) bool) []check.Finding {
	family, _ := c.Args[1].IsStr()
	for _, t := range p.Writes(e, c, c.Args[1]) {
		if t.Family.Strategy == registry.Real {
			continue
		}
		if e.Again {
			return []check.Finding{repeated(t, e, c)}
		}
		second := func(f *trace.Event) bool {
			return sameArgument(e, f, 1, sameText) && sameArgument(e, f, 2, sameText) && sameArgument(e, f, 3, moments{p, e, f}.same) && before(f)
		}
		if slices.ContainsFunc(cellKeys(e), func(key string) bool { return slices.ContainsFunc(m.alike[key], second) }) {
			remedy := "write the column once"
			if t.Family.Strategy == registry.Sequence {
				remedy = "write it once, or give each value its own number"
			}
			return []check.Finding{{Category: "same-timestamp", Family: family, Table: t.TablePattern(),
				Message: fmt.Sprintf("second write to %s of %s at the same timestamp in one mutation: the first value is lost; %s",
					columnOf(c), t.Name(), remedy)}}
		}
	}
	return nil
}

// repeated reports a write that each turn of a loop makes to one cell.
func repeated(t check.Target, e *trace.Event, c trace.Case) check.Finding {
	remedy := "give each value its own column"
	if t.Family.Strategy == registry.Sequence {
		remedy = "give each value its own number or column"
	}
	var at ast.Node // the call in the loop, whatever supplies the timestamp
	if !e.GivesNothing() {
		at = e.Node
	}
	return check.Finding{Category: "same-timestamp", Family: t.Family.Name, Table: t.TablePattern(), At: at,
		Message: fmt.Sprintf("write to %s of %s in a loop, at one timestamp, in one mutation: all values but the last are lost; %s",
			columnOf(c), t.Name(), remedy)}
}

// columnOf names the column of a write.
func columnOf(c trace.Case) string {
	if name, ok := c.Args[2].IsStr(); ok {
		return fmt.Sprintf("column %q", name)
	}
	return "the same column"
}

// sameArgument reports whether two events are certainly given the same: one
// variable, whatever it holds, or values that are known to be the same.
func sameArgument(e, f *trace.Event, i int, same func(a, b *value.Value) bool) bool {
	if e.SameArgument(f, i) {
		return true
	}
	return len(e.Cases) == 1 && len(f.Cases) == 1 && same(e.Cases[0].Args[i], f.Cases[0].Args[i])
}

func sameText(a, b *value.Value) bool {
	s, ok := a.IsStr()
	t, ok2 := b.IsStr()
	return ok && ok2 && s == t
}

// deleteFirst is the fix that moves a deletion before the first write to the
// mutation, where both are statements of one block and the deletion's
// arguments cannot change between them.
func deleteFirst(p *check.Pass, e *trace.Event, before []*trace.Event) *analysis.SuggestedFix {
	if e.Depth > 0 || e.Call == nil {
		return nil
	}
	deletion := p.Statement(e.Call)
	b := fix.New(p.Pass, e.Node)
	if deletion == nil || b == nil || len(before) == 0 {
		return nil
	}
	for _, a := range e.Call.Args {
		if tv := p.TypesInfo.Types[a]; tv.Value == nil {
			return nil
		}
	}
	block := p.Parents(deletion)
	var first ast.Stmt
	for _, f := range before {
		if f.Depth > 0 || f.Call == nil {
			return nil
		}
		s := p.Statement(f.Call)
		if s == nil || len(block) == 0 || len(p.Parents(s)) == 0 || p.Parents(s)[0] != block[0] {
			return nil
		}
		if first == nil || s.Pos() < first.Pos() {
			first = s
		}
	}
	return b.Move(deletion, first).Done("Delete first")
}

func filtered(events []*trace.Event, keep func(*trace.Event) bool) []*trace.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e *trace.Event) bool { return !keep(e) })
}

// deleteAfterSet reports a deletion that covers an earlier write.
func deleteAfterSet(p *check.Pass, e *trace.Event, c trace.Case, m *mutation, before func(*trace.Event) bool) []check.Finding {
	arg := func(c trace.Case, i int) (string, bool) {
		if i >= len(c.Args) {
			return "", false
		}
		return c.Args[i].IsStr()
	}
	for _, f := range m.sets {
		for _, d := range f.Cases {
			family, okFamily := arg(d, 1)
			column, okColumn := arg(d, 2)
			covers := false
			switch e.Op {
			case btapi.DeleteRow:
				covers = true
			case btapi.DeleteCellsInFamily:
				s, ok := arg(c, 1)
				covers = ok && okFamily && s == family
			case btapi.DeleteCellsInColumn:
				s, ok := arg(c, 1)
				t, ok2 := arg(c, 2)
				covers = ok && okFamily && s == family && (ok2 && okColumn && t == column || e.SameArgument(f, 2))
			}
			if !covers {
				continue
			}
			again := slices.Contains(e.Overtakes, f)
			if !before(f) && !again {
				break
			}
			name := "the row"
			if okFamily {
				name = fmt.Sprintf("family %q", family)
			}
			if !before(f) {
				return []check.Finding{{Category: "delete-after-set", Family: family,
					Message: "deletion in a loop of what the turn before wrote to " + name + " in the same mutation: mutations apply in order, and all but the last turn's values are deleted; delete once, before the loop"}}
			}
			if e.Helper != "" {
				return deletesByHelper(e, c, family, name)
			}
			return []check.Finding{{Category: "delete-after-set", Family: family,
				Message: "deletion after a write to " + name + " in the same mutation deletes the new value; delete first, then write",
				Fix:     deleteFirst(p, e, filtered(m.sets, before))}}
		}
	}
	return nil
}
