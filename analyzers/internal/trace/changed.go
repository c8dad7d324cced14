package trace

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// changed returns a struct that a function was given and returns, with the
// fields that the function sets on the way: a method of a builder. raw is the
// result as the function has it, bound the same with the arguments of the
// call in it.
func (p *path) changed(raw, bound *value.Value, fn *ssa.Function, bind func(*value.Value) *value.Value) *value.Value {
	param := raw.Base()
	s := bound.Base()
	if param.Kind != value.Param || param.Site != any(fn) || int(param.Num) >= len(fn.Params) || s.Kind != value.Struct {
		return bound
	}
	set := p.p.fieldsSet(fn, fn.Params[param.Num])
	if len(set) == 0 {
		return bound
	}
	now := map[string]*value.Value{}
	for name, stores := range set {
		now[name] = unknown("a field that a method sets")
		if len(stores) == 1 && stores[0].at.Block() == fn.Blocks[0] {
			if v := p.p.storedOnce(fn, stores[0]); v != nil {
				now[name] = v.Subst(bind)
			}
		}
	}
	c := *s
	if s.Lazy != nil {
		c.Lazy = func(name string) *value.Value {
			if v := now[name]; v != nil {
				return v
			}
			return s.Lazy(name)
		}
		return &c
	}
	c.Keys, c.Args = nil, nil
	for i, k := range s.Keys {
		if now[k] == nil {
			c.Keys = append(c.Keys, k)
			c.Args = append(c.Args, s.Args[i])
		}
	}
	for _, k := range sortedNames(now) {
		c.Keys = append(c.Keys, k)
		c.Args = append(c.Args, now[k])
	}
	return &c
}

// fieldsSet returns the stores of a function to the fields of what a
// parameter points to, by the fields' names.
func (p *program) fieldsSet(fn *ssa.Function, param *ssa.Parameter) map[string][]store {
	set := map[string][]store{}
	for _, s := range p.stores[param] {
		if len(s.path) == 0 {
			continue
		}
		if f := structField(deref(param.Type()), s.path[0]); f != nil {
			set[f.Name()] = append(set[f.Name()], s)
		}
	}
	return set
}

// storedOnce resolves what a store puts in a field, over the parameters of
// its function; nil when that is not one value, or when it is stored in a
// part of the field.
func (p *program) storedOnce(fn *ssa.Function, s store) *value.Value {
	if len(s.path) != 1 || s.at.Parent() != fn {
		return nil
	}
	var found *value.Value
	n := 0
	complete := p.explore(false, 2, func(q *path) []*value.Value {
		return []*value.Value{q.force(q.eval(s.val, s.at), 4)}
	}, func(_ *path, vs []*value.Value) {
		found = vs[0]
		n++
	})
	if !complete || n != 1 {
		return nil
	}
	return found
}

func sortedNames(m map[string]*value.Value) []string {
	var names []string
	for k := range m {
		names = insert(names, k)
	}
	return names
}
