package referee

import (
	"cmp"
	"fmt"
	"path/filepath"

	"golang.org/x/tools/go/analysis/checker"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/internal/place"
	"github.com/ttlvet/ttlvet/internal/sources"
)

// A Finding is what ttlvet says of a line.
type Finding struct {
	Rule    string // "ttlwrite/server-timestamp"
	At      string // "file.go:12"
	Reached string // where the value gets to that is supplied there, or ""
	Message string
}

// Analyze returns what ttlvet finds in the programs.
func (b *Batch) Analyze() ([]Finding, error) {
	p, err := sources.Load(b.Dir, false, "./...")
	if err != nil {
		return nil, err
	}
	graph, err := checker.Analyze(analyzers.Suite(), p.Packages, nil)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, act.Err
		}
		for _, d := range act.Diagnostics {
			pos := act.Package.Fset.Position(d.Pos)
			f := Finding{Rule: act.Analyzer.Name + "/" + d.Category, At: fmt.Sprintf("%s:%d", filepath.Base(pos.Filename), pos.Line), Message: d.Message}
			if file, line, ok := place.Reached(d.Message); ok {
				f.Reached = fmt.Sprintf("%s:%d", filepath.Base(cmp.Or(file, pos.Filename)), line)
			}
			out = append(out, f)
		}
	}
	return out, nil
}
