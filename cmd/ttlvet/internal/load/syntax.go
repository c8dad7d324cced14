package load

import (
	"go/scanner"
	"slices"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/glance"
)

// glances looks at all files of the packages.
func glances(list []*packages.Package) map[string]glance.Glance {
	var files []string
	for _, p := range list {
		files = append(files, p.GoFiles...)
	}
	slices.Sort(files)
	found := map[string]glance.Glance{}
	var mu sync.Mutex
	parallel(slices.Compact(files), func(file string) {
		g := glance.At(file)
		mu.Lock()
		defer mu.Unlock()
		found[file] = g
	})
	return found
}

// syntaxErrors returns the errors of the packages' files, or nil.
func (c *Config) syntaxErrors(list []*packages.Package, found map[string]glance.Glance) error {
	var lines BuildErrors
	told := map[string]bool{}
	for _, p := range list {
		headed := false
		for _, file := range p.GoFiles {
			if found[file].Err == nil || told[file] {
				continue
			}
			told[file] = true
			if !headed {
				headed = true
				lines = append(lines, "# "+p.ID)
			}
			if errs, ok := found[file].Err.(scanner.ErrorList); ok {
				for _, e := range errs {
					lines = append(lines, c.Shown.Position(e.Pos)+": "+e.Msg)
				}
			} else {
				lines = append(lines, found[file].Err.Error())
			}
		}
	}
	return lines.orTooOld()
}
