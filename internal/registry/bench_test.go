package registry

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkReadable is what every run pays to know its registries: for a module
// of 1,500 directories, the standard library.
func BenchmarkReadable(b *testing.B) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "src")
	for b.Loop() {
		Readable(dir)
	}
}
