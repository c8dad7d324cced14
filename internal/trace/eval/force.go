package eval

import (
	"github.com/ttlvet/ttlvet/internal/value"
)

// maxForced bounds the fields that are resolved of one value: a program's whole configuration
// has thousands, and each function that hands it on would hold them all.
const maxForced = 1000

// deeper and tooLarge stand for fields that are not resolved.
var (
	deeper   = value.UnknownFor("a field of a field")
	tooLarge = value.UnknownFor("a value too large to follow")
)

// Force resolves the fields of structs that resolve their fields on demand,
// now, while the path's choices hold.
func (p *Settler) Force(v *value.Value, depth int) *value.Value {
	left := maxForced
	return force(v, depth, &left)
}

// force is [Settler.Force] for a part of a value, of which so many fields more are resolved.
func force(v *value.Value, depth int, left *int) *value.Value {
	if v.Kind == value.Struct && v.Lazy != nil {
		if *left -= len(v.Keys); *left < 0 {
			return tooLarge
		}
		s := &value.Value{Kind: value.Struct, Class: v.Class, Name: v.Name, Dynamic: v.Dynamic, Expr: v.Expr, Site: v.Site}
		for _, key := range v.Keys {
			f := deeper
			if depth > 0 {
				if l := v.Lazy(key); l != nil {
					f = force(l, depth-1, left)
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
	args := v.Each(func(a *value.Value) *value.Value { return force(a, depth, left) })
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
