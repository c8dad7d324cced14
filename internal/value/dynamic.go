package value

import (
	"go/token"
	"strings"
)

// Holds is the operation that asks whether the interface Args[0] holds a value of the
// type named Args[1], Is whether it holds one of that type or a pointer to one.
const (
	Holds = "holds"
	Is    = "is"
)

// Offers is the operation that asks whether what the interface Args[0] holds has the
// methods that the others name.
const Offers = "offers"

// InInterface names the type of what an interface holds, as far as it is known: of a
// struct that may as well be behind a pointer, that.
func (v *Value) InInterface() (name string, ok bool) {
	if name := v.dynamic(); name != "" {
		return name, true
	}
	b := v.Base()
	return "*" + b.Name, b.Kind == Struct && b.Name != "struct" && b.Name != ""
}

// offers folds that of an interface that holds nothing.
func offers(a []*Value) *Value {
	if v := a[0].Base(); a[0].dynamic() == "" && (v.Kind == Nil || v.Is(Zero)) {
		return BoolOf(false)
	}
	return nil
}

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

// neverNil reports whether a value is in an interface and has a type that knows no nil: that
// of a time, or a predeclared one, as the only ones that a name alone names.
func (v *Value) neverNil() bool {
	name := v.dynamic()
	return token.IsIdentifier(name) || name != "" && v.Base().Class != NoClass
}

// holds folds the question whether a value in an interface is of a type, as by compares
// the two's names. Of a struct that may as well be behind a pointer its name alone tells.
func holds(by func(dynamic, name string) bool) func([]*Value) *Value {
	return func(a []*Value) *Value {
		name := a[1].Name
		if dynamic := a[0].dynamic(); dynamic != "" {
			return BoolOf(by(dynamic, name))
		}
		if in, ok := a[0].InInterface(); ok {
			return BoolOf(pointerOr(in, strings.TrimPrefix(name, "*")))
		}
		return offers(a)
	}
}

func identical(dynamic, name string) bool { return dynamic == name }

func pointerOr(dynamic, name string) bool { return strings.TrimPrefix(dynamic, "*") == name }
