package load

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"sync"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/buildcache"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/intact"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/outline"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/toolchain"
)

// dependencies gives the types of packages that are not analysed: from the
// compiler's export data where the build cache has it, else from source
// without function bodies. Nothing is compiled.
//
// Within a run, a package is one *types.Package. What export data refers to
// comes from export data too, so that a package that imports one from source,
// directly or not, comes from source itself.
type dependencies struct {
	fset        *token.FileSet
	memory      *buildcache.Memory
	findExports func(deps bool, list []*packages.Package) (map[string]string, error)
	isUnit      func(*packages.Package) bool // whether it is analysed, always from source
	importUnit  func(*packages.Package) (*types.Package, error)

	exports    map[string]string // package path to export data file, which is "" when there is none
	unreadable bool              // whether the compiler is too new for its export data to be read
	onUnits    map[*packages.Package]bool
	outlines   map[*packages.Package]*dependency

	mu       sync.Mutex // of imported
	imported map[string]*types.Package
}

// A dependency is a package that is type-checked from source without
// function bodies.
type dependency struct {
	listed *packages.Package
	files  []*ast.File
	needs  map[string]*packages.Package // what the declarations use, by import path
	once   sync.Once
	pkg    *types.Package
	errs   []error
}

func newDependencies(c *Config, fset *token.FileSet) *dependencies {
	memory := new(buildcache.Memory) // which remembers nothing
	if p := c.platform; p != nil {
		memory = buildcache.NewMemory(p.text, p.goroot)
	}
	return &dependencies{
		fset:   fset,
		memory: memory,
		findExports: func(deps bool, list []*packages.Package) (map[string]string, error) {
			if !deps {
				return memory.Exports(c.buildFlags(), list)
			}
			return buildcache.Exports(c.buildFlags(), deps, buildcache.PathsOf(list)...)
		},
		exports:  map[string]string{},
		onUnits:  map[*packages.Package]bool{},
		outlines: map[*packages.Package]*dependency{},
		imported: map[string]*types.Package{},
	}
}

// prepare makes the packages ready to be imported. It returns those
// dependencies that it has read and that are to be checked, in the order in
// which few wait for others.
func (d *dependencies) prepare(list []*packages.Package) ([]*dependency, error) {
	if err := d.find(list); err != nil {
		return nil, err
	}
	var level, added []*dependency
	add := func(p *packages.Package) {
		if d.outlines[p] == nil && d.fromSource(p) {
			d.outlines[p] = &dependency{listed: p}
			level = append(level, d.outlines[p])
		}
	}
	for _, p := range list {
		add(p)
	}
	for len(level) > 0 {
		parallel(level, d.parse)
		added = append(added, level...)
		parsed := level
		level = nil
		for _, dep := range parsed {
			for _, path := range sortedKeys(dep.needs) {
				add(dep.needs[path])
			}
		}
	}
	return d.inOrder(added), nil
}

// inOrder sorts dependencies by what they need, so that few wait.
func (d *dependencies) inOrder(list []*dependency) []*dependency {
	var order []*dependency
	placed := map[*dependency]bool{nil: true}
	var place func(*dependency)
	place = func(dep *dependency) {
		if placed[dep] {
			return
		}
		placed[dep] = true
		for _, path := range sortedKeys(dep.needs) {
			place(d.outlines[dep.needs[path]])
		}
		order = append(order, dep)
	}
	for _, dep := range list {
		place(dep)
	}
	return order
}

// find looks for the export data of the packages and, where some have
// none, of all that these import.
func (d *dependencies) find(list []*packages.Package) error {
	unknown := func(p *packages.Package) bool {
		_, known := d.exports[p.PkgPath]
		return !known && p.PkgPath != "unsafe" && !d.isUnit(p) && !d.restsOnUnit(p)
	}
	asked := map[string]*packages.Package{}
	for _, p := range list {
		if unknown(p) {
			asked[p.PkgPath] = p
		}
	}
	if err := d.ask(false, asked); err != nil {
		return err
	}
	clear(asked)
	packages.Visit(list, func(p *packages.Package) bool {
		if !d.fromSource(p) {
			return false
		}
		for _, imp := range p.Imports {
			if unknown(imp) {
				asked[imp.PkgPath] = imp
			}
		}
		// What is below a package that the cache lacks is asked for with it.
		return d.restsOnUnit(p)
	}, nil)
	return d.ask(true, asked)
}

