package main

import (
	"bytes"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"regexp"
	"slices"
	"sync"

	"golang.org/x/tools/go/packages"
)

// directive is the text of a silencing directive, well formed or not.
var directive = regexp.MustCompile(`//\s*ttlvet:|/\*\s*ttlvet:|//[/ ]*nolint:[^/\n]*\bttl`)

// A glance is what is known of a file of a package that does not reach
// Bigtable, and so is not analysed for its own sake.
type glance struct {
	// directive reports whether the file holds the text of a silencing
	// directive. One that silences nothing is a finding, also where nothing
	// else could be.
	directive bool
	// err is why it does not parse. What a file imports is not known then,
	// nor whether it reaches Bigtable.
	err error
}

func glanceAt(file string) glance {
	data, err := os.ReadFile(file)
	if err != nil {
		return glance{err: err}
	}
	_, err = parser.ParseFile(token.NewFileSet(), file, data, parser.SkipObjectResolution)
	return glance{bytes.Contains(data, []byte("ttlvet")) && directive.Match(data), err}
}

// glances looks at all files of the packages.
func glances(list []*packages.Package) map[string]glance {
	var files []string
	for _, p := range list {
		files = append(files, p.GoFiles...)
	}
	slices.Sort(files)
	found := map[string]glance{}
	var mu sync.Mutex
	parallel(slices.Compact(files), func(file string) {
		g := glanceAt(file)
		mu.Lock()
		defer mu.Unlock()
		found[file] = g
	})
	return found
}

// syntaxErrors returns the errors of the packages' files, or nil.
func (c *config) syntaxErrors(list []*packages.Package, found map[string]glance) error {
	var lines buildErrors
	told := map[string]bool{}
	for _, p := range list {
		headed := false
		for _, file := range p.GoFiles {
			if found[file].err == nil || told[file] {
				continue
			}
			told[file] = true
			if !headed {
				headed = true
				lines = append(lines, "# "+p.ID)
			}
			if errs, ok := found[file].err.(scanner.ErrorList); ok {
				for _, e := range errs {
					lines = append(lines, c.position(e.Pos)+": "+e.Msg)
				}
			} else {
				lines = append(lines, found[file].err.Error())
			}
		}
	}
	return lines.orTooOld()
}
