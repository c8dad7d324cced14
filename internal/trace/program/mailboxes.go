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
	if f == nil || name == nil || !p.Prog.Owns(name) || p.Prog.Addressed[f] {
		return false
	}
	stored := p.storedIn(f, name)
	return len(stored) > 0 && !slices.ContainsFunc(stored, func(v ssa.Value) bool { return !madeOnlyFor(v, f) })
}

// storedIn lists what the package stores in a field of a type.
func (p *Channels) storedIn(f *types.Var, name *types.TypeName) (stored []ssa.Value) {
	for _, s := range p.Prog.Fields[f] {
		stored = append(stored, s.Val)
	}
	index := kind.FieldIndex(name.Type(), f)
	for _, m := range p.Prog.MadeOf(name) {
		for _, s := range p.Prog.Stores[m.Alloc] {
			if s.Path.Equal(append(m.Path[:len(m.Path):len(m.Path)], index)) {
				stored = append(stored, s.Val)
			}
		}
	}
	return stored
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

// Beside returns the parameters of a function that a literal in it captures which
// receives what is sent to an object that the function makes: what they are is the
// object's, though no field says so.
func (p *Channels) Beside(a *ssa.Alloc) []*ssa.Parameter {
	params, known := p.beside[a]
	if name := kind.StructName(a.Type()); !known && name != nil && p.Prog.Owns(name) {
		params = p.capturedBeside(a)
		p.beside[a] = params
	}
	return params
}

func (p *Channels) capturedBeside(a *ssa.Alloc) (out []*ssa.Parameter) {
	for _, literal := range a.Parent().AnonFuncs {
		if mc := p.Prog.Closures[literal]; mc != nil && p.receivesFrom(literal, a) {
			for _, param := range p.Prog.CapturedBy(mc) {
				if !slices.Contains(out, param) {
					out = append(out, param)
				}
			}
		}
	}
	return out
}

// MakesMailbox reports whether a function makes an object of a type, which it
// returns, with a loop over its channel beside it.
func (p *Channels) MakesMailbox(fn *ssa.Function, t types.Type) bool {
	return slices.ContainsFunc(p.Prog.Created[kind.StructName(t)], func(a *ssa.Alloc) bool {
		return a.Parent() == fn && len(p.Beside(a)) > 0
	})
}

// receivesFrom reports whether a function receives from a channel of an object.
func (p *Channels) receivesFrom(fn *ssa.Function, a *ssa.Alloc) bool {
	for instr := range kind.Instructions(fn) {
		for _, ch := range received(instr) {
			if box := p.Mailbox(ch); box != nil && p.isMade(box, a) {
				return true
			}
		}
	}
	return false
}

// received lists the channels from which an instruction receives.
func received(instr ssa.Instruction) (out []ssa.Value) {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			out = append(out, instr.X)
		}
	case *ssa.Select:
		for _, s := range instr.States {
			if s.Dir == types.RecvOnly {
				out = append(out, s.Chan)
			}
		}
	}
	return out
}

// isMade reports whether a pointer is to what a makes, as it is or by way of the
// variable that holds it.
func (p *Channels) isMade(v ssa.Value, a *ssa.Alloc) bool {
	switch x := v.(type) {
	case *ssa.FreeVar:
		return p.Prog.Binding(x) == ssa.Value(a)
	case *ssa.UnOp:
		root, path := p.Prog.Address(x.X)
		stores := p.Prog.Stores[root]
		return len(path) == 0 && len(stores) == 1 && len(stores[0].Path) == 0 && stores[0].Val == ssa.Value(a)
	}
	return v == ssa.Value(a)
}

// BesideKey names, among the fields of an object, a parameter of the function that
// makes it.
func BesideKey(param *ssa.Parameter) string {
	return fmt.Sprintf("%s#%d", param.Parent().Name(), kind.ParamIndex(param))
}
