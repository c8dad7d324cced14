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
	if len(v.Args) == 0 {
		return v
	}
	var args []*value.Value
	for i, a := range v.Args {
		b := p.Force(a, depth)
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
	if v.Kind == value.Field {
		if part := args[0].Base().Embedded(v.Name); part != nil {
			return value.FieldOf(part, v.Name, v.Class)
		}
	}
	c := *v
	c.Args = args
	return &c
}
