// Package ttlage finds artificial cell timestamps that are used as dates.
package ttlage

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/syntax"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

const doc = `find artificial cell timestamps that are used as dates

Where a timestamp is the moment of expiry or a sequence number it says nothing
of when the cell was written: time.Since of it is no age. Store the time of
writing in a column of its own.`

// Analyzer finds artificial timestamps used as dates.
var Analyzer = New(&check.Config{})

// New returns the analyzer with a choice of rules.
func New(config *check.Config) *analysis.Analyzer {
	return check.New("ttlage", doc, config, run)
}

func run(p *check.Pass) {
	defer unique(p)
	for _, e := range p.Events {
		switch e.Op {
		case trace.Compare:
			p.Event(e, sentinel)
		case "time.Since":
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding {
				return notWriteTime(p, e, c, c.Args[0], "but time.Since treats it as the write time; keep that in a column", c.Args[1:]...)
			})
		case "time.Time.Sub":
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding {
				if cellTimestamp(c.Args[0]) != nil {
					return nil // the life that remains, or two cells compared
				}
				return notWriteTime(p, e, c, c.Args[1], "but the difference is used as the cell's age; keep the write time in a column", c.Args[2:]...)
			})
		case trace.Age:
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding {
				if cellTimestamp(c.Args[0]) != nil || !instant.OfTimestamp(c.Args[0]).Clock() {
					return nil
				}
				return notWriteTime(p, e, c, c.Args[1], "but the difference is used as the cell's age; keep the write time in a column", c.Args[2:]...)
			})
		case "time.Time.Format", "time.Time.String":
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding {
				return kept(p, e, c, "but is formatted as the write time; keep that in a column")
			})
		case trace.CellTime:
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding {
				if movedBack(p, e.Node) {
					return nil
				}
				return kept(p, e, c, "but is stored as the write time; keep that in a column")
			})
		case trace.StoreTime:
			p.Event(e, func(e *trace.Event, c trace.Case) []check.Finding {
				return notWriteTime(p, e, c, c.Args[0], "but is stored as the write time; keep that in a column")
			})
		}
	}
}

// unique leaves one finding of each family on a line, and none on a variable's
// name where the variable's use is one.
func unique(p *check.Pass) {
	type place struct {
		file, family string
		line         int
	}
	seen := map[place]bool{}
	var uses []ast.Node
	p.Filter(func(f check.Finding) bool {
		if _, name := f.At.(*ast.SelectorExpr); !name {
			uses = append(uses, f.At)
		}
		return true
	})
	p.Filter(func(f check.Finding) bool {
		if f.Category != "not-write-time" || f.Apart() {
			return true
		}
		if _, name := f.At.(*ast.SelectorExpr); name {
			v := toVariable(p, f.At)
			if v != nil && slices.ContainsFunc(uses, func(n ast.Node) bool { return syntax.Within(f.At, n) || mentions(p, n, v) }) {
				return false
			}
		}
		pos := p.Fset.Position(f.At.Pos())
		at := place{pos.Filename, f.Family, pos.Line}
		if seen[at] {
			return false
		}
		seen[at] = true
		return true
	})
}

// sentinel reports comparisons of a cell's timestamp with ServerTime.
func sentinel(e *trace.Event, c trace.Case) []check.Finding {
	// Every timestamp is greater than -1, which a search for the newest may
	// start from.
	if b, ok := e.Node.(*ast.BinaryExpr); ok && b.Op != token.EQL && b.Op != token.NEQ {
		return nil
	}
	for i, v := range c.Args {
		if n, ok := v.IsInt(); ok && n == -1 && cellTimestamp(c.Args[1-i]) != nil {
			return []check.Finding{{Category: "server-sentinel",
				Message: "a cell's timestamp is compared with ServerTime: no cell has it, since the server stores its clock; compare with a time, or store a mark in its own column"}}
		}
	}
	return nil
}

// cellTimestamp returns the timestamp of a cell in a value, or nil.
func cellTimestamp(v *value.Value) *value.Value {
	var found *value.Value
	v.Walk(func(w *value.Value) {
		if w.Kind == value.Field && w.Name == "bigtable.ReadItem.Timestamp" {
			found = w
		}
	})
	return found
}

// movedBack reports whether the timestamp is written as it.Timestamp.Time().Add(-d).
func movedBack(p *check.Pass, n ast.Node) bool {
	for _, parent := range p.Parents(n) {
		call, ok := parent.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			continue
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if minus, negative := call.Args[0].(*ast.UnaryExpr); ok && negative && minus.Op == token.SUB && sel.Sel.Name == "Add" {
			return true
		}
	}
	return false
}

// shiftedBack reports whether a duration is subtracted from the timestamp of
// a cell: expiry less lifetime is the time of writing.
func shiftedBack(v *value.Value) bool {
	found := false
	v.Walk(func(w *value.Value) {
		if !w.Is("time.Time.Add") || len(w.Args) != 2 || cellTimestamp(w.Args[0]) == nil {
			return
		}
		d := w.Args[1].Base()
		n, ok := d.IsInt()
		found = found || ok && n < 0 || d.Is(value.Sub)
	})
	return found
}

