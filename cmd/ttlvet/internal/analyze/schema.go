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

// addOutside adds what is wrong outside Go to the findings in Go: with schemas, and
// with the registry's entries. What is broken in schemas is printed, and hides
// nothing else.
func (j *Job) addOutside(findings []*finding.Finding, code []any, mistakes registry.Errors) ([]*finding.Finding, error) {
	pkg := &packages.Package{ID: finding.Outside, PkgPath: finding.Outside, Fset: token.NewFileSet()}
	known, err := j.knownSchema()
	if err != nil {
		return nil, err
	}
	number := fingerprint.Counter{}
	add := func(a *agreement.Agreement, list []*schema.Finding) {
		for _, s := range list {
			f := newOutside(pkg, a, s, &number)
			j.suggest(f, s)
			if entry, ok := known.Take(f.Fingerprint.Key); ok {
				j.Judged.Used[entry]++
				j.Held = append(j.Held, f)
				continue
			}
			findings = append(findings, f)
		}
	}
	checked := map[string]bool{} // registries
	for i, root := range j.outsideRoots() {
		a, err := j.Agreement(root, code)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			j.Agreed = a
		}
		on := check.Layers(&j.Options, a.File).On
		if a.File != nil && !checked[a.File.Path] {
			checked[a.File.Path] = true
			add(a, j.ofRegistry(a, mistakes, on))
		}
		if j.Sources != nil || registry.HasSchema(root) {
			var samples []*schema.Sample
			if i == 0 {
				samples = j.Samples
			}
			add(a, a.Findings(on, samples))
		}
	}
	return j.sorted(findings, j.Stderr)
}

// ofRegistry returns what is wrong with the entries of a registry file: the mistakes
// that packages have found in it, and where all of them were looked at, the slips.
func (j *Job) ofRegistry(a *agreement.Agreement, mistakes registry.Errors, on func(rule.Rule) bool) []*schema.Finding {
	var found []*schema.Finding
	said := map[string]bool{}
	for _, e := range mistakes {
		what, _, _ := strings.Cut(e.Error(), " at ") // several packages may show it
		if e.Pos.File == a.File.Path && !said[what] {
			said[what] = true
			found = append(found, &schema.Finding{Analyzer: "ttlvet", Category: "registry", Place: evidence.Place{Position: e.Pos}, Message: e.Msg})
		}
	}
	if j.whole(a.File.Path) {
		return schema.Silence(append(found, a.Slips()...), []string{a.File.Path}, on)
	}
	// Directives may silence what only all packages show.
	return slices.DeleteFunc(schema.Silence(found, nil, on), func(f *schema.Finding) bool { return f.Category == "directive" })
}

// newOutside makes a finding of one that is not in Go.
func newOutside(pkg *packages.Package, a *agreement.Agreement, s *schema.Finding, number *fingerprint.Counter) *finding.Finding {
	rule, _ := rule.Lookup(s.Analyzer, s.Category)
	in := a.Rel(s.Place.File)
	addressed := s.Place.Address != "" && s.Place.Line == 0 // and has no line
	if addressed {
		in = strings.TrimPrefix(in+" "+s.Place.Address, " ")
	}
	f := &finding.Finding{Pkg: pkg, Analyzer: s.Analyzer, Fingerprint: number.Next(fingerprint.NewKey(rule.Name(), finding.Outside, in, s.Table, s.Family)),
		Diagnostic: analysis.Diagnostic{Category: s.Category, Message: s.Message, URL: rule.URL()}}
	f.From = token.Position{Filename: s.Place.File, Line: s.Place.Line, Column: s.Place.Column}
	if addressed {
		f.From = token.Position{Filename: strings.TrimPrefix(s.Place.File+": "+s.Place.Address, ": ")}
	}
	f.To = f.From
	if e := s.Place.End; e.Line > 0 && !addressed {
		f.To = token.Position{Filename: e.File, Line: e.Line, Column: e.Column}
	}
	return f
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

// outsideRoots lists the modules of which more is looked at than Go: the one at
// hand where sources are named, else those with schemas or a registry.
func (j *Job) outsideRoots() []string {
	roots := registry.Modules(j.Dir)
	if j.Sources != nil {
		return roots[:min(1, len(roots))]
	}
	return slices.DeleteFunc(roots, func(r string) bool { return registry.Find(r) == "" })
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

// Survey returns what is known of the module at hand, and what is wrong with it, in
// Go and elsewhere, in terms of schemas: what is reported, and what a baseline
// knows.
func (j *Job) Survey() (a *agreement.Agreement, found, known []*schema.Finding, err error) {
	findings, err := j.Findings()
	if err != nil {
		return nil, nil, nil, err
	}
	return j.Agreed, inSchema(findings), inSchema(j.Held), nil
}

func inSchema(findings []*finding.Finding) (out []*schema.Finding) {
	for _, f := range findings {
		for _, family := range strings.Split(f.Fingerprint.Family, ",") {
			out = append(out, &schema.Finding{Analyzer: f.Analyzer, Category: f.Category, Table: f.Fingerprint.Table, Family: family, Message: f.Text(),
				Place: evidence.At(f.From.Filename, f.From.Line, f.From.Column)})
		}
	}
	return out
}