// ask notes which of the packages have export data.
func (d *dependencies) ask(deps bool, asked map[string]*packages.Package) error {
	if len(asked) == 0 || d.unreadable {
		return nil
	}
	var list []*packages.Package
	for _, path := range sortedKeys(asked) {
		list = append(list, asked[path])
	}
	exports, err := d.findExports(deps, list)
	if err != nil {
		return err
	}
	for path := range asked {
		d.exports[path] = ""
	}
	for path, file := range exports {
		d.exports[path] = file
	}
	if len(d.imported) > 0 {
		return nil
	}
	for _, path := range sortedKeys(exports) {
		if exports[path] == "" {
			continue
		}
		if _, err := d.importExport(path); err != nil {
			d.unreadable = true
			clear(d.exports)
			clear(d.imported)
		}
		break
	}
	return nil
}

// fromSource reports whether the package is one that is type-checked from
// source without function bodies.
func (d *dependencies) fromSource(p *packages.Package) bool {
	if p.PkgPath == "unsafe" || d.isUnit(p) {
		return false
	}
	return d.exports[p.PkgPath] == "" || d.restsOnUnit(p)
}

// restsOnUnit reports whether the package imports, directly or not, one that
// always comes from source.
func (d *dependencies) restsOnUnit(p *packages.Package) bool {
	rests, known := d.onUnits[p]
	if known {
		return rests
	}
	d.onUnits[p] = false
	rests = p.ForTest != ""
	for _, imp := range p.Imports {
		rests = rests || d.isUnit(imp) || d.restsOnUnit(imp)
	}
	d.onUnits[p] = rests
	return rests
}

// parse reads the declarations and finds out what they need.
func (d *dependencies) parse(dep *dependency) {
	dep.needs = map[string]*packages.Package{}
	name := func(path string) string {
		if p := dep.listed.Imports[path]; p != nil {
			return p.Name
		}
		return ""
	}
	for _, file := range dep.listed.GoFiles {
		f, err := outline.Parse(d.fset, file)
		if err != nil {
			dep.errs = append(dep.errs, err)
		}
		if f == nil {
			continue
		}
		for _, path := range outline.Prune(f, name) {
			if p := dep.listed.Imports[path]; p != nil {
				dep.needs[path] = p
			}
		}
		dep.files = append(dep.files, f)
	}
}

// check type-checks the declarations once what they need has been.
func (d *dependencies) check(dep *dependency) {
	dep.once.Do(func() {
		conf := typesConfig(dep.listed, dep.files, func(err error) { dep.errs = append(dep.errs, err) })
		conf.IgnoreFuncBodies = true
		conf.FakeImportC = true
		conf.Importer = importerFunc(func(path string) (*types.Package, error) {
			if p := dep.needs[path]; p != nil {
				return d.importPackage(p)
			}
			return nil, fmt.Errorf("package %s is not there", path)
		})
		dep.pkg, _ = conf.Check(dep.listed.PkgPath, d.fset, dep.files, nil)
		dep.files = nil
	})
}

// importPackage returns the types of a package that has been prepared.
func (d *dependencies) importPackage(p *packages.Package) (*types.Package, error) {
	if p.PkgPath == "unsafe" {
		return types.Unsafe, nil
	}
	if d.isUnit(p) {
		return d.importUnit(p)
	}
	if dep := d.outlines[p]; dep != nil {
		d.check(dep)
		if len(d.errors(dep)) > 0 {
			// Its own errors are printed; those that follow are noise.
			return nil, errDependency
		}
		return dep.pkg, nil
	}
	return d.importExport(p.PkgPath)
}

// errors returns what is wrong with a dependency. What ttlvet does not
// understand because it was built with an older Go may matter to nobody; if
// it does, the importer has errors.
func (d *dependencies) errors(dep *dependency) []error {
	if len(dep.errs) == 0 || dep.listed.Module == nil || toolchain.Newer() {
		return nil
	}
	return dep.errs
}

// failures calls back with what is wrong with each dependency.
func (d *dependencies) failures(add func(id string, errs []error)) {
	byID := map[string]*dependency{}
	for p, dep := range d.outlines {
		byID[p.ID] = dep
	}
	for _, id := range sortedKeys(byID) {
		add(id, d.errors(byID[id]))
	}
}

func (d *dependencies) importExport(path string) (*types.Package, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if pkg := d.imported[path]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	if d.exports[path] == "" {
		return nil, fmt.Errorf("package %s has not been built", path)
	}
	file := d.exports[path]
	if err := intact.Check(file); err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gcexportdata.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(r, d.fset, d.imported, path)
}
