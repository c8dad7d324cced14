package fix

import (
	"testing"

	"golang.org/x/tools/go/analysis"
)

// TestGone: what an edit leaves without use.
func TestGone(t *testing.T) {
	const imports = "package p\n\nimport (\n\t\"os\"\n\t\"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n)\n\nvar _ time.Time\n\n"
	for name, test := range map[string]struct{ body, text, want string }{
		"a constant":                     {"bigtable.Set(0, os.Args)", "1", ""},
		"a variable":                     {"x := 1\n\tbigtable.Set(x, os.Args)", "1", "x"},
		"a variable that is used again":  {"x := 1\n\tbigtable.Set(x, os.Args)\n\tbigtable.Set(x)", "1", ""},
		"a variable that the fix uses":   {"x := 1\n\tbigtable.Set(x, os.Args)", "x + 1", ""},
		"an import":                      {"bigtable.Set(os.Args)", "1", "os"},
		"an import that is used again":   {"bigtable.Set(time.Now(), os.Args)", "1", ""},
		"an import that the fix uses":    {"bigtable.Set(os.Args)", "os.Args[0]", ""},
		"a variable twice in one edit":   {"x := 1\n\tbigtable.Set([]int{x, x}, os.Args)", "1", "x"},
		"a variable and its import":      {"x := 1\n\tbigtable.Set([]any{x, os.Args})", "1", "os x"},
		"a parameter":                    {"func(p int) {\n\t\tbigtable.Set(p, os.Args)\n\t}(0)", "1", ""},
		"a variable used in a literal":   {"x := 1\n\tbigtable.Set(func() int { return x }, os.Args)", "1", "x"},
		"a name declared inside an edit": {"bigtable.Set(func() int { x := 1; return x }, os.Args)", "1", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			pass := parse(t, imports+"func f() {\n\t"+test.body+"\n}\n")
			arg := call(pass, "Set").Args[0]
			if got := gone(pass, analysis.TextEdit{Pos: arg.Pos(), End: arg.End(), NewText: []byte(test.text)}); got != test.want {
				t.Errorf("gone is %q, want %q", got, test.want)
			}
		})
	}
}

// TestGoneTogether: two fixes can leave without use what each alone does not.
func TestGoneTogether(t *testing.T) {
	pass := parse(t, "package p\n\nimport \"cloud.google.com/go/bigtable\"\n\nfunc f() {\n\tx := 1\n\tbigtable.Set(x, x)\n}\n")
	args := call(pass, "Set").Args
	var edits []analysis.TextEdit
	for _, a := range args {
		edits = append(edits, analysis.TextEdit{Pos: a.Pos(), End: a.End(), NewText: []byte("1")})
	}
	if gone(pass, edits[0]) != "" || gone(pass, edits[1]) != "" || gone(pass, edits...) != "x" {
		t.Errorf("gone is %q, %q and together %q", gone(pass, edits[0]), gone(pass, edits[1]), gone(pass, edits...))
	}
}

// TestTarget: the expression to replace is where the value is made, when
// nothing else depends on it.
func TestTarget(t *testing.T) {
	for name, test := range map[string]struct{ body, want string }{
		"an expression":               {"bigtable.Set(1 + 2)", "1 + 2"},
		"a variable":                  {"x := 1 + 2\n\tbigtable.Set(x)", "1 + 2"},
		"a variable in parentheses":   {"x := 1 + 2\n\tbigtable.Set((x))", "1 + 2"},
		"a declared variable":         {"var x, y = 1, 2\n\t_ = y\n\tbigtable.Set(x)", "1"},
		"a variable without value":    {"var x int\n\tbigtable.Set(x)", "x"},
		"a variable with other uses":  {"x := 1\n\tbigtable.Set(x)\n\tbigtable.Set(x)", "x"},
		"a variable assigned again":   {"x := 1\n\tx = 2\n\tbigtable.Set(x)", "x"},
		"one of two results":          {"x, err := func() (int, error) { return 1, nil }()\n\t_ = err\n\tbigtable.Set(x)", "x"},
		"a parameter":                 {"func(x int) { bigtable.Set(x) }(1)", "x"},
		"a package variable":          {"bigtable.Set(global)", "global"},
		"a constant":                  {"const c = 5\n\tbigtable.Set(c)", "c"},
		"a variable in a tuple":       {"x, y := 1, 2\n\t_ = y\n\tbigtable.Set(x)", "1"},
		"a variable of a range":       {"for x := range 3 {\n\t\tbigtable.Set(x)\n\t}", "x"},
		"a variable before a closure": {"x := 1 + 2\n\tfunc() { bigtable.Set(x) }()", "1 + 2"},
	} {
		t.Run(name, func(t *testing.T) {
			pass := parse(t, "package p\n\nimport \"cloud.google.com/go/bigtable\"\n\nvar global = 1\n\nfunc f() {\n\t"+test.body+"\n}\n")
			arg := call(pass, "Set").Args[0]
			b := New(pass, arg)
			if got := b.Source(b.Target(arg)); got != test.want {
				t.Errorf("target is %s, want %s", got, test.want)
			}
		})
	}
}
