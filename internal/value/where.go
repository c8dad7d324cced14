package value

// Where is the operation that stands for the elements of a list of which a
// condition holds, as a loop makes them into others. Args: the list, the
// condition and what becomes of an element, both over [It].
const Where = "where"

// If is the operation that is Args[1] where the condition Args[0] holds, and
// Args[2] where it does not: what one of many flags makes of a value.
const If = "if"

func ifHolds(a []*Value) *Value {
	holds, ok := a[0].IsBool()
	switch {
	case !ok:
		return nil
	case holds:
		return a[1]
	}
	return a[2]
}

// It stands, in the arguments of [Where], for the element.
var It = &Value{Kind: Global, Name: "an element"}

// OfIt returns v for one element.
func OfIt(v, element *Value) *Value {
	return v.Subst(func(leaf *Value) *Value {
		if leaf.Kind == Global && leaf.Name == It.Name {
			return element
		}
		return nil
	})
}

// Over returns v with the element of a list that it is written over, as
// [Elem] or by an index that counts, replaced by w.
func Over(v, list, w *Value) *Value {
	key := list.String()
	return v.Rewrite(func(e *Value) *Value {
		if e.Is(Elem) && e.Args[0].String() == key {
			return w
		}
		return nil
	})
}

// where folds the choice among the elements of a known list. Of an element of
// which it is not known whether the condition holds a choice of its own is
// left.
func where(a []*Value) *Value {
	list := a[0].Base()
	if list.Kind == Nil || list.Is(Zero) {
		return ListOf()
	}
	if list.Kind != List || len(list.Args) == 1 && !list.Args[0].Is(Spread) {
		return whereOne(a)
	}
	out := ListOf()
	for _, e := range list.Args {
		one := &Value{Kind: Call, Name: Where, Args: []*Value{ListOf(e), a[1], a[2]}}
		if e.Is(Spread) {
			one.Args[0] = e.Args[0]
		} else if w := whereOne(one.Args); w != nil {
			out.Args = append(out.Args, w.Args...)
			continue
		}
		out.Args = append(out.Args, &Value{Kind: Call, Name: Spread, Args: []*Value{one}})
	}
	return out
}

// whereOne folds the choice of the only element of a list; nil where it is
// open.
func whereOne(a []*Value) *Value {
	list := a[0].Base()
	if list.Kind != List || len(list.Args) != 1 || list.Args[0].Is(Spread) {
		return nil
	}
	holds, ok := OfIt(a[1], list.Args[0]).IsBool()
	switch {
	case !ok:
		return nil
	case holds:
		return ListOf(OfIt(a[2], list.Args[0]))
	}
	return ListOf()
}

// Maybe returns the element of which it is open whether it is in a list, and
// the condition that it is: e is a [Spread] of a [Where] of one element.
func Maybe(e *Value) (element, cond *Value, ok bool) {
	if !e.Is(Spread) || !e.Args[0].Is(Where) {
		return nil, nil, false
	}
	w := e.Args[0]
	list := w.Args[0].Base()
	if list.Kind != List || len(list.Args) != 1 || list.Args[0].Is(Spread) {
		return nil, nil, false
	}
	return OfIt(w.Args[2], list.Args[0]), OfIt(w.Args[1], list.Args[0]), true
}

// atLeast returns how many elements a list has at least.
func atLeast(v *Value) int64 {
	var n int64
	if l := v.Base(); l.Kind == List {
		for _, e := range l.Args {
			if !e.Is(Spread) {
				n++
			}
		}
	}
	return n
}

// counted folds the comparison of the number of elements of a list, of which
// only some are known, with a constant. holds says whether the comparison
// holds of numbers of which the first is less (−1), the same (0) or greater
// (1) than the second.
func counted(a, b *Value, holds func(int) bool) *Value {
	if b.Is(Len) && a.Kind == Int {
		inner := holds
		a, b, holds = b, a, func(c int) bool { return inner(-c) }
	}
	if !a.Is(Len) || b.Kind != Int {
		return nil
	}
	switch n := atLeast(a.Args[0]); {
	case n > b.Num:
		return BoolOf(holds(1))
	case n == b.Num && holds(0) == holds(1):
		return BoolOf(holds(0))
	case n == 0 && b.Num < 0:
		return BoolOf(holds(1))
	}
	return nil
}

// HasIt reports whether v is written over the element of a [Where].
func HasIt(v *Value) bool {
	found := false
	v.Walk(func(w *Value) { found = found || w.Kind == Global && w.Name == It.Name })
	return found
}
