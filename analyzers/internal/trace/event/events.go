package event

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"sort"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/eval"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/program"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// An Event is a place at which values take effect, or at which they can be
// judged by themselves: a call of the client, a call of a function that
// passes its arguments on to the client, a conversion, a comparison, a raw
// message.
type Event struct {
	// Op is the client's call by its name in btapi; [Convert] and [Compare]
	// for those, "new " and the type's name for a raw message.
	Op    string
	Node  ast.Node       // the call, conversion, comparison or literal
	Call  *ast.CallExpr  // Node, when it is a call
	Cases []summary.Case // what can arrive
	Fn    *types.Func    // the declared function in which it stands, or nil
	Uses  summary.Uses   // of a read: what is done with its rows
	// Source is, of a call that passes its arguments on, the event that they
	// reach in this package, or nil.
	Source *Event
	// Reached is what Source (or what the function of another package does)
	// is known to do without this call's arguments.
	Reached     []summary.Case
	ReachedUses summary.Uses
	// ViaField reports whether the call stores a value in an object, from
	// where it comes to the client's call later. Calls on several objects
	// then lead to one call of the client, but to several mutations.
	ViaField bool
	// Table is the table of a write that is described in the registry file;
	// that of other writes is found by their mutation.
	Table *value.Value
	// Again reports whether a write is repeated, in each turn of a loop, to the
	// same cell of the same mutation with the same timestamp.
	Again bool
	// Sweeps reports whether a scan of keys may look for what is to be deleted.
	Sweeps bool
	// Helper is the function of the runtime package that makes the client's
	// call, by its name in btapi, when one does.
	Helper string
	Where  string // file:line of the client's call, when this is not one
	Depth  int    // the number of calls to the client's
	// OnlyTable reports that the call supplies nothing but the table of what the
	// methods of an object do that another package declares.
	OnlyTable bool

	tracer     *Tracer
	instr      ssa.Instruction
	fn         *ssa.Function
	target     program.Target
	eval       func(*eval.Path) []*value.Value
	method     bool           // of what a function of another package does: whether that is a method
	stores     bool           // of the same: whether it is what an object does that the function makes
	callerUses summary.Uses   // what the callers of fn do with the rows that it returns
	byReceiver bool           // the call supplies nothing but the receiver
	holds      []string       // of a write: the mutations that it may be to
	applied    []ssa.Value    // of an application: what holds the mutations
	derived    []*Event       // the events of which this is the source
	effect     *effect        // of a call that passes its arguments on: what the callee does
	few        bool           // it happens under a condition that few calls of its function meet
	againIn    bool           // the callee repeats it
	spared     bool           // a call of the event's function, not a test's, rules it out
	open       []summary.Case // what can arrive, as the function sees it: fields are not resolved
	calleeHas  bool           // the callee stores what it is given in an object
	makers     []ast.Node     // the calls that made the objects whose method is called
	idleMakers []ast.Node     // those that give it nothing of what reaches the event
	dispatched bool           // the call runs one of a table of functions
	idle       bool           // the call gives nothing but the table or mutation
	step       int            // of what a helper does: its place among that
}

// Operations that are not calls of the client.
const (
	Convert   = "bigtable.Timestamp()" // Args: the number that is made a Timestamp
	Compare   = "compare"              // Args: two timestamps that are compared
	Age       = "age"                  // Args: a timestamp and what is subtracted from it, in microseconds
	CellTime  = "cell time"            // Args: the timestamp of a cell that is read
	StoreTime = "store time"           // Args: what is stored in a field or map under a name that says when something was written
	New       = "new "                 // and a type's name; Args: the message
)

// Pos is where the event begins.
func (e *Event) Pos() token.Pos {
	if e.Node != nil {
		return e.Node.Pos()
	}
	return e.instr.Pos()
}

// Origin returns the client's call that an event reaches in this package, or
// nil.
func (e *Event) Origin() ast.Node {
	for e.Source != nil {
		e = e.Source
	}
	if e.Depth > 0 {
		return nil
	}
	return e.Node
}

// RowUses says what is done with the rows of a read, wherever they go: to the
// callers in this package too. Rows that leave the package may be used for
// anything.
func (e *Event) RowUses() summary.Uses {
	u := e.Uses.Here()
	if (u.Returned || u.Callback != 0) && e.fn != nil {
		u = u.With(e.callerUses.Here())
		u.Returned, u.Callback = false, 0
	}
	u.All = u.All || u.Returned || u.Callback != 0 || len(u.FamilyParams) > 0
	return u
}

// SameArgument reports whether e and f, calls of the client in one function,
// are given the same variable, unchanged, or the same constant as their i-th
// argument.
func (e *Event) SameArgument(f *Event, i int) bool {
	if e.Depth > 0 || f.Depth > 0 || e.fn != f.fn || e.target.Recv != nil || f.target.Recv != nil {
		return false
	}
	if i >= len(e.target.Args) || i >= len(f.target.Args) {
		return false
	}
	a, b := e.target.Args[i], f.target.Args[i]
	if a == nil || b == nil {
		return false
	}
	if x, ok := a.(*ssa.Const); ok && x.Value != nil {
		y, ok := b.(*ssa.Const)
		return ok && y.Value != nil && constant.Compare(x.Value, token.EQL, y.Value)
	}
	if sameNumber(a, b, 6) {
		return true
	}
	same, _ := e.sameHeld(f, a, b)
	return same
}

// ByReceiver reports whether the event's call supplies nothing to what it
// reaches in this package but the receiver.
func (e *Event) ByReceiver() bool { return e.byReceiver && e.Source != nil && !e.ViaField }

