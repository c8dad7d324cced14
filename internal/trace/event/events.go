package event

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/trace/uses"
	"github.com/ttlvet/ttlvet/internal/value"
)

// rawTypes are the messages whose literals are events.
var rawTypes = map[string]bool{
	"bigtablepb.Mutation_SetCell":          true,
	"bigtablepb.ReadRowsRequest":           true,
	"bigtablepb.CheckAndMutateRowRequest":  true,
	"bigtablepb.ReadModifyWriteRule":       true,
	"bigtablepb.MutateRowRequest":          true,
	"bigtablepb.MutateRowsRequest":         true,
	"bigtablepb.ReadModifyWriteRowRequest": true,
	"adminpb.ModifyColumnFamiliesRequest":  true,
	"adminpb.CreateTableRequest":           true,
	modification:                           true,
}

const modification = "adminpb.ModifyColumnFamiliesRequest_Modification"

// Modification is the operation of the literal of a raw change of one family.
const Modification = New + modification

// collectEvents lists the events of the package that are the client's own
// calls and the like, in source order.
func (p *Tracer) collectEvents() []*Event {
	return p.each(func(fn *ssa.Function, instr ssa.Instruction, add func(*Event)) {
		switch instr := instr.(type) {
		case ssa.CallInstruction:
			for _, t := range p.Eval.Targets(instr) {
				if t.API != "" {
					add(p.apiEvent(fn, instr, t))
				}
				for _, e := range p.helperEvents(fn, instr, t) {
					add(e)
				}
			}
		case *ssa.Convert, *ssa.MultiConvert, *ssa.ChangeType:
			add(p.conversion(fn, instr.(ssa.Value)))
		case *ssa.BinOp:
			add(p.comparison(fn, instr))
			add(p.difference(fn, instr))
		case *ssa.Alloc:
			if btapi.Type(kind.Deref(instr.Type())) == "bigtable.TableConf" {
				add(p.conf(fn, instr))
			} else {
				add(p.message(fn, instr))
			}
		case *ssa.UnOp:
			if fa, ok := instr.X.(*ssa.FieldAddr); ok && instr.Op == token.MUL && kind.IsCellTimestamp(kind.Deref(fa.X.Type()), fa.Field) {
				add(p.cellTime(fn, instr, fa.Pos()))
			}
		case *ssa.Field:
			if kind.IsCellTimestamp(instr.X.Type(), instr.Field) {
				add(p.cellTime(fn, instr, instr.Pos()))
			}
		case *ssa.Store:
			add(p.storeTime(fn, instr))
			add(p.listedVariable(fn, instr))
		case *ssa.Return:
			add(p.listedResult(fn, instr))
		}
	})
}

// each lists the events that look finds at the instructions of the package.
func (p *Tracer) each(look func(fn *ssa.Function, instr ssa.Instruction, add func(*Event))) []*Event {
	var events []*Event
	add := func(e *Event) {
		if e != nil && len(e.Cases) > 0 {
			events = append(events, e)
		}
	}
	for _, fn := range p.Prog.Funcs {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				look(fn, instr, add)
			}
		}
	}
	return events
}

// apiEvent makes the event of a call of the client.
func (p *Tracer) apiEvent(fn *ssa.Function, call ssa.CallInstruction, t program.Target) *Event {
	relevant, ok := btapi.Relevant(t.API)
	if !ok {
		return nil
	}
	e := p.NewEvent(t.API, fn, call)
	e.Target = t
	if Applies(t.API) && t.Recv == nil && len(t.Args) > 3 {
		e.Applied = t.Args[3:4]
	}
	e.Call = p.Prog.Syntax.Calls[call.Common().Pos()]
	if e.Call != nil {
		e.Node = e.Call
	}
	n := len(t.Args)
	if t.Recv != nil {
		n++
	}
	apply, ahead := p.applicationOf(t), p.usedAt(t, call.Value())
	gets := p.gets(t, call.Value())
	e.Evaluate(func(q *eval.Path) []*value.Value {
		q.Way.AssumeBlock(call.Block(), nil, &q.Way.When)
		if len(gets) > 0 {
			q.Way.AssumeLeft(gets[q.Way.Choose(&gets[0], len(gets))], call.Block())
		}
		q.Way.Ahead(ahead)
		args := make([]*value.Value, n)
		for i := range args {
			args[i] = value.UnknownFor("an argument that no rule looks at")
		}
		for _, i := range relevant {
			switch {
			case i >= n:
			case t.Recv != nil && i == 0:
				args[0] = t.Recv
			case t.Recv != nil:
				args[i] = q.Settler.Force(q.Reader.Argument(t.Args[i-1], call), 4)
			default:
				args[i] = q.Settler.Force(q.Reader.Argument(t.Args[i], call), 4)
			}
			if args[i].Expr == nil && i < n {
				// A constant has no place but where it is used.
				args[i] = args[i].At(t.ArgumentExpr(e.Call, call, i))
			}
		}
		if t.API == btapi.CreateTableFromConf && t.Recv == nil && n > 2 {
			args[2] = given(t.Args[2], args[2])
		}
		switch t.API {
		case btapi.NewCondMutation:
			args = append(args, q.Reader.Made(t.API, call))
		case "time.Since", "time.Time.Sub":
			if v := call.Value(); v != nil {
				args = append(args, p.against(q, v)...)
			}
		}
		client := func() []*value.Value { return []*value.Value{q.Reader.Argument(t.Args[0], call)} }
		if t.Recv == nil && n > 0 && p.StandsIn(call.Pos(), t.API, client, args) {
			q.Way.Blocked = true
			return nil
		}
		if apply != nil {
			args = withTable(args, apply.table(q))
			apply.follows(q, call, t.Args[0])
		}
		return p.OrFakes(t.API, args)
	})
	if administers(t.API) && t.Recv == nil {
		e.Admin = p.one(t.Args[0], call)
	}
	if t.API == btapi.ReadRow || t.API == btapi.ReadRows {
		p.FollowRows(e, call, t)
		if t.API == btapi.ReadRows && p.Sweeps.Only(call, t, summary.Uses{Callback: 4}) {
			e.DeletesOnly()
		}
	}
	return e
}

