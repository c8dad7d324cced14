package fix

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"sort"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis"
)

// stubs are the packages that the sources of this test may import.
var stubs = map[string]string{
	Time:     "package time; type Duration int64; type Time struct{}; const (Microsecond Duration = 1000; Millisecond, Second, Minute, Hour Duration = 1000*Microsecond, 1e9, 6e10, 36e11); func Now() Time { panic(0) }; func (Time) Unix() int64 { return 0 }",
	Bigtable: "package bigtable; type Timestamp int64; func Now() Timestamp { return 0 }; func Set(...any) {}",
	Runtime:  `package ttl; import "cloud.google.com/go/bigtable"; func Zero() bigtable.Timestamp { return 0 }`,
	"errors": "package errors; func New(string) error { return nil }",
	"os":     "package os; var Args []string",
	"zzz":    "package zzz; var Z int",
}

type importer map[string]*types.Package

func (m importer) Import(path string) (*types.Package, error) {
	src, ok := stubs[path]
	if !ok {
		return nil, fmt.Errorf("no package %q", path)
	}
	if m[path] == nil {
		pass, err := check(path, src, m)
		if err != nil {
			return nil, err
		}
		m[path] = pass.Pkg
	}
	return m[path], nil
}

// check type-checks a file.
func check(path, src string, imports importer) (*analysis.Pass, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "a.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	pass := &analysis.Pass{Fset: fset, Files: []*ast.File{f}, TypesInfo: &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Scopes: map[ast.Node]*types.Scope{},
		Implicits: map[ast.Node]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{},
	}}
	config := &types.Config{Importer: imports}
	pass.Pkg, err = config.Check(path, fset, pass.Files, pass.TypesInfo)
	return pass, err
}

func parse(t *testing.T, src string) *analysis.Pass {
	t.Helper()
	pass, err := check("p", src, importer{})
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	return pass
}

// apply applies the edits of a fix and formats what comes out, which must
// type-check.
func apply(t *testing.T, src string, fix *analysis.SuggestedFix, pass *analysis.Pass) string {
	t.Helper()
	base := pass.Files[0].FileStart
	edits := append([]analysis.TextEdit(nil), fix.TextEdits...)
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].Pos < edits[j].Pos })
	out, last := "", 0
	for _, e := range edits {
		from, to := int(e.Pos-base), int(e.End-base)
		if from < last {
			t.Fatalf("edits overlap: %+v", edits)
		}
		out += src[last:from] + string(e.NewText)
		last = to
	}
	out += src[last:]
	text, err := format.Source([]byte(out))
	if err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	parse(t, string(text))
	return string(text)
}

// call returns the first call of a function or method of that name.
func call(pass *analysis.Pass, name string) *ast.CallExpr {
	var found *ast.CallExpr
	ast.Inspect(pass.Files[0], func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || found != nil {
			return found == nil
		}
		switch f := c.Fun.(type) {
		case *ast.Ident:
			if f.Name == name {
				found = c
			}
		case *ast.SelectorExpr:
			if f.Sel.Name == name {
				found = c
			}
		}
		return true
	})
	return found
}

