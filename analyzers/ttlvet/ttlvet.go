// Package ttlvet reports on ttlvet's own files: registries that contradict
// themselves, directives that are malformed or silence nothing.
package ttlvet

import (
	"fmt"
	"go/token"
	"path/filepath"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/declare"
	"github.com/ttlvet/ttlvet/internal/directive"
	"github.com/ttlvet/ttlvet/internal/fingerprint"
	"github.com/ttlvet/ttlvet/internal/plain"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/rule"
	"github.com/ttlvet/ttlvet/internal/schema"
	"github.com/ttlvet/ttlvet/internal/trace"
)

const doc = `check the registry and the directives of ttlvet itself

Reports a registry file that cannot be read or that Go declarations
contradict, and //ttlvet:ignore directives that are malformed, lack a reason or
silence nothing.`

// New returns the analyzer. rules are the analyzers whose findings
// directives silence.
func New(config *check.Config, rules ...*analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "ttlvet",
		Doc:        doc,
		URL:        rule.PageURL("ttlvet"),
		Requires:   append([]*analysis.Analyzer{trace.Analyzer, declare.Analyzer, directive.Analyzer}, rules...),
		ResultType: reflect.TypeFor[*check.Outcome](),
		Run: func(pass *analysis.Pass) (any, error) {
			m := &meta{pass: pass, config: config, rules: rules, out: &check.Outcome{}, used: map[token.Pos]bool{}}
			m.run()
			if config.Release {
				// This analyzer requires all others, so that it is the last.
				pass.ResultOf[trace.Analyzer].(*trace.Result).Release()
			}
			return m.out, nil
		},
	}
}

type meta struct {
	pass   *analysis.Pass
	config *check.Config
	rules  []*analysis.Analyzer
	out    *check.Outcome
	decl   *declare.Result
	file   *registry.File
	known  *check.Known       // nil where the registry is not usable
	used   map[token.Pos]bool // the directives that silenced a finding
}

func (m *meta) run() {
	m.decl = m.pass.ResultOf[declare.Analyzer].(*declare.Result)
	m.file = m.decl.File
	if m.file == nil && m.decl.Err == nil {
		// It holds for directives in packages without Bigtable too.
		m.file = declare.File(m.pass)
	}
	err := m.decl.Err
	if err == nil {
		m.known, err = check.NewKnown(m.pass, m.config, m.file)
	}
	if err != nil {
		if len(m.pass.Files) > 0 && m.pass.ResultOf[trace.Analyzer].(*trace.Result).Reaches {
			name := m.pass.Files[0].Name
			m.report("registry", name.Pos(), name.End(), "the registry is not usable, and nothing is checked: "+err.Error())
		}
		return
	}
	m.out.On = check.Layers(m.config, m.file)
	m.out.Reaches = m.pass.ResultOf[trace.Analyzer].(*trace.Result).Reaches
	m.out.Registry = m.decl.File != nil
	m.out.Declares = m.decl.Declares()
	m.calls()
	for _, c := range m.decl.Conflicts {
		if c.Declared.Pos.IsValid() {
			m.registry(c.Declared.Pos, token.NoPos, c.Message)
		}
	}
	if m.out.Reaches && !m.config.RegistryApart {
		m.schema()
	}
	m.directives()
}

// schema reports what is broken in the files with policies outside Go: where
// it is, analyzers cannot report.
func (m *meta) schema() {
	if m.decl.File == nil || len(m.pass.Files) == 0 {
		return
	}
	name := m.pass.Files[0].Name
	for _, e := range schema.Load(m.decl.File).Errors {
		at := e.Place
		if rel, err := filepath.Rel(filepath.Dir(m.decl.Path), at.File); err == nil {
			at.File = filepath.ToSlash(rel)
		}
		m.registry(name.Pos(), name.End(), "what the registry's schema names is not all read: "+at.String()+": "+e.Message)
	}
}

// registry reports a contradiction unless a directive silences it.
func (m *meta) registry(pos, end token.Pos, message string) {
	if !m.silenced(pos) {
		m.report("registry", pos, end, message)
	}
}

// silenced reports whether a directive silences what is wrong with the registry at
// a place.
func (m *meta) silenced(pos token.Pos) bool {
	r, _ := rule.Lookup("ttlvet", "registry")
	d := m.pass.ResultOf[directive.Analyzer].(*directive.Set).For(m.pass.Fset, pos, r)
	if d != nil {
		m.used[d.Pos] = true
	}
	return d != nil
}

// directives reports those that are malformed, and those that silence
// nothing.
func (m *meta) directives() {
	for _, a := range m.rules {
		for pos := range m.pass.ResultOf[a].(*check.Outcome).Directives {
			m.used[pos] = true
		}
	}
	layers := check.Layers(m.config, m.file)
	for _, d := range m.pass.ResultOf[directive.Analyzer].(*directive.Set).Directives {
		switch {
		case d.Problem != "":
			m.directive(d, d.Problem)
		case d.Others || m.used[d.Pos] || anyOff(layers, d.Names):
			// Others' directives may silence others' findings, and a rule that
			// is off might have been silenced.
		default:
			m.directive(d, "the directive silences nothing; remove it")
		}
	}
}

// directive reports what is wrong with a directive.
func (m *meta) directive(d *directive.Directive, message string) {
	pos, end := d.Pos, d.End
	if d.NoLint && m.config.NoLintHides {
		for _, f := range m.pass.Files {
			if f.FileStart <= pos && pos <= f.FileEnd {
				message = fmt.Sprintf("line %d: %s", m.pass.Fset.Position(pos).Line, message)
				pos, end = f.Name.Pos(), f.Name.End()
			}
		}
	}
	m.report("directive", pos, end, message)
}

// anyOff reports whether a rule that the directive names is switched off.
func anyOff(layers rule.Layers, names []string) bool {
	for _, r := range rule.All {
		for _, n := range names {
			if (n == r.Name() || n == r.Analyzer && !r.Strict) && !layers.On(r) {
				return true
			}
		}
	}
	return false
}

func (m *meta) report(category string, pos, end token.Pos, message string) {
	r, _ := rule.Lookup("ttlvet", category)
	if !check.Layers(m.config, m.file).On(r) {
		return
	}
	d := analysis.Diagnostic{Pos: pos, End: end, Category: category, Message: plain.String(message) + " (" + r.Name() + ")", URL: r.URL()}
	if m.known == nil {
		m.out.Fingerprints = append(m.out.Fingerprints, fingerprint.Fingerprint{
			Key: fingerprint.NewKey(r.Name(), m.pass.Pkg.Path(), "", "", "")})
	} else if !m.out.Add(m.known, r, pos, "", "") {
		m.out.Held = append(m.out.Held, d)
		return
	}
	m.out.Reported = append(m.out.Reported, d)
	m.pass.Report(d)
}
