package analyze

import (
	"errors"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// ErrUnreached says that there is nothing to look at.
var ErrUnreached = errors.New("no package that the patterns match reaches Bigtable")

// Results runs one analyzer over the packages that the patterns match.
func (j *Job) Results(a *analysis.Analyzer) ([]any, error) {
	g, err := j.Load.Graph()
	if err != nil {
		return nil, err
	}
	roots, err := g.Roots()
	if err != nil {
		return nil, err
	}
	if len(roots) == 0 {
		return nil, ErrUnreached
	}
	loaded, err := g.Load(roots)
	if err != nil {
		return nil, err
	}
	var pkgs []*packages.Package
	for _, p := range roots {
		pkgs = append(pkgs, loaded[p].Pkg)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{a}, pkgs, nil)
	if err != nil {
		return nil, err
	}
	var out []any
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, act.Err
		}
		out = append(out, act.Result)
	}
	return out, nil
}
