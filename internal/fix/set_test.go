package fix

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

// A replacement is a fix in terms of text that the file has once.
type replacement [][2]string

// TestOffer: what is offered compiles alone and with the others, and changes
// no text twice.
func TestOffer(t *testing.T) {
	const source = `package p

import (
	"os"

	"cloud.google.com/go/bigtable"
)

var _ = os.Args

var fallback = bigtable.Now()

func set(mut, other int) {
	ts := 1
	bigtable.Set(mut, ts)
	bigtable.Set(other, ts)
}

func generic[T any](v T) T {
	bigtable.Set(fallback)
	return v
}
`
	addTime := [2]string{"import (\n", "import (\n\t\"time\"\n"}
	for name, test := range map[string]struct {
		fixes []replacement
		want  string // y for each that is offered, n for each that is not
	}{
		"compiles":                       {[]replacement{{{"(mut, ts)", "(mut, 2)"}}}, "y"},
		"does not parse":                 {[]replacement{{{"(mut, ts)", "(mut, ts"}}}, "n"},
		"has a wrong type":               {[]replacement{{{"ts := 1", "var ts string = 1"}}}, "n"},
		"has an unknown name":            {[]replacement{{{"(mut, ts)", "(mut, tz)"}}}, "n"},
		"leaves a variable":              {[]replacement{{{"(mut, ts)", "(mut, 2)"}}, {{"(other, ts)", "(other, 2)"}}}, "yn"},
		"imports the same":               {[]replacement{{addTime, {"(mut, ts)", "(mut, ts, time.Now())"}}, {addTime, {"(other, ts)", "(other, ts, time.Hour)"}}}, "yy"},
		"imports what is not used":       {[]replacement{{addTime}}, "n"},
		"uses what is not imported":      {[]replacement{{{"(mut, ts)", "(mut, ts, time.Now())"}}}, "n"},
		"uses another's import":          {[]replacement{{addTime, {"(mut, ts)", "(mut, ts, time.Now())"}}, {{"(other, ts)", "(other, ts, time.Now())"}}}, "yn"},
		"leaves an import":               {[]replacement{{{"var _ = os.Args\n", ""}}}, "n"},
		"removes an import":              {[]replacement{{{"var _ = os.Args\n", ""}, {"\t\"os\"\n\n", ""}}}, "y"},
		"removes an import that is used": {[]replacement{{{"\t\"os\"\n\n", ""}}}, "n"},
		"overlap":                        {[]replacement{{{"(mut, ts)", "(mut, 2)"}}, {{"mut, ts", "other, ts"}}}, "yn"},
		"are the same":                   {[]replacement{{{"(mut, ts)", "(mut, 2)"}}, {{"(mut, ts)", "(mut, 2)"}}}, "yy"},
		"breaks another function":        {[]replacement{{{"set(mut, other int)", "set(mut int)"}}}, "n"},
		"changes a package's variable":   {[]replacement{{{"bigtable.Now()", "bigtable.Timestamp(0)"}}}, "y"},
		"breaks a package's variable":    {[]replacement{{{"bigtable.Now()", "bigtable.Then()"}}}, "n"},
		"in a generic function":          {[]replacement{{{"(fallback)", "(v)"}}}, "y"},
		"breaks a generic function":      {[]replacement{{{"return v", "return fallback"}}}, "n"},
		"an unknown package":             {[]replacement{{{"import (\n", "import (\n\t\"zzz\"\n"}, {"(mut, ts)", "(mut, ts, zzz.Z)"}}}, "n"},
	} {
		t.Run(name, func(t *testing.T) {
			pass := parsed(t, source)
			fixes := fixesOf(t, pass, source, test.fixes)
			offered := NewSet(pass).Offer(fixes)
			got := ""
			for _, f := range fixes {
				got += map[bool]string{true: "y", false: "n"}[offered[f]]
			}
			if got != test.want {
				t.Errorf("offered: %s, want %s", got, test.want)
			}
		})
	}
}

// TestOfferLater: the fixes of later analyzers go with those of earlier ones;
// unsafe fixes give way to safe ones, and safe ones to no unsafe one.
func TestOfferLater(t *testing.T) {
	const source = "package p\n\nfunc f(a, b int) int {\n\tx := a\n\treturn x + x*b\n}\n"
	pass := parsed(t, source)
	fixes := fixesOf(t, pass, source, []replacement{{{"x +", "a +"}}, {{"x*b", "b*b"}}, {{"x*b", "a*b"}}, {{"a\n", "b\n"}}})
	first, second, unsafe, apart := fixes[0], fixes[1], fixes[2], fixes[3]
	unsafe.Message = "Mend it" + unsafeMark + "it is a test)"
	s1 := NewSet(pass)
	if got := s1.Offer([]*analysis.SuggestedFix{unsafe, first}); !got[first] || got[unsafe] {
		t.Errorf("offered: %v", got)
	}
	s2 := NewSet(pass, s1)
	if got := s2.Offer([]*analysis.SuggestedFix{second, apart}); got[second] || !got[apart] {
		t.Errorf("offered later: %v", got)
	}
	alone := NewSet(pass)
	if got := alone.Offer([]*analysis.SuggestedFix{unsafe}); !got[unsafe] {
		t.Error("an unsafe fix is not offered alone")
	}
	if got := NewSet(pass, alone).Offer([]*analysis.SuggestedFix{second}); !got[second] {
		t.Error("a safe fix gives way to an unsafe one")
	}
}

