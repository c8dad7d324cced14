// Package place names lines of source in messages and facts, which must be the
// same in every checkout and in every driver.
package place

import (
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Of returns a position as "file:line", with the file's path relative to the
// root of its module; outside of modules, as in sandboxes, it is the name alone.
func Of(pos token.Position) string {
	return File(pos.Filename) + ":" + strconv.Itoa(pos.Line)
}

// File returns the path of a file relative to the root of its module.
func File(name string) string {
	dir, base := filepath.Split(name)
	if !filepath.IsAbs(name) {
		return base // not known relative to what
	}
	root := rootOf(filepath.Clean(dir))
	rel, err := filepath.Rel(root, name)
	if root == "" || err != nil {
		return base
	}
	return filepath.ToSlash(rel)
}

// From returns a place of the module in which a file lies as it is seen from the
// directory of another file: relative to the root of that one's module. Of modules
// that lie in the module cache, which is elsewhere on each machine, it is the place as
// it is.
func From(seen, file, where string) string {
	from, of := rootOf(filepath.Dir(seen)), rootOf(filepath.Dir(file))
	name, line, ok := strings.Cut(where, ":")
	if !ok || from == "" || of == "" || from == of || strings.Contains(of, "@") {
		return where
	}
	path := filepath.Join(of, filepath.FromSlash(name))
	rel, err := filepath.Rel(from, path)
	if _, missing := os.Stat(path); err != nil || missing != nil {
		return where
	}
	return filepath.ToSlash(rel) + ":" + line
}

// roots are the roots of the modules of directories, "" for none.
var roots sync.Map

func rootOf(dir string) string {
	if root, ok := roots.Load(dir); ok {
		return root.(string)
	}
	root := ""
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		root = dir
	} else if parent := filepath.Dir(dir); parent != dir && !strings.HasSuffix(dir, ":") {
		root = rootOf(parent)
	}
	roots.Store(dir, root)
	return root
}
