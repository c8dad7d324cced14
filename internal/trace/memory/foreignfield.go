package memory

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// OwnField resolves a field of whatever object of the package's type t, by
// everything that the package stores there.
func (p *Reader) OwnField(f *types.Var, t types.Type) *value.Value {
	return p.Field(value.UnknownFor("an object of the package"), f, t)
}

// foreignField resolves a field of another package's type by its fact: the
// table that the package opens for every such object. It returns nil where
// nothing is known, and where this package makes such objects or sets the field
// itself.
func (p *closed) foreignField(f *types.Var, t types.Type) *value.Value {
	if !kind.TableLike(f.Type()) {
		return nil
	}
	return p.filledElsewhere(f, t)
}

// layoutName resolves a field that is text, of another package's type which says
// how tables are laid out, by its fact: the one name which that package puts
// there. It returns nil like [Reader.foreignField], and for what the function at
// hand is given itself: which that is, its callers say.
func (p *closed) layoutName(field *value.Value, f *types.Var, t types.Type) *value.Value {
	if !kind.IsText(f.Type()) || p.givenHere(field) {
		return nil
	}
	return p.filledElsewhere(f, t)
}

// givenHere reports whether a field is a part of what a function is given and does
// not keep in an object, as one does that is given its configuration.
func (p *closed) givenHere(field *value.Value) bool {
	own := p.p.Prog.Pass.Pkg.Path() + "."
	v := field
	for ; v.Kind == value.Field; v = v.Args[0].Base() {
		if strings.HasPrefix(v.Name, own) {
			return false
		}
	}
	fn, ok := v.Site.(*ssa.Function)
	return v.Kind == value.Param && (!ok || int(v.Num) >= len(fn.Params) || !keeps(fn.Params[v.Num], 2))
}

// keeps reports whether a value is stored in a field, also by way of the variable
// that a parameter is.
func keeps(v ssa.Value, depth int) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			switch addr := r.Addr.(type) {
			case *ssa.FieldAddr:
				if r.Val == v {
					return true
				}
			case *ssa.Alloc:
				if r.Val == v && depth > 0 && keeps(addr, depth-1) {
					return true
				}
			}
		case *ssa.UnOp:
			if r.Op == token.MUL && depth > 0 && keeps(r, depth-1) {
				return true
			}
		}
	}
	return false
}

func (p *closed) filledElsewhere(f *types.Var, t types.Type) *value.Value {
	if f.Pkg() == nil || f.Pkg() == p.p.Prog.Pass.Pkg || !f.Exported() || p.p.Prog.Pass.ImportObjectFact == nil {
		return nil
	}
	if p.p.Prog.NestedIn[f] || p.p.Prog.Addressed[f] {
		return nil
	}
	for _, s := range p.p.Prog.Fields[f] {
		if !p.p.Prog.IsTest(s.At.Pos()) {
			return nil
		}
	}
	if name := kind.StructName(kind.Deref(t)); name != nil {
		for _, a := range p.p.Prog.Created[name] {
			if !p.p.Prog.IsTest(a.Pos()) && !p.p.Prog.Copies(a) {
				return nil
			}
		}
	}
	var fact summary.Summary
	if !p.p.Prog.Pass.ImportObjectFact(f, &fact) || len(fact.Holds) != 1 {
		return nil
	}
	return fact.Holds[0]
}
