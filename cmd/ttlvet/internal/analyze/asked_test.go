package analyze

import (
	"maps"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestAsked holds of which functions other packages may ask what they return.
func TestAsked(t *testing.T) {
	dir := t.TempDir()
	overlay := map[string][]byte{
		dir + "/go.mod": []byte("module m\n\ngo 1.24\n"),
		dir + "/a/a.go": []byte(`package a

type T struct{}

func (T) Called() int  { return own() }
func (T) Behind() int  { return own() }
func (T) Handed() int  { return own() }
func (t T) Alone() int { return t.within() }
func (T) within() int  { return 1 }

type Face interface{ Behind() int }

func Through(f Face) int { return f.Behind() }
func Value() func() int  { return T{}.Handed }
func Unused() int        { return own() }
func own() int           { return 1 }
`),
		dir + "/b/b.go": []byte("package b\n\nimport \"m/a\"\n\nvar X = a.T{}.Called() + (a.Through)(a.T{}) + a.Value()()\n"),
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: dir, Overlay: overlay}, "m/a", "m/b")
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		t.Fatal(err)
	}
	got := slices.Sorted(maps.Keys(asked(pkgs)))
	if want := []string{"Behind", "Called", "Handed", "Through", "Value"}; !slices.Equal(got, want) {
		t.Errorf("asked: %v, want %v", got, want)
	}
}
