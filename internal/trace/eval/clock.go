package eval

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Clocks that code is given: a function in a field, an interface with a method
// Now. Which clock it is, somebody else says; where all that are known to be
// given tell the current time, so does it, and a fault in what is made of that
// stands where it is made, not where the clock comes from. What a clock is
// called tells only where nothing is known to be given.

// Clocks finds the readings of the clock in a program.
type Clocks struct {
	prog  *program.Program
	eval  *Evaluator
	asked map[*ssa.Call]bool // the calls of which it is being asked, one for the other
}

// maxAsked bounds the calls of which each hangs on what the next one runs.
const maxAsked = 4

func newClocks(p *program.Program, e *Evaluator) *Clocks {
	return &Clocks{p, e, map[*ssa.Call]bool{}}
}

// Reading returns the result r of a call of which it is not known what it runs
// as a reading of the clock, where that is what is known to be given for it.
func (p *Clocks) Reading(q *Path, v *ssa.Call, r *value.Value) *value.Value {
	class := kind.ClassOf(v.Type())
	if len(v.Call.Args) > 0 || class != value.Time && class != value.Timestamp || r.Kind == value.Call && !r.Is(value.Invoke) && !r.Is(value.Method) {
		return r
	}
	if p.asked[v] || len(p.asked) >= maxAsked {
		return r
	}
	p.asked[v] = true
	defer delete(p.asked, v)
	called := q.Way.Eval(v.Call.Value, v)
	if usual := usually(called).Base(); usual == called.Base() && usual.Kind == value.Nil || !p.givesClock(v, usually(called), class) {
		return r
	}
	if r.Kind != value.Call {
		r = q.Later(v, called)
	}
	return &value.Value{Kind: value.Call, Name: value.Clock, Args: []*value.Value{r}, Class: class, Expr: r.Expr}
}

// givesClock reports whether what is known of a call without arguments is that
// it tells the current time: by what it usually is, by what the package gives
// for it, and by the types that implement the interface, here or where that is
// declared.
func (p *Clocks) givesClock(v *ssa.Call, usual *value.Value, class value.Class) bool {
	q := p.eval.path(false)
	given, some := p.heard(q, &v.Call, class, map[ssa.Value]bool{})
	says := append([]*value.Value{q.Settler.Called(q.Later(v, usual))}, given...)
	says = append(says, p.fallbacks(q, v)...)
	now, known := tellNow(says, class)
	if now && p.isLocal(v.Call.Value) {
		// All that a variable of the function holds is in view.
		return !slices.ContainsFunc(says[1:], func(t *value.Value) bool { now, _ := tellNow([]*value.Value{t}, class); return !now })
	}
	return now || !known && !some && calledNow(&v.Call)
}

// heard lists what a call without arguments returns of what the package gives for it and
// by the types that implement the interface, and whether something is given, or known of
// the interface, that tells more than what the call's name does. A method value of an
// interface is asked as a call of that method is. seen are the values that have been asked.
func (p *Clocks) heard(q *Path, call *ssa.CallCommon, class value.Class, seen map[ssa.Value]bool) (says []*value.Value, some bool) {
	current := value.Apply("time.Now")
	if class == value.Timestamp {
		current = value.Apply("bigtable.Now")
	}
	for _, g := range p.given(call.Value, maxGivers, seen) {
		if bound := boundOf(g); bound != nil {
			says2, some2 := p.heard(q, bound, class, seen)
			if _, known := tellNow(says2, class); !known && !some2 && calledNow(bound) {
				says2 = append(says2, current)
			}
			says, some = append(says, says2...), some || some2
		} else if !p.movedByHand(call, g) {
			is := q.Way.Eval(g, nil)
			some = some || is.Function().Kind == value.Func
			says = append(says, q.Settler.Called(later(call, is, class)))
		}
	}
	for _, fn := range p.prog.Behind.Implementations(call) {
		says = append(says, p.Says(fn)...)
	}
	if m := ofReceiver(call.Value); m != nil {
		says = append(says, p.adapted(m)...)
	}
	if !call.IsInvoke() {
		return says, some
	}
	if _, known := tellNow(says, class); known {
		return says, some
	}
	switch s := p.prog.Imported(call.Method); {
	case s == nil:
		return says, some
	case s.Now:
		return append(says, current), some
	default:
		return append(says, returned(s.Results.Cases())...), some || !s.Empty()
	}
}

// boundOf returns the call that a method value of an interface stands for; nil of other
// values.
func boundOf(v ssa.Value) *ssa.CallCommon {
	mc, ok := v.(*ssa.MakeClosure)
	if !ok || !kind.IsBound(mc.Fn.(*ssa.Function)) {
		return nil
	}
	m := kind.Object(mc.Fn.(*ssa.Function))
	if m == nil || !kind.OfInterface(m) {
		return nil
	}
	return &ssa.CallCommon{Value: mc.Bindings[0], Method: m}
}

// ofReceiver returns the method whose receiver a value is; nil of others.
func ofReceiver(v ssa.Value) *ssa.Function {
	if param, ok := v.(*ssa.Parameter); ok && param.Parent().Signature.Recv() != nil && kind.ParamIndex(param) == 0 {
		return param.Parent()
	}
	return nil
}

// calledNow reports whether a function or method that is given, of which nothing in view
// tells what it is, is called what clocks are. Of a method that calls its receiver, what the
// method is called says it.
func calledNow(call *ssa.CallCommon) bool {
	name := nameOf(call.Value)
	if call.IsInvoke() {
		name = call.Method.Name()
	} else if m := ofReceiver(call.Value); m != nil {
		name = m.Name()
	}
	switch strings.ToLower(name) {
	case "now", "nowfn", "nowfunc", "nowutc", "utcnow", "timenow", "clock", "clockfn", "clockfunc":
		return true
	}
	return false
}