// FollowRows notes what is done with the rows that the call of an event reads.
func (p *Tracer) FollowRows(e *Event, call ssa.CallInstruction, t program.Target) {
	e.Uses = p.Rows.UsesOf(call, t)
	if e.Uses.Outside() {
		e.Link.CallerUses = p.Rows.UsesByCallers(e.In, e.Uses, 4)
	}
}

// one returns what a call is given, as far as the package tells; nil where that is one of
// several values.
func (p *Tracer) one(v ssa.Value, call ssa.CallInstruction) *value.Value {
	cases := p.Eval.Cases(true, func(q *eval.Path) []*value.Value { return []*value.Value{q.Reader.Argument(v, call)} })
	if len(cases) != 1 {
		return nil
	}
	return cases[0].Args[0]
}

func (p *Tracer) NewEvent(op string, fn *ssa.Function, instr ssa.Instruction) *Event {
	return &Event{tracer: p, Op: op, Fn: kind.Object(kind.Outermost(fn)), Instr: instr, In: fn}
}

// at makes the event of an operation at what says it in the source.
func (p *Tracer) at(op string, fn *ssa.Function, instr ssa.Instruction, node ast.Node, resolve func(*eval.Path) []*value.Value) *Event {
	e := p.NewEvent(op, fn, instr)
	e.Node = node
	e.Evaluate(resolve)
	return e
}

// Evaluate finds the cases of an event: with fields resolved as far as the
// package tells, to judge; and as the function sees them, for its callers.
func (e *Event) Evaluate(resolve func(*eval.Path) []*value.Value) {
	n := 0
	if !e.Find(func(q *eval.Path) []*value.Value {
		vs := resolve(q)
		n = len(vs)
		return vs
	}) {
		e.Cases = []summary.Case{eval.UnknownCase(n, eval.Contradictory)}
	}
}

// Find is [Event.Evaluate] for what need not happen. It reports whether it does.
func (e *Event) Find(resolve func(*eval.Path) []*value.Value) bool {
	e.Resolve = resolve
	find := func(closed bool) []summary.Case {
		cases := e.tracer.Eval.Cases(closed, resolve)
		e.tracer.Whole(e.Op, cases)
		return cases
	}
	e.Link.Open = find(false)
	if e.Cases = e.Link.Open; eval.HasFields(e.Link.Open) || len(e.Link.Open) == 0 {
		e.Cases = find(true)
	}
	return len(e.Cases) > 0
}

// A Tracer finds the client's own calls in a program.
type Tracer struct {
	Prog   *program.Program
	Eval   *eval.Evaluator
	Flows  *uses.Flows
	Rows   *uses.Rows
	Sweeps *uses.Sweeps

	applications map[ssa.Value]*application // of mutations
	asksTable    map[*ssa.Function]bool     // whether what a function answers is a table's to say
}

// NewTracer returns a tracer of a program.
func NewTracer(p *program.Program) *Tracer {
	e := eval.New(p)
	return &Tracer{
		Prog:         p,
		Eval:         e,
		Flows:        uses.NewFlows(e),
		Rows:         uses.NewRows(e),
		Sweeps:       uses.NewSweeps(p),
		applications: map[ssa.Value]*application{},
		asksTable:    map[*ssa.Function]bool{},
	}
}

// Own lists the events of the package that are the client's own calls and the
// like, in source order.
func (p *Tracer) Own() []*Event {
	own := p.collectEvents()
	p.findWritten(own)
	return own
}

// Abroad lists the calls of functions of other packages of which something is known,
// in the order of the program.
func (p *Tracer) Abroad(yield func(Abroad) bool) {
	for _, fn := range p.Prog.Funcs {
		for _, call := range p.Prog.Calls[fn] {
			for _, t := range p.Eval.Targets(call) {
				if s := p.Prog.Imported(t.Obj); s != nil && !yield(Abroad{call, t, s}) {
					return
				}
			}
		}
	}
}

// An Abroad is a call of a function of another package.
type Abroad struct {
	Call   ssa.CallInstruction
	Target program.Target
	Does   *summary.Summary
}
