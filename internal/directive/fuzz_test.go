package directive

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/rule"
)

// FuzzDirectives reads the comments of any file that Go can parse.
func FuzzDirectives(f *testing.F) {
	for _, s := range []string{
		"package p\n\nfunc f() {\n\tg() //ttlvet:ignore ttlwrite why\n}\n",
		"//nolint\npackage p\n\n//nolint:ttlvet // why\nvar x = 1 // ttlvet:ignore\n",
		"package p //ttlvet:ignore ttlread,ttlwrite/write-time\nvar (\n\t//nolint:all\n\ta = 1 /*ttlvet:ignore x*/\n)\n",
		"package p\r\n\r\n//line b.go:1\r\n//ttlvet:ignore ttlvet\twhy\r\nfunc f() {}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "a.go", src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return
		}
		pass := &analysis.Pass{Fset: fset}
		pass.Files = append(pass.Files, file)
		result, err := Analyzer.Run(pass)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range result.(*Set).Directives {
			switch {
			case d.From > d.Pos && !d.Void || d.To < d.From:
				t.Errorf("a directive at %d speaks for %d to %d", d.Pos, d.From, d.To)
			case d.From < file.FileStart || d.To > file.FileEnd:
				t.Errorf("a directive speaks for %d to %d of a file from %d to %d", d.From, d.To, file.FileStart, file.FileEnd)
			case d.Void && d.Problem == "" || d.Others && d.Problem != "":
				t.Errorf("%+v", d)
			case strings.ContainsAny(d.Problem, "\n\r"):
				t.Errorf("the problem is of several lines: %q", d.Problem)
			}
			for _, r := range rule.All[:1] {
				result.(*Set).For(fset, d.From, r)
			}
		}
	})
}
