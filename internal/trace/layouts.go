package trace

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// minNames is how many names a struct has that says how a table is laid out.
// One that describes a single family has one, and there are many of it.
const minNames = 2

// A layout is what a package puts into the fields of a struct that are text.
type layout struct {
	order []*types.Var
	names map[*types.Var]string // "" where it puts several, or what is not constant
}

// exportLayouts writes the facts of the exported fields into which the package
// puts one name wherever it fills such structs: a configuration with its default,
// a list of families. The structs that say how tables are laid out are those with
// several such fields, and no name twice.
func (p *exporter) exportLayouts() {
	layouts := map[*types.Struct]*layout{}
	var order []*types.Struct
	put := func(owner types.Type, f *types.Var, e ast.Expr) {
		s, ok := owner.Underlying().(*types.Struct)
		if !ok || f == nil || f.Pkg() != p.prog.Pass.Pkg || !f.Exported() {
			return
		}
		if !kind.IsText(f.Type()) {
			return
		}
		l := layouts[s]
		if l == nil {
			l = &layout{names: map[*types.Var]string{}}
			layouts[s], order = l, append(order, s)
		}
		name := ""
		if e != nil {
			if c := p.prog.Pass.TypesInfo.Types[e].Value; c != nil && c.Kind() == constant.String {
				name = constant.StringVal(c)
			}
		}
		if old, ok := l.names[f]; !ok {
			l.order = append(l.order, f)
		} else if old != name {
			name = ""
		}
		l.names[f] = name
	}
	for _, file := range p.prog.Pass.Files {
		if p.prog.IsTest(file.Pos()) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			p.fills(n, put)
			return true
		})
	}
	for _, s := range order {
		l := layouts[s]
		seen := map[string]int{}
		for _, name := range l.names {
			seen[name]++
		}
		delete(seen, "")
		if len(seen) < minNames {
			continue
		}
		for _, f := range l.order {
			if name := l.names[f]; seen[name] == 1 {
				p.prog.Pass.ExportObjectFact(f, &summary.Summary{Holds: []*value.Value{value.StrOf(name)}})
			}
		}
	}
}

// fills calls put with each field that a node sets, and the expression to which;
// nil where that may be anything.
func (p *exporter) fills(n ast.Node, put func(owner types.Type, f *types.Var, e ast.Expr)) {
	info := p.prog.Pass.TypesInfo
	selected := func(e, to ast.Expr) {
		sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
		if !ok {
			return
		}
		if s := info.Selections[sel]; s != nil && s.Kind() == types.FieldVal && len(s.Index()) == 1 {
			put(kind.Deref(s.Recv()), s.Obj().(*types.Var).Origin(), to)
		}
	}
	switch n := n.(type) {
	case *ast.CompositeLit:
		t := info.TypeOf(n)
		if t == nil {
			return
		}
		s, ok := kind.Deref(t).Underlying().(*types.Struct)
		if !ok {
			return
		}
		for i, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if key, ok := kv.Key.(*ast.Ident); ok {
					f, _ := info.ObjectOf(key).(*types.Var)
					put(kind.Deref(t), f, kv.Value)
				}
			} else if i < s.NumFields() {
				put(kind.Deref(t), s.Field(i), e)
			}
		}
	case *ast.AssignStmt:
		for i, l := range n.Lhs {
			if len(n.Rhs) == len(n.Lhs) && n.Tok == token.ASSIGN {
				selected(l, n.Rhs[i])
			} else {
				selected(l, nil)
			}
		}
	case *ast.RangeStmt:
		selected(n.Key, nil)
		selected(n.Value, nil)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			selected(n.X, nil)
		}
	}
}
