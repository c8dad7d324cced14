package callers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Constructor returns the call that made the object out of which the callee of a
// derived event takes its timestamp, its filter, or, where that is its own, the
// family: that is where the value is supplied. Of objects in each other it is the outermost
// one whose call gives something of it. It notes with the event the call that made the
// object whose method it calls.
func (p *Receivers) Constructor(e *event.Event, q *eval.Path, c summary.Case, args *memory.Arguments, callee *ssa.Function) ast.Node {
	madeBy(e, args, callee)
	if len(c.Args) < 4 {
		return nil
	}
	supplies, ofReceiver := c.Args[3], false
	switch {
	case e.Op == btapi.ReadRow || e.Op == btapi.ReadRows:
		supplies = withoutClocks(withoutNames(c.Args[len(c.Args)-1]))
	case !strings.HasPrefix(e.Op, "bigtable.Mutation."):
		return nil
	default:
		if supplies = withoutClocks(supplies); !supplies.HasParams() {
			supplies, ofReceiver = c.Args[1], true // the family makes it wrong
		}
	}
	supplies = supplies.Rewrite(func(v *value.Value) *value.Value {
		settled := func(v *value.Value) *value.Value {
			return q.Settler.Settle(v.Subst(args.Binder(callee)), e.Instr).Base()
		}
		switch { // whatever it is given
		case v.Is(value.Invoke) && p.ignoresArguments(q, settled(v.Args[0]), "", len(v.Args)-1):
			return v.Args[0]
		case v.Is(value.Method) && p.ignoresArguments(q, settled(v.Args[1]), v.Args[0].Name, len(v.Args)-2):
			return v.Args[1]
		}
		return nil
	})
	object := int64(-1)
	if !fieldsOfOne(supplies, false, &object) || object < 0 || args.At(int(object)) == nil {
		return nil
	}
	objects := objectsOf(supplies)
	if ofReceiver {
		if object > 0 || !isMethod(e.Target, callee) {
			return nil // a column that the call names
		}
		objects = objects[:min(len(objects), 1)]
	}
	var idle ast.Node
	for _, object := range objects {
		made, _ := q.Settler.Settle(object.Subst(args.Binder(callee)), e.Instr).Expr.(*ast.CallExpr)
		switch {
		case made == nil || made == e.Call || p.setSince(e, object, supplies):
		case p.gives(made, takenOf(object, supplies)):
			return made
		case idle == nil:
			idle = made
		}
	}
	if idle != nil {
		e.Link.IdleMakers = append(e.Link.IdleMakers, idle)
	}
	return idle
}

// setSince reports whether calls may have set a field of an object since it was made, out of
// which a value is taken.
func (p *Receivers) setSince(e *event.Event, object, from *value.Value) bool {
	if object.Kind != value.Param || int(object.Num) >= len(e.Target.Args) {
		return false
	}
	taken := map[string]bool{}
	from.Walk(func(w *value.Value) {
		if w.Kind == value.Field && w.Args[0].Base().Kind == value.Param {
			taken[value.FieldName(w.Name)] = true
		}
	})
	return slices.ContainsFunc(p.eval.Memory.Objects.Touches(e.Target.Args[object.Num]), func(t memory.Touch) bool {
		return taken[t.Field] && t.Set != nil && p.prog.Graphs.MayPrecede(t.At, e.Instr)
	})
}

// objectsOf lists the objects in each of which everything is found that a value has of
// fields, the outermost first: $0 and $0.limits, of $0.limits.ttl.
func objectsOf(v *value.Value) (objects []*value.Value) {
	first := true
	v.Rewrite(func(w *value.Value) *value.Value {
		if w.Kind != value.Field || !w.HasParams() {
			return nil
		}
		var around []*value.Value
		for of := w; of.Kind == value.Field; {
			of = of.Args[0].Base()
			around = append(around, of)
		}
		slices.Reverse(around)
		if first {
			objects = around
		}
		first = false
		same := 0
		for same < min(len(objects), len(around)) && objects[same].String() == around[same].String() {
			same++
		}
		objects = objects[:same]
		return w
	})
	return objects
}

// takenOf returns a value that is made of an object's fields with a parameter in the
// place of the object.
func takenOf(object, v *value.Value) *value.Value {
	is := object.String()
	return v.Rewrite(func(w *value.Value) *value.Value {
		if w.Kind == object.Kind && w.String() == is {
			return &value.Value{Kind: value.Param}
		}
		return nil
	})
}

