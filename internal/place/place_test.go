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
