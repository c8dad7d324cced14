package trace

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"sort"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
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
	Node  ast.Node      // the call, conversion, comparison or literal
	Call  *ast.CallExpr // Node, when it is a call
	Cases []Case        // what can arrive
	Fn    *types.Func   // the declared function in which it stands, or nil
	Uses  Uses          // of a read: what is done with its rows
	// Source is, of a call that passes its arguments on, the event that they
	// reach in this package, or nil.
	Source *Event
	// Reached is what Source (or what the function of another package does)
	// is known to do without this call's arguments.
	Reached     []Case
	ReachedUses Uses
	// ViaField reports whether the call stores a value in an object, from
	// where it comes to the client's call later. Calls on several objects
	// then lead to one call of the client, but to several mutations.
	ViaField bool
	// Table is the table of a write that is described in the registry file;
	// that of other writes is found by their mutation.
	Table *value.Value
	Where string // file:line of the client's call, when this is not one
	Depth int    // the number of calls to the client's

	program    *program
	instr      ssa.Instruction
	fn         *ssa.Function
	target     target
	eval       func(*path) []*value.Value
	callerUses Uses        // what the callers of fn do with the rows that it returns
	applied    []ssa.Value // of an application: what holds the mutations
	derived    []*Event    // the events of which this is the source
	open       []Case      // what can arrive, as the function sees it: fields are not resolved
}

