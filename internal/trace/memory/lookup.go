package memory

import "github.com/ttlvet/ttlvet/internal/value"

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
	switch in := b.Args[0].Base(); in.Kind {
	case value.Map:
		for i := 1; i < len(in.Args); i += 2 {
			elements = append(elements, in.Args[i])
		}
	case value.List:
		elements = in.Args
	}
	for _, e := range elements {
		if e.Is(value.Spread) || e.Base().Kind != value.Struct {
			return nil
		}
	}
	if len(elements) == 0 {
		return nil
	}
	return elements[p.Way.Choose(lookup{b.String()}, len(elements))]
}
