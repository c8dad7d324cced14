package wants

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/sources"
)

// A recorder is a test that fails.
type recorder struct{ errors []string }

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

type short struct{}

func (*short) AFact()         {}
func (*short) String() string { return "short" }

// shout reports functions with short names, whose names it makes upper case, and
// exports a fact of them.
var shout = &analysis.Analyzer{
	Name: "shout", Doc: "report short names", FactTypes: []analysis.Fact{new(short)},
	Run: func(pass *analysis.Pass) (any, error) {
		for _, file := range pass.Files {
			for _, d := range file.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || len(fn.Name.Name) > 1 {
					continue
				}
				pass.ExportObjectFact(pass.TypesInfo.Defs[fn.Name].(*types.Func), new(short))
				upper := strings.ToUpper(fn.Name.Name)
				pass.Report(analysis.Diagnostic{Pos: fn.Name.Pos(), Message: "short name " + fn.Name.Name, SuggestedFixes: []analysis.SuggestedFix{{
					TextEdits: []analysis.TextEdit{{Pos: fn.Name.Pos(), End: fn.Name.End(), NewText: []byte(upper)}}}}})
			}
		}
		return nil, nil
	},
}

// TestCheck: what is wanted is to be reported, and nothing else, in test files
// too, and the fixes make what the golden file shows.
func TestCheck(t *testing.T) {
	const good = "package m\n\nfunc a() {} // want `short name a` a:\"short\"\n\n// want +2 \"name b\" b:`short`\n\nfunc b() {}\n"
	golden := strings.NewReplacer("func a", "func A", "func b", "func B").Replace(good)
	for _, test := range []struct {
		name, source, golden, tests string
		want                        []string
	}{
		{"all is wanted", good, golden, "package m\n\nfunc Long() {}\n", nil},
		{"not wanted", "package m\n\nfunc a() {} // want a:`short`\n", "package m\n\nfunc A() {} // want a:`short`\n", "",
			[]string{"m.go:3:6: not wanted: short name a"}},
		{"another is wanted", "package m\n\nfunc a() {} // want `name b` a:`long`\n", "package m\n\nfunc A() {} // want `name b` a:`long`\n", "",
			[]string{"not wanted: short name a\n\twanted: name b", "not wanted: a: short\n\twanted: long", "m.go:3: nothing is reported that matches name b", "matches long"}},
		{"nothing is there", "package m // want `name`\n", "", "", []string{"m.go:1: nothing is reported that matches name"}},
		{"malformed", "package m // want x\n", "", "", []string{"m.go:1:11: want: no colon after x"}},
		{"in a test", "package m\n", "", "package m\n\nfunc c() {}\n", []string{"m_test.go:3:6: not wanted: short name c", "not wanted: c: short", "m_test.go.golden: no such file"}},
		{"another golden file", good, good, "", []string{"+func A() {}"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.25\n", "m.go": test.source, "m.go.golden": test.golden, "m_test.go": test.tests} {
				if text == "" {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			p, err := sources.Load(dir, true, "./...")
			if err != nil {
				t.Fatal(err)
			}
			r := &recorder{}
			Fixes(r, Check(r, p, shout, Below(dir, "./...")))
			got := slices.Compact(slices.Sorted(slices.Values(r.errors))) // a package and its test variant say the same
			for _, want := range test.want {
				if !slices.ContainsFunc(got, func(e string) bool { return strings.Contains(e, want) }) {
					t.Errorf("nothing says %q:\n%s", want, strings.Join(got, "\n"))
				}
			}
			if len(got) != len(test.want) {
				t.Errorf("errors, of which %d are wanted:\n%s", len(test.want), strings.Join(got, "\n"))
			}
		})
	}
}

// TestConflict: fixes that edit the same place are an error, unless they do
// the same.
func TestConflict(t *testing.T) {
	name := filepath.Join(t.TempDir(), "m.go")
	for file, text := range map[string]string{name: "package m\n", name + ".golden": "package n // x\n"} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		edits []edit
		want  string
	}{
		{[]edit{{9, 9, " // x"}, {8, 9, "n"}, {8, 9, "n"}}, ""},
		{[]edit{{8, 9, "n"}, {8, 9, "p"}}, "two fixes edit what stands at offset 8"},
	} {
		r := &recorder{}
		compare(r, name, test.edits)
		if got := strings.Join(r.errors, "\n"); !strings.HasSuffix(got, test.want) || got == "" != (test.want == "") {
			t.Errorf("%v: %s", test.edits, got)
		}
	}
}
