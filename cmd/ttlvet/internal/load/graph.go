package load

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/buildcache"
	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/module"
)

// A Graph is the import graph of the packages that the patterns match. Only
// names, files and imports are known of them: that much costs little, and is
// enough to leave out every package from which Bigtable is out of reach.
type Graph struct {
	config   *Config
	Initial  []*packages.Package // what the patterns match, test variants too
	reaching map[*packages.Package]bool
	// below holds what the client itself imports. These packages come with
	// the client's export data, so that source would make them twice.
	below  map[*packages.Package]bool
	byPath map[string]*packages.Package // filled by lookup
}

// Graph lists the packages. The error is of type BuildErrors when a
// package is missing or broken in a way that shows without compiling.
func (c *Config) Graph() (*Graph, error) {
	c.Line.Begin("listing packages (the go command downloads those that are missing)", 0)
	initial, err := list(c, c.Tests, c.Patterns)
	if err != nil {
		return nil, err
	}
	if len(initial) == 0 {
		return nil, NoPackages(strings.Join(c.Patterns, " "))
	}
	g := &Graph{
		config:   c,
		Initial:  initial,
		reaching: map[*packages.Package]bool{},
		below:    map[*packages.Package]bool{},
	}
	var errs BuildErrors
	seen := map[string]bool{}
	packages.Visit(initial, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			if line := c.errorLine(e); !seen[line] {
				seen[line] = true
				errs = append(errs, line)
			}
		}
	})
	if errs != nil {
		return nil, errs
	}
	g.findReaching()
	return g, nil
}

// list lists what patterns match and all that it imports.
func list(c *Config, tests bool, patterns []string) ([]*packages.Package, error) {
	if c.platform == nil {
		c.platform = new(platform)
	}
	go c.platform.find(c) // meanwhile
	list, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedModule | packages.NeedForTest,
		Tests:      tests,
		BuildFlags: c.buildFlags(),
		Env:        buildcache.Environ(),
	}, patterns...)
	if err != nil {
		_, said, _ := strings.Cut(err.Error(), ": stderr: ") // as package packages puts it
		return nil, goError(said, err)
	}
	if inGOPATH(list) {
		return nil, ErrGOPATH
	}
	if err := c.platform.find(c); err != nil {
		return nil, err
	}
	packages.Visit(list, nil, func(p *packages.Package) { p.TypesSizes = c.platform.sizes })
	return list, nil
}

// lookup returns the package of that path, which no package of the graph need
// import.
func (g *Graph) lookup(path string) (*packages.Package, error) {
	if g.byPath == nil {
		g.byPath = map[string]*packages.Package{}
		g.add(g.Initial)
	}
	if p := g.byPath[path]; p != nil {
		return p, nil
	}
	more, err := list(g.config, false, []string{path})
	if err != nil {
		return nil, err
	}
	if err := g.config.errorsOf(more); err != nil {
		return nil, err
	}
	g.add(more)
	if p := g.byPath[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("package %s is not there", path)
}

// add makes packages, and what they import, known to lookup. One that is
// known already takes the place of another of its path.
func (g *Graph) add(list []*packages.Package) {
	packages.Visit(list, nil, func(p *packages.Package) {
		if p.ForTest != "" || isTestMain(p) || g.byPath[p.PkgPath] != nil {
			return
		}
		for path, imp := range p.Imports {
			if known := g.byPath[imp.PkgPath]; known != nil {
				p.Imports[path] = known
			}
		}
		g.byPath[p.PkgPath] = p
	})
}

// findReaching fills reaching and below.
func (g *Graph) findReaching() {
	var clients []*packages.Package
	packages.Visit(g.Initial, nil, func(p *packages.Package) {
		if btapi.IsClient(p.PkgPath) {
			clients = append(clients, p)
		}
	})
	packages.Visit(clients, nil, func(p *packages.Package) {
		if !btapi.IsClient(p.PkgPath) {
			g.below[p] = true
		}
	})
	// Visit calls back on a package after those that it imports.
	packages.Visit(g.Initial, nil, func(p *packages.Package) {
		if btapi.IsClient(p.PkgPath) || g.below[p] || isTestMain(p) {
			return
		}
		for _, imp := range p.Imports {
			if btapi.IsRoot(imp.PkgPath) || g.reaching[imp] {
				g.reaching[p] = true
				return
			}
		}
	})
}

// Roots returns the packages whose findings are reported: those that the
// patterns match and that reach Bigtable or hold a directive. Where a
// package has a variant that is augmented with its tests, the variant, which
// holds all files of both, stands for it, as with go vet. The error is of
// type BuildErrors when a file of any of the packages does not parse.
func (g *Graph) Roots() ([]*packages.Package, error) {
	augmented := map[string]bool{}
	for _, p := range g.Initial {
		if p.ForTest != "" && p.PkgPath == p.ForTest {
			augmented[p.PkgPath] = true
		}
	}
	var matched, others []*packages.Package
	for _, p := range g.Initial {
		if isTestMain(p) || btapi.IsClient(p.PkgPath) || len(p.GoFiles) == 0 || p.ForTest == "" && augmented[p.PkgPath] {
			continue
		}
		matched = append(matched, p)
		if !g.reaching[p] {
			others = append(others, p)
		}
	}
	found := glances(others)
	if err := g.config.syntaxErrors(others, found); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(matched, func(p *packages.Package) bool {
		return !g.reaching[p] && !slices.ContainsFunc(p.GoFiles, func(file string) bool { return found[file].Directive })
	}), nil
}

// isTestMain reports whether p is the program that the go command generates
// to run tests. Its one file lies in the build cache and bears no ".go",
// which tells it from a package of the user's whose path ends in ".test".
func isTestMain(p *packages.Package) bool {
	return p.Name == "main" && strings.HasSuffix(p.ID, ".test") &&
		len(p.GoFiles) == 1 && !strings.HasSuffix(p.GoFiles[0], ".go")
}

// helps reports whether values are followed through a package although it
// cannot reach Bigtable.
func (g *Graph) helps(p *packages.Package) bool {
	return !g.below[p] && !btapi.IsClient(p.PkgPath) && len(p.GoFiles) > 0 && module.Followed(filepath.Dir(p.GoFiles[0]))
}

// sources returns the packages that are loaded from source: the roots, and
// what they import, directly or not, as far as it reaches Bigtable, may help
// those that do, or is a test variant, of which there is no export data.
func (g *Graph) sources(roots []*packages.Package) []*packages.Package {
	var list []*packages.Package
	seen := map[*packages.Package]bool{}
	var add func(*packages.Package)
	add = func(p *packages.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, path := range sortedKeys(p.Imports) {
			if imp := p.Imports[path]; g.reaching[imp] || imp.ForTest != "" || g.helps(imp) {
				add(imp)
			}
		}
		list = append(list, p)
	}
	for _, p := range roots {
		add(p)
	}
	return list
}
