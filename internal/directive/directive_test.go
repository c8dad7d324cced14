package directive

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/rule"
)

// find returns the directives of a file.
func find(t *testing.T, src string) (*token.FileSet, *token.File, *Set) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "a.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pass := &analysis.Pass{Fset: fset}
	pass.Files = append(pass.Files, f)
	result, err := Analyzer.Run(pass)
	if err != nil {
		t.Fatal(err)
	}
	return fset, fset.File(f.FileStart), result.(*Set)
}

// TestScope: each source has one directive. Of its lines those are marked
// with "«" that it must speak for.
func TestScope(t *testing.T) {
	for name, src := range map[string]string{
		"line": `package p
func f() {
	g()
	g() //ttlvet:ignore ttlwrite why «
	g()
}`,
		"call over several lines": `package p
func f() {
	g(1, //ttlvet:ignore ttlwrite why «
		2, // «
		3) // «
	g()
}`,
		"end of a call over several lines": `package p
func f() {
	g(1,
		2) //ttlvet:ignore ttlwrite why «
	g()
}`,
		"head of a block": `package p
func f() {
	if g() { //ttlvet:ignore ttlwrite why «
		g()
	}
}`,
		"statement below": `package p
func f() {
	g()
	//ttlvet:ignore ttlwrite why «
	g(1, // «
		2) // «
	g()
}`,
		"statement below further comments": `package p
func f() {
	//ttlvet:ignore ttlwrite why «
	// «
	// Because. «
	g() // «
	g()
}`,
		"block below": `package p
func f() {
	//ttlvet:ignore ttlwrite why «
	if g() { // «
		g() // «
	} // «
	g()
}`,
		"before the end of a block": `package p
func f() {
	g()
	//ttlvet:ignore ttlwrite why «
}
func h() {}`,
		"declaration": `package p

// f does.
//
//ttlvet:ignore ttlwrite why «
func f() { // «
	g() // «
} // «

func h() {}`,
		"first line of a declaration's comment": `package p

//ttlvet:ignore ttlwrite why «
// f does. «
func f() { // «
	g() // «
} // «

func h() {}`,
		"variables": `package p

//ttlvet:ignore ttlwrite why «
var ( // «
	a = 1 // «
	b = 2 // «
) // «

var c = 3`,
		"one of several variables": `package p

var (
	a = 1
	//ttlvet:ignore ttlwrite why «
	b = 2 // «
	c = 3
)`,
		"element of a literal": `package p

var list = []int{
	1,
	2, //ttlvet:ignore ttlwrite why «
	3,
}`,
		"element of a literal below": `package p

var list = [][]int{
	{1},
	//ttlvet:ignore ttlwrite why «
	{ // «
		2, // «
	}, // «
	{3},
}`,
		"file": `// Package p is. «
//
//ttlvet:ignore ttlwrite why «
package p // «

func f() {} // «`,
		"file, apart from its comment": `//ttlvet:ignore ttlwrite why «

// Package p is. «
package p // «
`,
		"nolint on the line": `package p
func f() {
	g() //nolint:ttlvet // why «
	g()
}`,
		"nolint on the declaration": `package p

//nolint:ttlvet // why «
func f() { // «
	g() // «
} // «
func h() {}`,
		"case of a switch": `package p
func f() {
	switch g() {
	//ttlvet:ignore ttlwrite why «
	case 1: // «
		g() // «
	case 2:
		g()
	}
}`,
		"function literal": `package p
func f() {
	//ttlvet:ignore ttlwrite why «
	g(func() { // «
		g() // «
	}) // «
	g()
}`,
		"below a line comment": `package p

//line grammar.y:100
func f() {
	g() //ttlvet:ignore ttlwrite why «
	g()
}`,
		"nothing follows": `package p

//ttlvet:ignore ttlwrite why «
`,
	} {
		t.Run(name, func(t *testing.T) {
			_, tf, set := find(t, strings.ReplaceAll(src, " «", ""))
			if len(set.Directives) != 1 {
				t.Fatalf("%d directives", len(set.Directives))
			}
			d := set.Directives[0]
			if d.Problem != "" {
				t.Fatal(d.Problem)
			}
			// A finding stands where the line's code begins.
			for i, text := range strings.Split(src, "\n") {
				clean := strings.ReplaceAll(text, " «", "")
				indent := len(clean) - len(strings.TrimLeft(clean, "\t"))
				if len(clean) == indent || clean == "//" {
					continue
				}
				pos := tf.LineStart(i+1) + token.Pos(indent)
				want := strings.Contains(text, "«")
				if got := d.From <= pos && pos <= d.To; got != want {
					t.Errorf("line %d, %s: %t, want %t", i+1, clean, got, want)
				}
			}
		})
	}
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		text    string
		names   string // separated by blanks
		problem string // a part of it; "none" where it is no directive of ttlvet's
	}{
		{"//ttlvet:ignore ttlread/missing-filter why not", "ttlread/missing-filter", ""},
		{"//ttlvet:ignore ttlread why", "ttlread", ""},
		{"//ttlvet:ignore ttlvet why", "ttlvet", ""},
		{"//ttlvet:ignore ttlread,ttlwrite/write-time why", "ttlread ttlwrite/write-time", ""},
		{"//ttlvet:ignore", "", "names no rule"},
		{"//ttlvet:ignore ", "", "names no rule"},
		{"//ttlvet:ignore ttlread", "ttlread", "lacks a reason"},
		{"//ttlvet:ignore ttlread // want `x`", "ttlread", "lacks a reason"},
		{"//ttlvet:ignore ttlread/missing-filtre why", "ttlread/missing-filtre", `did you mean "ttlread/missing-filter"?`},
		{"//ttlvet:ignore everything why", "everything", "unknown rule"},
		{"//ttlvet:ignore ttlread, ttlwrite why", "ttlread ", "a blank ends the list of rules; write ttlread,ttlwrite"},
		{"//ttlvet:ignore ttlread, why", "ttlread ", "a blank ends the list of rules; write ttlread"},
		{"//ttlvet:disable ttlread why", "", "unknown directive //ttlvet:disable"},
		{"//ttlvet:", "", "unknown directive"},
		{"// ttlvet:ignore ttlread why", "", "without a blank"},
		{"//  ttlvet:ignore", "", "without a blank"},
		{"/* ttlvet:ignore ttlread why */", "", "without a blank"},
		{"/*ttlvet:ignore ttlread why*/", "", "without a blank"},
		{"// ttlvet:ignore silences a finding", "", "none"},
		{"// The ttlvet:ignore directive silences", "", "none"},
		{"//ttlvetignore ttlread why", "", "none"},

		{"//nolint:ttlvet // why", "", ""},
		{"// nolint:ttlvet // why", "", ""},
		{"//nolint:errcheck,ttlvet // why", "", ""},
		{"//nolint: errcheck, ttlvet // why", "", ""},
		{"//nolint:ttlvet", "", "lacks a reason"},
		{"//nolint:ttlvet //", "", "lacks a reason"},
		{"//nolint:errcheck // why", "", "none"},
		{"//nolint:ttlvetter // why", "", "none"},
		{"//nolint:TTLVET // why", "", ""},
		{"//nolint:ttlvet why", "", "takes the reason for a part of the name; write //nolint:ttlvet // why"},
		{"//nolint:ttlwrite // why", "", "does not know ttlwrite, which is a part of ttlvet"},
		{"//nolint:errcheck,ttlread/sql // why", "", "or //ttlvet:ignore ttlread/sql why"},
		{"//nolint", "", ""},
		{"// nolint", "", ""},
		{"//nolint // why", "", ""},
		{"//nolint because of that", "", ""},
		{"//nolint:all", "", ""},
		{"//nolint:errcheck,all", "", ""},
		{"//nolintlint", "", "none"},
		{"/* nolint */", "", "none"},
	} {
		_, _, set := find(t, "package p\n\n"+test.text+"\nvar x = 1\n")
		if test.problem == "none" {
			if len(set.Directives) != 0 {
				t.Errorf("%s is a directive", test.text)
			}
			continue
		}
		if len(set.Directives) != 1 {
			t.Errorf("%s: %d directives", test.text, len(set.Directives))
			continue
		}
		d := set.Directives[0]
		if names := strings.Join(d.Names, " "); names != test.names {
			t.Errorf("%s names %q", test.text, names)
		}
		if (d.Problem == "") != (test.problem == "") || !strings.Contains(d.Problem, test.problem) {
			t.Errorf("%s: %q, want %q", test.text, d.Problem, test.problem)
		}
		if d.NoLint != strings.Contains(test.text, "nolint") {
			t.Errorf("%s: nolint is %t", test.text, d.NoLint)
		}
	}
}