// Operations that are not calls of the client.
const (
	Convert   = "bigtable.Timestamp()" // Args: the number that is made a Timestamp
	Compare   = "compare"              // Args: two timestamps that are compared
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
func (e *Event) RowUses() Uses {
	u := e.Uses
	if (u.Returned || u.Callback != 0) && e.fn != nil {
		u = u.with(e.callerUses)
		u.Returned, u.Callback = false, 0
	}
	u.All = u.All || u.Returned || u.Callback != 0 || len(u.FamilyParams) > 0
	return u
}

// SameArgument reports whether e and f, calls of the client in one function,
// are given the same variable, unchanged, or the same constant as their i-th
// argument.
func (e *Event) SameArgument(f *Event, i int) bool {
	if e.Depth > 0 || f.Depth > 0 || e.fn != f.fn || e.target.recv != nil || f.target.recv != nil {
		return false
	}
	if i >= len(e.target.args) || i >= len(f.target.args) {
		return false
	}
	a, b := e.target.args[i], f.target.args[i]
	if x, ok := a.(*ssa.Const); ok && x.Value != nil {
		y, ok := b.(*ssa.Const)
		return ok && y.Value != nil && constant.Compare(x.Value, token.EQL, y.Value)
	}
	return a == b
}

// Called reports whether all calls of the event's function are in view, and
// there are some: what parameters decide is decided there.
func (e *Event) Called() bool {
	if e.program == nil || e.Fn == nil || e.Fn.Exported() {
		return false
	}
	return len(e.program.callers[origin(outermost(e.fn))]) > 0
}

// Precedes reports whether e happens before f, in the same function.
func (e *Event) Precedes(f *Event) bool {
	if e == f || e.instr == nil || f.instr == nil {
		return false
	}
	// Analyzers run side by side.
	e.program.order.Lock()
	defer e.program.order.Unlock()
	return e.program.precedes(e.instr, f.instr) && !e.program.exclusive(e.instr.Block(), f.instr.Block())
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
func (p *program) collectEvents() []*Event {
	var events []*Event
	add := func(e *Event) {
		if len(e.Cases) > 0 {
			events = append(events, e)
		}
	}
	for _, fn := range p.funcs {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				switch instr := instr.(type) {
				case ssa.CallInstruction:
					for _, t := range p.targets(instr) {
						if t.api != "" {
							add(p.apiEvent(fn, instr, t))
						}
					}
				case *ssa.Convert:
					add(p.conversion(fn, instr, instr.X, instr.Type()))
				case *ssa.ChangeType:
					add(p.conversion(fn, instr, instr.X, instr.Type()))
				case *ssa.BinOp:
					add(p.comparison(fn, instr))
				case *ssa.Alloc:
					add(p.message(fn, instr))
				case *ssa.UnOp:
					if fa, ok := instr.X.(*ssa.FieldAddr); ok && instr.Op == token.MUL && isCellTimestamp(deref(fa.X.Type()), fa.Field) {
						add(p.cellTime(fn, instr, fa.Pos()))
					}
				case *ssa.Field:
					if isCellTimestamp(instr.X.Type(), instr.Field) {
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

// targets finds what a call may run, by its instruction or by values.
func (p *program) targets(call ssa.CallInstruction) []target {
	common := call.Common()
	if _, ok := common.Value.(*ssa.Builtin); ok {
		return nil
	}
	known, ok := p.target(common)
	if ok && (known.api == "" || !common.IsInvoke()) {
		return []target{known}
	}
	if ts, ok := p.dynamics[call]; ok {
		return ts
	}
	var found []target
	seen := map[any]bool{}
	p.explore(true, 8, func(q *path) []*value.Value {
		if t, ok := q.dynamic(common, call); ok {
			key := any(t.api)
			if t.fn != nil {
				key = t.fn
			} else if t.obj != nil {
				key = t.obj
			}
			if !seen[key] {
				seen[key] = true
				found = append(found, t)
			}
		}
		return nil
	}, func(*path, []*value.Value) {})
	if ok {
		// The client's method by its shape, unless the value is known to have
		// one of its own.
		found = slices.DeleteFunc(found, func(t target) bool { return t.fn == nil })
		if len(found) == 0 {
			found = []target{known}
		}
	}
	p.dynamics[call] = found
	for _, t := range found {
		if t.fn != nil {
			p.callers[t.fn] = append(p.callers[t.fn], call)
		}
	}
	return found
}

// apiEvent makes the event of a call of the client.
func (p *program) apiEvent(fn *ssa.Function, call ssa.CallInstruction, t target) *Event {
	e := p.newEvent(t.api, fn, call)
	relevant, ok := btapi.Relevant(t.api)
	if !ok {
		return e
	}
	e.target = t
	if applies(t.api) && t.recv == nil && len(t.args) > 3 {
		e.applied = t.args[3:4]
	}
	e.Call = p.syntax.calls[call.Common().Pos()]
	if e.Call != nil {
		e.Node = e.Call
	}
	n := len(t.args)
	if t.recv != nil {
		n++
	}
	apply := p.applicationOf(t)
	e.evaluate(p, func(q *path) []*value.Value {
		q.assumeBlock(call.Block(), nil, &q.when)
		args := make([]*value.Value, n)
		for i := range args {
			args[i] = unknown("an argument that no rule looks at")
		}
		for _, i := range relevant {
			switch {
			case i >= n:
			case t.recv != nil && i == 0:
				args[0] = t.recv
			case t.recv != nil:
				args[i] = q.force(q.argument(t.args[i-1], call), 4)
			default:
				args[i] = q.force(q.argument(t.args[i], call), 4)
			}
			if args[i].Expr == nil && i < n {
				// A constant has no place but where it is used.
				args[i] = args[i].At(argumentExpr(e.Call, t, i))
			}
		}
		if t.api == btapi.NewCondMutation {
			args = append(args, q.made(t.api, call))
		}
		if apply != nil {
			args = append(args, q.force(q.argument(apply.args[0], apply.call), 4))
		}
		return args
	})
	if t.api == btapi.ReadRow || t.api == btapi.ReadRows {
		e.Uses = p.usesOf(call, t)
		if e.Uses.Returned || e.Uses.Callback != 0 {
			e.callerUses = p.usesByCallers(fn, e.Uses, 4)
		}
	}
	return e
}

func (p *program) newEvent(op string, fn *ssa.Function, instr ssa.Instruction) *Event {
	return &Event{program: p, Op: op, Fn: object(outermost(fn)), instr: instr, fn: fn}
}

// evaluate finds the cases of an event: with fields resolved as far as the
// package tells, to judge; and as the function sees them, for its callers.
func (e *Event) evaluate(p *program, eval func(*path) []*value.Value) {
	e.eval = eval
	e.open = p.cases(false, eval)
	if !hasFields(e.open) {
		e.Cases = e.open
		return
	}
	e.Cases = p.cases(true, eval)
}

// hasFields reports whether a case depends on a field that is not resolved.
func hasFields(cases []Case) bool {
	found := false
	for _, c := range cases {
		for _, a := range c.Args {
			a.Walk(func(v *value.Value) { found = found || v.Kind == value.Field })
		}
		for _, g := range c.Guards {
			g.Cond.Walk(func(v *value.Value) { found = found || v.Kind == value.Field })
		}
	}
	return found
}

// force resolves the fields of structs that resolve their fields on demand,
// now, while the path's choices hold.
func (p *path) force(v *value.Value, depth int) *value.Value {
	if v.Kind == value.Struct && v.Lazy != nil {
		s := &value.Value{Kind: value.Struct, Class: v.Class, Name: v.Name, Expr: v.Expr, Site: v.Site}
		for _, key := range v.Keys {
			f := unknown("a field of a field")
			if depth > 0 {
				if l := v.Lazy(key); l != nil {
					f = p.force(l, depth-1)
				}
			}
			if f.Is(value.Zero) || f.Kind == value.Nil && f.Expr == nil {
				continue
			}
			s.Keys = append(s.Keys, key)
			s.Args = append(s.Args, f)
		}
		return s
	}
	if len(v.Args) == 0 {
		return v
	}
	var args []*value.Value
	for i, a := range v.Args {
		b := p.force(a, depth)
		if b != a && args == nil {
			args = append(make([]*value.Value, 0, len(v.Args)), v.Args[:i]...)
		}
		if args != nil {
			args = append(args, b)
		}
	}
	if args == nil {
		return v
	}
	c := *v
	c.Args = args
	return &c
}

// sortEvents puts events in source order, the client's own calls before
// those that pass arguments on.
func (p *program) sortEvents(events []*Event) {
	position := func(e *Event) token.Position { return p.pass.Fset.Position(e.Pos()) }
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
