package fix

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// Target returns the expression to replace so that expr has another value:
// where expr is a local variable that is assigned once and used nowhere
// else, what is assigned to it; else expr itself.
func (b *Builder) Target(expr ast.Expr) ast.Expr {
	id, ok := ast.Unparen(expr).(*ast.Ident)
	if !ok {
		return expr
	}
	v, ok := b.pass.TypesInfo.Uses[id].(*types.Var)
	if !ok || !isLocal(v) || !usedOnce(b.pass, b.file, v) {
		return expr
	}
	value := expr
	inspect(b.file, v.Pos(), v.Pos()+1, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if l, ok := l.(*ast.Ident); ok && b.pass.TypesInfo.Defs[l] == v && len(n.Lhs) == len(n.Rhs) {
					value = n.Rhs[i]
				}
			}
		case *ast.ValueSpec:
			for i, l := range n.Names {
				if b.pass.TypesInfo.Defs[l] == v && i < len(n.Values) {
					value = n.Values[i]
				}
			}
		}
		return true
	})
	return value
}

// isLocal reports whether v is a variable that the compiler wants used.
func isLocal(v *types.Var) bool {
	return v.Kind() == types.LocalVar
}

// uses calls found with where an object of a file is used, until that returns false.
// The walk ends there: most objects are used soon after they are declared.
func uses(pass *analysis.Pass, file *ast.File, obj types.Object, found func(token.Pos) bool) {
	from, to := obj.Pos(), file.FileEnd
	if scope := obj.Parent(); scope != nil && scope.Pos().IsValid() && isVar(obj) {
		to = scope.End()
	}
	more := true
	inspect(file, from, to, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && pass.TypesInfo.Uses[id] == obj {
			more = found(id.Pos())
		}
		return more
	})
}

func usedOnce(pass *analysis.Pass, file *ast.File, v *types.Var) bool {
	n := 0
	uses(pass, file, v, func(token.Pos) bool {
		n++
		return n < 2
	})
	return n == 1
}

func isVar(obj types.Object) bool { _, ok := obj.(*types.Var); return ok }

// settle makes the fix whole: it removes imports that are no longer used,
// and reports false when a local variable would be.
func (b *Builder) settle() bool {
	gone := Gone(b.pass, b.file, b.edits)
	for obj := range gone {
		if _, ok := obj.(*types.PkgName); !ok {
			return false
		}
	}
	// In the order of the file, so that two runs make the same edits.
	for _, spec := range b.file.Imports {
		if pkg := b.nameOf(spec); pkg != nil && gone[pkg] {
			b.removeImport(spec)
		}
	}
	return true
}

// Gone returns the local variables and imports of a file of which edits
// remove every use.
func Gone(pass *analysis.Pass, file *ast.File, edits []analysis.TextEdit) map[types.Object]bool {
	within := func(pos token.Pos) bool {
		for _, e := range edits {
			if e.Pos <= pos && pos < e.End {
				return true
			}
		}
		return false
	}
	removed := map[types.Object]bool{}
	for _, e := range edits {
		if e.Pos == e.End {
			continue
		}
		inspect(file, e.Pos, e.End, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok || id.Pos() < e.Pos || id.End() > e.End {
				return true
			}
			switch obj := pass.TypesInfo.Uses[id].(type) {
			case *types.Var:
				if isLocal(obj) {
					removed[obj] = true
				}
			case *types.PkgName:
				removed[obj] = true
			}
			return true
		})
	}
	for obj := range removed {
		uses(pass, file, obj, func(pos token.Pos) bool {
			if !within(pos) {
				delete(removed, obj)
			}
			return removed[obj]
		})
		if pkg, ok := obj.(*types.PkgName); ok && mentions(edits, pkg.Name()+".") {
			delete(removed, obj)
		}
		if v, ok := obj.(*types.Var); ok && mentions(edits, v.Name()) {
			delete(removed, obj)
		}
	}
	return removed
}

// overlap reports whether two edits change the same text, or one inserts
// into what another deletes: an import beside the one that goes.
func overlap(edits []analysis.TextEdit) bool {
	for i, a := range edits {
		for _, b := range edits[i+1:] {
			if a.Pos < b.End && b.Pos < a.End || a.Pos == a.End && b.Pos < a.Pos && a.Pos < b.End || b.Pos == b.End && a.Pos < b.Pos && b.Pos < a.End {
				return true
			}
		}
	}
	return false
}
