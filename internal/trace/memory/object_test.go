package memory_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// constants stands in for the layer above: it resolves nothing but constants
// and parameters.
type constants struct{ *program.Program }

func (c constants) SetOnce(_ *ssa.Function, t memory.Touch, set *summary.FieldSet) {
	if t.Store == nil {
		return
	}
	switch v := t.Store.Val.(type) {
	case *ssa.Const:
		set.Value = kind.ConstantValue(v)
	case *ssa.Parameter:
		set.Value = &value.Value{Kind: value.Param, Num: int64(kind.ParamIndex(v)), Site: v.Parent()}
	}
}

func (c constants) StoredAt(ssa.Instruction, ssa.Value, int) ([][2]*value.Value, bool) {
	return nil, false
}

func load(t *testing.T, src string, facts ...layertest.Fact) (*layertest.Code, *memory.Objects) {
	t.Helper()
	code := layertest.Load(t, src, facts...)
	return code, memory.NewObjects(program.Of(code.Prog), constants{code.Prog})
}

// Touches are the places at which fields of what a pointer points to may be
// set: stores, calls that are given it, anything where that cannot be seen.
func TestTouches(t *testing.T) {
	code, objects := load(t, `
-- dep/dep.go --
type Config struct { Family string }
func Traced(*Config)
-- p/p.go --
type store struct { family, column string; n int }
func (s *store) rename(to string) { s.family = to }
func plain(s *store) { s.family = "a"; s.column = "b" }
func byCall(s *store) { s.rename("a"); read(s) }
func read(s *store) { fmt.Println(s.family) }
func byAddress(s *store) { parse(&s.n) }
func parse(*int)
func whole(s *store) { *s = store{} }
func open(s **store) { make(s) }
func make(s **store) { *s = &store{} }
func unknown(s *store, f func(*store)) { f(s) }
func unmarshal(s *dep.Config) { dep.Traced(s) }
func reads(s *store) { fmt.Println(s.n) }
`)
	for fn, want := range map[string]string{
		"plain":     "column family",
		"byCall":    "family by a call",
		"byAddress": "n",
		"whole":     "itself",
		"open":      "itself by a call",
		"unknown":   "*",
		"unmarshal": "*", // of a package that was not traced, nothing is known
		"reads":     "",
	} {
		var got []string
		for _, touch := range objects.Touches(code.Func(fn).Params[0]) {
			text := touch.Field
			if text == "" {
				text = "itself"
			}
			if touch.Set != nil {
				text += " by a call"
			}
			got = append(got, text)
		}
		sort.Strings(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s touches %s, want %s", fn, got, want)
		}
	}
}

// Sets is what a function sets of the objects that it is given, in terms of
// its parameters; "?" where it is set in several ways.
func TestSets(t *testing.T) {
	code, objects := load(t, `
type store struct { family, column string }
func (s *store) rename(to string) { s.family = to }
func reset(n int, s *store) { s.family = ""; s.column = "value" }
func twice(s *store, admin bool) {
	s.family = "token"
	if admin {
		s.family = "session"
	}
}
func made() { s := &store{}; s.family = "token" }
`)
	for fn, want := range map[string]string{
		"store.rename": "sets $0.family to $1",
		"reset":        `sets $1.column to "value"; sets $1.family to ""`,
		"twice":        "sets $0.family to ?",
		"made":         "",
	} {
		if got := (&summary.Summary{Sets: objects.Sets(code.Func(fn))}).String(); got != want {
			t.Errorf("%s %s, want %s", fn, got, want)
		}
	}
}

// OptionType is the struct that a function can be a functional option of,
// Setter what an option sets.
func TestOptions(t *testing.T) {
	code, objects := load(t, `
type store struct { ttl time.Duration; family string }
type option func(*store)
type applier interface { apply(*store) }
func admin(s *store) { s.family = "admin" }
func checked(s *store) error { s.family = "checked"; return nil }
func result(s *store) string { s.family = "other"; return "" }
func f(o option, a applier, g func(int), e error) {
	show(o) // store
	show(a) // store
	show(g) // none
	show(e) // none
}
`)
	code.Check(func(s layertest.Shown) string {
		if name := memory.OptionType(s.Value.Type()); name != nil {
			return name.Name()
		}
		return "none"
	})
	for fn, want := range map[string]string{"admin": `[family] ["admin"]`, "checked": `[family] ["checked"]`, "result": "none"} {
		got := "none"
		if s := objects.Setter(code.Func(fn)); s != nil {
			got = fmt.Sprint(s.Keys, s.Args)
		}
		if got != want {
			t.Errorf("%s sets %s, want %s", fn, got, want)
		}
	}
}

// OptionCalls are the calls by which a constructor runs its options on an
// object, where they may set the field that is asked for.
func TestOptionCalls(t *testing.T) {
	code, objects := load(t, `
type store struct { ttl time.Duration; family string }
type option func(*store)
func withTTL(d time.Duration) option { return func(s *store) { s.ttl = d } }
func newStore(opts ...option) *store {
	s := &store{ttl: time.Hour}
	for _, o := range opts {
		o(s)
	}
	return s
}
func plain() *store { s := &store{}; s.ttl = 1; return s }
`)
	of := func(fn string) *ssa.Alloc {
		for _, a := range code.Prog.Created[kind.StructName(code.Prog.Pkg.Type("store").Type())] {
			if layertest.NameOf(a.Parent()) == fn {
				return a
			}
		}
		t.Fatalf("%s makes no store", fn)
		return nil
	}
	for _, test := range []struct {
		fn    string
		field int
		want  string
	}{
		{"newStore", 0, "ttl"},
		{"newStore", 1, ""}, // no option of the package sets it
		{"plain", 0, ""},
	} {
		got := ""
		for _, c := range objects.OptionCalls(of(test.fn), kind.PathTo{test.field}, nil) {
			got += c.Field
		}
		if got != test.want {
			t.Errorf("field %d in %s: option calls %q, want %q", test.field, test.fn, got, test.want)
		}
	}
	if !objects.TakesOptions(of("newStore")) || objects.TakesOptions(of("plain")) {
		t.Error("newStore takes options, plain does not")
	}
}

// SetsPart says which calls may set a part of a local variable.
func TestSetsPart(t *testing.T) {
	code, objects := load(t, `
type store struct { family, column string }
func (s *store) rename() { s.family = "renamed" }
func (s *store) read() string { return s.family }
func f() {
	var s store
	s.rename()
	s.read()
}
`)
	for callee, want := range map[string]string{"rename": "family", "read": ""} {
		call := code.Call("f", callee)
		a := call.Common().Args[0].(*ssa.Alloc)
		got := ""
		for i, field := range []string{"family", "column"} {
			if set, _ := objects.SetsPart(call, a, kind.PathTo{i}); set.Call != nil {
				got += field
			}
		}
		if got != want {
			t.Errorf("%s sets %q, want %q", callee, got, want)
		}
	}
}

// Always: an instruction that runs whenever its function succeeds.
func TestAlways(t *testing.T) {
	code, _ := load(t, `
func mark()
func straight() { mark() }
func sometimes(x bool) { if x { mark() } }
func unlessFailed(x bool) error {
	if x {
		return errors.New("no")
	}
	mark()
	return nil
}
`)
	for fn, want := range map[string]bool{"straight": true, "sometimes": false, "unlessFailed": true} {
		if got := memory.Always(code.Call(fn, "mark")); got != want {
			t.Errorf("%s always marks: %t", fn, got)
		}
	}
}
