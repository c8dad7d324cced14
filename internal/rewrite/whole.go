package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/internal/sources"
)

// rename gives other names to what only the package can name: local variables,
// unexported functions, types, fields and methods. What had one name has one name
// after it, so that interfaces, embedding and shadowing stay what they are.
func rename(p *sources.Program, q *packages.Package) (map[string]string, error) {
	names, texts := handles(q), map[string]string{}
	for _, f := range q.Syntax {
		name := p.Fset.File(f.FileStart).Name()
		src, err := read(name)
		if err != nil {
			return nil, err
		}
		var edits []edit
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok || id == f.Name || !renamed(q, id) {
				return true
			}
			if names[id.Name] == "" {
				names[id.Name] = fmt.Sprintf("n%d__", len(names))
			}
			at := p.Fset.Position(id.Pos()).Offset
			edits = append(edits, edit{at, at + len(id.Name), names[id.Name]})
			return true
		})
		texts[name] = apply(src, edits)
	}
	return texts, nil
}

// handles returns the names by which the registry of a module calls the variables
// and fields that hold tables. They stay.
func handles(q *packages.Package) map[string]string {
	names := map[string]string{}
	if q.Module != nil {
		text, _ := read(filepath.Join(q.Module.Dir, "ttlvet.yaml")) // where there is none, none has a name
		for _, m := range afterDot.FindAllStringSubmatch(text, -1) {
			names[m[1]] = m[1]
		}
	}
	return names
}

var afterDot = regexp.MustCompile(`\.(\w+)`)

// renamed reports whether an identifier names what the package may name anew.
func renamed(q *packages.Package, id *ast.Ident) bool {
	if id.Name == "_" || token.IsExported(id.Name) {
		return false
	}
	obj, defined := q.TypesInfo.Defs[id]
	if v, ok := obj.(*types.Var); !defined || ok && v.Embedded() { // whose name is its type's
		obj = q.TypesInfo.Uses[id]
	}
	switch obj := obj.(type) {
	case nil:
		return defined // the variable of a type switch
	case *types.PkgName, *types.Label:
		return false
	case *types.Func:
		if obj.Signature().Recv() == nil && (id.Name == "main" || id.Name == "init") {
			return false
		}
	}
	return obj.Pkg() == q.Types
}

// A chunk is lines of a file: a declaration, or several that share a line, with
// the comments before it.
type chunk struct {
	text  string
	decls []ast.Decl
	fixed bool // the order among those that run when the program starts matters
}

// chunks cuts a file. The head are the lines before the first declaration.
func chunks(p *sources.Program, f *ast.File, src string) (head string, list []chunk) {
	end := func(n ast.Node) int { // of the line on which a node ends
		to := p.Fset.Position(n.End()).Offset
		for {
			i := strings.IndexByte(src[to:], '\n')
			if i < 0 {
				return len(src)
			}
			to += i + 1
			inside := slices.ContainsFunc(f.Comments, func(g *ast.CommentGroup) bool {
				for _, c := range g.List {
					if from := p.Fset.Position(c.Pos()).Offset; from < to && to < from+len(c.Text) {
						return true
					}
				}
				return false
			})
			if !inside {
				return to
			}
		}
	}
	from := end(f.Name)
	for _, d := range f.Decls {
		fixed := false
		switch d := d.(type) {
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				from = end(d)
				continue
			}
			fixed = d.Tok == token.VAR
		case *ast.FuncDecl:
			fixed = d.Recv == nil && d.Name.Name == "init"
		}
		if head == "" {
			head = src[:from]
		}
		if to := end(d); to > from {
			list = append(list, chunk{text: src[from:to]})
			from = to
		}
		last := &list[len(list)-1]
		last.decls = append(last.decls, d)
		last.fixed = last.fixed || fixed
	}
	if len(list) > 0 && from < len(src) {
		list[len(list)-1].text += "\n" + src[from:]
	}
	return head, list
}

// reverse puts the declarations of each file into the opposite order, but for
// what runs when the program starts.
func reverse(p *sources.Program, q *packages.Package) (map[string]string, error) {
	texts := map[string]string{}
	for _, f := range q.Syntax {
		name := p.Fset.File(f.FileStart).Name()
		src, err := read(name)
		if err != nil {
			return nil, err
		}
		head, list := chunks(p, f, src)
		text, fixed := head, ""
		for _, c := range slices.Backward(list) {
			if c.fixed {
				fixed = c.text + fixed
			} else {
				text += "\n" + c.text
			}
		}
		if list != nil {
			texts[name] = text + "\n" + fixed
		}
	}
	return texts, nil
}

// split gives each declaration a file of its own, with the imports that it needs.
// Files with directives for the whole file stay as they are.
func split(p *sources.Program, q *packages.Package) (map[string]string, error) {
	texts := map[string]string{}
	for i, f := range q.Syntax {
		name := p.Fset.File(f.FileStart).Name()
		src, err := read(name)
		if err != nil {
			return nil, err
		}
		_, list := chunks(p, f, src)
		clause := src[:p.Fset.Position(f.Name.End()).Offset]
		if len(list) < 2 || strings.Contains(clause, "//ttlvet:") || strings.Contains(clause, "//nolint") {
			continue
		}
		texts[name] = ""
		for j, c := range list {
			text := clause + "\n"
			for _, spec := range f.Imports {
				if needs(q, c, spec, j == 0) {
					text += "\nimport " + src[p.Fset.Position(spec.Pos()).Offset:p.Fset.Position(spec.End()).Offset]
				}
			}
			// The go command hands files over in the order of their names.
			file := fmt.Sprintf("f%03d_%03d_%s", i, j, filepath.Base(name))
			texts[filepath.Join(filepath.Dir(name), file)] = text + "\n" + c.text
		}
	}
	return texts, nil
}

// needs reports whether a chunk uses an import. What is imported for its effect
// goes with the first.
func needs(q *packages.Package, c chunk, spec *ast.ImportSpec, first bool) bool {
	if spec.Name != nil && spec.Name.Name == "_" {
		path, _ := strconv.Unquote(spec.Path.Value)
		return first || path == "embed"
	}
	obj := q.TypesInfo.Implicits[spec]
	if spec.Name != nil {
		obj = q.TypesInfo.Defs[spec.Name]
	}
	used := false
	for _, d := range c.decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && q.TypesInfo.Uses[id] == obj {
				used = true
			}
			return !used
		})
	}
	return used
}