// Called reports whether all calls of the event's function are in view, and
// there are some: what parameters decide is decided there.
func (e *Event) Called() bool {
	if e.tracer == nil || e.Fn == nil || e.Fn.Exported() {
		return false
	}
	return len(e.tracer.Callers[kind.Origin(kind.Outermost(e.fn))]) > 0
}

// Precedes reports whether e happens before f, in the same function.
func (e *Event) Precedes(f *Event) bool {
	if e == f || e.instr == nil || f.instr == nil {
		return false
	}
	if e.instr == f.instr {
		return e.Depth == 0 && f.Depth == 0 && e.step < f.step
	}
	// Analyzers run side by side.
	e.tracer.Order.Lock()
	defer e.tracer.Order.Unlock()
	return e.tracer.Precedes(e.instr, f.instr) && !e.tracer.Exclusive(e.instr.Block(), f.instr.Block())
}

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
}

// collectEvents lists the events of the package that are the client's own
// calls and the like, in source order.
func (p *Tracer) collectEvents() []*Event {
	var events []*Event
	add := func(e *Event) {
		if len(e.Cases) > 0 {
			events = append(events, e)
		}
	}
	for _, fn := range p.Funcs {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				switch instr := instr.(type) {
				case ssa.CallInstruction:
					for _, t := range p.Targets(instr) {
						if t.API != "" {
							add(p.apiEvent(fn, instr, t))
						}
						for _, e := range p.helperEvents(fn, instr, t) {
							add(e)
						}
					}
				case *ssa.Convert:
					add(p.conversion(fn, instr, instr.X, instr.Type()))
				case *ssa.ChangeType:
					add(p.conversion(fn, instr, instr.X, instr.Type()))
				case *ssa.BinOp:
					add(p.comparison(fn, instr))
					add(p.difference(fn, instr))
				case *ssa.Alloc:
					if btapi.Type(kind.Deref(instr.Type())) == "bigtable.TableConf" {
						add(p.confEvent(fn, instr))
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
				}
			}
		}
	}
	return events
}

// apiEvent makes the event of a call of the client.
func (p *Tracer) apiEvent(fn *ssa.Function, call ssa.CallInstruction, t program.Target) *Event {
	e := p.newEvent(t.API, fn, call)
	relevant, ok := btapi.Relevant(t.API)
	if !ok {
		return e
	}
	e.target, e.Reached = t, p.ofSchema(t)
	if applies(t.API) && t.Recv == nil && len(t.Args) > 3 {
		e.applied = t.Args[3:4]
	}
	e.Call = p.Syntax.Calls[call.Common().Pos()]
	if e.Call != nil {
		e.Node = e.Call
	}
	n := len(t.Args)
	if t.Recv != nil {
		n++
	}
	apply, ahead := p.applicationOf(t), p.usedAt(t, call.Value())
	e.evaluate(p, func(q *eval.Path) []*value.Value {
		q.AssumeBlock(call.Block(), nil, &q.When)
		q.Ahead(ahead)
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
				args[i] = q.Force(q.Argument(t.Args[i-1], call), 4)
			default:
				args[i] = q.Force(q.Argument(t.Args[i], call), 4)
			}
			if args[i].Expr == nil && i < n {
				// A constant has no place but where it is used.
				args[i] = args[i].At(argumentExpr(e.Call, t, i))
			}
		}
		if t.API == btapi.CreateTableFromConf && t.Recv == nil && n > 2 {
			args[2] = p.confAt(q, t.Args[2], args[2], call)
		}
		if t.API == btapi.NewCondMutation {
			args = append(args, q.Made(t.API, call))
		}
		if apply != nil && apply.fake {
			args = append(args, &value.Value{Kind: value.Call, Name: Fake})
		} else if apply != nil {
			args = append(args, q.Force(q.Argument(apply.args[0], apply.call), 4))
		}
		return p.orFakes(t.API, args)
	})
	if t.API == btapi.ReadRow || t.API == btapi.ReadRows {
		e.Uses = p.Rows.UsesOf(call, t)
		if !e.Uses.All && len(e.Uses.Families) > 0 && p.sweepsCells(t) {
			e.Uses.Families, e.Uses.Keys = nil, true
		}
		if e.Uses.Returned || e.Uses.Callback != 0 {
			e.callerUses = p.Rows.UsesByCallers(fn, e.Uses, 4)
		}
	}
	return e
}

func (p *Tracer) newEvent(op string, fn *ssa.Function, instr ssa.Instruction) *Event {
	return &Event{tracer: p, Op: op, Fn: kind.Object(kind.Outermost(fn)), instr: instr, fn: fn}
}

// evaluate finds the cases of an event: with fields resolved as far as the
// package tells, to judge; and as the function sees them, for its callers.
func (e *Event) evaluate(p *Tracer, resolve func(*eval.Path) []*value.Value) {
	n := 0
	e.eval = func(q *eval.Path) []*value.Value {
		vs := resolve(q)
		n = len(vs)
		return vs
	}
	e.open = p.Cases(false, e.eval)
	e.Cases = e.open
	if eval.HasFields(e.open) || len(e.open) == 0 {
		e.Cases = p.Cases(true, e.eval)
	}
	if len(e.Cases) == 0 {
		e.Cases = []summary.Case{eval.UnknownCase(n, eval.Contradictory)}
	}
}

// sortEvents puts events in source order, the client's own calls before
// those that pass arguments on.
func (p *Tracer) sortEvents(events []*Event) {
	position := func(e *Event) token.Position { return p.Pass.Fset.Position(e.Pos()) }
	sort.SliceStable(events, func(i, j int) bool {
		a, b := position(events[i]), position(events[j])
		if a.Filename != b.Filename {
			return a.Filename < b.Filename
		}
		if a.Offset != b.Offset {
			return a.Offset < b.Offset
		}
		return events[i].Depth < events[j].Depth
	})
}
