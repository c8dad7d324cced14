package check

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/baseline"
	"github.com/ttlvet/ttlvet/internal/fingerprint"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/rule"
)

// Details are what drivers can learn of an analyzer's run besides its
// diagnostics.
type Details struct {
	// Fingerprints identify the diagnostics, in the order in which they were
	// reported.
	Fingerprints []fingerprint.Fingerprint
	// Baselined are the entries of the baseline by which findings were not
	// reported, one for each of these.
	Baselined []fingerprint.Key
	// On says which rules were switched on; nil when nothing was checked.
	On rule.Layers
}

// Known holds the findings of a package against what is known of before.
type Known struct {
	files   []*ast.File
	pkg     string
	counter fingerprint.Counter
	budget  *baseline.Budget
}

// NewKnown reads the baseline that the configuration or the registry file
// names. The error says what is wrong with it.
func NewKnown(pass *analysis.Pass, config *Config, file *registry.File) (*Known, error) {
	var known *baseline.File
	var err error
	switch {
	case config.NoBaseline:
	case config.Baseline != "":
		known, err = baseline.Load(config.Baseline)
	case file != nil && file.Baseline != "":
		known, err = file.LoadBaseline()
	}
	if err != nil {
		return nil, err
	}
	pkg := pass.Pkg.Path()
	return &Known{pass.Files, pkg, fingerprint.Counter{}, known.Budget(pkg)}, nil
}

// Add notes a finding that is about to be reported, and reports whether it is
// to be: whether the baseline does not know it.
func (d *Details) Add(k *Known, r rule.Rule, pos token.Pos, table, family string) bool {
	in := ""
	for _, f := range k.files {
		if f.FileStart <= pos && pos <= f.FileEnd {
			in = fingerprint.Enclosing(f, pos)
		}
	}
	key := fingerprint.NewKey(r.Name(), k.pkg, in, table, family)
	fp := k.counter.Next(key)
	if entry, ok := k.budget.Take(key); ok {
		d.Baselined = append(d.Baselined, entry)
		return false
	}
	d.Fingerprints = append(d.Fingerprints, fp)
	return true
}
