// Package wants holds what an analyzer reports and exports to the want comments
// of packages that are loaded already, and its fixes to their golden files. It
// does what golang.org/x/tools/go/analysis/analysistest does, which type-checks
// all dependencies from source for every call: with the real client, that is a
// thousand packages.
package wants

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/scanner"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/internal/sources"
)

// Testing is a *testing.T, for tests of this package.
type Testing interface {
	Helper()
	Errorf(format string, args ...any)
}

// Check runs the analyzer on those packages of the program that match, holds
// what it reports and exports to their comments, and returns what it did.
//
// A comment "// want `regexp` "regexp"" expects diagnostics on its line, and
// "// want name:`regexp`" a fact of what is declared there under that name, or of
// the package, on the first line of its first file; a fact of the package with a method
// Objects stands for those of objects that it calls its argument with. After want may stand how many
// lines below that is: +1.
func Check(t Testing, p *sources.Program, a *analysis.Analyzer, match func(*packages.Package) bool) []*checker.Action {
	t.Helper()
	var pkgs []*packages.Package
	for _, q := range p.Packages {
		if match(q) {
			pkgs = append(pkgs, q)
		}
	}
	if len(pkgs) == 0 {
		t.Errorf("no packages match")
		return nil
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{a}, pkgs, nil)
	if err != nil {
		t.Errorf("%v", err)
		return nil
	}
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Errorf("%s: %v", act, act.Err)
			continue
		}
		check(t, act)
	}
	return graph.Roots
}

// Below returns a function that reports whether a package is one of those
// whose directories, seen from dir, the patterns match, as the go command's do.
func Below(dir string, patterns ...string) func(*packages.Package) bool {
	return func(q *packages.Package) bool {
		rel, err := filepath.Rel(dir, filepath.Dir(q.GoFiles[0]))
		if err != nil {
			return false
		}
		rel = "./" + filepath.ToSlash(rel)
		for _, pattern := range patterns {
			parent, all := strings.CutSuffix(pattern, "/...")
			if rel == pattern || all && (rel == parent || strings.HasPrefix(rel, parent+"/") || parent == "." && !strings.HasPrefix(rel, "./..")) {
				return true
			}
		}
		return false
	}
}

// An expectation is a diagnostic, or a fact with a name, that is to match.
type expectation struct {
	name string
	rx   *regexp.Regexp
}

type line struct {
	file string
	line int
}

func check(t Testing, act *checker.Action) {
	t.Helper()
	fset := act.Package.Fset
	want := map[line][]expectation{}
	for _, f := range act.Package.Syntax {
		for _, group := range f.Comments {
			for _, c := range group.List {
				pos := fset.Position(c.Pos())
				below, list, err := expected(c)
				if err != nil {
					t.Errorf("%s: %v", pos, err)
				}
				if list != nil {
					want[line{pos.Filename, pos.Line + below}] = list
				}
			}
		}
	}
	met := func(pos token.Position, name, text string) {
		at := line{pos.Filename, pos.Line}
		var tried []string
		for i, e := range want[at] {
			if e.name != name {
				continue
			}
			if e.rx.MatchString(text) {
				rest := append([]expectation(nil), want[at][:i]...)
				want[at] = append(rest, want[at][i+1:]...)
				return
			}
			tried = append(tried, e.rx.String())
		}
		if name != "" {
			text = name + ": " + text
		}
		t.Errorf("%s: not wanted: %s", pos, strings.Join(append([]string{text}, tried...), "\n\twanted: "))
	}
	for _, d := range act.Diagnostics {
		met(fset.Position(d.Pos), "", d.Message)
	}
	ofObject := func(obj types.Object, fact analysis.Fact) {
		met(fset.Position(obj.Pos()), obj.Name(), fmt.Sprint(fact))
	}
	for _, f := range act.AllPackageFacts() {
		if f.Package != act.Package.Types {
			continue
		}
		met(token.Position{Filename: fset.Position(act.Package.Syntax[0].Pos()).Filename, Line: 1}, "package", fmt.Sprint(f))
		if all, ok := f.Fact.(interface {
			Objects(func(types.Object, analysis.Fact))
		}); ok {
			all.Objects(ofObject)
		}
	}
	for _, f := range act.AllObjectFacts() {
		if f.Object.Pkg() == act.Package.Types {
			ofObject(f.Object, f.Fact)
		}
	}
	for at, list := range want {
		for _, e := range list {
			t.Errorf("%s:%d: nothing is reported that matches %s", at.file, at.line, e.rx)
		}
	}
}

// expected parses a comment, and how many lines below it what it expects is. It
// may begin in another.
func expected(c *ast.Comment) (below int, list []expectation, err error) {
	text := strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), "/*")
	if i := strings.Index(text, "// want"); i >= 0 {
		text = text[i+len("// "):]
	}
	text, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimSuffix(text, "*/")), "want")
	if !ok {
		return 0, nil, nil
	}
	var sc scanner.Scanner
	sc.Init(strings.NewReader(text))
	sc.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanStrings | scanner.ScanRawStrings
	sc.Error = func(_ *scanner.Scanner, msg string) { err = fmt.Errorf("want: %s", msg) }
	for tok := sc.Scan(); tok != scanner.EOF && err == nil; tok = sc.Scan() {
		var e expectation
		switch tok {
		case '+':
			sc.Scan()
			below, err = strconv.Atoi(sc.TokenText())
			continue
		case scanner.Ident:
			e.name = sc.TokenText()
			if sc.Scan() != ':' {
				return 0, nil, fmt.Errorf("want: no colon after %s", e.name)
			}
			sc.Scan()
		}
		pattern, bad := strconv.Unquote(sc.TokenText())
		if bad != nil {
			return 0, nil, fmt.Errorf("want: %s is no regular expression in quotes", sc.TokenText())
		}
		if e.rx, err = regexp.Compile(pattern); err == nil {
			list = append(list, e)
		}
	}
	return below, list, err
}
