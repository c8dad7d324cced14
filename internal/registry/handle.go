package registry

import (
	"fmt"
	"go/version"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/ttlvet/ttlvet/internal/input"
	"github.com/ttlvet/ttlvet/internal/rule"
)

// InPackage returns what a handle, or the name of a wrapped function, names in
// the package of that path: "Ledger.tbl" of "example.com/app/store.Ledger.tbl".
func InPackage(handle, pkg string) (name string, ok bool) {
	name, ok = strings.CutPrefix(handle, pkg+".")
	return name, ok && !strings.Contains(name, "/") && strings.Count(name, ".") <= 1
}

// packageless returns an error for each handle and wrapped function whose
// package the modules beside the registry lack, or that is of a module which is neither
// one of the workspace nor required. No package is analysed that could tell.
func (f *File) packageless() Errors {
	if len(f.Handles)+len(f.Wrappers) == 0 {
		return nil
	}
	dir := filepath.Dir(f.Path)
	modules := map[string]string{} // directories by path
	var required []string
	listed := true // whether go.mod lists all modules that packages come from
	add := func(root string) {
		mod, err := parseMod(filepath.Join(root, "go.mod"))
		if err != nil || mod.Module == nil {
			return
		}
		modules[mod.Module.Mod.Path] = root
		listed = listed && mod.Go != nil && version.Compare("go"+mod.Go.Version, "go1.17") >= 0
		for _, r := range mod.Require {
			required = append(required, r.Mod.Path)
		}
	}
	add(dir)
	if work, err := parseWork(filepath.Join(dir, "go.work")); err == nil {
		for _, use := range work.Use {
			add(under(dir, use.Path))
		}
	}
	for _, root := range Modules(dir) { // those of a go.work above
		if mod, err := parseMod(filepath.Join(root, "go.mod")); err == nil && mod.Module != nil {
			required = append(required, mod.Module.Mod.Path)
		}
	}
	var errs Errors
	check := func(what, name string, pos Position) {
		in := func(module string) bool { return belongs(name, module) }
		if listed && len(modules) > 0 && !slices.ContainsFunc(required, in) && !slices.ContainsFunc(slices.Collect(maps.Keys(modules)), in) {
			errs = append(errs, &ParseError{pos, fmt.Sprintf("%s %q is of another module, which go.mod does not require", what, name)})
		} else if path, near := lacks(modules, required, name); path != "" {
			errs = append(errs, &ParseError{pos, fmt.Sprintf("%s %q names package %s, which the module does not have%s", what, name, path, didYouMean(near))})
		}
	}
	for _, t := range f.Tables {
		for _, h := range t.Handles {
			check("handle", h, f.Handles[h])
		}
	}
	for _, w := range f.Wrappers {
		check("wrapper", w.Func, w.Pos)
	}
	return errs
}

// lacks returns the path of the package of a name that belongs to one of the
// modules but has no directory there, and the path that is nearest to it.
func lacks(modules map[string]string, required []string, name string) (path, near string) {
	module := ""
	for m := range modules {
		if len(m) > len(module) && belongs(name, m) {
			module = m
		}
	}
	for _, m := range required {
		if len(m) > len(module) && belongs(name, m) {
			return "", ""
		}
	}
	if module == "" {
		return "", ""
	}
	// The path ends at one of the dots of its last element.
	slash := max(strings.LastIndex(name, "/"), len(module)-1)
	last := ""
	for i := slash + 1; i < len(name); i++ {
		if name[i] != '.' {
			continue
		}
		path := name[:i]
		if belongs(path, module) {
			sub := filepath.FromSlash(strings.TrimPrefix(path, module))
			if hasGo(filepath.Join(modules[module], sub)) || otherModule(modules[module], sub) {
				return "", ""
			}
			if strings.Count(name[i:], ".") <= 2 && last == "" {
				last = path
			}
		}
	}
	if last == "" {
		return "", ""
	}
	if near = rule.Nearest(strings.TrimPrefix(last, module), packages(modules[module])); near != "" {
		near = module + near
	}
	return last, near
}

// belongs reports whether a name begins with the path of a module.
func belongs(name, module string) bool {
	rest, ok := strings.CutPrefix(name, module)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '.')
}

func hasGo(dir string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	return len(files) > 0
}

// otherModule reports whether a directory on the way to sub is the root of a
// module of its own.
func otherModule(root, sub string) bool {
	for d := filepath.Join(root, sub); len(d) > len(root); d = filepath.Dir(d) {
		if exists(d, "go.mod") {
			return true
		}
	}
	return false
}

// packages returns where packages are in the module in root, as "/store".
func packages(root string) []string {
	var list []string
	walk(root, func(dir string) {
		if rel, err := filepath.Rel(root, dir); err == nil && rel != "." && hasGo(dir) {
			list = append(list, "/"+filepath.ToSlash(rel))
		}
	})
	return list
}

func parseMod(name string) (*modfile.File, error) {
	data, err := input.Read(name, input.Source)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, data, nil)
}

func parseWork(name string) (*modfile.WorkFile, error) {
	data, err := input.Read(name, input.Source)
	if err != nil {
		return nil, err
	}
	return modfile.ParseWork(name, data, nil)
}
