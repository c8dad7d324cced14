package sarif

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzColumn: whatever a file holds that findings stand in, each place in it has a
// column, which is none behind the byte's own.
func FuzzColumn(f *testing.F) {
	f.Add([]byte("a := \"€😀\"\n\tb"), 1, 8)
	f.Add([]byte("\xff\xf0\x9f\n"), 1, 2)
	f.Add([]byte(""), 0, -1)
	path := filepath.Join(f.TempDir(), "x.go")
	f.Fuzz(func(t *testing.T, text []byte, line, column int) {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		got := new(Columns).Column(path, line, column)
		if column >= 1 && (got < 1 || got > column) {
			t.Errorf("column %d became %d", column, got)
		}
	})
}