// reckoned reports whether something is added to the number of a cell, or to another time
// so many periods as it says: genesis + n*period is a moment.
func reckoned(v *value.Value) bool {
	found := false
	v.Walk(func(w *value.Value) {
		switch {
		case w.Is(value.Add):
			found = found || (cellTimestamp(w.Args[0]) != nil) != (cellTimestamp(w.Args[1]) != nil)
		case w.Is("time.Time.Add"):
			found = found || cellTimestamp(w.Args[1]) != nil
		}
	})
	return found
}

// notWriteTime reports the timestamp of a cell of a family with artificial
// timestamps that is used as the time at which it was written; use says how, and what to
// do instead. A difference may be compared with something at once.
func notWriteTime(p *check.Pass, e *trace.Event, c trace.Case, v *value.Value, use string, against ...*value.Value) []check.Finding {
	if shiftedBack(v) {
		return nil
	}
	ts := cellTimestamp(v)
	if ts == nil {
		return nil
	}
	family, tables := origin(p, e, c, ts)
	var out []check.Finding
	for _, t := range p.Targets(tables, family) {
		if !t.Family.Strategy.Artificial() || checked(against, t.Family) || t.Family.Strategy == registry.Sequence && reckoned(v) {
			continue
		}
		out = append(out, check.Finding{Category: "not-write-time", Family: family,
			At: e.HandedOver(), // whoever hands it over; nil: at the event
			Message: fmt.Sprintf("timestamp of %s is %s, %s",
				t.Name(), meaning(t.Family), use)})
	}
	return out
}

func meaning(f *registry.Family) string {
	switch f.Strategy {
	case registry.OneSecond:
		return "when the cell expires"
	case registry.Default:
		return "shifted by the cell's lifetime"
	case registry.Sequence:
		return "a sequence number"
	}
	return "always 0"
}

// origin finds the family and the tables of a cell: of a row that a function is
// given, those of the rows that calls in view give it, where that is known; of one that
// an object's method reads, what the case says that the object is given.
func origin(p *check.Pass, e *trace.Event, c trace.Case, ts *value.Value) (family string, tables []*value.Value) {
	ts.Walk(func(v *value.Value) {
		if v.Is(trace.Cells) && len(v.Args) == 2 {
			family, _ = v.Args[1].IsStr()
			if tables = p.Trace.Tables(v.Args[0]); e.OnlyTable {
				tables = c.Args[len(c.Args)-1:]
			} else if v.Args[0].HasParams() {
				tables = append(tables, given(p, e, family)...)
			}
			if family == "" {
				family = filtered(p, v.Args[0], tables)
			}
		}
	})
	return family, tables
}

// filtered returns the only family of which the filter of a row's read lets cells pass;
// "" where that is not known.
func filtered(p *check.Pass, row *value.Value, tables []*value.Value) (only string) {
	e := p.Trace.Read(row)
	if e == nil || len(e.Cases) != 1 || len(tables) != 1 {
		return ""
	}
	table, _ := p.Model.Table(check.Ref(tables[0]))
	opts := filter.OptionsOf(e.Cases[0].Args[len(e.Cases[0].Args)-1])
	applies := opts.Last()
	if table == nil || applies == nil || !opts.Known {
		return ""
	}
	tree := filter.Of(applies)
	for _, f := range append([]*registry.Family{{Name: "\x01", Strategy: registry.OneSecond}}, table.Families...) {
		if filter.Judge(tree, f).Verdict == filter.Excluded {
			continue
		}
		if only != "" || f.Name == "\x01" {
			return ""
		}
		only = f.Name
	}
	if !applies.Has(func(v *value.Value) bool { return v.Is("bigtable.FamilyFilter") && v.Args[0].Base().Name == only }) {
		return "" // a pattern may let others pass
	}
	return only
}

// given lists the tables of the rows with cells of a family that calls in view give
// the function of an event, those of tests aside.
func given(p *check.Pass, e *trace.Event, family string) []*value.Value {
	var tables []*value.Value
	for _, call := range e.Link.Derived {
		if call.Node == nil || p.InTest(call) {
			continue
		}
		for _, c := range call.Cases {
			for _, a := range c.Args {
				if ts := cellTimestamp(a); ts != nil {
					if of, more := origin(p, call, c, ts); of == family {
						tables = append(tables, more...)
					}
				}
			}
		}
	}
	return tables
}

// isLifetime reports whether a number that a difference is compared with is
// the lifetime of a family: as a duration, or in microseconds.
func isLifetime(n int64, f *registry.Family) bool {
	return n == int64(f.TTL) || n == f.TTL.Microseconds()
}

// checked reports whether a difference is at once compared: with 0 it tells
// whether a cell has expired, and with the default lifetime too.
func checked(against []*value.Value, f *registry.Family) bool {
	if !f.Strategy.Expires() {
		return false
	}
	for _, v := range against {
		if n, ok := v.IsInt(); ok && (n == 0 || f.Strategy == registry.Default && isLifetime(n, f)) {
			return true
		}
	}
	return false
}
