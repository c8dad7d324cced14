package analyze

import (
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/load"
	"github.com/ttlvet/ttlvet/internal/agreement"
	"github.com/ttlvet/ttlvet/internal/baseline"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/code"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/fingerprint"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/rule"
	"github.com/ttlvet/ttlvet/internal/schema"
)

// wantsSchema reports whether schemas outside Go are looked at.
func (j *Job) wantsSchema() bool {
	return j.Sources != nil || slices.ContainsFunc(registry.Modules(j.Dir), registry.HasSchema)
}

// addSchema adds what is wrong with schemas outside Go to the findings in Go.
// What is broken in them is printed, and hides nothing else.
func (j *Job) addSchema(findings []*finding.Finding, code []any) ([]*finding.Finding, error) {
	if !j.wantsSchema() {
		return j.sorted(findings)
	}
	pkg := &packages.Package{ID: finding.Outside, PkgPath: finding.Outside, Fset: token.NewFileSet()}
	known, err := j.knownSchema()
	if err != nil {
		return nil, err
	}
	number := fingerprint.Counter{}
	for i, root := range j.schemaRoots() {
		a, err := j.Agreement(root, code)
		if err != nil {
			return nil, err
		}
		var samples []*schema.Sample
		if i == 0 {
			samples = j.Samples
		}
		for _, s := range a.Findings(check.Layers(&j.Options, a.File).On, samples) {
			rule, _ := rule.Lookup(s.Analyzer, s.Category)
			in := a.Rel(s.Place.File)
			if s.Place.Address != "" && s.Place.Line == 0 {
				in = strings.TrimPrefix(in+" "+s.Place.Address, " ")
			}
			f := &finding.Finding{Pkg: pkg, Analyzer: s.Analyzer, Fingerprint: number.Next(fingerprint.NewKey(rule.Name(), finding.Outside, in, s.Table, s.Family)),
				Diagnostic: analysis.Diagnostic{Category: s.Category, Message: s.Message, URL: rule.URL()}}
			f.From = token.Position{Filename: s.Place.File, Line: s.Place.Line, Column: s.Place.Column}
			f.To = f.From
			if e := s.Place.End; e.Line > 0 {
				f.To = token.Position{Filename: e.File, Line: e.Line, Column: e.Column}
			}
			if in != a.Rel(s.Place.File) { // it has an address and no line
				f.From = token.Position{Filename: strings.TrimPrefix(s.Place.File+": "+s.Place.Address, ": ")}
				f.To = f.From
			}
			j.suggest(f, s)
			if entry, ok := known.Take(f.Fingerprint.Key); ok {
				j.Judged.Used[entry]++
				continue
			}
			findings = append(findings, f)
		}
	}
	return j.sorted(findings)
}

// knownSchema returns what the baseline knows of schemas.
func (j *Job) knownSchema() (*baseline.Budget, error) {
	var file *baseline.File
	paths := registry.Baselines(registry.Readable(j.Dir))
	if j.Options.Baseline != "" {
		paths = []string{j.Options.Baseline}
	}
	if j.Judged.Used == nil {
		j.Judged.Used = baseline.Usage{}
	}
	if len(paths) > 0 && !j.Options.NoBaseline {
		var err error
		if file, err = baseline.Load(paths[0]); err != nil {
			return nil, err
		}
	}
	return file.Budget(finding.Outside), nil
}

// schemaRoots lists the modules whose schemas are looked at: the one at hand
// where sources are named.
func (j *Job) schemaRoots() []string {
	roots := registry.Modules(j.Dir)
	if j.Sources != nil {
		return roots[:min(1, len(roots))]
	}
	return slices.DeleteFunc(roots, func(r string) bool { return !registry.HasSchema(r) })
}

// Agreement puts together what is known of a module.
func (j *Job) Agreement(root string, code []any) (*agreement.Agreement, error) {
	sources := agreement.Sources{Dir: j.Dir}
	if j.Sources != nil {
		sources = *j.Sources
	}
	a, err := agreement.New(root, sources, code)
	if err != nil {
		return nil, load.BuildErrors(strings.Split(err.Error(), "\n"))
	}
	if err := a.Broken(); err != nil {
		j.Broken = true
		for _, line := range strings.Split(err.Error(), "\n") {
			if file, rest, ok := strings.Cut(line, ":"); ok {
				line = j.Load.Shown.Path(file) + ":" + rest
			}
			fmt.Fprintln(j.Stderr, line)
		}
	}
	return a, nil
}

// Code gathers what the Go code that the patterns match does; nothing where
// no package reaches Bigtable.
func (j *Job) Code() ([]any, error) {
	results, err := j.Results(code.Analyzer)
	if errors.Is(err, ErrUnreached) || errors.As(err, new(load.NoPackages)) {
		return nil, nil
	}
	return results, err
}

// SchemaFindings returns what is wrong, in Go and elsewhere, in terms of schemas.
func (j *Job) SchemaFindings(a *agreement.Agreement) ([]*schema.Finding, error) {
	out := a.Findings(check.Layers(&j.Options, a.File).On, nil)
	sources := j.Sources
	j.Sources = nil
	findings, err := j.Findings()
	j.Sources = sources
	if errors.As(err, new(load.NoPackages)) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	for _, f := range findings {
		if f.Pkg.PkgPath == finding.Outside {
			continue
		}
		for _, family := range strings.Split(f.Fingerprint.Family, ",") {
			out = append(out, &schema.Finding{Analyzer: f.Analyzer, Category: f.Category, Table: f.Fingerprint.Table, Family: family, Message: f.Text(),
				Place: evidence.At(f.From.Filename, f.From.Line, f.From.Column)})
		}
	}
	return out, nil
}
