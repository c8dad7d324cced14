package ttlwrite

import (
	"fmt"
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// sequences judges the order of the operations on each mutation.
func sequences(p *check.Pass) {
	byMutation := map[string][]*trace.Event{}
	key := func(e *trace.Event) string {
		if key := mutationOf(p, e); key != "" {
			return key
		}
		return fmt.Sprintf("in %p", e.Fn) // told apart by what holds it
	}
	for _, e := range p.Events {
		switch e.Op {
		case btapi.Set, btapi.DeleteCellsInColumn, btapi.DeleteCellsInFamily, btapi.DeleteRow:
			byMutation[key(e)] = append(byMutation[key(e)], e)
		}
	}
	for _, e := range p.Events {
		var before []*trace.Event
		for _, f := range byMutation[key(e)] {
			if f.Op != btapi.Set || f.Node == e.Node || !f.Precedes(e) {
				continue
			}
			same, known := e.SameObject(f)
			if same || !known && mutationOf(p, e) != "" {
				before = append(before, f)
			}
		}
		switch e.Op {
		case btapi.Set:
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding { return sameTimestamp(p, e, c, before) })
		case btapi.DeleteCellsInColumn, btapi.DeleteCellsInFamily, btapi.DeleteRow:
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding { return deleteAfterSet(p, e, c, before) })
		}
	}
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
func sameTimestamp(p *check.Pass, e *trace.Event, c trace.Case, before []*trace.Event) []check.Finding {
	family, _ := c.Args[1].IsStr()
	for _, t := range p.Writes(e, c, c.Args[1]) {
		if t.Family.Strategy == registry.Real {
			continue
		}
		if e.Again {
			return []check.Finding{repeated(t, e, c)}
		}
		for _, f := range before {
			if !sameArgument(e, f, 1, sameText) || !sameArgument(e, f, 2, sameText) || !sameArgument(e, f, 3, moments{p, e, f}.same) {
				continue
			}
			remedy := "write the column once"
			if t.Family.Strategy == registry.Sequence {
				remedy = "write it once, or give each value its number"
			}
			return []check.Finding{{Category: "same-timestamp", Family: family, Table: t.TablePattern(),
				Message: fmt.Sprintf("second write to %s of %s with the same timestamp in one mutation: the first value is lost; %s",
					columnOf(c), t.Name(), remedy)}}
		}
	}
	return nil
}

// repeated reports a write that each turn of a loop makes to one cell.
func repeated(t check.Target, e *trace.Event, c trace.Case) check.Finding {
	remedy := "give each value a column of its own"
	if t.Family.Strategy == registry.Sequence {
		remedy = "give each value its number, or a column of its own"
	}
	var at ast.Node // the call in the loop, whatever supplies the timestamp
	if !e.ByReceiver() {
		at = e.Node
	}
	return check.Finding{Category: "same-timestamp", Family: t.Family.Name, Table: t.TablePattern(), At: at,
		Message: fmt.Sprintf("write to %s of %s in a loop with a timestamp that does not change, in one mutation: all values but the last are lost; %s",
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

// deleteAfterSet reports a deletion that covers an earlier write.
func deleteAfterSet(p *check.Pass, e *trace.Event, c trace.Case, before []*trace.Event) []check.Finding {
	arg := func(c trace.Case, i int) (string, bool) {
		if i >= len(c.Args) {
			return "", false
		}
		return c.Args[i].IsStr()
	}
	for _, f := range before {
		for _, d := range f.Cases {
			family, okFamily := arg(d, 1)
			column, okColumn := arg(d, 2)
			sameColumn := e.SameArgument(f, 2)
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
				sameColumn = sameColumn || ok2 && okColumn && t == column
				covers = ok && okFamily && s == family && sameColumn
			}
			if !covers {
				continue
			}
			name := "the row"
			if okFamily {
				name = fmt.Sprintf("family %q", family)
			}
			if e.Helper != "" {
				return deletesByHelper(e, c, family, name)
			}
			return []check.Finding{{Category: "delete-after-set", Family: family,
				Message: "deletion after a write to " + name + " in the same mutation: mutations apply in order, and the new value is deleted; delete first, then write",
				Fix:     deleteFirst(p, e, before)}}
		}
	}
	return nil
}
