package check

import (
	"go/ast"
	"go/types"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/helper"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// Variables of the program that hold declarations of the runtime package: with
// them, fixes write what the runtime package is for.

// TableVar returns the variable that declares a table, as it is known of it:
// with all of its families. It is nil where the package sees none.
func (p *Pass) TableVar(t *registry.Table) *types.Var {
	if t == nil {
		return nil
	}
	for _, v := range p.Trace.Variables {
		declared := registry.TableOf(v.Value)
		if declared == nil || declared.Pattern != t.Pattern {
			continue
		}
		complete := true
		for _, f := range t.Families {
			complete = complete && sameFamily(declared.Family(f.Name), f)
		}
		if complete {
			return v.Object
		}
	}
	return nil
}

// FamilyVar returns the variable that declares the family of a target, in the
// table of the target or, where that is not known, in the only one that has
// it. It is nil where the package sees none.
func (p *Pass) FamilyVar(t Target) *types.Var {
	var found *types.Var
	for _, v := range p.Trace.Variables {
		if !sameFamily(registry.FamilyOf(v.Value), t.Family) || !p.declaredIn(v.Value.String(), t) {
			continue
		}
		if found != nil {
			return nil // which is meant?
		}
		found = v.Object
	}
	return found
}

// declaredIn reports whether a table that a target may be declares a family.
func (p *Pass) declaredIn(family string, t Target) bool {
	for _, v := range p.Trace.Variables {
		declared := registry.TableOf(v.Value)
		if declared == nil || t.Table != nil && declared.Pattern != t.Table.Pattern {
			continue
		}
		families, _ := helper.Families(v.Value)
		for _, f := range families {
			if f.Base().String() == family || f.String() == family {
				return true
			}
		}
	}
	return false
}

// sameFamily reports whether a declaration says the same as what is known.
func sameFamily(declared, f *registry.Family) bool {
	return declared != nil && declared.Name == f.Name && declared.Strategy == f.Strategy && declared.TTL == f.TTL &&
		declared.Versions == f.Versions && declared.MaxAge == f.MaxAge
}

// SetBy makes the fix that writes by a method of a family in the place of a
// call of Mutation.Set, and returns its error; args are what the method takes
// behind the value. It reports false where that cannot be: the call is no
// statement, or its function returns no error.
func (p *Pass) SetBy(b *fix.Builder, call *ast.CallExpr, family *types.Var, method, args string) bool {
	if family == nil || call == nil || len(call.Args) != 4 || call.Ellipsis.IsValid() || !hasMethod(family, method) {
		return false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	stmt := p.Statement(call)
	if !ok || stmt == nil || btapi.Type(p.TypesInfo.TypeOf(sel.X)) != "bigtable.Mutation" {
		return false
	}
	parents := p.Parents(stmt)
	if len(parents) == 0 {
		return false
	}
	switch parents[0].(type) {
	case *ast.BlockStmt, *ast.CaseClause:
	default:
		return false
	}
	back, ok := b.ReturnError(parents, "err")
	if !ok || b.Comments(call.Pos(), call.End()) {
		return false
	}
	indent := b.Indent(stmt.Pos())
	b.Insert(b.EndOfLine(stmt), "\n"+indent+"\t"+back+"\n"+indent+"}")
	b.Replace(stmt, "if err := "+b.Object(family, call.Pos())+"."+method+"("+b.Source(sel.X)+", "+b.Source(call.Args[1])+", "+
		b.Source(call.Args[3])+args+"); err != nil {")
	return true
}

func hasMethod(v *types.Var, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(v.Type(), true, v.Pkg(), name)
	_, ok := obj.(*types.Func)
	return ok
}
