package uses_test

import (
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/uses"
)

// Leading: by which methods others come to one. Spares: an object is not among those on
// which a method runs.
func TestObjects(t *testing.T) {
	code := layertest.Load(t, `
type T struct{ list []*T }
func New() *T { return &T{} }
func (t *T) Put() *T { return t }
func (t *T) Save() { t.write() }
func (t *T) write() {}
func (t *T) Later() func() { return t.Save }
func (t *T) Keep() { kept = t }
func (t *T) Add(o *T) { t.list = append(t.list, o) }
var kept *T

type S struct{}
func Start() *S { s := &S{}; go s.Save(); return s }
func (s *S) Save() {}
func (s *S) Stop() {}

type holder struct{ t *T }
func (h holder) save() { h.t.Save() }
func (h holder) put() { h.t.Put() }

func saves() { New().Put().Save() }
func puts() { New().Put() }
func holds() { h := holder{New()}; h.save() }
func okHolds() { h := holder{New()}; h.put() }
func Returns() *T { return New() }
func adds(o *T) { o.Add(New()) }
func fresh() *T { return New() }
func uses() { fresh().Put() }
func none() { New() }
func binds() { defer New().Save() }
`)
	objects := uses.NewObjects(eval.New(code.Prog))
	for _, test := range [][3]string{{"New", "T.write", "Save write Later Keep"}, {"New", "T.Put", "Put Keep"}, {"Start", "S.Save", ""}} {
		if got := strings.Join(objects.Leading(code.Func(test[0]), code.Func(test[1])), " "); got != test[2] {
			t.Errorf("%s leads to %s by %q, want %q", test[0], test[1], got, test[2])
		}
	}
	for fn, want := range map[string]bool{
		"saves": false, "puts": true, "holds": false, "okHolds": true, "Returns": false, "adds": false, "fresh": true, "binds": false, "none": false,
	} {
		if got := objects.Spares(code.Call(fn, "New"), []string{"Save"}); got != want {
			t.Errorf("%s: spared is %v, want %v", fn, got, want)
		}
	}
	if objects.Spares(code.Call("puts", "New"), []string{"Keep"}) {
		t.Error("of a method that nobody calls an object is spared")
	}
}
