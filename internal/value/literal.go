package value

import (
	"slices"
	"strconv"
)

// literal is the Num of a Func of which it is known what it returns.
const literal = 2

// Literal returns the function literal f as one of which it is known what it
// returns: one of the results, written over the parameters of the functions in
// which it stands and over its own, [ArgumentOf] its name.
func Literal(f *Value, results []*Value) *Value {
	c := *f
	c.Num, c.Keys, c.Args = literal, nil, results
	return &c
}

// closure is the Num of a Func of which it is known what it has captured.
const closure = 3

// Closure returns the function literal f as one that has captured args under those
// keys.
func Closure(f *Value, keys []string, args []*Value) *Value {
	c := *f
	c.Num, c.Keys, c.Args = closure, keys, args
	return &c
}

// Captures reports whether a value is a literal with what it has captured.
func (v *Value) Captures() bool {
	f := v.Function()
	return f.Kind == Func && f.Num == closure
}

// Captured is the operation that stands for what a function that is not known yet,
// Args[0], has captured under the key Args[1].
const Captured = "captured"

// captured folds what a literal has captured once that is known.
func captured(a []*Value) *Value {
	f := a[0].Function()
	if f.Kind != Func {
		return nil
	}
	if i := slices.Index(f.Keys, a[1].Name); f.Num == closure && i >= 0 {
		return f.Args[i]
	}
	return UnknownFor("what a function has captured")
}

// When is the operation that stands for what a literal returns under conditions:
// Args are the result, and for each condition that and whether it has to hold.
const When = "when"

// ReturnedWhen returns what a literal returns where a condition holds, or does
// not.
func ReturnedWhen(result, cond *Value, want bool) *Value {
	if result.Is(When) {
		return &Value{Kind: Call, Name: When, Args: append(result.Args[:len(result.Args):len(result.Args)], cond, BoolOf(want)), Class: result.Class}
	}
	return &Value{Kind: Call, Name: When, Args: []*Value{result, cond, BoolOf(want)}, Class: result.Class}
}

// ArgumentOf stands, in what a literal of that name returns, for its i-th
// argument.
func ArgumentOf(name string, i int, class Class) *Value {
	return &Value{Kind: Global, Class: class, Name: argument(name, i)}
}

func argument(name string, i int) string { return "argument " + strconv.Itoa(i) + " of " + name }

// Returns lists what a function literal can return when it is given args; nil
// where that is not known.
func (v *Value) Returns(args []*Value) []*Value {
	if v.Kind != Func || v.Num != literal {
		return nil
	}
	given := map[string]*Value{}
	for i, a := range args {
		given[argument(v.Name, i)] = a
	}
	var out []*Value
	for _, r := range v.Args {
		out = append(out, r.Subst(func(leaf *Value) *Value {
			if leaf.Kind != Global {
				return nil
			}
			return given[leaf.Name]
		}))
	}
	return out
}

// MethodKey is the key under which an object that other packages know by an
// interface only carries a method: a [Literal] that is given the arguments
// behind the receiver.
func MethodKey(name string) string { return "()" + name }

// Method returns the method that an object carries under that name; nil where
// it carries none.
func (v *Value) Method(name string) *Value {
	b := v.Base()
	if b.Kind != Struct || b.Lazy != nil {
		return nil
	}
	if i := slices.Index(b.Keys, MethodKey(name)); i >= 0 {
		return b.Args[i]
	}
	return nil
}
