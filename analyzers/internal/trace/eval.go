package trace

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

func unknown(reason string) *value.Value { return value.UnknownFor(reason) }

// unknownOf is an unknown value that keeps what arithmetic needs to know.
func unknownOf(t types.Type, reason string) *value.Value {
	v := unknown(reason)
	v.Class = classOf(t)
	return v
}

// eval resolves v as it is when the instruction at uses it; at may be nil
// where memory does not matter.
func (p *path) eval(v ssa.Value, at ssa.Instruction) *value.Value {
	if r, ok := p.memo[v]; ok {
		return r
	}
	if p.active[v] {
		return unknownOf(v.Type(), "a value that depends on itself")
	}
	p.p.steps++
	if p.steps++; p.depth >= maxDepth || p.steps > maxSteps || p.p.steps > maxTotal {
		return unknownOf(v.Type(), "too many steps to follow")
	}
	p.active[v] = true
	p.depth++
	r := p.evalValue(v, at)
	p.depth--
	delete(p.active, v)

	if r.Class == value.NoClass && !isConversion(v) {
		if c := classOf(v.Type()); c != value.NoClass && r.Kind != value.Nil {
			copied := *r
			copied.Class = c
			r = &copied
		}
	}
	if r.Expr == nil {
		r = r.At(p.p.syntax.expr(v.Pos()))
	}
	p.log.resolved(v, r)
	if _, isAlloc := v.(*ssa.Alloc); !isAlloc {
		p.memo[v] = r
	}
	return r
}

// isConversion reports whether v is a conversion or a quotient: a number does
// not change what it counts by being called a Timestamp, and d/1000 counts
// something else, though it is called a Duration.
func isConversion(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Convert, *ssa.ChangeType:
		return true
	case *ssa.BinOp:
		return v.Op == token.QUO || v.Op == token.REM || v.Op == token.SHR
	}
	return false
}

func (p *path) evalValue(v ssa.Value, at ssa.Instruction) *value.Value {
	switch v := v.(type) {
	case *ssa.Const:
		return constantValue(v)
	case *ssa.Parameter:
		return p.parameter(v)
	case *ssa.FreeVar:
		if b := p.p.binding(v); b != nil {
			return p.eval(b, nil)
		}
		return unknownOf(v.Type(), "a captured variable")
	case *ssa.Phi:
		return p.phi(v)
	case *ssa.Call:
		return p.call(v)
	case *ssa.Extract:
		return p.extract(v)
	case *ssa.UnOp:
		return p.unOp(v)
	case *ssa.BinOp:
		return p.binOp(v)
	case *ssa.Convert:
		return p.convert(v.X, v.Type(), at)
	case *ssa.ChangeType:
		return p.convert(v.X, v.Type(), at)
	case *ssa.ChangeInterface:
		return p.eval(v.X, at)
	case *ssa.MakeInterface:
		return p.chosen(v, p.eval(v.X, at))
	case *ssa.TypeAssert:
		if v.CommaOk {
			x := p.eval(v.X, at)
			holds := unknown("whether a type assertion holds")
			if !types.IsInterface(v.AssertedType) {
				holds = value.Apply(value.Is, x, value.StrOf(typeKey(v.AssertedType)))
			}
			return &value.Value{Kind: value.Tuple, Args: []*value.Value{x, holds}}
		}
		return p.eval(v.X, at)
	case *ssa.Alloc:
		return p.alloc(v, at)
	case *ssa.Global:
		return p.global(v, nil)
	case *ssa.FieldAddr:
		return p.load(v, v)
	case *ssa.IndexAddr:
		return p.load(v, v)
	case *ssa.Field:
		return p.field(p.eval(v.X, v), structField(v.X.Type(), v.Field), v.X.Type())
	case *ssa.Index:
		return p.element(p.eval(v.X, v), v.Index, v)
	case *ssa.Lookup:
		return p.lookup(v)
	case *ssa.Slice:
		return p.slice(v, at)
	case *ssa.MakeSlice:
		return p.makeSlice(v)
	case *ssa.MakeMap:
		return p.makeMap(v)
	case *ssa.MakeClosure:
		return p.closure(v)
	case *ssa.Function:
		return p.function(v)
	}
	return unknownOf(v.Type(), "a value that is not followed")
}

// constantValue returns a constant, or the zero value of a struct.
func constantValue(c *ssa.Const) *value.Value {
	t := c.Type()
	if c.Value == nil {
		if btapi.Type(t) == "time.Time" && !isPointer(t) {
			return &value.Value{Kind: value.Call, Name: value.ZeroTime, Class: value.Time}
		}
		switch t.Underlying().(type) {
		case *types.Struct:
			return &value.Value{Kind: value.Struct, Name: typeKey(t)}
		case *types.Array:
			return unknown("an array of zeros")
		}
		return value.NilValue()
	}
	v := unknown("a constant that is too large")
	switch c.Value.Kind() {
	case constant.String:
		v = value.StrOf(constant.StringVal(c.Value))
	case constant.Bool:
		v = value.BoolOf(constant.BoolVal(c.Value))
	case constant.Int:
		if n, ok := constant.Int64Val(c.Value); ok {
			v = value.IntOf(n)
		} else if f, _ := constant.Float64Val(c.Value); !math.IsInf(f, 0) {
			v = value.FloatOf(f)
		}
		if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsFloat != 0 && v.Kind == value.Int {
			v = value.FloatOf(float64(v.Num))
		}
	case constant.Float:
		f, _ := constant.Float64Val(c.Value)
		v = value.FloatOf(f)
	}
	// Policies may be written as conversions of constants.
	if name := policyType(t); name != "" {
		return value.Apply(name, v)
	}
	return v
}

