// Package value holds the abstract values to which tracing resolves Go
// expressions: constants, parameters not yet bound, and operations on them.
//
// A value is a small immutable tree. Values of one function are written over
// its parameters ([Param]); [Value.Subst] binds those at a call and folds
// what becomes constant. Exported fields are what facts carry between
// packages; the unexported ones tie a value to the package that is being
// analysed (its expression, its place of creation) and are lost in a fact.
package value

import (
	"go/ast"
	"math"
	"strconv"
	"strings"
)

// A Kind says what a Value is.
type Kind uint8

// The kinds, with the fields that they use.
const (
	Unknown Kind = iota // Name: what stopped the tracing
	Int                 // Num
	Float               // Num: the bits
	Bool                // Num: 0 or 1
	Str                 // Name
	Nil                 //
	Param               // Num: the index among the parameters, receiver first
	Field               // Name: "path.Type.field"; Args[0]: the struct
	Global              // Name: "path.name" of a package variable that is not resolved
	Call                // Name: an operation, or a call by its name in btapi; Args
	Struct              // Name: "path.Type"; Keys and Args: the fields that are not zero
	List                // Args: the elements
	Map                 // Args: key, element, key, element, …; Num: see [Uncounted]
	Func                // Name: "path.name"; Args[0]: the receiver of a method value; see [Setter]
	Tuple               // Args: the results of a call
	Via                 // Name: a handle, the field or variable or function that Args[0] came through
)

// Uncounted is the Num of a Map of which it is not known how many entries it has: one
// that is stored in a loop, or under a condition, stands for any number.
const Uncounted = 1

// FirstType is the index from which parameters are type parameters, each the zero
// value of the type that a call supplies: its methods are what a generic function
// asks for names.
const FirstType = 1000

// IsType reports whether v is a type parameter.
func (v *Value) IsType() bool { return v.Kind == Param && v.Num >= FirstType }

// A Class says what an unresolved value is a number of, which arithmetic
// needs to know.
type Class uint8

// The classes.
const (
	NoClass   Class = iota
	Time            // a time.Time
	Duration        // a time.Duration, in nanoseconds
	Timestamp       // a bigtable.Timestamp, in microseconds
)

// A Value is an abstract value. The zero Value is unknown.
type Value struct {
	Kind  Kind
	Class Class
	Name  string
	Num   int64
	Keys  []string
	Args  []*Value
	// Dynamic names the type that a value in an interface has, where that is known. Of a
	// value that is taken out of one it says nothing.
	Dynamic string

	// Expr is the expression that made the value, when it stands in the
	// package that is being analysed.
	Expr ast.Expr
	// Site tells apart what is made at different places: the instruction
	// that made a mutation, a row or a struct; the function of a parameter.
	Site any
	// Lazy, of a Struct, resolves a field on demand, instead of Keys and Args.
	Lazy func(field string) *Value
}

// Portable returns a copy of v that holds only what a fact may carry.
func (v *Value) Portable() *Value {
	if v.Lazy != nil {
		return UnknownFor("a struct")
	}
	c := &Value{Kind: v.Kind, Class: v.Class, Name: v.Name, Num: v.Num, Keys: v.Keys, Dynamic: v.Dynamic}
	for _, a := range v.Args {
		c.Args = append(c.Args, a.Portable())
	}
	return c
}

// UnknownFor returns an unknown value with the reason for it.
func UnknownFor(reason string) *Value { return &Value{Kind: Unknown, Name: reason} }

// IntOf returns an integer constant.
func IntOf(n int64) *Value { return &Value{Kind: Int, Num: n} }

// FloatOf returns a floating-point constant.
func FloatOf(f float64) *Value { return &Value{Kind: Float, Num: int64(math.Float64bits(f))} }

// StrOf returns a string constant.
func StrOf(s string) *Value { return &Value{Kind: Str, Name: s} }

// BoolOf returns a boolean constant.
func BoolOf(b bool) *Value {
	v := &Value{Kind: Bool}
	if b {
		v.Num = 1
	}
	return v
}

// NilValue returns the nil pointer, slice, map, function or interface.
func NilValue() *Value { return &Value{Kind: Nil} }

// ListOf returns a slice or array of the elements.
func ListOf(elems ...*Value) *Value { return &Value{Kind: List, Args: elems} }

// Float64 returns the value of a Float.
func (v *Value) Float64() float64 { return math.Float64frombits(uint64(v.Num)) }

// At returns v with the expression that made it.
func (v *Value) At(e ast.Expr) *Value {
	if v == nil || e == nil || v.Expr == e {
		return v
	}
	c := *v
	c.Expr = e
	return &c
}

