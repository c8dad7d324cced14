package eval

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// after resolves an object after a method that it may have was called for what it
// does, once the object is known.
func (p *Settler) after(v *value.Value, call ssa.Instruction) *value.Value {
	name, _ := v.Args[0].IsStr()
	object := v.Args[1]
	made := object.Base()
	for made.Is(value.Changed) {
		made = made.Args[0].Base()
	}
	switch {
	case made.Kind == value.Struct:
	case made.HasParams():
		return v
	default:
		return object
	}
	through, m, known := p.p.Prog.Names.Promoted(made, name)
	switch {
	case !known:
		return value.With(object, value.AnyField, value.UnknownFor("what a method sets that is not known"))
	case m == nil:
		return object
	}
	certain, _ := v.Args[2].IsBool()
	return p.afterMethod(object, through, p.p.Prog.MethodTarget(m, nil), v.Args[3:], certain && call != nil, call)
}

// afterMethod returns an object after a method of what it embeds was called with
// those arguments, if they are known.
func (p *Settler) afterMethod(object *value.Value, through []string, m program.Target, args []*value.Value, certain bool, call ssa.Instruction) *value.Value {
	if len(through) > 0 {
		part := value.FieldOf(object, "."+through[0], value.NoClass)
		return value.With(object, through[0], p.afterMethod(part, through[1:], m, args, certain, call))
	}
	if m.Fn == nil && m.Obj != nil && !p.p.Prog.Analysed(m.Obj) {
		return value.With(object, value.AnyField, value.UnknownFor("what a method sets that is not analysed"))
	}
	sets := p.p.Objects.SetsOf(m)
	if certain {
		self := &value.Value{Kind: value.Param}
		bind := memory.Binder(append([]*value.Value{object}, args...), m.Fn)
		return p.Reader.Returned(self, object, sets, call, m.Fn, func(leaf *value.Value) *value.Value {
			if v := bind(leaf); v != nil || leaf.Kind != value.Param {
				return v
			}
			return leaf.Forgotten("an argument of a method")
		})
	}
	for _, s := range sets {
		if s.Param == 0 {
			object = value.With(object, s.Field, value.UnknownFor("what a method may set"))
		}
	}
	return object
}
