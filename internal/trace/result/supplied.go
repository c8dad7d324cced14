package result

import (
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/value"
)

// suppliedTable returns the table of a read that hangs on a parameter of its
// function, as the field of a receiver does, as what all calls in view supply; the
// table as the function sees it where they do not agree, or there are none.
func (p *finder) suppliedTable(e *event.Event, table *value.Value) *value.Value {
	if !table.HasParams() || event.OpenedByName(table) {
		return table
	}
	var same *value.Value
	agree := true
	for _, d := range e.Derived() {
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
