package event

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A function may hand its mutation on to one that fills it, and apply it itself: to the
// table of the same record whose method that is, and not to that of another.

// handsTo wraps, behind what a callback is called with, the table to which the function
// that calls it applies the mutation among that.
const handsTo = "for a table"

// table returns the table to which a mutation is applied.
func (a *application) table(q *eval.Path) *value.Value {
	if a.fake {
		return fakeTable()
	}
	return q.Settler.Force(q.Reader.Argument(a.args[0], a.call), 4)
}

// follows keeps to the ways on which a mutation is applied after a call that fills it.
func (a *application) follows(q *eval.Path, call ssa.CallInstruction, mut ssa.Value) {
	if a.fake {
		return
	}
	if a.call.Parent() != call.Parent() {
		q.Way.Pass(call.Block())
	} else if made, ok := mut.(*ssa.Call); ok {
		q.Way.AssumeAfter(call.Block(), made, a.args[0])
	}
}

// WithTable returns the arguments that a write has by a call of an interface's method,
// which is given the mutation, with the table to which the call's own function applies
// that: which method it is, and which table, may be chosen together.
func (p *Tracer) WithTable(q *eval.Path, op string, does, args []*value.Value, call ssa.CallInstruction, t program.Target) []*value.Value {
	i, ok := fillsParam(op, does)
	if !ok || !call.Common().IsInvoke() || t.Recv != nil || i >= len(t.Args) {
		return args
	}
	a := p.appliedAt(t.Args[i])
	if a == nil {
		return args
	}
	table := a.table(q)
	if !OpenedByName(table) {
		return args
	}
	a.follows(q, call, t.Args[i])
	return withTable(args, table)
}

// withTable returns the arguments of a write with a table behind them.
func withTable(args []*value.Value, table *value.Value) []*value.Value {
	for len(args) < WriteArgs {
		args = append(args, value.UnknownFor("an argument that no rule looks at"))
	}
	return append(args, table)
}

// HandsTo returns what a callback is called with, and behind it the table to which the
// function that calls it applies the one mutation among that.
func (p *Tracer) HandsTo(q *eval.Path, args []*value.Value, call ssa.CallInstruction) []*value.Value {
	var mut ssa.Value
	for _, a := range call.Common().Args {
		if btapi.Type(a.Type()) != "bigtable.Mutation" {
			continue
		}
		if mut != nil {
			return args
		}
		mut = a
	}
	if mut == nil {
		return args
	}
	if a := p.appliedAt(mut); a != nil {
		return append(args, value.Apply(handsTo, a.table(q)))
	}
	return args
}

// CalledWith returns what a callback's arguments say that it is called with, behind what is
// called, and the table of the mutation among that; nil where that is not known.
func CalledWith(callback summary.Case) (with []*value.Value, table *value.Value) {
	with = callback.Args[2:]
	if n := len(with) - 1; n >= 0 && with[n].Is(handsTo) {
		return with[:n], with[n].Args[0]
	}
	return with, nil
}

// DoneTo returns the arguments of what a function does which is called back: of a write to
// the mutation that it is given, with the table of that.
func DoneTo(table *value.Value, op string, does, args []*value.Value) []*value.Value {
	if _, ok := fillsParam(op, does); table == nil || !ok {
		return args
	}
	return withTable(args, table)
}

// fillsParam returns which parameter a write of a function fills, of which it does not know
// the table itself.
func fillsParam(op string, does []*value.Value) (i int, ok bool) {
	if !Fills(op) || len(does) == 0 || len(does) > WriteArgs || does[0].Base().Kind != value.Param {
		return 0, false
	}
	return int(does[0].Base().Num), true
}
