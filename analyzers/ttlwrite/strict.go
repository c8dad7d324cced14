package ttlwrite

import (
	"time"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// wrongBase reports now plus the default lifetime as the timestamp of a
// family with default expiration, to which garbage collection adds that
// lifetime again.
func (w write) wrongBase() *check.Finding {
	if w.e.Helper != "" {
		return nil // it says how long the cell lives
	}
	f := w.target.Family
	d, exact := instant.OfTimestamp(w.ts).Exact()
	if f.Strategy != registry.Default || !exact || (d-f.TTL).Abs() >= time.Millisecond {
		return nil
	}
	ttl := registry.FormatDuration(f.TTL)
	return w.finding("wrong-base", "uses now plus "+ttl+": the default age of "+ttl+" is added to it, so the cell lives twice as long; "+w.setShifted(), w.clock())
}

// staleSurvivor reports a write whose lifetime varies from call to call and
// that does not delete the column first: a value written earlier with a
// longer life outranks it.
func (w write) staleSurvivor() *check.Finding {
	if !w.target.Family.Strategy.Expires() || w.e.Depth > 0 || !w.varies() || w.deletedBefore() {
		return nil
	}
	if w.e.Helper != "" {
		return w.survivorOfHelper()
	}
	f := w.finding("stale-survivor", "has a lifetime that varies: an earlier value with a longer life hides it; call DeleteCellsInColumn first, in the same mutation", nil)
	f.Fix = nil
	if b := fix.New(w.p.Pass, w.e.Node); b != nil && w.e.Call != nil && len(w.e.Call.Args) == 4 {
		if stmt := w.p.Statement(w.e.Call); stmt != nil {
			recv := w.e.Arg(w.c, 0)
			family, column := w.e.Call.Args[0], w.e.Call.Args[1]
			if recv != nil && pure(w.p.Pass, recv) && pure(w.p.Pass, family) && pure(w.p.Pass, column) {
				b.Insert(stmt.Pos(), b.Source(recv)+".DeleteCellsInColumn("+b.Source(family)+", "+b.Source(column)+")\n"+b.Indent(stmt.Pos()))
				if !w.firstInColumn() {
					b.Unsafe("a write to the same column before it, in the same mutation, would be deleted too")
				}
				f.Fix = b.Done("Delete the column first")
			}
		}
	}
	return f
}

// firstInColumn reports whether the mutation is certainly given nothing else
// for the column before: it is made here, and what it is given before is for
// other columns.
func (w write) firstInColumn() bool {
	if trace.Root(w.c.Args[0]) == "" {
		return false
	}
	column, ok := w.c.Args[2].IsStr()
	for _, e := range w.mutations.of(w.p, w.e).sets {
		if e == w.e || !e.Precedes(w.e) {
			continue
		}
		for _, c := range e.Cases {
			family, known := c.Args[1].IsStr()
			other, ok2 := c.Args[2].IsStr()
			if known && family != w.target.Family.Name || ok && ok2 && other != column {
				continue
			}
			return false
		}
	}
	return true
}

// varies reports whether the moment of expiry depends on what callers say.
func (w write) varies() bool {
	ts := instant.OfTimestamp(w.ts)
	if ts.Kind == instant.Now && ts.Bounded() || ts.Kind != instant.Now && ts.Kind != instant.Unknown {
		return false
	}
	open := false
	w.ts.Walk(func(v *value.Value) {
		if v.Kind == value.Param && v.Class != value.NoClass || v.Kind == value.Field && v.HasParams() && v.Class != value.NoClass {
			open = true
		}
	})
	return open
}

// deletedBefore reports whether the mutation deletes the column before.
func (w write) deletedBefore() bool {
	key := mutationOf(w.p, w.e)
	if key == "" {
		return true // what else happens to the mutation is not known
	}
	for _, e := range w.p.Events {
		if mutationOf(w.p, e) != key || !e.Precedes(w.e) {
			continue
		}
		for _, c := range e.Cases {
			switch e.Op {
			case btapi.DeleteRow:
				return true
			case btapi.DeleteCellsInFamily, btapi.DeleteCellsInColumn:
				if s, ok := c.Args[1].IsStr(); !ok || s != w.target.Family.Name {
					continue
				}
				if e.Op == btapi.DeleteCellsInFamily || c.Args[2].String() == w.c.Args[2].String() {
					return true
				}
			}
		}
	}
	return false
}
