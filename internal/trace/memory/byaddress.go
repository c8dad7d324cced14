package memory

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Whoever is given the address of a field stores there: p.Open(name, &s.tbl), or a loop over
// a list of {name, &s.tbl}.

// An addressed is what is stored in a field by way of its address.
type addressed struct {
	addr  ssa.Value
	at    ssa.Instruction
	value *value.Value // over the parameters of the function that stores, or calls who does
}

// An addressUse is a store by way of a pointer, or a call that stores by way of what it is
// given as that parameter.
type addressUse struct {
	addr  ssa.Value
	at    ssa.Instruction
	param int
}

// byAddresses is what is known of a field whose address is given away.
type byAddresses struct {
	stored []addressed
	all    bool // that is all that is stored so
}

// byAddress returns what is stored in a field, of whatever object, by way of its address.
func (p *Memory) byAddress(f *types.Var) byAddresses {
	if known, ok := p.addressed[f]; ok {
		return known
	}
	p.addressed[f] = byAddresses{} // what hangs on itself is not known
	out := byAddresses{all: true}
	for _, fa := range p.Prog.Addressed[f] {
		if p.Prog.IsTest(fa.Pos()) {
			continue
		}
		uses, all := p.usesOfAddress(f, fa)
		out.all = out.all && all
		for _, use := range uses {
			stored, all := p.storedBy(use, f, fa)
			out.stored, out.all = append(out.stored, stored...), out.all && all
		}
	}
	p.addressed[f] = out
	return out
}

// usesOfAddress lists the stores and calls by which something is stored at the address of a
// field; all reports whether no others may.
func (p *Memory) usesOfAddress(f *types.Var, fa *ssa.FieldAddr) (uses []addressUse, all bool) {
	kept := false
	for _, r := range *fa.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.UnOp, *ssa.FieldAddr, *ssa.IndexAddr:
		case ssa.CallInstruction:
			if t := p.Objects.wholly(fa, r); t != nil {
				uses = append(uses, addressUse{fa, r, t.Set.Param})
			} else if p.Objects.mayStoreBy(r, fa) {
				return nil, false
			}
		case *ssa.Store:
			kept = kept || r.Val == ssa.Value(fa)
		default:
			return nil, false
		}
	}
	if !kept {
		return uses, true
	}
	place := p.Prog.Heap().Place(fa)
	for _, w := range place.Writers() {
		switch w := w.(type) {
		case *ssa.Store:
			by, all := p.addressesOf(addressUse{w.Addr, w, 0}, f)
			if uses = append(uses, by...); !all {
				return nil, false
			}
		case *ssa.Call:
			for _, arg := range w.Call.Args {
				if t := p.Objects.wholly(arg, w); t != nil && !isAddressOf(arg, f) {
					uses = append(uses, addressUse{arg, w, t.Set.Param})
				}
			}
		default:
			return nil, false
		}
	}
	return uses, true
}

func isAddressOf(addr ssa.Value, f *types.Var) bool {
	fa, ok := addr.(*ssa.FieldAddr)
	return ok && kind.FieldOf(fa) == f
}

// addressesOf returns a use, where its pointer is a parameter the calls that supply it. What
// names the field is none.
func (p *Memory) addressesOf(use addressUse, f *types.Var) (uses []addressUse, all bool) {
	param, ok := use.addr.(*ssa.Parameter)
	switch {
	case isAddressOf(use.addr, f):
		return nil, true
	case !ok:
		return []addressUse{use}, true
	case p.Prog.Taken[param.Parent()]:
		return nil, false
	}
	for _, call := range p.Prog.Callers[param.Parent()] {
		t, ok := p.Prog.Target(call.Common())
		if i := kind.ParamIndex(param); ok && i < len(t.Args) {
			set := p.Objects.wholly(t.Args[i], call)
			if set == nil {
				return nil, false
			}
			by, all := p.addressesOf(addressUse{t.Args[i], call, set.Set.Param}, f)
			if uses = append(uses, by...); !all {
				return nil, false
			}
		}
	}
	return uses, true
}

// storedBy returns what a use of an address stores in a field; all reports whether it is known
// on each way whether it is that field, and what it stores.
func (p *Memory) storedBy(use addressUse, f *types.Var, fa *ssa.FieldAddr) (out []addressed, all bool) {
	key := kind.FieldKey(f, fa.X.Type())
	cases, all := p.Objects.values.StoredAt(use.at, use.addr, use.param)
	for _, c := range cases {
		if to := c[0].Base(); !isAddressOf(use.addr, f) && (to.Kind != value.Field || to.Name != key) {
			all = all && to.Kind == value.Field
			continue
		}
		if is := c[1].Base(); is.Kind == value.Field && is.Name == key {
			continue // it stays as it was, or is what another object has
		}
		out = append(out, addressed{use.addr, use.at, c[1]})
	}
	return out, all
}

// filled reports whether a field of the struct is set where it is made: by a store, or by a
// call that is given its address.
func (p *Memory) filled(m program.Made, field int) bool {
	if p.Prog.FillsField(m, field) {
		return true
	}
	f := kind.StructField(kind.TypeAt(kind.Deref(m.Alloc.Type()), m.Path), field)
	for _, fa := range p.Prog.Addressed[f] {
		root, path := p.Prog.Address(fa)
		if root != ssa.Value(m.Alloc) || !path.Equal(append(m.Path[:len(m.Path):len(m.Path)], field)) {
			continue
		}
		for _, r := range *fa.Referrers() {
			if p.Objects.wholly(fa, r) != nil {
				return true
			}
		}
	}
	return false
}
