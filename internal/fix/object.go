package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
)

// Object returns the name of an object of this package or of one that it
// imports, as the file writes it, and imports its package if need be. at is
// where it is to stand.
func (b *Builder) Object(obj types.Object, at token.Pos) string {
	if obj.Pkg() == b.pass.Pkg {
		if scope := b.pass.Pkg.Scope().Innermost(at); scope != nil {
			_, found := scope.LookupParent(obj.Name(), at)
			b.wrong = b.wrong || found != obj
		}
		return obj.Name()
	}
	for _, spec := range b.file.Imports {
		switch name := b.nameOf(spec); {
		case name == nil || name.Imported() != obj.Pkg() || name.Name() == "_":
		case name.Name() == ".":
			return obj.Name()
		default:
			b.wrong = b.wrong || !b.isPackage(name.Name(), at)
			return name.Name() + "." + obj.Name()
		}
	}
	name, ok := b.added[obj.Pkg().Path()]
	if !ok {
		// The name of an import is taken to be the end of its path.
		b.wrong = b.wrong || path.Base(obj.Pkg().Path()) != obj.Pkg().Name()
		name = b.add(obj.Pkg().Path(), at)
	}
	return name + "." + obj.Name()
}

// Names reports whether [Builder.Object] can name an object at a position.
func (b *Builder) Names(obj types.Object, at token.Pos) bool {
	try := Builder{pass: b.pass, file: b.file, added: maps.Clone(b.added)}
	try.Object(obj, at)
	return !try.wrong
}

// Means reports whether an expression means at a position what it does where it stands:
// its names are the same there, its variables are assigned once, and its fields not in the
// same function.
func (b *Builder) Means(expr ast.Expr, at token.Pos) bool {
	same := true
	ast.Inspect(expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			same = false
		case *ast.SelectorExpr:
			same = same && b.Means(n.X, at) && !b.setsField(n.Sel, at)
			return false
		case *ast.Ident:
			same = same && b.sees(n, at)
		}
		return same
	})
	return same
}

// sees reports whether a name means the same at a position, if it is a variable's the
// value too.
func (b *Builder) sees(id *ast.Ident, at token.Pos) bool {
	obj := b.pass.TypesInfo.Uses[id]
	scope := b.pass.Pkg.Scope().Innermost(at)
	if obj == nil || scope == nil {
		return false
	}
	if v, ok := obj.(*types.Var); ok && v.IsField() {
		return true
	}
	if _, found := scope.LookupParent(id.Name, at); found != obj {
		return false
	}
	v, ok := obj.(*types.Var)
	return !ok || v.Parent() == b.pass.Pkg.Scope() || !b.assigned(v, b.file)
}

// setsField reports whether the function at a position assigns the field that a name
// selects, of whatever object.
func (b *Builder) setsField(name *ast.Ident, at token.Pos) bool {
	v, ok := b.pass.TypesInfo.Uses[name].(*types.Var)
	if !ok || !v.IsField() {
		return false
	}
	for _, decl := range b.file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Pos() <= at && at < fn.End() {
			return b.assigned(v, fn)
		}
	}
	return false
}

// assigned reports whether a variable, or a field, is assigned in a part of the file, or
// may be: of a local variable after its declaration.
func (b *Builder) assigned(v *types.Var, in ast.Node) bool {
	found := false
	is := func(e ast.Expr) bool {
		e = ast.Unparen(e)
		if sel, ok := e.(*ast.SelectorExpr); ok {
			e = sel.Sel
		}
		id, ok := e.(*ast.Ident)
		return ok && b.pass.TypesInfo.Uses[id] == v
	}
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				found = found || is(l)
			}
		case *ast.IncDecStmt:
			found = found || is(n.X)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && is(n.X)
		}
		return !found
	})
	return found
}

// ReturnError returns the statement that returns the error err from the
// function around a node, whose parents are given; false where the function
// returns no error, or something beside it of which no zero value can be
// written.
func (b *Builder) ReturnError(parents []ast.Node, err string) (string, bool) {
	results := signature(b.pass.TypesInfo, parents)
	if results == nil || results.Len() == 0 || !isError(results.At(results.Len()-1).Type()) {
		return "", false
	}
	text := "return "
	for r := range results.Variables() {
		if r == results.At(results.Len()-1) {
			break
		}
		zero, ok := zeroOf(r.Type())
		if !ok {
			return "", false
		}
		text += zero + ", "
	}
	return text + err, true
}

// signature returns the results of the innermost function among the parents.
func signature(info *types.Info, parents []ast.Node) *types.Tuple {
	for _, n := range parents {
		var t types.Type
		switch n := n.(type) {
		case *ast.FuncLit:
			t = info.TypeOf(n)
		case *ast.FuncDecl:
			if obj := info.Defs[n.Name]; obj != nil {
				t = obj.Type()
			}
		}
		if sig, ok := t.(*types.Signature); ok {
			return sig.Results()
		}
	}
	return nil
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// zeroOf writes the zero value of a type that has one without a name.
func zeroOf(t types.Type) (string, bool) {
	if _, generic := types.Unalias(t).(*types.TypeParam); generic {
		return "", false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsBoolean != 0:
			return "false", true
		case info&types.IsString != 0:
			return `""`, true
		case info&types.IsNumeric != 0:
			return "0", true
		}
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return "nil", true
	}
	return "", false
}
