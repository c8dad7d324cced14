package value

import "strings"

// Changed is the operation that stands for a struct with one of its fields
// set. Args: the struct, the field's name, its value. The name of a field of a
// field is joined by dots.
const Changed = "changed"

// With returns the struct base with a field set, to v. [AnyField] stands for
// all of them.
func With(base *Value, field string, v *Value) *Value {
	if base.Kind == Via {
		return ViaOf(base.Name, With(base.Args[0], field, v))
	}
	if base.Kind != Struct {
		return &Value{Kind: Call, Name: Changed, Args: []*Value{base, StrOf(field), v}, Class: base.Class, Expr: base.Expr, Site: base.Site}
	}
	if outer, inner, ok := strings.Cut(field, "."); ok {
		part := With(FieldOf(base, "."+outer, NoClass), inner, v)
		return With(base, outer, part)
	}
	c := *base
	if base.Lazy != nil {
		c.Lazy = func(name string) *Value {
			if name == field || field == AnyField {
				return v
			}
			return base.Lazy(name)
		}
		return &c
	}
	c.Keys, c.Args = nil, nil
	for i, k := range base.Keys {
		switch {
		case field == AnyField:
			c.Keys, c.Args = append(c.Keys, k), append(c.Args, v)
		case k != field:
			c.Keys, c.Args = append(c.Keys, k), append(c.Args, base.Args[i])
		}
	}
	if field == AnyField {
		// Nor are the fields that it leaves out zero.
		return &Value{Kind: Call, Name: Changed, Args: []*Value{&c, StrOf(field), v}, Class: base.Class, Expr: base.Expr, Site: base.Site}
	}
	c.Keys, c.Args = append(c.Keys, field), append(c.Args, v)
	return &c
}

// changed folds a change once the struct is known.
func changed(args []*Value) *Value {
	if field := args[1].Name; field != AnyField && args[0].Base().Kind == Struct {
		return With(args[0], field, args[2])
	}
	return nil
}
