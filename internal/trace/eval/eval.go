package eval

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Resolve implements [way.Resolver]: one case per kind of SSA value.
func (p *Path) Resolve(v ssa.Value, at ssa.Instruction) *value.Value {
	r := p.supplied(v, p.evalValue(v, at))
	class, expr := r.Class, r.Expr
	if class == value.NoClass && r.Kind != value.Nil && !kind.IsConversion(v) && !bornBefore(v, r) {
		class = kind.ClassOf(v.Type())
	}
	if expr == nil {
		expr = p.p.Prog.Syntax.Expr(v.Pos())
	}
	if class != r.Class || expr != r.Expr {
		c := *r
		c.Class, c.Expr = class, expr
		r = &c
	}
	p.log.resolved(v, r)
	return r
}

// bornBefore reports whether a number came to a value from elsewhere: what it counts it
// brought along, and a number that a conversion gave a new type counts nothing.
func bornBefore(v ssa.Value, r *value.Value) bool {
	switch v.(type) {
	case *ssa.BinOp, *ssa.UnOp:
		return false
	}
	return r.Kind == value.Param || r.Kind == value.Call && value.IsOperator(r.Name)
}

// supplied returns the type parameter for a zero value of it, and for a variable of
// which nothing but its type is known. What a call returns is the zero value of the
// type that it supplies: nil of a pointer.
func (p *Path) supplied(v ssa.Value, r *value.Value) *value.Value {
	tp, ok := types.Unalias(v.Type()).(*types.TypeParam)
	if !ok {
		switch v.(type) {
		case *ssa.Call, *ssa.Extract:
			if _, tuple := v.Type().(*types.Tuple); !tuple && r.Is(value.Zero) {
				return kind.ZeroOf(v.Type())
			}
		}
		return r
	}
	load, isLoad := v.(*ssa.UnOp)
	if isLoad && r.Kind == value.Unknown {
		_, isLoad = load.X.(*ssa.Alloc)
		isLoad = isLoad && types.NewMethodSet(tp).Len() > 0 // by which the type tells something
	}
	if r.Is(value.Zero) || isLoad && r.Kind == value.Unknown {
		if z := p.p.Prog.ZeroOf(tp); z.IsType() {
			return z
		}
	}
	return r
}

func (p *Path) evalValue(v ssa.Value, at ssa.Instruction) *value.Value {
	switch v := v.(type) {
	case *ssa.Const:
		return kind.ConstantValue(v)
	case *ssa.Parameter:
		return p.parameter(v)
	case *ssa.FreeVar:
		if b := p.p.Prog.Binding(v); b != nil {
			return p.Way.Eval(b, nil)
		}
		return kind.UnknownOf(v.Type(), "a captured variable")
	case *ssa.Phi:
		return p.phi(v)
	case *ssa.Call:
		return p.told(v, p.call(v))
	case *ssa.Extract:
		return p.extract(v)
	case *ssa.UnOp:
		return p.unOp(v)
	case *ssa.BinOp:
		return p.binOp(v)
	case *ssa.Convert, *ssa.MultiConvert:
		return p.convert(kind.Converted(v), v.Type(), at)
	case *ssa.ChangeType:
		if x := p.generic(v.X, at); x != nil && types.IsInterface(v.Type()) {
			return x
		}
		return p.convert(v.X, v.Type(), at)
	case *ssa.ChangeInterface:
		return p.Way.Eval(v.X, at)
	case *ssa.MakeInterface:
		return p.Reader.Chosen(v, p.boxed(v, at))
	case *ssa.TypeAssert:
		return p.asserted(v, at)
	case *ssa.Alloc:
		return p.Reader.Alloc(v, at)
	case *ssa.Global:
		return p.Reader.Global(v, nil)
	case *ssa.FieldAddr:
		if at != nil && at.Parent() == v.Parent() {
			return p.Reader.Load(v, at) // what is there when it is used
		}
		return p.Reader.Load(v, v)
	case *ssa.IndexAddr:
		return p.Reader.Load(v, v)
	case *ssa.Field:
		return p.Reader.Field(p.Way.Eval(v.X, v), kind.StructField(v.X.Type(), v.Field), v.X.Type())
	case *ssa.Index:
		return way.Element(p.Way, p.Way.Eval(v.X, v), v.Index, v)
	case *ssa.Lookup:
		return way.Lookup(p.Way, v)
	case *ssa.Slice:
		return way.Slice(p.Way, v, at)
	case *ssa.MakeSlice:
		return way.Make(p.Way, v)
	case *ssa.MakeMap:
		return way.MakeMap(p.Way, v)
	case *ssa.MakeClosure:
		return p.closure(v)
	case *ssa.Function:
		return p.function(v)
	}
	return kind.UnknownOf(v.Type(), "a value that is not followed")
}

// parameter returns a parameter as a leaf for callers to bind, except that
// of a callback which is known to be given a row or a table.
func (p *Path) parameter(v *ssa.Parameter) *value.Value {
	fn := v.Parent()
	for i, q := range fn.Params {
		if q != v {
			continue
		}
		if read := p.p.Prog.RowParams[fn]; read != nil && i == 0 {
			return p.RowOf(read)
		}
		if kind.IsRangeBody(fn) {
			if r := p.ranged(v); r != nil {
				return r
			}
		}
		return &value.Value{Kind: value.Param, Num: int64(i), Class: kind.ClassOf(v.Type()), Site: kind.Origin(fn)}
	}
	return kind.UnknownOf(v.Type(), "a parameter")
}

