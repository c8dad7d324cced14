package value

import "strings"

// Changed is the operation that stands for a struct with one of its fields
// set. Args: the struct, the field's name, its value. The name of a field of a
// field is joined by dots.
const Changed = "changed"

// With returns the struct base with a field set, to v. [AnyField] stands for
// all of them, "" for the struct itself.
func With(base *Value, field string, v *Value) *Value {
	if field == "" {
		return v
	}
	if base.Kind == Via {
		return ViaOf(base.Name, With(base.Args[0], field, v))
	}
	if base.Kind != Struct || field == AnyField && base.Lazy == nil {
		return &Value{Kind: Call, Name: Changed, Args: []*Value{base, StrOf(field), v}, Class: base.Class, Expr: base.Expr, Site: base.Site}
	}
	if outer, inner, ok := strings.Cut(field, "."); ok {
		part := With(FieldOf(base, "."+outer, NoClass), inner, v)
		return With(base, outer, part)
	}
	c := *base
	if base.Lazy != nil {
		c.Lazy = func(name string) *Value {
			switch {
			case field == AnyField:
				return setByAny(v, base.Lazy(name), name)
			case name == field:
				return v
			}
			return base.Lazy(name)
		}
		return &c
	}
	c.Keys, c.Args = nil, nil
	for i, k := range base.Keys {
		if k != field {
			c.Keys, c.Args = append(c.Keys, k), append(c.Args, base.Args[i])
		}
	}
	c.Keys, c.Args = append(c.Keys, field), append(c.Args, v)
	return &c
}

// changed folds a change once the struct is known.
func changed(args []*Value) *Value {
	if w := With(args[0], args[1].Name, args[2]); !w.Is(Changed) {
		return w
	}
	return nil
}
