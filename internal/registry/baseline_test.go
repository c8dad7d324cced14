package registry

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBaseline: the path is relative to the registry, the hash changes with
// the file's content, and what is wrong with it stands at the key.
func TestBaseline(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("go.mod", "module p\n")
	file := write(FileName, "version: 1\nbaseline: known.yaml\n")
	f, err := Load(file)
	if err != nil || f.Baseline != filepath.Join(dir, "known.yaml") {
		t.Fatalf("baseline %q, error %v", f.Baseline, err)
	}
	if err := f.CheckBaseline(); err == nil || !strings.HasSuffix(err.Error(), ":2:11: baseline "+f.Baseline+": no such file; ttlvet -write-baseline writes one") {
		t.Errorf("missing: %v", err)
	}
	hashes := map[string]bool{Hash(Readable(dir)): true}
	for _, text := range []string{"version: 1\n", "version: 1\npackages: {}\n", "version: 2\n"} {
		write("known.yaml", text)
		hashes[Hash(Readable(dir))] = true
	}
	if len(hashes) != 4 {
		t.Errorf("%d hashes of 4 contents", len(hashes))
	}
	if err := f.CheckBaseline(); err == nil || !strings.Contains(err.Error(), "known.yaml:1:10: version 2 is not known") {
		t.Errorf("malformed: %v", err)
	}
	for _, text := range []string{"version: 1\nbaseline: \"\"\n", "version: 1\nbaseline: [a]\n"} {
		if _, err := Parse("r.yaml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), "r.yaml:2:11: baseline is ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