func (p *Path) phi(v *ssa.Phi) *value.Value {
	if step, ok := kind.CounterStep(v); ok {
		if edge, ok := p.Way.Turnless(v.Block()); ok {
			return p.Way.Eval(v.Edges[edge], kind.EdgeUse(v, edge))
		}
		if pick, ok := p.Way.Turn(v); ok && p.Way.Frozen() && step == 1 {
			if start, ok := kind.CounterStart(v); ok {
				return value.IntOf(start + int64(pick)) // the turn of the element that was chosen
			}
		}
		count := value.Apply(value.Count, value.IntOf(step))
		if start, ok := kind.CounterStart(v); ok {
			count.Args = append(count.Args, value.IntOf(start))
		}
		return count
	}
	if r, ok := way.Grown(p.Way, v); ok {
		return r
	}
	if r, ok := way.Changed(p.Way, v); ok {
		return r
	}
	if r := p.handedThrough(v); r != nil {
		return r
	}
	i := p.Way.Choose(v.Block(), len(v.Edges))
	if control.Dead(v.Block().Preds[i], v.Block()) || p.Way.Past(v.Block()) && control.TakesTurn(v.Block()) && !v.Block().Dominates(v.Block().Preds[i]) {
		p.Way.Blocked = true
		return kind.UnknownOf(v.Type(), "a way that is never taken")
	}
	p.Way.AssumePhi(v.Block(), i)
	if edge, ok := p.Way.Turnless(v.Block()); ok && edge == i && kind.IsBeginning(v, i) && p.Way.Past(v.Block()) {
		return kind.UnknownOf(v.Type(), "what a variable begins with")
	}
	if !p.unwrapped(v) {
		return kind.UnknownOf(v.Type(), "a function that a loop wraps")
	}
	return p.Way.Eval(v.Edges[i], kind.EdgeUse(v, i))
}

func (p *Path) extract(v *ssa.Extract) *value.Value {
	switch tuple := v.Tuple.(type) {
	case *ssa.Next:
		return way.Next(p.Way, tuple, v.Index)
	case *ssa.Select:
		return way.Selected(p.Way, v, tuple)
	}
	t := p.Way.Eval(v.Tuple, nil)
	if t.Kind == value.Tuple && v.Index < len(t.Args) {
		return t.Args[v.Index]
	}
	if t.Kind == value.Unknown {
		return kind.UnknownOf(v.Type(), t.Name)
	}
	return kind.UnknownOf(v.Type(), "one of several results")
}

func (p *Path) unOp(v *ssa.UnOp) *value.Value {
	switch v.Op {
	case token.MUL:
		if r := p.inDeferred(v); r != nil {
			return r
		}
		if r := p.returnedLater(v); r != nil {
			return r
		}
		return p.Reader.Load(v.X, p.p.Prog.Graphs.ReadAt(v))
	case token.SUB:
		return value.Apply(value.Sub, value.IntOf(0), p.Way.Eval(v.X, v))
	case token.NOT:
		return value.Apply(value.Not, p.Way.Eval(v.X, v))
	case token.ARROW:
		r := way.Receive(p.Way, v, v.X)
		if v.CommaOk {
			return &value.Value{Kind: value.Tuple, Args: []*value.Value{r, value.UnknownFor("whether a channel is open")}}
		}
		return r
	}
	return kind.UnknownOf(v.Type(), "an operation that is not followed")
}

func (p *Path) binOp(v *ssa.BinOp) *value.Value {
	op := v.Op.String()
	switch v.Op {
	case token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.SHL, token.SHR, token.AND, token.OR, token.XOR, token.AND_NOT,
		token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return value.Apply(op, p.Way.Eval(v.X, v), p.Way.Eval(v.Y, v))
	}
	return kind.UnknownOf(v.Type(), "an operation that is not followed")
}

// convert follows a conversion. Numbers keep their value, texts their
// bytes; conversions to the client's policy types make policies.
func (p *Path) convert(x ssa.Value, to types.Type, at ssa.Instruction) *value.Value {
	v := p.Way.Eval(x, at)
	if name := kind.PolicyType(to); name != "" && kind.PolicyType(x.Type()) == "" {
		return value.Apply(name, v)
	}
	b, ok := to.Underlying().(*types.Basic)
	if !ok {
		return v
	}
	switch {
	case b.Info()&types.IsInteger != 0 && v.Kind == value.Float:
		return value.IntOf(int64(v.Float64()))
	case b.Info()&types.IsFloat != 0 && v.Kind == value.Int:
		return value.FloatOf(float64(v.Num))
	case b.Info()&types.IsString != 0 && v.Kind == value.Int:
		return value.UnknownFor("a number made a string")
	}
	// A number of unknown meaning does not gain one by its new type: the
	// leaf keeps the class that it was born with.
	return v
}
