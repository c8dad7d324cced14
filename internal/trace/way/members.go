package way

import (
	"github.com/ttlvet/ttlvet/internal/value"
)

// Members returns the elements of a list that are known, each of which is in it
// or may be, and whether there are others: those of what a store appends to are
// what the stores append, of which one is at hand. Those of a part of a list are the list's.
func Members(list *value.Value) (known []*value.Value, open bool) {
	for _, e := range list.Args {
		one, ok := member(e)
		switch {
		case ok:
			known = append(known, one)
		case e.Is(value.Spread) && e.Args[0].Is(part) && e.Args[0].Args[0].Base().Kind == value.List:
			some, others := Members(e.Args[0].Args[0].Base())
			known, open = append(known, some...), open || others
		case e.Is(value.Spread):
			before := e.Args[0].Base()
			open = open || before.Kind != value.Unknown || before.Name != Itself
		default:
			known = append(known, e)
		}
	}
	return known, open
}

// member returns the element for which a part of a list stands: one that is in it
// on a condition, or what a loop makes of each element of another.
func member(e *value.Value) (*value.Value, bool) {
	if one, _, ok := value.Maybe(e); ok {
		return one, true
	}
	if !e.Is(value.Spread) || !e.Args[0].Is(value.Where) {
		return nil, false
	}
	from := e.Args[0]
	return value.OfIt(from.Args[2], value.Apply(value.Elem, from.Args[0])), true
}
