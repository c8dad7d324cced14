package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/sources"
)

const client = "cloud.google.com/go/bigtable"

// A kind is values that are carried.
type kind struct {
	name   string
	letter string // in the names of helpers, which tell nothing
	typ    string // as the helpers write it
	full   string // as package types does
}

var kinds = []kind{
	{"timestamp", "A", "bigtable.Timestamp", client + ".Timestamp"},
	{"family", "B", "string", "string"},
	{"filter", "C", "bigtable.Filter", client + ".Filter"},
	{"option", "D", "bigtable.ReadOption", client + ".ReadOption"},
	{"table", "E", "*bigtable.Table", "*" + client + ".Table"},
	{"mutation", "F", "*bigtable.Mutation", "*" + client + ".Mutation"},
}

// Kinds lists what is carried.
func Kinds() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// expand puts a kind's type and name into a text.
func (k kind) expand(text string) string {
	return strings.NewReplacer("%T", k.typ, "%N", k.letter).Replace(text)
}

// kindOf returns the kind of what a parameter takes, or nil. Of the strings,
// those that name families are carried.
func kindOf(fn *types.Func, param *types.Var, t types.Type) *kind {
	full := types.TypeString(types.Unalias(t), nil)
	if full == "string" && param.Name() != "family" && btapi.Func(fn) != "bigtable.FamilyFilter" {
		return nil
	}
	for i := range kinds {
		if kinds[i].full == full {
			return &kinds[i]
		}
	}
	return nil
}

// A site is an expression that is carried.
type site struct {
	expr ast.Expr
	call *ast.CallExpr
	kind *kind
}

// sites returns the expressions of a file that calls of the client are given,
// outer ones first.
func sites(info *types.Info, f *ast.File, only []string) (out []site) {
	add := func(e ast.Expr, call *ast.CallExpr, k *kind) {
		if k != nil && (len(only) == 0 || slices.Contains(only, k.name)) {
			out = append(out, site{e, call, k})
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		fn, ok := typeutil.Callee(info, call).(*types.Func)
		if !ok || fn.Pkg() == nil || fn.Pkg().Path() != client {
			return true
		}
		args := call.Args
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok && fn.Signature().Recv() != nil {
			s := info.Selections[sel]
			if s != nil && s.Kind() == types.MethodVal && len(s.Index()) == 1 && types.TypeString(types.Unalias(s.Recv()), nil) == kinds[4].full {
				add(sel.X, call, &kinds[4])
			}
			if s != nil && s.Kind() == types.MethodExpr {
				args = args[1:]
			}
		}
		params := fn.Signature().Params()
		for i, arg := range args {
			j := min(i, params.Len()-1)
			t := params.At(j).Type()
			if fn.Signature().Variadic() && j == params.Len()-1 {
				if call.Ellipsis.IsValid() {
					continue
				}
				t = t.(*types.Slice).Elem()
			}
			if tuple, ok := info.TypeOf(arg).(*types.Tuple); ok && tuple.Len() > 1 {
				continue
			}
			add(arg, call, kindOf(fn, params.At(j), t))
		}
		return true
	})
	return out
}

// carry wraps the expressions of all packages.
func (t *Transformation) carry(p *sources.Program, only []string) (*Rewriting, error) {
	r := &Rewriting{Texts: map[string]string{}, Lines: map[Line]bool{}}
	for _, q := range p.Packages {
		used := map[*kind]bool{}
		for _, f := range q.Syntax {
			name := p.Fset.File(f.FileStart).Name()
			src, err := read(name)
			if err != nil {
				return nil, err
			}
			list := sites(q.TypesInfo, f, only)
			if len(list) == 0 {
				continue
			}
			opens, closes := map[int]string{}, map[int]string{}
			for _, s := range list {
				used[s.kind] = true
				before, after, _ := strings.Cut(s.kind.expand(t.Call), "%x")
				from, to := p.Fset.Position(s.expr.Pos()), p.Fset.Position(s.expr.End())
				opens[from.Offset] += before // outer ones come first
				closes[to.Offset] = after + closes[to.Offset]
				start := p.Fset.Position(s.call.Pos()).Line
				for line := start; line <= to.Line; line++ {
					if line >= from.Line || line <= p.Fset.Position(s.call.Lparen).Line {
						r.Lines[Line{name, line}] = true
					}
				}
				r.Spans = append(r.Spans, Span{name, start, to.Line})
			}
			var edits []edit
			for at, text := range closes {
				edits = append(edits, edit{at, at, text})
			}
			for at, text := range opens {
				edits = append(edits, edit{at, at, text})
			}
			if t.Package != "" {
				at := p.Fset.Position(f.Name.End()).Offset
				edits = append(edits, edit{at, at, fmt.Sprintf("; import %q", q.Module.Path+"/"+t.Package)})
			}
			r.Texts[name] = apply(src, edits)
		}
		if len(used) == 0 {
			continue
		}
		dir, pkg := filepath.Dir(q.GoFiles[0]), q.Name
		if t.Package != "" {
			dir, pkg = filepath.Join(q.Module.Dir, t.Package), t.Package
			for i := range kinds {
				used[&kinds[i]] = true
			}
		}
		r.Texts[filepath.Join(dir, "zz_carry.go")] = t.helpers(pkg, used)
	}
	return r, nil
}

// helpers returns the file with the helpers for kinds.
func (t *Transformation) helpers(pkg string, used map[*kind]bool) string {
	text := "package " + pkg + "\n\n"
	for _, path := range t.Imports {
		text += fmt.Sprintf("import %q\n", path)
	}
	body := ""
	for i := range kinds {
		if used[&kinds[i]] {
			body += kinds[i].expand(t.Helper) + "\n"
		}
	}
	if strings.Contains(body, "bigtable.") {
		text += fmt.Sprintf("import %q\n", client)
	}
	return text + "\n" + strings.TrimLeft(body, "\n")
}
