package registry

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPropose tries a registry that is not written.
func TestPropose(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	withdraw := Propose(path, []byte("version: 1\ntables:\n  t:\n    families:\n      f: {strategy: timestamp-zero}\n"))
	f, err := Load(Find(dir))
	if err != nil || len(f.Tables) != 1 || f.Tables[0].Pattern != "t" {
		t.Errorf("what is proposed is %+v, %v", f, err)
	}
	withdraw()
	if found := Find(dir); found != "" {
		t.Errorf("what is withdrawn is found at %s", found)
	}
	// It stands for a file that is there, and what is wrong with it is said.
	if err := os.WriteFile(path, []byte("version: 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	withdraw = Propose(path, []byte("version: 2\n"))
	if _, err := Load(path); err == nil {
		t.Error("a mistake in what is proposed is not seen")
	}
	withdraw()
	if f, err := Load(path); err != nil || len(f.Tables) != 0 {
		t.Errorf("the file is %+v, %v", f, err)
	}
}