func TestFor(t *testing.T) {
	for names, silenced := range map[string]string{
		"ttlwrite/write-time":            "ttlwrite/write-time",
		"ttlwrite":                       "ttlwrite/write-time ttlwrite/same-timestamp",
		"ttlvet":                         "ttlwrite/write-time ttlwrite/same-timestamp ttlread/sql",
		"ttlread,ttlwrite/write-time":    "ttlwrite/write-time ttlread/sql",
		"ttlread/sql,ttlunit":            "ttlread/sql",
		"ttlgc/no-policy,ttlunit,ttlage": "",
	} {
		fset, tf, set := find(t, fmt.Sprintf("package p\n\nvar x = 1 //ttlvet:ignore %s why\n", names))
		var got []string
		for _, r := range []string{"ttlwrite/write-time", "ttlwrite/same-timestamp", "ttlread/sql"} {
			analyzer, category, _ := strings.Cut(r, "/")
			found, ok := rule.Lookup(analyzer, category)
			if !ok {
				t.Fatal("no rule " + r)
			}
			if set.For(fset, tf.LineStart(3), found) != nil {
				got = append(got, r)
			}
			if set.For(fset, tf.LineStart(1), found) != nil {
				t.Errorf("%s speaks for another line", names)
			}
		}
		if strings.Join(got, " ") != silenced {
			t.Errorf("%s silences %v", names, got)
		}
	}
	// One with a mistake silences nothing, except where golangci-lint goes by
	// it.
	found, _ := rule.Lookup("ttlwrite", "write-time")
	for text, silences := range map[string]bool{
		"//ttlvet:ignore ttlwrite":      false,
		"// ttlvet:ignore ttlwrite why": false,
		"//nolint:ttlvet":               true,
		"//nolint:ttlvet why":           false,
		"//nolint:ttlwrite // why":      false,
		"//nolint":                      true,
		"//nolint:all":                  true,
	} {
		fset, tf, set := find(t, "package p\n\nvar x = 1 "+text+"\n")
		if got := set.For(fset, tf.LineStart(3), found) != nil; got != silences {
			t.Errorf("%s silences: %t", text, got)
		}
	}
	// The one that is most meant for a finding is the one that is of use.
	fset, tf, set := find(t, "//nolint\npackage p\n\n//nolint:ttlvet // why\nvar x = 1 //ttlvet:ignore ttlwrite why\n")
	if d := set.For(fset, tf.LineStart(5), found); d == nil || d.NoLint {
		t.Errorf("of three directives it is %+v", d)
	}
}
