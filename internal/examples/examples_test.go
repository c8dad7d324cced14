package examples

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ttlvet/ttlvet/internal/registry"
)

// TestCompile builds all examples as one package of this module, which exists
// in an overlay only.
func TestCompile(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"common": []byte(Common)}
	for _, e := range all {
		files[e.Name] = e.Source
	}
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, src := range files {
		real := filepath.Join(dir, name+".go")
		if err := os.WriteFile(real, src, 0o644); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(here, "overlaid", name+".go")] = real
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(config, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-overlay", config, "./overlaid").CombinedOutput(); err != nil {
		t.Errorf("the examples do not compile: %v\n%s", err, out)
	}
	t.Logf("%d examples", len(all))
}

// TestPairs checks that each rule shows what it reports and what to write
// instead.
func TestPairs(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for i, e := range all {
		count[e.Rule.Name()]++
		if want := count[e.Rule.Name()]%2 == 1; e.Bad != want {
			t.Errorf("%s: a bad and a good example do not alternate", e.Rule.Name())
		}
		if e.Bad && (i+1 == len(all) || all[i+1].Bad) {
			t.Errorf("%s: a bad example without a good one", e.Rule.Name())
		}
	}
}

func TestRegistry(t *testing.T) {
	text, err := Registry()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := registry.Parse("ttlvet.yaml", []byte(text)); err != nil {
		t.Error(err)
	}
	// The demo is linted with what the examples say.
	demo, err := os.ReadFile("../../testdata/demo/ttlvet.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := registry.Parse("ttlvet.yaml", demo); err != nil {
		t.Error(err)
	}
}