// TestImports: the argument of Set becomes time.Now(), under whatever name
// the file has for the package, and the import of what it no longer uses goes.
func TestImports(t *testing.T) {
	body := func(arg string) string { return "func f() {\n\tbigtable.Set(" + arg + ")\n}\n" }
	testImports(t, map[string]struct{ src, want string }{
		"there": {
			"import (\n\t\"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ time.Time\n\n" + body("0"),
			"import (\n\t\"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ time.Time\n\n" + body("time.Now()"),
		},
		"grouped, no standard library": {
			"import (\n\t\"cloud.google.com/go/bigtable\"\n)\n\n" + body("0"),
			"import (\n\t\"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\n" + body("time.Now()"),
		},
		"grouped, between others": {
			"import (\n\t\"errors\"\n\t\"zzz\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ = errors.New\nvar _ = zzz.Z\n\n" + body("0"),
			"import (\n\t\"errors\"\n\t\"time\"\n\t\"zzz\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ = errors.New\nvar _ = zzz.Z\n\n" + body("time.Now()"),
		},
		"grouped, after others": {
			"import (\n\t\"errors\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ = errors.New\n\n" + body("0"),
			"import (\n\t\"errors\"\n\t\"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ = errors.New\n\n" + body("time.Now()"),
		},
		"single": {
			"import \"cloud.google.com/go/bigtable\"\n\n" + body("0"),
			"import (\n\t\"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\n" + body("time.Now()"),
		},
		"single of the standard library": {
			"import \"errors\"\n\nvar _ = errors.New\n\nfunc Set(any) {}\n\nfunc f() {\n\tSet(0)\n}\n",
			"import (\n\t\"errors\"\n\t\"time\"\n)\n\nvar _ = errors.New\n\nfunc Set(any) {}\n\nfunc f() {\n\tSet(time.Now())\n}\n",
		},
		"single with a comment": {
			"import \"cloud.google.com/go/bigtable\" // the client\n\n" + body("0"),
			"import (\n\t\"time\"\n\n\t\"cloud.google.com/go/bigtable\" // the client\n)\n\n" + body("time.Now()"),
		},
		"below a comment": {
			"import (\n\t// The client.\n\t\"cloud.google.com/go/bigtable\"\n)\n\n" + body("0"),
			"import (\n\t\"time\"\n\n\t// The client.\n\t\"cloud.google.com/go/bigtable\"\n)\n\n" + body("time.Now()"),
		},
		"beside a comment": {
			"import (\n\t\"errors\" // for New\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ = errors.New\n\n" + body("0"),
			"import (\n\t\"errors\" // for New\n\t\"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ = errors.New\n\n" + body("time.Now()"),
		},
		"aliased": {
			"import (\n\tclock \"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ clock.Time\n\n" + body("0"),
			"import (\n\tclock \"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ clock.Time\n\n" + body("clock.Now()"),
		},
		"dot": {
			"import (\n\t. \"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ Time\n\n" + body("0"),
			"import (\n\t. \"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ Time\n\n" + body("Now()"),
		},
		"blank": {
			"import (\n\t_ \"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\n" + body("0"),
			"import (\n\t\"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\n" + body("time.Now()"),
		},
		"blank, and a variable has the name": {
			"import (\n\t_ \"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar time = 1\n\n" + body("0"),
			"import (\n\ttime2 \"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar time = 1\n\n" + body("time2.Now()"),
		},
		"a variable has the name": {
			"import \"cloud.google.com/go/bigtable\"\n\nvar time = 1\n\n" + body("0"),
			"import (\n\ttime2 \"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar time = 1\n\n" + body("time2.Now()"),
		},
		"a parameter has the name": {
			"import \"cloud.google.com/go/bigtable\"\n\nfunc f(time int) {\n\tbigtable.Set(0)\n}\n",
			"import (\n\ttime2 \"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nfunc f(time int) {\n\tbigtable.Set(time2.Now())\n}\n",
		},
		"another import goes": {
			"import (\n\t\"os\"\n\t\"zzz\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ = zzz.Z\n\n" + body("os.Args"),
			"import (\n\t\"time\"\n\t\"zzz\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ = zzz.Z\n\n" + body("time.Now()"),
		},
		"another import stays": {
			"import (\n\t\"os\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ = os.Args\n\n" + body("os.Args"),
			"import (\n\t\"os\"\n\t\"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ = os.Args\n\n" + body("time.Now()"),
		},
	})
}

// TestImportInPlace: the import that goes is the one beside which the new one
// belongs.
func TestImportInPlace(t *testing.T) {
	testImports(t, map[string]struct{ src, want string }{
		"grouped": {
			"import (\n\t\"os\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nfunc f() {\n\tbigtable.Set(os.Args)\n}\n",
			"import (\n\t\"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nfunc f() {\n\tbigtable.Set(time.Now())\n}\n",
		},
		"single": {
			"import \"os\"\n\nfunc Set(any) {}\n\nfunc f() {\n\tSet(os.Args)\n}\n",
			"import \"time\"\n\nfunc Set(any) {}\n\nfunc f() {\n\tSet(time.Now())\n}\n",
		},
	})
}

// testImports replaces the argument of Set by the time.
func testImports(t *testing.T, tests map[string]struct{ src, want string }) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			src := "package p\n\n" + test.src
			pass := parse(t, src)
			arg := call(pass, "Set").Args[0]
			b := New(pass, arg)
			fix := b.Replace(arg, b.Ref(Time, "Now", arg.Pos())+"()").Done("Set the clock")
			if fix == nil {
				t.Fatal("no fix")
			}
			if got := apply(t, src, fix, pass); got != "package p\n\n"+test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// TestTwoImports: a fix may need more than one.
