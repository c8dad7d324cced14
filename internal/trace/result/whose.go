package result

import (
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Whose a table is: the function's that makes a mutation and applies it, or that of
// the calls which apply what it makes, or give it the table.

// TableOfCallers reports whether the tables to which the mutation of a write is
// applied are those that calls of its function say: they apply what it makes, or
// give it the table.
func (r *Result) TableOfCallers(e *event.Event, c summary.Case) bool {
	if len(c.Args) == 0 || e.Table != nil || e.OnlyTable || e.ViaField || len(e.Link.Derived) == 0 {
		return false
	}
	if id := kind.Root(c.Args[0]); id == "" || len(r.direct[id]) > 0 {
		return false
	}
	return len(c.Args) <= event.WriteArgs || event.GivenTable(e.Op, c) != nil
}

// OwnTable returns the one table to which the function that makes a mutation applies
// it, whoever calls it: the type of an accessor may say so much. It is nil where that
// is not known.
func (r *Result) OwnTable(mutation *value.Value) *value.Value {
	if r.tracer == nil {
		return nil
	}
	for id := kind.Root(mutation); id != ""; id = r.tracer.prog.Sites.Parent[id] {
		tables := r.direct[id]
		if len(tables) == 0 {
			continue
		}
		for _, t := range tables {
			if !event.OpenedByName(t) || t.HasParams() || t.String() != tables[0].String() {
				return nil
			}
		}
		return tables[0]
	}
	return nil
}

// tablesAt returns the tables of the mutation of a write: those to which it is
// applied, or to which what the event calls does that.
func (r *Result) tablesAt(e *event.Event, c summary.Case) []*value.Value {
	if t := eventTables(r.tables, e, c); len(t) > 0 || e.Depth == 0 || len(c.Args) == 0 {
		return t
	}
	if own := r.OwnTable(c.Args[0]); own != nil {
		return []*value.Value{own}
	}
	return nil
}

// suppliedTable returns the table of a read that hangs on a parameter of its
// function, as the field of a receiver does, as what all calls in view supply; the
// table as the function sees it where they do not agree, or there are none.
func (p *finder) suppliedTable(e *event.Event, table *value.Value) *value.Value {
	if !table.HasParams() || event.OpenedByName(table) {
		return table
	}
	var same *value.Value
	agree := true
	for _, d := range e.Link.Derived {
		if d.Node == nil || p.prog.IsTest(d.Pos()) {
			continue
		}
		for _, c := range d.Cases {
			t := p.suppliedTable(d, c.Args[0])
			agree = agree && (same == nil || same.String() == t.String())
			same = t
		}
	}
	if same == nil || !agree {
		return table
	}
	return same
}