// withoutClocks returns a timestamp with what clocks say as nothing: that a clock
// tells the current time makes nothing wrong.
func withoutClocks(v *value.Value) *value.Value {
	w, _ := value.WithoutClocks(v)
	return w
}

// isMethod reports whether what a call runs is a method.
func isMethod(t program.Target, callee *ssa.Function) bool {
	if callee != nil {
		return callee.Signature.Recv() != nil
	}
	return t.Obj != nil && t.Obj.Signature().Recv() != nil
}

// ignoresArguments reports whether what a function returns, or a method of an object, has
// nothing of its n arguments, as far as that is known.
func (p *Receivers) ignoresArguments(q *eval.Path, f *value.Value, method string, n int) bool {
	if t, ok := p.eval.Callee(f, method); ok && (t.Fn != nil || t.Obj != nil) {
		first := 0
		if t.Signature().Recv() != nil {
			first = 1
		}
		results := p.resultsOf(t)
		given := func(v *value.Value) bool {
			fn, _ := v.Site.(*ssa.Function)
			return v.Kind == value.Param && fn == t.Fn && int(v.Num) >= first
		}
		return len(results) > 0 && !slices.ContainsFunc(results, func(c summary.ResultCase) bool {
			return summary.Case{Args: c.Values, Guards: c.Guards}.Has(given)
		})
	}
	if method != "" {
		if f = f.Method(method); f == nil {
			return false
		}
	}
	given := value.UnknownFor("an argument")
	results := f.Returns(slices.Repeat([]*value.Value{given}, n))
	return len(results) > 0 && !slices.ContainsFunc(results, func(r *value.Value) bool {
		return r.Has(func(v *value.Value) bool { return v.Kind == value.Unknown && v.Name == given.Name })
	})
}

// resultsOf returns what a function returns, nil where that is not known.
func (p *Receivers) resultsOf(t program.Target) []summary.ResultCase {
	if t.Fn != nil {
		return p.eval.ResultsOf(t.Fn)
	}
	if t.Obj != nil {
		if s := p.prog.Imported(t.Obj); s != nil {
			return s.Results.Cases()
		}
	}
	return nil
}

// namings are the filters by a name or text: which it is makes no bound wrong.
var namings = map[string]bool{
	"bigtable.FamilyFilter": true, "bigtable.ColumnFilter": true, "bigtable.RowKeyFilter": true, "bigtable.ValueFilter": true,
}

// withoutNames returns a filter with those by names as nothing.
func withoutNames(v *value.Value) *value.Value {
	return v.Rewrite(func(w *value.Value) *value.Value {
		if w.Kind == value.Call && namings[w.Name] {
			return value.NilValue()
		}
		return nil
	})
}

// gives reports whether an argument of a call goes into a value that is made of
// the fields of what the call returns, as far as that is known.
func (p *Receivers) gives(made *ast.CallExpr, of *value.Value) bool {
	fn, _ := typeutil.Callee(p.prog.Pass.TypesInfo, made).(*types.Func)
	if fn == nil {
		return true
	}
	fn = fn.Origin()
	results := p.resultsOf(p.prog.MethodTarget(fn, nil))
	if len(results) == 0 {
		return true
	}
	given := len(made.Args)
	if fn.Signature().Recv() != nil {
		given++
	}
	for _, c := range results {
		if len(c.Values) == 0 || c.Values[0].Base().Kind == value.Unknown {
			return true
		}
		v := of.Subst(func(leaf *value.Value) *value.Value {
			if leaf.Kind != value.Param {
				return nil
			}
			return c.Values[0]
		})
		if used(kind.OfAnyClient(withoutClocks(v)), given) {
			return true
		}
	}
	return false
}

// used reports whether a value hangs on a parameter among the first n.
func used(v *value.Value, n int) bool {
	return v.Has(func(w *value.Value) bool { return w.Kind == value.Param && int(w.Num) < n })
}

// fieldsOfOne reports whether all parameters in a value stand there for
// their fields, and are one and the same.
func fieldsOfOne(v *value.Value, inField bool, object *int64) bool {
	if v.Kind == value.Param {
		same := *object < 0 || *object == v.Num
		*object = v.Num
		return inField && same
	}
	for _, a := range v.Args {
		if !fieldsOfOne(a, v.Kind == value.Field || inField && v.Kind == value.Via, object) {
			return false
		}
	}
	return true
}
