package ttlage

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"sort"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/syntax"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/wording"
)

// kept reports a time that goes, as it is or by way of a local variable, under
// a name that says that it is the time of writing.
func kept(p *check.Pass, e *trace.Event, c trace.Case, use string) []check.Finding {
	at := named(p, e.Node, 3)
	if in := e.HandedOver(); at == nil && in != nil {
		at = named(p, in, 3)
	}
	if at == nil {
		return nil
	}
	found := notWriteTime(p, e, c, c.Args[0], use)
	for i := range found {
		found[i].At = nil // at the event
		if at != e.Node {
			found[i].At = at
		}
	}
	return found
}

// named returns where a value goes into a variable, field, key or text whose
// name says that it is the time of writing; nil where it does not. depth
// bounds the local variables that it goes through.
func named(p *check.Pass, n ast.Node, depth int) ast.Node {
	if n == nil {
		return nil
	}
	is := func(says bool) ast.Node {
		if says {
			return n
		}
		return nil
	}
	for _, parent := range p.Parents(n) {
		switch parent := parent.(type) {
		case *ast.KeyValueExpr:
			return is(wording.SaysWritten(text(p, parent.Key)) || wording.SaysWritten(tag(p, parent)))
		case *ast.AssignStmt, *ast.ValueSpec:
			to, _ := syntax.AssignedTo(parent, n)
			if to == nil || wording.SaysWritten(text(p, to)) || wording.SaysWritten(tagOfField(p, to)) {
				return is(to != nil)
			}
			return later(p, to, depth)
		case *ast.BinaryExpr:
			if parent.Op != token.ADD || !isText(p, parent) {
				return nil
			}
			if says, known := joined(p, parent, n); known {
				return is(says)
			}
		case *ast.CompositeLit:
			if before := elementBefore(parent, n); before != nil && wording.SaysWritten(oneWord(p, before)) {
				return n
			}
		case ast.Stmt, *ast.FuncLit:
			return nil
		case *ast.CallExpr:
			// What keeps the time as it is: t.UTC(), Format, Unix.
			if sel, ok := parent.Fun.(*ast.SelectorExpr); ok && syntax.Within(n, sel) {
				continue
			}
			if tv := p.TypesInfo.Types[parent.Fun]; tv.IsType() {
				continue
			}
			if fn := typeutil.Callee(p.TypesInfo, parent); fn != nil && fn.Pkg() != nil && (fn.Pkg().Name() == "timestamppb" && fn.Name() == "New" || fn.Pkg().Path() == "strconv") {
				continue
			}
			return is(saidBefore(p, parent, n))
		}
	}
	return nil
}

// toVariable returns the local variable to which a value is assigned, or nil.
func toVariable(p *check.Pass, n ast.Node) types.Object {
	for _, parent := range p.Parents(n) {
		switch parent := parent.(type) {
		case *ast.AssignStmt, *ast.ValueSpec:
			to, _ := syntax.AssignedTo(parent, n)
			if id, local := to.(*ast.Ident); local {
				return p.TypesInfo.ObjectOf(id)
			}
			return nil
		case ast.Stmt, *ast.KeyValueExpr, *ast.CompositeLit:
			return nil
		case *ast.CallExpr:
			if !syntax.Within(n, parent.Fun) {
				return nil
			}
		}
	}
	return nil
}

// mentions reports whether a variable is used in an expression.
func mentions(p *check.Pass, n ast.Node, v types.Object) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && p.TypesInfo.Uses[id] == v
		return !found
	})
	return found
}

// later returns where the local variable to which a value is assigned goes
// under a telling name.
func later(p *check.Pass, lhs ast.Expr, depth int) ast.Node {
	id, ok := lhs.(*ast.Ident)
	if !ok || depth == 0 {
		return nil
	}
	obj, ok := p.TypesInfo.Defs[id].(*types.Var)
	if !ok {
		return nil // assigned elsewhere too
	}
	var uses []*ast.Ident
	for use, o := range p.TypesInfo.Uses {
		if o == obj {
			uses = append(uses, use)
		}
	}
	sort.Slice(uses, func(i, j int) bool { return uses[i].Pos() < uses[j].Pos() })
	for _, use := range uses {
		if at := named(p, use, depth-1); at != nil {
			return at
		}
	}
	return nil
}

func textConstant(p *check.Pass, e ast.Expr) (string, bool) {
	tv := p.TypesInfo.Types[e]
	if tv.Value == nil || tv.Value.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(tv.Value), true
}

// tag returns the name under which a field of a literal is encoded.
func tag(p *check.Pass, kv *ast.KeyValueExpr) string {
	id, ok := kv.Key.(*ast.Ident)
	if !ok {
		return ""
	}
	for _, parent := range p.Parents(kv) {
		if lit, ok := parent.(*ast.CompositeLit); ok {
			return encoded(p.TypesInfo.TypeOf(lit), id.Name)
		}
	}
	return ""
}

// tagOfField returns the name under which the field that is assigned to is encoded.
func tagOfField(p *check.Pass, e ast.Expr) string {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || p.TypesInfo.Selections[sel] == nil {
		return ""
	}
	return encoded(p.TypesInfo.TypeOf(sel.X), sel.Sel.Name)
}

// encoded returns the name under which a field of a struct is encoded.
func encoded(of types.Type, field string) string {
	if ptr, ok := of.Underlying().(*types.Pointer); ok {
		of = ptr.Elem()
	}
	if s, ok := of.Underlying().(*types.Struct); ok {
		for i := range s.NumFields() {
			if s.Field(i).Name() == field {
				return reflect.StructTag(s.Tag(i)).Get("json")
			}
		}
	}
	return ""
}

// text returns the last name of an expression, or a constant key.
func text(p *check.Pass, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return text(p, e.Index)
	}
	if tv := p.TypesInfo.Types[e]; tv.Value != nil {
		return tv.Value.ExactString()
	}
	return puttogether(p, e)
}
