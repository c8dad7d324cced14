package program

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// A mailbox is an object with a channel of its own: what is received from the one
// was sent to the same.

// Mailbox returns the object in a field of which a channel is that each object of
// its type makes for itself; nil where a channel is anything else.
func (p *Channels) Mailbox(ch ssa.Value) ssa.Value {
	if c, ok := ch.(*ssa.ChangeType); ok {
		ch = c.X
	}
	load, ok := ch.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	fa, ok := load.X.(*ssa.FieldAddr)
	if !ok || !p.ownChannel(kind.FieldOf(fa), kind.StructName(fa.X.Type())) {
		return nil
	}
	return fa.X
}

// ownChannel reports whether nothing is stored in a field of a type but channels
// that are made for it.
func (p *Channels) ownChannel(f *types.Var, name *types.TypeName) bool {
	own, known := p.mailboxes[f]
	if !known {
		own = p.makesChannel(f, name)
		p.mailboxes[f] = own
	}
	return own
}

func (p *Channels) makesChannel(f *types.Var, name *types.TypeName) bool {
	if f == nil || name == nil || !p.Prog.Owns(name) || len(p.Prog.Addressed[f]) > 0 {
		return false
	}
	stored := p.Prog.StoredIn(f, name)
	return len(stored) > 0 && !slices.ContainsFunc(stored, func(v ssa.Value) bool { return !madeOnlyFor(v, f) })
}

// madeOnlyFor reports whether a value is a channel that is made for one field.
func madeOnlyFor(v ssa.Value, f *types.Var) bool {
	if c, ok := v.(*ssa.ChangeType); ok {
		return storedOnlyIn(v, f) && madeOnlyFor(c.X, f)
	}
	made, ok := v.(*ssa.MakeChan)
	return ok && storedOnlyIn(made, f)
}

// storedOnlyIn reports whether a value is stored in no field but one.
func storedOnlyIn(v ssa.Value, f *types.Var) bool {
	for _, r := range *v.Referrers() {
		s, ok := r.(*ssa.Store)
		if !ok {
			continue
		}
		switch addr := s.Addr.(type) {
		case *ssa.FieldAddr:
			if kind.FieldOf(addr) != f {
				return false
			}
		case *ssa.Global, *ssa.IndexAddr:
			return false
		}
	}
	return true
}

// BesideKey names, among the fields of an object, a parameter of the function that
// makes it.
func BesideKey(param *ssa.Parameter) string {
	return fmt.Sprintf("%s#%d", param.Parent().Name(), kind.ParamIndex(param))
}
