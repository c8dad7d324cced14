package unit

import (
	"fmt"
	"go/importer"
	"go/types"
	"io"
	"os"
	"strings"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/exportdata"
)

// importer returns an importer of what the unit imports, as far as names lead to
// it; of export data that is not as expected, the library's, which panics where it
// cannot read it either.
func (a *analyzing) importer(names map[string]bool) (types.Importer, error) {
	var imp types.Importer
	imp, err := exportdata.New(a.PackageFile, exportdata.Use{Names: names, Whole: a.whole, ByName: analyzers.ReachesByItself})
	if err != nil {
		if err := a.readable(); err != nil {
			return nil, unreadable{err}
		}
		imp = importer.ForCompiler(a.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(a.PackageFile[path]) })
	}
	return importerFunc(func(path string) (*types.Package, error) {
		resolved, ok := a.ImportMap[path]
		if !ok {
			return nil, fmt.Errorf("can't resolve import %q", path)
		}
		return imp.Import(resolved)
	}), nil
}

// unreadable is the error of export data that this program is too old for, which
// is never for the compiler to report.
type unreadable struct{ error }

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// own is where the paths of ttlvet's own packages begin.
const own = "github.com/ttlvet/ttlvet/"

// whole reports whether all of a package may be used: values are followed through
// it, which may lead to any of its names, or it is ttlvet's own, which fixes use.
func (a *analyzing) whole(path string) bool {
	return a.facts.traced(path) || strings.HasPrefix(path, own) || a.ModulePath != "" &&
		strings.HasPrefix(path, a.ModulePath) && (len(path) == len(a.ModulePath) || path[len(a.ModulePath)] == '/')
}

// words adds the words of a text to a set: whatever may be an identifier.
func words(text []byte, set map[string]bool) {
	start := -1
	for i, c := range text {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80 || c >= '0' && c <= '9':
			if start < 0 {
				start = i
			}
		case start >= 0:
			add(set, text[start:i])
			start = -1
		}
	}
	if start >= 0 {
		add(set, text[start:])
	}
}

func add(set map[string]bool, word []byte) {
	if !set[string(word)] {
		set[string(word)] = true
	}
}
