package program

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// A Part is what a variable, or something that new made, holds at a path: a struct, or
// the array that a list is of. The path of the whole is empty.
type Part struct {
	*ssa.Alloc
	Path kind.PathTo
}

// Type returns the type of the part's address.
func (p *Part) Type() types.Type {
	return types.NewPointer(kind.TypeAt(kind.Deref(p.Alloc.Type()), p.Path))
}

// PartOf returns a part of a variable: always the same for the same one, so that values
// can be told apart by it.
func (p *Program) PartOf(a *ssa.Alloc, path kind.PathTo) *Part {
	for _, known := range p.parts[a] {
		if known.Path.Equal(path) {
			return known
		}
	}
	part := &Part{a, path}
	p.parts[a] = append(p.parts[a], part)
	return part
}
