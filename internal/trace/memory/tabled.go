package memory

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// tabled resolves what an address denotes that lies in an element of an array
// which a package variable holds, such as the names of an enumeration: the
// index decides which. It returns nil for other addresses.
func (p *Reader) tabled(addr ssa.Value, at ssa.Instruction) *value.Value {
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		if v := p.tabled(addr.X, at); v != nil {
			return p.Field(v, kind.FieldOf(addr), kind.Deref(addr.X.Type()))
		}
	case *ssa.IndexAddr:
		if _, constant := addr.Index.(*ssa.Const); constant {
			return nil
		}
		root, path := p.p.Prog.Address(addr.X)
		g, ok := root.(*ssa.Global)
		if _, array := kind.Deref(addr.X.Type()).Underlying().(*types.Array); !ok || !array {
			return nil
		}
		return way.Element(p.Way, p.Global(g, path), addr.Index, addr)
	}
	return nil
}
