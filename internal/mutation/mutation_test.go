package mutation_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/internal/mutation"
	"github.com/ttlvet/ttlvet/internal/sources"
)

// A finding is a diagnostic with its place; mutants keep lines where they are.
type finding struct {
	file              string
	line              int
	category, message string
}

// find runs the suite.
func find(t *testing.T, p *sources.Program, pkgs []*packages.Package) map[finding]bool {
	t.Helper()
	graph, err := checker.Analyze(analyzers.Suite(), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[finding]bool{}
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Fatalf("%s: %v", act, act.Err)
		}
		for _, d := range act.Diagnostics {
			pos := p.Fset.Position(d.Pos)
			found[finding{pos.Filename, pos.Line, d.Category, d.Message}] = true
		}
	}
	return found
}

// mutants returns the mutants of all packages.
func mutants(t *testing.T, p *sources.Program) []*mutation.Mutant {
	t.Helper()
	graph, err := checker.Analyze([]*analysis.Analyzer{mutation.Analyzer}, p.Packages, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []*mutation.Mutant
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Fatal(act.Err)
		}
		out = append(out, act.Result.([]*mutation.Mutant)...)
	}
	return out
}

// A score counts the mutants of a kind: those that are found for what they
// are, by where, and those of which only something else is found.
type score struct{ total, line, decl, elsewhere, other int }

func (s score) found() int { return s.line + s.decl + s.elsewhere }

// Of a hundred mutants, so many are to be found of each kind, and over all.
const ofEach, ofAll = 90, 97

// TestMutation breaks the correct code of the demo and, where the slow suite runs,
// of the cases, one expression at a time, and counts how much of it is found for
// what it is: on the line, in the function, or where the value that the function
// makes is used.
func TestMutation(t *testing.T) {
	scores := map[mutation.Kind]*score{}
	for _, k := range mutation.Kinds {
		scores[k] = &score{}
	}
	start, all := time.Now(), score{}
	var missed []string
	modules := []string{"demo"}
	if os.Getenv("TTLVET_SLOW") != "" {
		modules = append(modules, "cases")
	}
	for _, name := range modules {
		dir, err := filepath.Abs("../../testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := sources.Load(dir, false, "./...")
		if err != nil {
			t.Fatal(err)
		}
		before := find(t, p, p.Packages)
		// What is found in some packages is silenced.
		list := slices.DeleteFunc(mutants(t, p), func(m *mutation.Mutant) bool { return strings.Contains(m.Package, "/silence") })
		for _, m := range list {
			s := scores[m.Kind]
			s.total++
			all.total++
			switch where := try(t, p, m, before); where {
			case "line":
				s.line++
				all.line++
			case "declaration":
				s.decl++
				all.decl++
			case "elsewhere":
				s.elsewhere++
				all.elsewhere++
			default:
				if strings.Contains(where, "found as") {
					s.other++
					all.other++
				}
				rel, _ := filepath.Rel(dir, m.File)
				missed = append(missed, strings.Replace(m.String(), m.File, name+"/"+rel, 1)+where)
			}
		}
	}
	report := func(name string, s score) string {
		return fmt.Sprintf("%-36s %4d mutants, %4d found: %4d on the line, %3d in the declaration, %3d elsewhere; %2d found as something else\n", name, s.total, s.found(), s.line, s.decl, s.elsewhere, s.other)
	}
	text := ""
	for _, k := range mutation.Kinds {
		text += report(string(k), *scores[k])
	}
	t.Logf("%s\n%s%s", time.Since(start).Round(time.Second), text, report("all", all))
	if len(missed) > 0 {
		t.Logf("missed:\n%s", strings.Join(missed, "\n"))
	}
	for _, k := range mutation.Kinds {
		s := scores[k]
		if s.total == 0 && len(modules) > 1 { // the demo has not all
			t.Errorf("%s: no mutants", k)
		}
		if s.found()*100 < s.total*ofEach {
			t.Errorf("%s: %d of %d are found: fewer than %d %%", k, s.found(), s.total, ofEach)
		}
	}
	if all.found()*100 < all.total*ofAll {
		t.Errorf("%d of %d mutants are found: fewer than %d %%", all.found(), all.total, ofAll)
	}
}

// try says where a mutant is found: "line", "declaration", "elsewhere", or
// why it is not.
func try(t *testing.T, p *sources.Program, m *mutation.Mutant, before map[finding]bool) string {
	t.Helper()
	var pkg *packages.Package
	for _, q := range p.Packages {
		if q.PkgPath == m.Package {
			pkg = q
		}
	}
	src, err := mutation.Source(m.File)
	if err != nil {
		t.Fatal(err)
	}
	name := 0
	for _, f := range pkg.Syntax {
		if p.Fset.File(f.FileStart).Name() == m.File {
			name = p.Fset.Position(f.Name.End()).Offset
		}
	}
	pkgs, err := p.Edit(map[string]string{m.File: m.Apply(src, name)})
	if err != nil {
		return " (does not build: " + err.Error() + ")"
	}
	where, others := "", map[string]bool{}
	for f := range find(t, p, pkgs) {
		switch {
		case before[f]:
		case !m.Kind.Is(f.category):
			others[f.category] = true
		case f.file == m.File && f.line == m.Line:
			return "line"
		case f.file == m.File && m.From <= f.line && f.line <= m.To:
			where = "declaration"
		case where == "":
			where = "elsewhere"
		}
	}
	if where == "" && len(others) > 0 {
		return " (found as " + strings.Join(slices.Sorted(maps.Keys(others)), ", ") + ")"
	}
	return where
}
