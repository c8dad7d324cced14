// Package ttlvet reports on ttlvet's own files: registries that contradict
// themselves, directives that are malformed or silence nothing.
package ttlvet

import (
	"go/token"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/analyzers/internal/check"
	"github.com/ttlvet/ttlvet/analyzers/internal/declare"
	"github.com/ttlvet/ttlvet/analyzers/internal/directive"
	"github.com/ttlvet/ttlvet/analyzers/internal/rule"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace"
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
			m := &meta{pass: pass, config: config, rules: rules, out: &check.Outcome{}}
			m.run()
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
}

func (m *meta) run() {
	m.decl = m.pass.ResultOf[declare.Analyzer].(*declare.Result)
	if m.decl.Err != nil {
		if len(m.pass.Files) > 0 {
			name := m.pass.Files[0].Name
			m.report("registry", name.Pos(), name.End(), "the registry is not usable, and nothing is checked: "+m.decl.Err.Error())
		}
		return
	}
	for _, c := range m.decl.Conflicts {
		if c.Declared.Pos.IsValid() {
			m.report("registry", c.Declared.Pos, token.NoPos, c.Message)
		}
	}
	m.directives()
}

// directives reports those that are malformed, and those that silence
// nothing.
func (m *meta) directives() {
	used := map[token.Pos]bool{}
	for _, a := range m.rules {
		for pos := range m.pass.ResultOf[a].(*check.Outcome).Directives {
			used[pos] = true
		}
	}
	layers := check.Layers(m.config, m.decl.File)
	for _, d := range m.pass.ResultOf[directive.Analyzer].(*directive.Set).Directives {
		switch {
		case d.Problem != "":
			m.report("directive", d.Pos, d.End, d.Problem)
		case used[d.Pos] || anyOff(layers, d.Names):
			// A rule that is off might have been silenced.
		default:
			m.report("directive", d.Pos, d.End, "the directive silences nothing; remove it")
		}
	}
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
	if !check.Layers(m.config, m.decl.File).On(r) {
		return
	}
	d := analysis.Diagnostic{Pos: pos, End: end, Category: category, Message: message + " (" + r.Name() + ")", URL: r.URL()}
	m.out.Reported = append(m.out.Reported, d)
	m.pass.Report(d)
}
