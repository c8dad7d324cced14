package place

import (
	"go/token"
	"os"
	"path/filepath"
	"testing"
)

func TestOf(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"m/store/sql", "m/inner/pkg"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.FromSlash(dir)), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"m/go.mod", "m/inner/go.mod"} {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte("module m\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{
		"m/main.go":            "main.go:7",
		"m/store/sql/x.go":     "store/sql/x.go:7",
		"m/inner/pkg/x.go":     "pkg/x.go:7",
		"outside/x.go":         "x.go:7",
		"m/store/missing/x.go": "store/missing/x.go:7",
	} {
		if got := Of(token.Position{Filename: filepath.Join(root, filepath.FromSlash(file)), Line: 7}); got != want {
			t.Errorf("%s is %s, want %s", file, got, want)
		}
	}
	if got := Of(token.Position{Filename: "store/x.go", Line: 7}); got != "x.go:7" {
		t.Errorf("a relative path is %s", got)
	}
}

// TestFrom writes places of one module as they are seen from another.
func TestFrom(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/go.mod", "a/put/put.go", "b/go.mod", "b/c/c.go", "x@v1.0.0/go.mod", "x@v1.0.0/x.go"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ seen, file, where, want string }{
		{"b/c/c.go", "a/put/put.go", "put/put.go:5", "../a/put/put.go:5"},
		{"a/put/put.go", "a/put/put.go", "put/put.go:5", "put/put.go:5"},
		{"b/c/c.go", "a/put/put.go", "else/else.go:5", "else/else.go:5"}, // of a third
		{"b/c/c.go", "x@v1.0.0/x.go", "x.go:1", "x.go:1"},
	} {
		if got := From(filepath.Join(dir, c.seen), filepath.Join(dir, c.file), c.where); got != c.want {
			t.Errorf("%s of %s is %s from %s, not %s", c.where, c.file, got, c.seen, c.want)
		}
	}
}
