package memory

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Global resolves a package variable, or the part of it at path.
func (p *Reader) Global(g *ssa.Global, path kind.PathTo) *value.Value {
	t := kind.Deref(g.Type())
	if g.Pkg != p.p.Prog.Pkg {
		return p.foreign(g, t, path)
	}
	key := g.Pkg.Pkg.Path() + "." + g.Name()
	stores := p.p.Prog.Assigned(g)
	if given := p.p.Prog.AddressTaken[g]; len(given) > 0 {
		return ViaHandle(key, p.leftInGlobal(g, given, path), kind.TypeAt(t, path))
	}
	for _, s := range stores {
		if len(s.Path) > len(path) && s.Path.HasPrefix(path) {
			return p.composite(g, path, kind.TypeAt(t, path), nil)
		}
	}
	var relevant []program.Store
	for _, s := range stores {
		if path.HasPrefix(s.Path) {
			relevant = append(relevant, s)
		}
	}
	if len(relevant) == 0 {
		if g.Object() != nil && g.Object().Exported() {
			return ViaHandle(key, kind.UnknownOf(kind.TypeAt(t, path), "a variable that other packages may set"), t)
		}
		return ViaHandle(key, kind.ZeroOf(kind.TypeAt(t, path)), t)
	}
	v := p.kept(relevant, p.fromDefs(g, relevant, path, t, nil))
	if part := kind.TypeAt(t, path); kind.TableLike(part) && v.HasParams() && len(relevant) == 1 {
		// A table of which the function that opens it is told the name.
		if same := p.closed.agreed(v, kind.Origin(kind.Outermost(relevant[0].At.Parent()))); same != nil {
			v = same
		}
	}
	return ViaHandle(key, v, t)
}

// leftInGlobal resolves a package variable whose address calls are given that store something
// there, and nothing else does.
func (p *Reader) leftInGlobal(g *ssa.Global, given []ssa.CallInstruction, path kind.PathTo) *value.Value {
	t := kind.Deref(g.Type())
	var left []addressUse
	for _, call := range given {
		set := p.p.Objects.wholly(g, call)
		if set == nil {
			return kind.UnknownOf(kind.TypeAt(t, path), "a variable whose address is passed on")
		}
		left = append(left, addressUse{g, call, set.Set.Param})
	}
	if len(p.p.Prog.Assigned(g)) > 0 || kind.ClassOf(t) != value.NoClass {
		return kind.UnknownOf(kind.TypeAt(t, path), "a variable whose address is passed on")
	}
	by := left[p.Way.Choose(g, len(left))]
	return p.part(p.left(by.at, by.param), t, path)
}

// foreign resolves a variable of another package by its fact.
func (p *Reader) foreign(g *ssa.Global, t types.Type, path kind.PathTo) *value.Value {
	obj, _ := g.Object().(*types.Var)
	if obj == nil {
		return kind.UnknownOf(kind.TypeAt(t, path), "a variable of another package")
	}
	key := obj.Pkg().Path() + "." + obj.Name()
	if len(p.p.Prog.AddressTaken[g])+len(p.p.Prog.Assigned(g)) > 0 {
		return ViaHandle(key, kind.UnknownOf(kind.TypeAt(t, path), "a variable of another package that is set here"), kind.TypeAt(t, path))
	}
	var fact summary.Summary
	v := &value.Value{Kind: value.Global, Name: key, Class: kind.ClassOf(t)}
	if p.p.Prog.Pass.ImportObjectFact != nil && p.p.Prog.Pass.ImportObjectFact(obj, &fact) && len(fact.Holds) > 0 {
		v = fact.Holds[p.Way.Choose(obj, len(fact.Holds))]
	}
	return ViaHandle(key, p.part(v, t, path), kind.TypeAt(t, path))
}
