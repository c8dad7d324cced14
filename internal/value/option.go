package value

import "strings"

// Optioned is the operation that stands for a field of an object which has
// been handed to each of a list of functions. Args: what the field held
// before, the list, and the names that lead to the field, joined by dots.
const Optioned = "optioned"

// SetSometimes is why it is not known what a field holds that an option sets on
// some condition.
const SetSometimes = "a field that an option sets on some condition"

// SetPerhaps is the same of an option that may set any field.
const SetPerhaps = "a field that a functional option may set"

// Unsupplied is why it is not known what a later call supplies to a method, where its
// object is made, or what a field holds that nobody in view sets: what that decides stays
// open.
const Unsupplied = "what others may supply"

// AwaitsOthers reports whether a value hangs on what others may supply.
func (v *Value) AwaitsOthers() bool {
	return v.Has(func(w *Value) bool { return w.Kind == Unknown && w.Name == Unsupplied })
}

// Given is the operation that is Args[1] where there is an Args[0], and Args[2]
// where that is nil: what an option sets that asks if f != nil.
const Given = "given"

func ifGiven(a []*Value) *Value {
	switch b := a[0].Base(); {
	case b.Kind == Nil || b.Is(Zero):
		return a[2]
	case b.isMade():
		return a[1]
	}
	return nil
}

// AnyField is the key of a setter that may set any field: those that a list of functions
// sets, which is its value, or what is not known.
const AnyField = "*"

// setByAny returns a field, before it was that, after the functions of a list have run.
func setByAny(list, before *Value, field string) *Value {
	if list.Base().Kind == Unknown {
		return list
	}
	return Apply(Optioned, before, list, StrOf(field))
}

// Before stands, in what a setter sets a field to, for what the field was
// before.
var Before = &Value{Kind: Global, Name: "what an option finds"}

// Setter returns the function f as one of which it is known what it does to
// the object that it is given: it sets the fields of those names.
func Setter(f *Value, fields []string, values []*Value) *Value {
	c := *f
	c.Num, c.Keys, c.Args = 1, fields, values
	return &c
}

// isSetter reports whether it is known which fields a function sets.
func (v *Value) isSetter() bool { return v.Kind == Func && v.Num == 1 }

// optioned resolves a field once the list of functions is known as far back
// as the one that sets it last.
func optioned(args []*Value) *Value {
	list := args[1].Base()
	if list.Kind == Nil || list.Is(Zero) {
		return args[0]
	}
	if list.Kind != List {
		return nil
	}
	for i := len(list.Args) - 1; i >= 0; i-- {
		f := list.Args[i].Base()
		if f.Kind == Nil {
			continue // left out: if option != nil
		}
		if !f.isSetter() {
			return nil
		}
		for j, key := range f.Keys {
			before := &Value{Kind: Call, Name: Optioned, Args: []*Value{args[0], ListOf(list.Args[:i]...), args[2]}}
			switch field := args[2].Name; {
			case key == AnyField && len(f.Keys) == 1:
				return setByAny(f.Args[j], before.Reapply(before.Args...), field)
			case key == field:
				return f.Args[j].Subst(func(leaf *Value) *Value {
					if leaf.Kind != Global || leaf.Name != Before.Name {
						return nil
					}
					if v := optioned(before.Args); v != nil {
						return v
					}
					return before
				})
			case key == AnyField, strings.HasPrefix(key, field+"."), strings.HasPrefix(field, key+"."):
				return UnknownFor(SetPerhaps)
			}
		}
	}
	return args[0]
}

// WithoutOptions returns v with what options may set as it is without them,
// where something is stored there, and whether there is such a thing.
func WithoutOptions(v *Value) (w *Value, found bool) {
	w = v.Rewrite(func(o *Value) *Value {
		if !o.Is(Optioned) {
			return nil
		}
		base, _ := WithoutOptions(o.Args[0])
		switch b := base.Base(); {
		case o.Args[1].Base().Kind != Param: // some of them are known
			return o
		case b.Kind == Nil, b.Is(Zero), b.Is(ZeroTime), b.Kind == Int && b.Num == 0, b.Kind == Str && b.Name == "", b.Kind == Unknown, b.Kind == Param:
			return o
		}
		found = true
		return base
	})
	return w, found
}
