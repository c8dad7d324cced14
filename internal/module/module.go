// Package module tells whose code values are followed through: that of the
// module at hand, of its workspace, of what a replace directive points to, and
// of dependencies that use Bigtable themselves.
package module

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"

	"github.com/ttlvet/ttlvet/internal/lazy"
)

// clients are the modules whose requirement makes a dependency one whose code
// is followed: a company's shared library, rather than everybody's.
var clients = map[string]bool{
	"cloud.google.com/go/bigtable": true,
	"github.com/ttlvet/ttlvet":     true,
}

// cached matches what a module's directory in the module cache ends in.
var cached = lazy.Regexp(`@v\d[^/]*$`)

var (
	mu    sync.Mutex
	known = map[string]bool{} // by directory
)

// Followed reports whether the package in a directory is of a module whose
// code values are followed through. Directories in no module, such as those
// of a sandbox, are not, and neither are the standard library and vendored
// packages whose go.mod is not there to tell: the go command before 1.17 copied it.
func Followed(dir string) bool {
	if !filepath.IsAbs(dir) {
		return false
	}
	mu.Lock()
	defer mu.Unlock()
	return followed(filepath.Clean(dir))
}

func followed(dir string) bool {
	if answer, ok := known[dir]; ok {
		return answer
	}
	answer := false
	file, parent := filepath.Join(dir, "go.mod"), filepath.Dir(dir)
	switch {
	case filepath.Base(dir) == "vendor":
	case isFile(file):
		answer = isFollowed(dir, file)
	case parent != dir:
		answer = followed(parent)
	}
	known[dir] = answer
	return answer
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// vendored reports whether a directory is in a vendor directory of the go command's.
func vendored(dir string) bool {
	for parent := filepath.Dir(dir); parent != dir; dir, parent = parent, filepath.Dir(parent) {
		if filepath.Base(parent) == "vendor" && isFile(filepath.Join(parent, "modules.txt")) {
			return true
		}
	}
	return false
}

// isFollowed answers for a module by its go.mod.
func isFollowed(dir, file string) bool {
	data, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	path := modfile.ModulePath(data)
	if path == "std" || path == "cmd" || clients[path] || strings.HasPrefix(path, "cloud.google.com/go/") || strings.HasPrefix(path, "google.golang.org/") {
		return false // what the client is made of: genproto requires it, too
	}
	if !cached().MatchString(filepath.ToSlash(dir)) && !vendored(dir) {
		return true
	}
	mod, err := modfile.ParseLax(file, data, nil)
	if err != nil {
		return false
	}
	for _, r := range mod.Require {
		if clients[r.Mod.Path] {
			return true
		}
	}
	return false
}