// policyType returns the constructor that a conversion to one of the
// client's policy types stands for.
func policyType(t types.Type) string {
	switch btapi.Type(t) {
	case "bigtable.MaxAgeGCPolicy":
		return "bigtable.MaxAgePolicy"
	case "bigtable.MaxVersionsGCPolicy":
		return "bigtable.MaxVersionsPolicy"
	}
	return ""
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// parameter returns a parameter as a leaf for callers to bind, except that
// of a callback which is known to be given a row.
func (p *path) parameter(v *ssa.Parameter) *value.Value {
	fn := v.Parent()
	for i, q := range fn.Params {
		if q != v {
			continue
		}
		if r, ok := p.p.rows[fn]; ok && r.index == i {
			return p.rowOf(r.site)
		}
		return &value.Value{Kind: value.Param, Num: int64(i), Class: classOf(v.Type()), Site: origin(fn)}
	}
	return unknownOf(v.Type(), "a parameter")
}

func (p *path) phi(v *ssa.Phi) *value.Value {
	if step, ok := counterStep(v); ok {
		if pick, ok := p.picked[p.loopKey(v)]; ok && p.frozen && step == 1 {
			if start, ok := counterStart(v); ok {
				return value.IntOf(start + int64(pick)) // the turn of the element that was chosen
			}
		}
		count := value.Apply(value.Count, value.IntOf(step))
		if start, ok := counterStart(v); ok {
			count.Args = append(count.Args, value.IntOf(start))
		}
		return count
	}
	if r, ok := p.unrolled(v); ok {
		return r
	}
	i := p.choose(v.Block(), len(v.Edges))
	p.assumePhi(v.Block(), i)
	return p.eval(v.Edges[i], phiUse(v, i))
}

// phiUse is the instruction at which the i-th edge of a phi is used: the end
// of its predecessor.
func phiUse(v *ssa.Phi, i int) ssa.Instruction {
	instrs := v.Block().Preds[i].Instrs
	if len(instrs) == 0 {
		return nil
	}
	return instrs[len(instrs)-1]
}

// counterStart returns the constant from which the variable of a counting
// loop starts.
func counterStart(v *ssa.Phi) (int64, bool) {
	for _, e := range v.Edges {
		if c, ok := e.(*ssa.Const); ok {
			return intConst(c)
		}
	}
	return 0, false
}

// counterStep reports whether v is the variable of a counting loop, and by
// how much it grows.
func counterStep(v *ssa.Phi) (int64, bool) {
	if b, ok := v.Type().Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
		return 0, false
	}
	for _, e := range v.Edges {
		if b, ok := e.(*ssa.BinOp); ok && b.Op == token.ADD && b.X == v {
			if c, ok := b.Y.(*ssa.Const); ok {
				return intConst(c)
			}
		}
	}
	return 0, false
}

func (p *path) extract(v *ssa.Extract) *value.Value {
	switch tuple := v.Tuple.(type) {
	case *ssa.Next:
		return p.next1(tuple, v.Index)
	case *ssa.Select:
		return unknownOf(v.Type(), "a value from select")
	}
	t := p.eval(v.Tuple, nil)
	if t.Kind == value.Tuple && v.Index < len(t.Args) {
		return t.Args[v.Index]
	}
	if t.Kind == value.Unknown {
		return unknownOf(v.Type(), t.Name)
	}
	return unknownOf(v.Type(), "one of several results")
}

func (p *path) unOp(v *ssa.UnOp) *value.Value {
	switch v.Op {
	case token.MUL:
		return p.load(v.X, v)
	case token.SUB:
		return value.Apply(value.Sub, value.IntOf(0), p.eval(v.X, v))
	case token.NOT:
		return value.Apply(value.Not, p.eval(v.X, v))
	case token.ARROW:
		r := p.receive(v)
		if v.CommaOk {
			return &value.Value{Kind: value.Tuple, Args: []*value.Value{r, unknown("whether a channel is open")}}
		}
		return r
	}
	return unknownOf(v.Type(), "an operation that is not followed")
}

func (p *path) binOp(v *ssa.BinOp) *value.Value {
	op := v.Op.String()
	switch v.Op {
	case token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.SHL, token.SHR,
		token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return value.Apply(op, p.eval(v.X, v), p.eval(v.Y, v))
	}
	return unknownOf(v.Type(), "an operation that is not followed")
}

// convert follows a conversion. Numbers keep their value, texts their
// bytes; conversions to the client's policy types make policies.
func (p *path) convert(x ssa.Value, to types.Type, at ssa.Instruction) *value.Value {
	v := p.eval(x, at)
	if name := policyType(to); name != "" && policyType(x.Type()) == "" {
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
		return unknown("a number made a string")
	}
	// A number of unknown meaning does not gain one by its new type: the
	// leaf keeps the class that it was born with.
	return v
}
