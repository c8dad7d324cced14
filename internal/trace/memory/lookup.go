package memory

import (
	"slices"

	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A lookup is the choice of what is looked up under a key, or an index, that is
// not known, shared by all its fields.
type lookup struct{ of string }

// lookedUp returns one of the elements of a map or list that is known, where an
// object is what is looked up there under a key that is not; nil where it is
// anything else.
func (p *Reader) lookedUp(object *value.Value) *value.Value {
	b := object.Base()
	if !b.Is(value.Index) {
		return nil
	}
	var elements []*value.Value
	open := false
	switch in := b.Args[0].Base(); in.Kind {
	case value.Map:
		for i := 1; i < len(in.Args); i += 2 {
			elements = append(elements, in.Args[i])
		}
	case value.List:
		elements, open = way.Members(in)
	}
	if len(elements) == 0 || slices.ContainsFunc(elements, func(e *value.Value) bool { return e.Base().Kind != value.Struct }) {
		return nil
	}
	if open {
		elements = append(elements, value.UnknownFor(way.UnknownElement))
	}
	return elements[p.Way.Choose(lookup{b.String()}, len(elements))]
}
