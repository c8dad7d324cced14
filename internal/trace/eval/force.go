package eval

import (
	"github.com/ttlvet/ttlvet/internal/value"
)

// Force resolves the fields of structs that resolve their fields on demand,
// now, while the path's choices hold.
func (p *Settler) Force(v *value.Value, depth int) *value.Value {
	if v.Kind == value.Struct && v.Lazy != nil {
		s := &value.Value{Kind: value.Struct, Class: v.Class, Name: v.Name, Dynamic: v.Dynamic, Expr: v.Expr, Site: v.Site}
		for _, key := range v.Keys {
			f := value.UnknownFor("a field of a field")
			if depth > 0 {
				if l := v.Lazy(key); l != nil {
					f = p.Force(l, depth-1)
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
	args := v.Each(func(a *value.Value) *value.Value { return p.Force(a, depth) })
	if args == nil {
		return v
	}
	if v.Kind == value.Field {
		if part := args[0].Base().Embedded(v.Name); part != nil {
			return value.FieldOf(part, v.Name, v.Class)
		}
	}
	c := *v
	c.Args = args
	return &c
}
