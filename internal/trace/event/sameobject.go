package event

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// SameObject reports whether e and f, calls of the client in one function of
// which f comes first, are about the same object, as far as that is known by
// what holds it: one variable, one field, one element.
func (e *Event) SameObject(f *Event) (same, known bool) { return e.sameArgument(f, 0) }

// SameArgument reports whether e and f, calls of the client in one function,
// are given the same variable, unchanged, the same constant, or what is reckoned
// alike of such, as their i-th argument: n * 1000, bigtable.Time(at.Add(d)).
func (e *Event) SameArgument(f *Event, i int) bool {
	same, _ := e.sameArgument(f, i)
	return same
}

func (e *Event) sameArgument(f *Event, i int) (same, known bool) {
	a, b := e.argument(i), f.argument(i)
	if e.In != f.In || a == nil || b == nil {
		return false, false
	}
	// Analyzers run side by side.
	e.tracer.Prog.Order.Lock()
	defer e.tracer.Prog.Order.Unlock()
	return e.tracer.heldSame(a, e.Instr, b, f.Instr)
}

// argument returns the i-th argument of a call of the client, or that of a call which
// leads there and hands it on as it is; nil where it is not written there.
func (e *Event) argument(i int) ssa.Value {
	if e.Target.Recv != nil {
		return nil
	}
	if e.Depth > 0 {
		if i = e.handsOn(i); i < 0 {
			return nil
		}
	}
	if i >= len(e.Target.Args) {
		return nil
	}
	return e.Target.Args[i]
}

// handsOn returns which argument of a call is the i-th of the client's, whichever of the
// cases of the function it is; -1 where that is none as it stands.
func (e *Event) handsOn(i int) int {
	if e.Link.Effect == nil || e.ViaField || e.Link.Handed {
		return -1
	}
	at := -1
	for _, c := range e.Link.Effect.Cases {
		if i >= len(c.Args) {
			return -1
		}
		a := c.Args[i]
		if a.Kind != value.Param || a.Name != "" || a.Num >= value.FirstType || at >= 0 && int64(at) != a.Num {
			return -1
		}
		at = int(a.Num)
	}
	return at
}

// ArgumentKey returns a text that is the same for all events that are given the same
// as e is, by [Event.SameArgument], as their i-th argument; "" where that is false of
// any. Events are looked up by it, rather than each compared with all others.
func (e *Event) ArgumentKey(i int) string {
	v := e.argument(i)
	if v == nil {
		return ""
	}
	e.tracer.Prog.Order.Lock()
	defer e.tracer.Prog.Order.Unlock()
	return fmt.Sprintf("%p %s", e.In, e.tracer.reckoning(v, maxAlike, nil))
}

// heldSame reports whether a, at one instruction of a function, is what b was at
// another before it: reckoned alike of what is the same all along.
func (p *Tracer) heldSame(a ssa.Value, at ssa.Instruction, b ssa.Value, before ssa.Instruction) (same, known bool) {
	var loads, others []*ssa.UnOp
	if p.reckoning(a, maxAlike, &loads) != p.reckoning(b, maxAlike, &others) {
		return false, false
	}
	same, known = true, true
	for i, load := range loads {
		if load == others[i] {
			continue
		}
		s, k := p.unchanged(load, at, before)
		same, known = same && s, known && k
	}
	return same, known
}

// unchanged reports whether nothing writes to what a load reads between two
// instructions: what a call runs that is deferred is written later.
func (p *Tracer) unchanged(load *ssa.UnOp, at, before ssa.Instruction) (same, known bool) {
	place := p.Prog.Heap().Place(load.X)
	between := func(i ssa.Instruction) bool {
		return i.Parent() == at.Parent() && p.Prog.Graphs.Precedes(before, i) && p.Prog.Graphs.Precedes(i, at)
	}
	if slices.ContainsFunc(place.Writers(), between) {
		return false, true
	}
	for _, call := range p.Prog.Calls[at.Parent()] {
		if _, later := call.(*ssa.Defer); !later && between(call) && place.Written(call) {
			return false, false
		}
	}
	return true, true
}

// maxAlike is how deeply SameArgument looks into how values are reckoned.
const maxAlike = 6

// reckoning returns a text that two values share which are reckoned alike, and adds
// what is read from memory for it to loads.
func (p *Tracer) reckoning(v ssa.Value, depth int, loads *[]*ssa.UnOp) string {
	v = p.Eval.Source(v)
	of := func(v ssa.Value) string { return p.reckoning(v, depth-1, loads) }
	if depth > 0 {
		switch v := v.(type) {
		case *ssa.Const:
			if v.Value != nil {
				return v.Value.ExactString()
			}
		case *ssa.BinOp:
			return "(" + of(v.X) + v.Op.String() + of(v.Y) + ")"
		case *ssa.Convert:
			return types.TypeString(v.Type(), nil) + "(" + of(v.X) + ")"
		case *ssa.ChangeType:
			return of(v.X)
		case *ssa.UnOp:
			if v.Op == token.MUL {
				if loads != nil {
					*loads = append(*loads, v)
				}
				return "*" + of(v.X)
			}
		case *ssa.FieldAddr:
			return fmt.Sprint(of(v.X), ".", v.Field)
		case *ssa.Field:
			return fmt.Sprint(of(v.X), ":", v.Field)
		case *ssa.IndexAddr:
			return of(v.X) + "[" + of(v.Index) + "]"
		case *ssa.Call:
			if fn := kind.CalledFunc(&v.Call); fn != nil && btapi.Pure(btapi.Func(fn)) && !givenList(v.Call.Args) {
				text := fn.FullName() + "("
				for _, a := range v.Call.Args {
					text += of(a) + ","
				}
				return text + ")"
			}
		}
	}
	return fmt.Sprintf("%p", v)
}

// givenList reports whether one of the arguments is a list, of which the elements may
// change.
func givenList(args []ssa.Value) bool {
	for _, a := range args {
		if _, list := a.Type().Underlying().(*types.Slice); list {
			return true
		}
	}
	return false
}
