package value

import "strings"

// Folds of lists, maps and structs.

// elements folds what hands on the elements of a list, in whatever order: as another list.
func elements(a []*Value) *Value {
	list := *a[0].Base()
	if list.Kind != List {
		return nil
	}
	list.Site, list.Num = nil, 0
	return &list
}

// mapped folds the list of the keys (0) or elements (1) of a literal.
func mapped(offset int) func([]*Value) *Value {
	return func(a []*Value) *Value {
		m := a[0].Base()
		if m.Kind != Map {
			return nil
		}
		list := ListOf()
		for i := 0; i+1 < len(m.Args); i += 2 {
			list.Args = append(list.Args, m.Args[i+offset])
		}
		return list
	}
}

// entries folds the list of the keys with their elements of a literal.
func entries(a []*Value) *Value {
	m := a[0].Base()
	switch {
	case m.Kind == Nil:
		return ListOf()
	case m.Kind != Map:
		return nil
	}
	list := ListOf()
	for i := 0; i+1 < len(m.Args); i += 2 {
		list.Args = append(list.Args, ListOf(m.Args[i], m.Args[i+1]))
	}
	return list
}

// length folds len of what has a known number of elements.
func length(a []*Value) *Value {
	switch v := a[0].Base(); v.Kind {
	case Call:
		if v.Is(Zero) {
			return IntOf(0)
		}
	case Str:
		return IntOf(int64(len(v.Name)))
	case Nil:
		return IntOf(0)
	case List:
		for _, e := range v.Args {
			if e.Is(Spread) {
				return nil
			}
		}
		return IntOf(int64(len(v.Args)))
	case Map:
		if v.Num != Uncounted {
			return IntOf(int64(len(v.Args) / 2))
		}
	}
	return nil
}

// OfNone reports whether a value is made of some element of a list which is
// known to have none, so that nothing ever has it.
func (v *Value) OfNone() bool {
	none := false
	v.Walk(func(w *Value) {
		if w.Is(Elem) {
			list := w.Args[0].Base()
			none = none || list.Kind == Nil || list.Kind == List && len(list.Args) == 0
		}
	})
	return none
}

// index folds a constant index into a known list or map.
func index(a []*Value) *Value {
	switch list := a[0].Base(); {
	case list.Kind == List && a[1].Kind == Int:
		for i, e := range list.Args {
			if e.Is(Spread) {
				return nil
			}
			if int64(i) == a[1].Num {
				return e
			}
		}
	case list.Kind == Map && isConst(a[1]):
		var found *Value
		for i := 0; i+1 < len(list.Args); i += 2 {
			k := list.Args[i]
			if !isConst(k) {
				return nil
			}
			if k.Kind == a[1].Kind && k.Name == a[1].Name && k.Num == a[1].Num {
				if found != nil {
					return UnknownFor("an element of a map that is set more than once")
				}
				found = list.Args[i+1]
			}
		}
		if found == nil {
			found = &Value{Kind: Call, Name: Zero}
		}
		return found
	}
	return nil
}

// contains folds the question whether a list has an element, position that where it
// stands first.
func contains(a []*Value) *Value {
	i := position(a)
	if i == nil {
		return nil
	}
	return BoolOf(i.Num >= 0)
}

func position(a []*Value) *Value {
	list := a[0].Base()
	if list.Kind == Nil {
		return IntOf(-1)
	}
	if list.Kind != List {
		return nil
	}
	for i, e := range list.Args {
		switch same := Apply(Eql, e, a[1]); {
		case e.Is(Spread) || same.Kind != Bool:
			return nil
		case same.Num != 0:
			return IntOf(int64(i))
		}
	}
	return IntOf(-1)
}

// has folds the question whether a literal has a key.
func has(a []*Value) *Value {
	m, key := a[0].Base(), a[1].Base()
	if m.Kind == Nil {
		return BoolOf(false)
	}
	if m.Kind != Map || !isConst(key) {
		return nil
	}
	for i := 0; i+1 < len(m.Args); i += 2 {
		k := m.Args[i].Base()
		if !isConst(k) || k.Kind != key.Kind {
			return nil
		}
		if k.Name == key.Name && k.Num == key.Num {
			return BoolOf(true)
		}
	}
	return BoolOf(false)
}

// isMade reports whether v is certainly not nil.
func (v *Value) isMade() bool {
	switch v.Kind {
	case Struct, List, Map, Func:
		return true
	case Int, Float, Str, Bool: // what a pointer points to
		return true
	case Call: // a time that a pointer points to, or the client's constructors
		if v.Class != NoClass || v.Name == "errors.New" || v.Name == "fmt.Errorf" {
			return true
		}
		name, ok := strings.CutPrefix(v.Name, "bigtable.")
		return ok && !strings.Contains(name, ".") && !strings.HasPrefix(name, "NewClient") && !strings.HasPrefix(name, "NewAdminClient") ||
			name == "Client.Open"
	}
	return false
}

// Among returns the elements of which a value is one that is looked up in a map of
// which all is known; nil of other values.
func Among(v *Value) (elements []*Value) {
	if v = v.Base(); !v.Is(Index) {
		return nil
	}
	m := v.Args[0].Base()
	if m.Kind != Map || Apply(Len, m).Kind != Int {
		return nil
	}
	for i := 1; i < len(m.Args); i += 2 {
		elements = append(elements, m.Args[i])
	}
	return elements
}