// nameOf returns the name of the variable or field that a value comes from; "" where it
// has none.
func nameOf(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return nameOf(v.X)
		}
	case *ssa.FieldAddr:
		return kind.FieldOf(v).Name()
	case *ssa.Field:
		return kind.StructField(v.X.Type(), v.Field).Name()
	case *ssa.Alloc:
		return v.Comment
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Global:
		return v.Name()
	}
	return ""
}

// isLocal reports whether a value is what a variable of its function holds, or of one
// around it.
func (p *Clocks) isLocal(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	root, path := p.prog.Address(load.X)
	_, ok = root.(*ssa.Alloc)
	return ok && len(path) == 0
}

// refined returns the time of which another is the same moment, or nearly:
// what a clock that is made of a clock does.
func refined(v *value.Value) *value.Value {
	for b := v.Base(); b.Kind == value.Call; b = v.Base() {
		switch b.Name {
		case "time.Time.UTC", "time.Time.Local", "time.Time.In", "time.Time.Round", "time.Time.Truncate":
			v = b.Args[0]
		default:
			return v
		}
	}
	return v
}

// Says lists what a clock's method says. What a decorator adds to the clock that it has
// says nothing, unless it is known how much that is; nor does the moment that a clock of
// tests tells before it is given a time to hold.
func (p *Clocks) Says(fn *ssa.Function) []*value.Value {
	says := append(returned(p.eval.ResultsOf(fn)), p.adapted(fn)...)
	if slices.ContainsFunc(says, func(v *value.Value) bool { return v.Base().Kind == value.Field }) {
		says = slices.DeleteFunc(says, func(v *value.Value) bool { return instant.OfTime(v).Kind == instant.Fixed })
	}
	if !p.prog.Decorates(fn) {
		return says
	}
	return slices.DeleteFunc(says, func(v *value.Value) bool {
		_, exact := instant.OfTime(v.Rewrite(func(w *value.Value) *value.Value {
			if w.Is(value.Clock) || !w.Is(value.Method) {
				return nil
			}
			return &value.Value{Kind: value.Call, Name: value.Clock, Args: []*value.Value{w}, Class: w.Class}
		})).Exact()
		return !exact
	})
}

// moved reports whether a method returns no more than a time which its object holds and
// which the package sets after objects are made: what a clock that is moved by hand was
// made with does not tell what it says.
func moved(p *program.Program, fn *ssa.Function, cases []summary.ResultCase) bool {
	says := returned(cases)
	return len(says) > 0 && !slices.ContainsFunc(says, func(v *value.Value) bool { return !setLater(p, v.Base(), fn) })
}

// setLater reports whether a value is a field of a method's receiver that is set of
// objects which stand already.
func setLater(p *program.Program, v *value.Value, fn *ssa.Function) bool {
	if v.Kind != value.Field || v.Args[0].Base().Kind != value.Param || v.Args[0].Base().Num != 0 || fn.Signature.Recv() == nil {
		return false
	}
	t := kind.Deref(fn.Signature.Recv().Type())
	f, _ := kind.FieldNamed(t, value.FieldName(v.Name))
	return f != nil && kind.FieldKey(f, t) == v.Name && len(p.Fields[f]) > 0
}

// movedByHand reports whether a call of an interface's method runs one of a clock that
// is moved by hand, of an object that is given.
func (p *Clocks) movedByHand(call *ssa.CallCommon, given ssa.Value) bool {
	if !call.IsInvoke() {
		return false
	}
	obj, _, _ := types.LookupFieldOrMethod(given.Type(), true, call.Method.Pkg(), call.Method.Name())
	m, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	fn := p.prog.Pkg.Prog.FuncValue(m)
	if fn == nil || !p.prog.HasBody(kind.Origin(fn)) {
		return false
	}
	fn = kind.Origin(fn)
	return moved(p.prog, fn, p.eval.ResultsOf(fn))
}

func returned(cases []summary.ResultCase) (out []*value.Value) {
	for _, c := range cases {
		out = append(out, c.Values...)
	}
	return out
}

// TellNow reports whether one of several functions of one type returns the
// current time, and none is known to return another.
func (p *Clocks) TellNow(fns []*ssa.Function) bool {
	var says []*value.Value
	class := value.NoClass
	for _, fn := range fns {
		res := fn.Signature.Results()
		if res.Len() != 1 {
			return false
		}
		class = kind.ClassOf(res.At(0).Type())
		says = append(says, p.Says(fn)...)
	}
	now, _ := tellNow(says, class)
	return now
}

// tellNow reports whether times are the current one, if that is known of one
// of them. What is only held, as a clock of tests holds its time, or not known
// at all, says nothing; what is computed otherwise is no clock's.
func tellNow(times []*value.Value, class value.Class) (now, known bool) {
	for _, v := range times {
		v = refined(v)
		at := instant.OfTime(v)
		if class == value.Timestamp {
			at = instant.OfTimestamp(v)
		}
		d, exact := at.Exact()
		switch b := v.Base(); {
		case exact && !at.Once && d == 0:
			now, known = true, true
		case b.Kind == value.Call && !b.Is(value.Invoke) && !b.Is(value.Method) && !b.Is(value.Zero):
			return false, true
		}
	}
	return now, known
}

// usually returns what a field holds that no option sets.
func usually(v *value.Value) *value.Value {
	for v.Base().Is(value.Optioned) {
		v = v.Base().Args[0]
	}
	return v
}
