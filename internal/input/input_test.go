package input

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// write makes a file and the directories above it.
func write(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func link(t *testing.T, target, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no links: ", err)
	}
	return path
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "a"), strings.Repeat("x", 3<<20))
	if data, err := Read(path, 3<<20); err != nil || len(data) != 3<<20 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	_, err := Read(path, 2<<20)
	if err != TooLarge(2<<20) || err.Error() != "it is larger than the 2 MB that are read of such a file" {
		t.Error(err)
	}
	if data, err := Beginning(path, 10); err != nil || len(data) != 10 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if data, err := Read(write(t, filepath.Join(dir, "empty"), ""), 10); err != nil || len(data) != 0 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, err := Read(dir, 10); err == nil {
		t.Error("a directory is read")
	}
	_, err = Read(filepath.Join(dir, "none"), 10)
	if !errors.Is(err, os.ErrNotExist) || strings.Contains(Reason(err), dir) {
		t.Error(err, Reason(err))
	}
}

// TestReadDevice reads a device without an end, by a link.
func TestReadDevice(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip(err)
	}
	path := link(t, "/dev/zero", filepath.Join(t.TempDir(), "zero"))
	done := make(chan error)
	go func() {
		_, err := Read(path, Registry)
		done <- err
	}()
	select {
	case err := <-done:
		if err != errIrregular {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it is read without an end")
	}
}

func TestTree(t *testing.T) {
	top := t.TempDir()
	write(t, filepath.Join(top, "repo", ".git", "HEAD"), "")
	write(t, filepath.Join(top, "repo", "service", "go.mod"), "")
	write(t, filepath.Join(top, "work", "go.work"), "")
	write(t, filepath.Join(top, "work", "m", "go.mod"), "")
	write(t, filepath.Join(top, "alone", "go.mod"), "")
	for dir, want := range map[string]string{
		"repo/service/infra": "repo",
		"work/m/infra":       "work",
		"alone/infra/deep":   "alone",
		"infra":              "infra",
	} {
		if got := Tree(filepath.Join(top, dir)); got != filepath.Join(top, want) {
			t.Errorf("the tree of %s is %s", dir, got)
		}
	}
}

func TestStays(t *testing.T) {
	top := t.TempDir()
	tree := filepath.Join(top, "m")
	write(t, filepath.Join(tree, "go.mod"), "")
	write(t, filepath.Join(top, "secret", "x.tf"), "")
	write(t, filepath.Join(top, "secret", ".git", "HEAD"), "")
	inside := write(t, filepath.Join(tree, "infra", "x.tf"), "")
	for path, stays := range map[string]bool{
		inside:                                 true,
		filepath.Join(tree, "none", "x.tf"):    true,
		filepath.Join(top, "secret", "x.tf"):   true, // whoever names it
		link(t, inside, tree+"/within.tf"):     true,
		link(t, "../secret/x.tf", tree+"/out"): false,
		// Its target is the root of a tree, and yet not of this.
		link(t, "../secret", tree+"/dir") + "/x.tf": false,
		link(t, inside, top+"/named/x.tf"):          false,
	} {
		err := Stays(tree, path)
		if (err == nil) != stays {
			t.Errorf("%s: %v", path, err)
		}
		if err != nil && !errors.As(err, new(*Escape)) {
			t.Errorf("%T", err)
		}
	}
}

func TestBelongs(t *testing.T) {
	top := t.TempDir()
	write(t, filepath.Join(top, "repo", ".git", "HEAD"), "")
	write(t, filepath.Join(top, "alone", "go.mod"), "")
	other := write(t, filepath.Join(top, "other", "x.tf"), "")
	for _, test := range []struct {
		dir, path string
		belongs   bool
	}{
		{"repo/service", write(t, filepath.Join(top, "repo", "infra", "x.tf"), ""), true},
		{"repo/service", other, false},
		{"repo/service", link(t, "../../other/x.tf", filepath.Join(top, "repo", "infra", "y.tf")), false},
		{"alone", other, true}, // where the repository ends is not known
		{"alone", link(t, "../other/x.tf", filepath.Join(top, "alone", "y.tf")), false},
	} {
		if err := Belongs(filepath.Join(top, test.dir), test.path); (err == nil) != test.belongs {
			t.Errorf("%s in %s: %v", test.path, test.dir, err)
		}
	}
}
