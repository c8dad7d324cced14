package eval

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// A program keeps its commands and handlers in a map of functions, or of
// structs with one, and looks up by name which to run: each of them runs.

// An entryOf is the key of the choice of an element of a map.
type entryOf struct {
	call   ssa.Instruction
	lookup string
}

// entry returns, of what is looked up in a literal under a key that is not
// known, one of the elements, or a field of one; v where it is anything else.
func (p *Path) entry(v *value.Value, call ssa.Instruction) *value.Value {
	b := v.Base()
	switch {
	case b.Kind == value.Field:
		of := p.entry(b.Args[0], call)
		if of == b.Args[0] {
			return v
		}
		return value.FieldOf(of, b.Name, b.Class)
	case b.Is(value.Index) && b.Args[0].Base().Kind == value.Map:
		m := b.Args[0].Base()
		var elements []*value.Value
		for i := 1; i < len(m.Args); i += 2 {
			if m.Args[i].Base().Kind != value.Unknown {
				elements = append(elements, m.Args[i])
			}
		}
		if len(elements) == 0 {
			return v
		}
		return elements[p.Choose(entryOf{call, b.String()}, len(elements))]
	}
	return v
}
