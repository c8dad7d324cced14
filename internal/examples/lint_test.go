package examples_test

import (
	"bytes"
	"fmt"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/internal/examples"
	"github.com/ttlvet/ttlvet/internal/rule"
)

// TestPages holds the analyzers to the pages: each bad example is reported by
// the rule in whose section it stands, and no good one by any rule, not even
// a strict one.
func TestPages(t *testing.T) {
	suite := complete(t, &analyzers.Options{Strict: true})
	all, err := examples.All()
	if err != nil {
		t.Fatal(err)
	}
	dir := module(t)
	write(t, filepath.Join(dir, "common.go"), []byte(examples.Common))
	for _, e := range all {
		write(t, filepath.Join(dir, e.Name+".go"), e.Source)
	}
	found := make(map[string][]string)
	for _, f := range lint(t, dir, suite) {
		name := strings.TrimSuffix(filepath.Base(f.pos.Filename), ".go")
		found[name] = append(found[name], f.rule)
	}
	for _, e := range all {
		got := found[e.Name]
		switch {
		case e.Bad && !slices.Contains(got, e.Rule.Name()):
			t.Errorf("%s: the bad example %s is not reported, but %v", e.Rule.Name(), e.Name, got)
		case !e.Bad && len(got) > 0:
			t.Errorf("%s: the good example %s is reported as %v", e.Rule.Name(), e.Name, got)
		}
	}
}

// TestDemo checks that what is reported in the demo is what is marked there.
func TestDemo(t *testing.T) {
	suite := complete(t, &analyzers.Options{})
	dir, err := filepath.Abs("../../testdata/demo")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	mark := regexp.MustCompile(`// BAD: (\S+)`)
	err = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		data, err := os.ReadFile(path)
		for i, line := range bytes.Split(data, []byte("\n")) {
			if m := mark.FindSubmatch(line); m != nil {
				want = append(want, fmt.Sprintf("%s:%d: %s", path, i+1, m[1]))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range lint(t, dir, suite) {
		got = append(got, fmt.Sprintf("%s:%d: %s", f.pos.Filename, f.pos.Line, f.rule))
	}
	for _, f := range got {
		if !slices.Contains(want, f) {
			t.Errorf("reported and not marked: %s", f)
		}
	}
	for _, f := range want {
		if !slices.Contains(got, f) {
			t.Errorf("marked and not reported: %s", f)
		}
	}
}

// complete returns the suite, and skips the test where analyzers are missing.
func complete(t *testing.T, o *analyzers.Options) []*analysis.Analyzer {
	t.Helper()
	suite := analyzers.New(o)
	for _, name := range rule.Analyzers() {
		if name != "ttlvet" && name != "ttlschema" && !slices.ContainsFunc(suite, func(a *analysis.Analyzer) bool { return a.Name == name }) {
			t.Skipf("the suite has no %s", name)
		}
	}
	return suite
}

// module makes a module for the examples with their registry, which requires
// what this one does and finds the runtime package where it is.
func module(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	registry, err := examples.Registry()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.mod"), mod)
	write(t, filepath.Join(dir, "go.sum"), sum)
	write(t, filepath.Join(dir, "ttlvet.yaml"), []byte(registry))
	const self = "github.com/ttlvet/ttlvet/runtime"
	edit := exec.CommandContext(t.Context(), "go", "mod", "edit",
		"-module=example.com/examples", "-require="+self+"@v0.1.0", "-replace="+self+"="+filepath.Join(root, "runtime"))
	edit.Dir = dir
	if out, err := edit.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// A finding is a diagnostic with the name of its rule.
type finding struct {
	pos  token.Position
	rule string
}

// lint runs the suite on the packages below dir. Of other modules only the
// types are loaded: what the client and the runtime package do is known to
// the analyzers.
func lint(t *testing.T, dir string, suite []*analysis.Analyzer) []finding {
	t.Helper()
	roots, err := packages.Load(&packages.Config{Context: t.Context(), Dir: dir, Mode: packages.LoadSyntax | packages.NeedModule}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(roots) > 0 {
		t.Fatalf("%s does not build", dir)
	}
	for _, p := range roots {
		for path, imported := range p.Imports {
			if !slices.Contains(roots, imported) {
				delete(p.Imports, path)
			}
		}
	}
	graph, err := checker.Analyze(suite, roots, nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []finding
	for _, action := range graph.Roots {
		if action.Err != nil {
			t.Errorf("%s on %s: %v", action.Analyzer, action.Package, action.Err)
		}
		for _, d := range action.Diagnostics {
			list = append(list, finding{action.Package.Fset.Position(d.Pos), name(action.Analyzer.Name, d.Category)})
		}
	}
	return list
}

// name returns the rule's name. What ttlvet reports of its own input may come
// from any analyzer.
func name(analyzer, category string) string {
	if _, ok := rule.Lookup(analyzer, category); !ok {
		analyzer = "ttlvet"
	}
	return analyzer + "/" + category
}
