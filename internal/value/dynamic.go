package value

import "strings"

// Holds is the operation that asks whether the interface Args[0] holds a value of the
// type named Args[1], Is whether it holds one of that type or a pointer to one.
const (
	Holds = "holds"
	Is    = "is"
)

// OfType returns v as a value in an interface that has a type of that name.
func (v *Value) OfType(name string) *Value {
	if v.Dynamic == name {
		return v
	}
	c := *v
	c.Dynamic = name
	return &c
}

// dynamic names the type that a value in an interface is known to have, "" where none is.
func (v *Value) dynamic() string {
	for v.Dynamic == "" && v.Kind == Via {
		v = v.Args[0]
	}
	return v.Dynamic
}

// holds folds the question whether a value in an interface is of a type, as by compares
// the two's names. Of a struct that may as well be behind a pointer its name alone tells.
func holds(by func(dynamic, name string) bool) func([]*Value) *Value {
	return func(a []*Value) *Value {
		v, name := a[0].Base(), a[1].Name
		switch dynamic := a[0].dynamic(); {
		case dynamic != "":
			return BoolOf(by(dynamic, name))
		case v.Kind == Nil, v.Is(Zero): // an interface that holds nothing
			return BoolOf(false)
		case v.Kind == Struct && v.Name != "struct" && v.Name != "":
			return BoolOf(v.Name == strings.TrimPrefix(name, "*"))
		}
		return nil
	}
}

func identical(dynamic, name string) bool { return dynamic == name }

func pointerOr(dynamic, name string) bool { return strings.TrimPrefix(dynamic, "*") == name }
