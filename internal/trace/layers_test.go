package trace_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers are the packages of tracing from the bottom up.
var layers = []string{"summary", "kind", "control", "heap", "program", "way", "memory", "eval", "uses", "event", "callers", "policy", "result"}

// independent are layers that must not know each other although one is
// listed below the other.
var independent = [][2]string{{"kind", "summary"}, {"control", "summary"}, {"policy", "callers"}, {"policy", "uses"}}

// TestLayers holds that no package of tracing imports one that is not below
// it, and that the facade imports nothing that rules should not see.
func TestLayers(t *testing.T) {
	const prefix = "github.com/ttlvet/ttlvet/internal/trace"
	for i, layer := range layers {
		files, err := filepath.Glob(filepath.Join(layer, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files (%v)", layer, err)
		}
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range f.Imports {
				path := strings.Trim(spec.Path.Value, `"`)
				below, ok := strings.CutPrefix(path, prefix)
				if !ok || strings.HasSuffix(file, "_test.go") && below == "/"+layer {
					continue
				}
				below = strings.TrimPrefix(below, "/")
				if !slices.Contains(layers[:i], below) && !strings.HasPrefix(below, "layertest") {
					t.Errorf("%s imports %s, which is not below it", file, path)
				}
				if slices.Contains(independent, [2]string{layer, below}) {
					t.Errorf("%s imports %s: neither should know the other", file, path)
				}
			}
		}
	}
}
