package callers_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/callers"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// What a command makes of another package's type stays in the program, unless an
// object of that type goes where it is not in view.
func TestKeeps(t *testing.T) {
	src := `
-- dep/dep.go --
type Kept struct{}
type Given struct{}
type Boxed struct{}
type Bound struct{}
type Held struct{}
type Holder struct { Held *Held }
func NewKept() *Kept
func NewGiven() *Given
func NewBoxed() *Boxed
func NewBound() *Bound
func NewHeld() *Held
func (*Kept) Do()
func (*Bound) Do()
func Take(*Given)
-- main/main.go --
type app struct { store *dep.Kept }
type own struct{}
func newOwn() *own { return &own{} }
func use(k *dep.Kept) { k.Do() }
func f() {
	kept := dep.NewKept()
	show(kept) // stays
	a := app{kept}
	a.store.Do()
	use(kept)
	given := dep.NewGiven()
	show(given) // gets out
	dep.Take(given)
	boxed := dep.NewBoxed()
	show(boxed) // gets out
	sink = boxed
	bound := dep.NewBound()
	show(bound) // gets out
	later(bound.Do)
	held := dep.NewHeld()
	show(held) // gets out
	_ = &dep.Holder{held}
	o := newOwn()
	show(o) // gets out
}
func later(f func()) {}
var sink any
`
	code := layertest.Load(t, src)
	finder := callers.NewEscapes(eval.New(code.Program))
	code.Check(func(s layertest.Shown) string {
		if finder.Keeps(s.Value.(*ssa.Call)) {
			return "stays"
		}
		return "gets out"
	})
	// Of what is no command, others call what it exports.
	code = layertest.Load(t, strings.ReplaceAll(src, "main/main.go", "p/p.go"))
	finder = callers.NewEscapes(eval.New(code.Program))
	for _, s := range code.Shows() {
		if finder.Keeps(s.Value.(*ssa.Call)) {
			t.Errorf("line %d: %s stays in a library", s.Line, s.Value)
		}
	}
}

// A method that a type has of what is embedded in it is idle where nobody calls it,
// and nobody else can.
func TestPromotedIdle(t *testing.T) {
	code := layertest.Load(t, `
-- dep/dep.go --
type Base struct{}
func New() *Base
func (*Base) Read()
func (*Base) Write()
-- p/p.go --
type reads struct { *dep.Base }
func read() { r := &reads{dep.New()}; r.Read() }
type binds struct { *dep.Base }
func bind() func() { b := &binds{dep.New()}; return b.Write }
type writer interface { Write() }
type boxes struct { *dep.Base }
func box() writer { return &boxes{dep.New()} }
type Exported struct { *dep.Base }
func export() { _ = &Exported{dep.New()} }
type leaks struct { *dep.Base }
func Leak() *leaks { return &leaks{dep.New()} }
type nested struct { *dep.Base }
type outer struct { n *nested }
func nest() { _ = &outer{&nested{dep.New()}} }
type names struct { base *dep.Base }
func name() { _ = &names{dep.New()} }
`)
	finder := callers.NewEscapes(eval.New(code.Program))
	for fn, want := range map[string]string{
		"read": "Write", "bind": "Read", "box": "Read", "export": "", "Leak": "", "nest": "", "name": "",
	} {
		var idle []string
		for _, method := range []string{"Read", "Write"} {
			if finder.PromotedIdle(code.Call(fn, "New"), method) {
				idle = append(idle, method)
			}
		}
		if got := strings.Join(idle, " "); got != want {
			t.Errorf("%s: %q are idle, want %q", fn, got, want)
		}
	}
}

// What another package's object does that is filled here and handed on is somebody
// else's to call, unless calls here run it, or what it is wrapped in.
func TestFilled(t *testing.T) {
	src := `
-- dep/dep.go --
type Store interface { Read(); Write() }
type Base struct { N int }
func (*Base) Read()
func (*Base) Write()
type Logged struct { Next Store }
func (*Logged) Read()
func (*Logged) Write()
func Use(Store)
-- p/p.go --
type own struct{}
func (own) Read() {}
func (own) Write() {}
func handed() { dep.Use(&dep.Base{N: 1}) }
func called(b *dep.Base) { b.Read() }
func wrapped() { l := &dep.Logged{Next: &dep.Base{N: 2}}; l.Write() }
func kept() { _ = &dep.Base{N: 3} }
func ours() { dep.Use(own{}) }
`
	does := &summary.Summary{Effects: []summary.Effect{{Op: "bigtable.Mutation.Set"}}}
	passesOn := layertest.Fact{Of: "dep.Logged.Write", Fact: does}
	for _, test := range []struct {
		facts []layertest.Fact
		want  string
	}{
		{nil, "handed: Write; wrapped: Read Write"},
		{[]layertest.Fact{passesOn}, "handed: Write; wrapped: Read"},
	} {
		code := layertest.Load(t, src, test.facts...)
		var got []string
		for _, object := range callers.NewEscapes(eval.New(code.Program)).Filled() {
			s := layertest.NameOf(object.HandedOn.Parent()) + ":"
			for _, m := range object.Uncalled {
				s += " " + m.Name()
			}
			got = append(got, s)
		}
		if got := strings.Join(got, "; "); got != test.want {
			t.Errorf("%v\n got %s\nwant %s", test.facts, got, test.want)
		}
	}
}