// BenchmarkOffer offers fixes in a file of five hundred functions: one, and
// one for every tenth of them.
func BenchmarkOffer(b *testing.B) {
	var s strings.Builder
	s.WriteString("package p\n\nimport \"cloud.google.com/go/bigtable\"\n\n")
	for i := range 500 {
		fmt.Fprintf(&s, "func f%d(a, b int) (int, error) {\n\tfor i := range a {\n\t\tif i > b {\n\t\t\tbigtable.Set(i, %d)\n\t\t}\n\t}\n\treturn a, nil\n}\n\n", i, 1000+i)
	}
	source := s.String()
	pass, err := check("p", source, importer{})
	if err != nil {
		b.Fatal(err)
	}
	pass.ReadFile = func(string) ([]byte, error) { return []byte(source), nil }
	for _, n := range []int{1, 50} {
		var fixes []*analysis.SuggestedFix
		for i := range n {
			text := strconv.Itoa(1000 + i*10)
			pos := pass.Files[0].FileStart + token.Pos(strings.Index(source, text))
			fixes = append(fixes, &analysis.SuggestedFix{Message: "Mend it",
				TextEdits: []analysis.TextEdit{{Pos: pos, End: pos + token.Pos(len(text)), NewText: []byte("7")}}})
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				if len(NewSet(pass).Offer(fixes)) != n {
					b.Fatal("not offered")
				}
			}
		})
	}
}

// TestUnread: where the file is not what was analysed, nothing is offered.
func TestUnread(t *testing.T) {
	const source = "package p\n\nvar x = 1\n"
	pass := parsed(t, source)
	fixes := fixesOf(t, pass, source, []replacement{{{"1", "2"}}})
	pass.ReadFile = func(string) ([]byte, error) { return []byte("package p\n"), nil }
	if NewSet(pass).Offer(fixes)[fixes[0]] {
		t.Error("offered")
	}
}

// parsed type-checks a file that is on disk nowhere.
func parsed(t *testing.T, source string) *analysis.Pass {
	t.Helper()
	pass := parse(t, source)
	pass.ReadFile = func(string) ([]byte, error) { return []byte(source), nil }
	return pass
}

func fixesOf(t *testing.T, pass *analysis.Pass, source string, list []replacement) []*analysis.SuggestedFix {
	t.Helper()
	var fixes []*analysis.SuggestedFix
	for _, r := range list {
		f := &analysis.SuggestedFix{Message: "Mend it"}
		for _, r := range r {
			i := strings.Index(source, r[0])
			if i < 0 {
				t.Fatalf("no %q", r[0])
			}
			pos := pass.Files[0].FileStart + token.Pos(i)
			e := analysis.TextEdit{Pos: pos, End: pos + token.Pos(len(r[0])), NewText: []byte(r[1])}
			if more, ok := strings.CutPrefix(r[1], r[0]); ok { // an insertion
				e.Pos, e.NewText = e.End, []byte(more)
			}
			f.TextEdits = append(f.TextEdits, e)
		}
		fixes = append(fixes, f)
	}
	return fixes
}

// TestSurfaces holds what is known of packages without importing them to the
// packages.
func TestSurfaces(t *testing.T) {
	files, err := filepath.Glob("surface/*.txt")
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for _, path := range []string{Time, Bigtable} {
		real := load(t, path)
		// Once with nothing to go by, and once with the types that those
		// who import the package mention.
		for _, mentioned := range []bool{false, true} {
			pass := parsed(t, "package p\n")
			if mentioned {
				partial := types.NewPackage(path, real.Name())
				for _, name := range []string{"Time", "Timestamp", "Filter"} {
					if obj, ok := real.Scope().Lookup(name).(*types.TypeName); ok {
						partial.Scope().Insert(obj)
					}
				}
				between := types.NewPackage("between", "between")
				between.SetImports([]*types.Package{partial})
				pass.Pkg.SetImports([]*types.Package{between})
			}
			got, err := newResolver(pass).Import(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range got.Scope().Names() {
				obj, want := got.Scope().Lookup(name), real.Scope().Lookup(name)
				if !obj.Exported() {
					continue
				}
				if want == nil {
					t.Errorf("%s has no %s", path, name)
					continue
				}
				if _, ok := obj.(*types.TypeName); ok {
					if mentioned && (name == "Time" || name == "Timestamp" || name == "Filter") && obj != want {
						t.Errorf("%s.%s is another type", path, name)
					}
					continue // as much of it as fixes use
				}
				if g, w := types.TypeString(obj.Type(), nil), types.TypeString(want.Type(), nil); g != w {
					t.Errorf("%s.%s is %s, want %s", path, name, g, w)
				}
			}
		}
	}
}

// load returns a package as the compiler has it.
func load(t *testing.T, path string) *types.Package {
	t.Helper()
	list, err := packages.Load(&packages.Config{Context: t.Context(), Mode: packages.LoadTypes}, path)
	if err != nil || len(list) != 1 || len(list[0].Errors) > 0 {
		t.Fatal(path, list, err)
	}
	return list[0].Types
}
