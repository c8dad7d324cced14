package fix

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A resolver imports for edited files: what the package imports, and of what
// fixes import beside that, the little that they use.
type resolver struct {
	pass   *analysis.Pass
	direct map[string]*types.Package // by the path that files name
	added  map[string]*types.Package
}

func newResolver(pass *analysis.Pass) *resolver {
	p := &resolver{pass: pass, direct: map[string]*types.Package{}, added: map[string]*types.Package{}}
	for _, imp := range pass.Pkg.Imports() {
		p.direct[imp.Path()] = imp
	}
	for _, f := range pass.Files {
		for _, spec := range f.Imports {
			if name := pass.TypesInfo.PkgNameOf(spec); name != nil {
				p.direct[pathOf(spec)] = name.Imported()
			}
		}
	}
	return p
}

// Import returns the package with that path.
func (p *resolver) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := p.direct[path]; pkg != nil {
		return pkg, nil
	}
	if p.added[path] == nil {
		pkg, err := p.add(path)
		if err != nil {
			return nil, err
		}
		p.added[path] = pkg
	}
	return p.added[path], nil
}

// surfaces declare what fixes use of the packages that they import.
//
//go:embed surface/*.txt
var surfaces embed.FS

// add makes a package that the analysed one does not import. Those that it
// imports mention some of its objects, and must go on being told from no
// others; the rest is declared by the surface.
func (p *resolver) add(path string) (*types.Package, error) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	source, err := surfaces.ReadFile("surface/" + name + ".txt")
	if err != nil || path != Time && path != Bigtable {
		return nil, fmt.Errorf("nothing is known of package %s", path)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name+".txt", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	pkg := types.NewPackage(path, name)
	mentioned := p.mentioned(path)
	var decls []ast.Decl
	for _, d := range f.Decls {
		if known := objectOf(mentioned, d); known != nil {
			pkg.Scope().Insert(known)
			continue
		}
		decls = append(decls, d)
	}
	f.Decls = decls
	conf := &types.Config{
		Importer:         p,
		IgnoreFuncBodies: true,
		Error:            func(error) {}, // it may import more than is left
	}
	_ = types.NewChecker(conf, fset, pkg, nil).Files([]*ast.File{f})
	pkg.MarkComplete()
	return pkg, nil
}

// mentioned returns the package with that path as far as those that are
// imported mention it, or nil.
func (p *resolver) mentioned(path string) *types.Package {
	seen := map[*types.Package]bool{}
	var find func(list []*types.Package) *types.Package
	find = func(list []*types.Package) *types.Package {
		for _, pkg := range list {
			if pkg.Path() == path {
				return pkg
			}
		}
		for _, pkg := range list {
			if !seen[pkg] {
				seen[pkg] = true
				if found := find(pkg.Imports()); found != nil {
					return found
				}
			}
		}
		return nil
	}
	return find(p.pass.Pkg.Imports())
}

// objectOf returns what a package has of the name that a declaration of one
// name declares.
func objectOf(pkg *types.Package, d ast.Decl) types.Object {
	if pkg == nil {
		return nil
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return pkg.Scope().Lookup(d.Name.Name)
		}
		// A method goes with its type.
		for _, field := range d.Recv.List {
			if id, ok := field.Type.(*ast.Ident); ok {
				return pkg.Scope().Lookup(id.Name)
			}
		}
	case *ast.GenDecl:
		switch spec := d.Specs[0].(type) {
		case *ast.TypeSpec:
			return pkg.Scope().Lookup(spec.Name.Name)
		case *ast.ValueSpec:
			return pkg.Scope().Lookup(spec.Names[0].Name)
		}
	}
	return nil
}
