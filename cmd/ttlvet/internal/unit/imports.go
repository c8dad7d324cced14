package unit

import (
	"fmt"
	"go/importer"
	"go/types"
	"io"
	"os"
)

// importer returns an importer of what the unit imports. Of export data that it
// cannot read there is an error before the library's importer panics.
func (a *analyzing) importer() (types.Importer, error) {
	if err := a.readable(); err != nil {
		return nil, unreadable{err}
	}
	imp := importer.ForCompiler(a.fset, a.Compiler, func(path string) (io.ReadCloser, error) { return os.Open(a.PackageFile[path]) })
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