// Base returns v without the handles that it came through.
func (v *Value) Base() *Value {
	for v.Kind == Via {
		v = v.Args[0]
	}
	return v
}

// Is reports whether v is a call of the operation of that name.
func (v *Value) Is(name string) bool { return v.Kind == Call && v.Name == name }

// IsStr returns the text of a string constant.
func (v *Value) IsStr() (string, bool) {
	v = v.Base()
	if v.Kind == Str {
		return v.Name, true
	}
	return "", v.Is(Zero)
}

// IsInt returns the value of an integer constant.
func (v *Value) IsInt() (int64, bool) {
	v = v.Base()
	return v.Num, v.Kind == Int || v.Is(Zero)
}

// IsBool returns the value of a boolean constant.
func (v *Value) IsBool() (value, ok bool) {
	v = v.Base()
	return v.Num != 0 && v.Kind == Bool, v.Kind == Bool || v.Is(Zero)
}

// Forgotten returns what is not known, for a reason, of the same class.
func (v *Value) Forgotten(reason string) *Value {
	u := UnknownFor(reason)
	u.Class = v.Class
	return u
}

// Known reports whether v holds nothing unresolved.
func (v *Value) Known() bool {
	known := true
	v.Walk(func(w *Value) {
		switch w.Kind {
		case Unknown, Param, Global:
			known = false
		}
	})
	return known
}

// Walk calls f for v and everything in it, outermost first.
func (v *Value) Walk(f func(*Value)) {
	f(v)
	for _, a := range v.Args {
		a.Walk(f)
	}
}

// Size is the number of values in the tree.
func (v *Value) Size() int {
	n := 0
	v.Walk(func(*Value) { n++ })
	return n
}

// TooLarge reports whether v has more parts than are followed. Parts that are
// shared count as often as they occur: a few turns of a loop make millions.
func (v *Value) TooLarge() bool { return v.LargerThan(maxSize) }

// LargerThan reports whether v has more than n parts, counted alike.
func (v *Value) LargerThan(n int) bool { return v.within(n) < 0 }

// within returns how many of n parts are left when those of v are counted; less
// than none, where there are more.
func (v *Value) within(n int) int {
	n--
	for _, a := range v.Args {
		if n < 0 {
			break
		}
		n = a.within(n)
	}
	return n
}

// HasParams reports whether a parameter occurs in v.
func (v *Value) HasParams() bool {
	return v.Has(func(w *Value) bool { return w.Kind == Param })
}

// Has reports whether v, or something in it, is such a value.
func (v *Value) Has(such func(*Value) bool) bool {
	if such(v) {
		return true
	}
	for _, a := range v.Args {
		if a.Has(such) {
			return true
		}
	}
	return false
}

// String writes v in a form that is unique to it: equal strings mean equal
// values, apart from the places where they were made.
func (v *Value) String() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

func (v *Value) write(b *strings.Builder) {
	list := func(open, close string) {
		b.WriteString(open)
		for i, a := range v.Args {
			if i > 0 {
				b.WriteString(", ")
			}
			if i < len(v.Keys) {
				b.WriteString(v.Keys[i] + ": ")
			}
			a.write(b)
		}
		b.WriteString(close)
	}
	switch v.Kind {
	case Unknown:
		b.WriteString("?" + v.Name)
	case Int:
		b.WriteString(strconv.FormatInt(v.Num, 10))
	case Float:
		b.WriteString(strconv.FormatFloat(v.Float64(), 'g', -1, 64) + "f")
	case Bool:
		b.WriteString(strconv.FormatBool(v.Num != 0))
	case Str:
		b.WriteString(strconv.Quote(v.Name))
	case Nil:
		b.WriteString("nil")
	case Param:
		b.WriteString("$" + strconv.FormatInt(v.Num, 10))
	case Field:
		v.Args[0].write(b)
		b.WriteString("." + FieldName(v.Name))
	case Global:
		b.WriteString(v.Name)
	case Via:
		v.Args[0].write(b)
		b.WriteString(" via " + v.Name)
	case Call, Func:
		b.WriteString(v.Name)
		list("(", ")")
	case Struct:
		b.WriteString(v.Name)
		if v.Lazy != nil {
			b.WriteString("{…}")
			return
		}
		list("{", "}")
	case List, Tuple:
		list("[", "]")
	case Map:
		if v.Num == Uncounted {
			b.WriteString("~")
		}
		list("map[", "]")
	}
}

// FieldName returns the field's own name in a field's key.
func FieldName(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }
