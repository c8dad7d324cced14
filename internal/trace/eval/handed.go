package eval

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// handed resolves a parameter of a function literal that is given to a function of
// another package and to nothing else: the table with which that calls it. It is nil
// where that is not known.
func (p *Path) handed(v *ssa.Parameter, index int) *value.Value {
	fn := v.Parent()
	if fn.Parent() == nil || !kind.TableLike(v.Type()) {
		return nil
	}
	var literal ssa.Value = fn
	if mc := p.p.Prog.Closures[fn]; mc != nil {
		literal = mc
	}
	call := onlyCall(literal)
	if call == nil {
		return nil
	}
	t, ok := p.p.Prog.Target(&call.Call)
	if !ok || t.Obj == nil || t.Recv != nil {
		return nil
	}
	s := p.p.Prog.Imported(t.Obj)
	if s == nil {
		return nil
	}
	for _, h := range s.Hands {
		if h.Arg != index || h.Param >= len(t.Args) {
			continue
		}
		given := t.Args[h.Param]
		if named, ok := given.(*ssa.ChangeType); ok {
			given = named.X
		}
		if given == literal {
			return p.Settler.Settle(h.Value.Subst(p.Reader.Arguments(t, call).Binder(nil)), call)
		}
	}
	return nil
}

// onlyCall returns the one call that a function literal is given to; nil where it goes
// anywhere else.
func onlyCall(literal ssa.Value) *ssa.Call {
	var only *ssa.Call
	for _, r := range *literal.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.MakeClosure:
			return nil
		case *ssa.ChangeType:
			if only != nil {
				return nil
			}
			if only = onlyCall(r); only == nil {
				return nil
			}
		case *ssa.Call:
			if only != nil || r.Call.Value == literal {
				return nil
			}
			only = r
		default:
			return nil
		}
	}
	return only
}