func TestTwoImports(t *testing.T) {
	for name, test := range map[string]struct{ imports, want string }{
		"none":    {"", "import (\n\t\"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\n"},
		"single":  {"import \"errors\"\n\n", "import (\n\t\"errors\"\n\t\"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\n"},
		"grouped": {"import (\n\t\"errors\"\n)\n\n", "import (\n\t\"cloud.google.com/go/bigtable\"\n\t\"errors\"\n\t\"time\"\n)\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			const rest = "func Set(...any) {}\n\nfunc f() {\n\tSet(0)\n}\n"
			used := ""
			if test.imports != "" {
				used = "var _ = errors.New\n\n"
			}
			src := "package p\n\n" + test.imports + used + rest
			pass := parse(t, src)
			arg := call(pass, "Set").Args[0]
			b := New(pass, arg)
			fix := b.Replace(arg, b.Ref(Bigtable, "Now", arg.Pos())+"(), "+b.Ref(Time, "Now", arg.Pos())+"()").Done("")
			if fix == nil {
				t.Fatal("no fix")
			}
			want := "package p\n\n" + test.want + used + strings.Replace(rest, "Set(0)", "Set(bigtable.Now(), time.Now())", 1)
			if got := apply(t, src, fix, pass); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestComments: a fix that would delete a comment is none.
func TestComments(t *testing.T) {
	for name, test := range map[string]struct {
		src string
		fix bool
	}{
		"in what is replaced":       {"func f() {\n\tSet(1 /* one */ + 1)\n}\n", false},
		"beside what is replaced":   {"func f() {\n\tSet(1 /* one */)\n}\n", true},
		"of an import that goes":    {"import \"os\" // for Args\n\nfunc f() {\n\tSet(os.Args)\n}\n", false},
		"above an import that goes": {"import (\n\t// For Args.\n\t\"os\"\n)\n\nfunc f() {\n\tSet(os.Args)\n}\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			pass := parse(t, "package p\n\n"+test.src+"\nfunc Set(any) {}\n")
			arg := call(pass, "Set").Args[0]
			if fix := New(pass, arg).Replace(arg, "2").Done(""); (fix != nil) != test.fix {
				t.Errorf("the fix is %+v", fix)
			}
		})
	}
}

// TestNoFix: what would not compile is no fix.
func TestNoFix(t *testing.T) {
	for name, src := range map[string]string{
		"the package's name is hidden": "import (\n\t\"time\"\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ time.Time\nfunc f(time int) {\n\tbigtable.Set(0)\n}\n",
		"a variable would be unused":   "import \"cloud.google.com/go/bigtable\"\n\nfunc f() {\n\tts := 1\n\tbigtable.Set(ts)\n}\n",
	} {
		pass := parse(t, "package p\n\n"+src)
		arg := call(pass, "Set").Args[0]
		b := New(pass, arg)
		if fix := b.Replace(arg, b.Ref(Time, "Now", arg.Pos())+"()").Done(""); fix != nil {
			t.Errorf("%s: %+v", name, fix.TextEdits)
		}
	}
	pass := parse(t, "// Code generated by x. DO NOT EDIT.\n\npackage p\n\nvar x = 1\n")
	if New(pass, pass.Files[0].Decls[0]) != nil {
		t.Error("generated files are mended")
	}
	if New(pass, &ast.Ident{}) != nil {
		t.Error("what stands in no file is mended")
	}
}

// TestFileWithoutImports adds the first import.
func TestFileWithoutImports(t *testing.T) {
	src := "// Package p is.\npackage p\n\nvar now any = 0\n"
	pass := parse(t, src)
	x := pass.Files[0].Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Values[0]
	b := New(pass, x)
	if b.Imports(Time) {
		t.Error("time is imported")
	}
	fix := b.Replace(x, b.Ref(Time, "Now", x.Pos())+"()").Done("")
	want := "// Package p is.\npackage p\n\nimport \"time\"\n\nvar now any = time.Now()\n"
	if got := apply(t, src, fix, pass); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Hour: "time.Hour", 720 * time.Hour: "720*time.Hour", 90 * time.Minute: "90*time.Minute", -time.Minute: "-1*time.Minute",
		time.Second: "time.Second", 1500 * time.Millisecond: "1500*time.Millisecond", 5 * time.Microsecond: "5*time.Microsecond", 7: "7",
	} {
		pass := parse(t, "package p\n\nimport \"time\"\n\nvar _ = time.Now()\n")
		if got := New(pass, pass.Files[0].Decls[1]).Duration(d, token.NoPos); got != want {
			t.Errorf("%s is written %s, want %s", d, got, want)
		}
	}
}

// gone lists the names that Gone returns.
func gone(pass *analysis.Pass, edits ...analysis.TextEdit) string {
	var names []string
	for obj := range Gone(pass, pass.Files[0], edits) {
		names = append(names, obj.Name())
	}
	sort.Strings(names)
	return strings.Join(names, " ")
}
