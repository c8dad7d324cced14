package analyzers_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMisuse holds the misuses of the runtime package that the compiler finds:
// those of testdata/cases/runtime_program/planted/misuse.go. Together with
// what ttlvet finds in the rest of that package they are 24, none of which
// goes unnoticed.
func TestMisuse(t *testing.T) {
	dir := filepath.Join(cases(t), "runtime_program", "planted")
	build := exec.Command("go", "build", "-tags=misuse", ".")
	build.Dir = dir
	out, err := build.CombinedOutput()
	if err == nil {
		t.Fatal("it builds")
	}
	got := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\./(\w+\.go:\d+):`).FindAllSubmatch(out, -1) {
		got[string(m[1])] = true
	}
	want, found := map[string]bool{}, 0
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(src), "\n") {
			if strings.Contains(line, "// does not compile") {
				want[fmt.Sprintf("%s:%d", filepath.Base(name), i+1)] = true
			}
			if strings.Contains(line, "// want ") {
				found++
			}
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("errors at %v, want %v\n%s", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)), out)
	}
	if n := found + len(want); n != 24 {
		t.Errorf("%d misuses are planted, want 24", n)
	}
}
