package fix

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/ttlvet/ttlvet/internal/btapi"
)

// Now writes the current time, as the code at a position reads it: by the clock that
// its method's receiver has, where that has one and methods of it read it, else by
// time.Now().
func (b *Builder) Now(at token.Pos) string {
	if text, ok := b.Injected(at); ok {
		return text
	}
	return b.Ref(Time, "Now", at) + "()"
}

// Injected writes the reading of the clock that the receiver of the method at a position
// has; false where there is none, or more than one.
func (b *Builder) Injected(at token.Pos) (text string, ok bool) {
	recv := b.receiver(at)
	if recv == nil {
		return "", false
	}
	t := recv.Type()
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return "", false
	}
	for f := range s.Fields() {
		call := ClockCall(f.Type())
		if f.Pkg() != b.pass.Pkg || call == "" || !b.reads(f) {
			continue
		}
		if text != "" {
			return "", false
		}
		text = recv.Name() + "." + f.Name() + call
	}
	if scope := b.pass.Pkg.Scope().Innermost(at); text != "" && scope != nil {
		if _, obj := scope.LookupParent(recv.Name(), at); obj != recv {
			return "", false // another variable has its name there
		}
	}
	return text, text != ""
}

// receiver returns the receiver of the method at a position, where it has a name.
func (b *Builder) receiver(at token.Pos) *types.Var {
	for _, d := range b.file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || at < fn.Pos() || fn.End() <= at || len(fn.Recv.List) != 1 || len(fn.Recv.List[0].Names) != 1 {
			continue
		}
		if v, ok := b.pass.TypesInfo.Defs[fn.Recv.List[0].Names[0]].(*types.Var); ok && v.Name() != "_" {
			return v
		}
	}
	return nil
}

// ClockCall returns what calls a value of a type for the current time: "()" of a
// func() time.Time, ".Now()" of an object with that method, "" of others.
func ClockCall(t types.Type) string {
	if sig, ok := t.Underlying().(*types.Signature); ok {
		if givesTime(sig) {
			return "()"
		}
		return ""
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Now")
	if m, ok := obj.(*types.Func); ok && btapi.Type(t) != "time.Time" && givesTime(m.Signature()) {
		return ".Now()"
	}
	return ""
}

func givesTime(sig *types.Signature) bool {
	return sig.Params().Len() == 0 && sig.Results().Len() == 1 && btapi.Type(sig.Results().At(0).Type()) == "time.Time"
}

// reads reports whether the package reads the clock in a field: it is a clock that
// is there.
func (b *Builder) reads(f *types.Var) bool {
	found := false
	for _, file := range b.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || found {
				return !found
			}
			for fun := ast.Unparen(call.Fun); !found; {
				sel, ok := fun.(*ast.SelectorExpr)
				if !ok {
					break
				}
				v, ok := b.pass.TypesInfo.Uses[sel.Sel].(*types.Var)
				found = ok && v.Origin() == f.Origin()
				if fun = ast.Unparen(sel.X); sel.Sel.Name != "Now" {
					break
				}
			}
			return !found
		})
	}
	return found
}
