package analyze

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/ttlvet/ttlvet/internal/registry"
)

// wantsCalls reports whether it matters what packages call: where a registry can
// be held against all of it, or where there is none that declares a table.
func (j *Job) wantsCalls() bool {
	return slices.ContainsFunc(registry.Modules(j.Dir), func(root string) bool {
		path := registry.Find(root)
		if path == "" || j.whole(path) {
			return true
		}
		file, err := registry.Load(path)
		return err == nil && len(file.Tables) == 0
	})
}

// whole reports whether the patterns match all packages of all modules for which a
// registry file holds, with their tests.
func (j *Job) whole(file string) bool {
	if j.Only != nil || !j.Load.Tests && j.Sources == nil {
		return false
	}
	roots := slices.DeleteFunc(registry.Modules(j.Dir), func(root string) bool { return registry.Find(root) != file })
	return len(roots) > 0 && !slices.ContainsFunc(roots, func(root string) bool { return !j.matchesAll(root) })
}

// matchesAll reports whether a pattern matches all packages of the module in root.
func (j *Job) matchesAll(root string) bool {
	data, _ := os.ReadFile(filepath.Join(root, "go.mod"))
	path := modfile.ModulePath(data)
	return slices.ContainsFunc(j.Load.Patterns, func(p string) bool {
		base, all := strings.CutSuffix(p, "/...")
		switch {
		case !all:
			return false
		case base == "." || base == ".." || strings.HasPrefix(base, "./") || strings.HasPrefix(base, "../"):
			return filepath.Join(j.Dir, filepath.FromSlash(base)) == root
		case filepath.IsAbs(base):
			return filepath.Clean(base) == root
		}
		return path != "" && (path == base || strings.HasPrefix(path, base+"/"))
	})
}
