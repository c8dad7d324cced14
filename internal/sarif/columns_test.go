package sarif

import (
	"os"
	"path/filepath"
	"testing"
)

func TestColumn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(file, []byte("\tabc\nüx😀y\r\n\xffz\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var c Columns
	for _, p := range []struct{ line, column, want int }{
		{1, 1, 1}, {1, 2, 2}, {1, 5, 5}, {1, 6, 6},
		{2, 1, 1}, {2, 3, 2}, {2, 4, 3}, {2, 8, 5}, {2, 9, 6},
		{3, 2, 2}, {9, 3, 3}, {2, 99, 99}, {0, 0, 0},
	} {
		if got := c.Column(file, p.line, p.column); got != p.want {
			t.Errorf("%d:%d is column %d, not %d", p.line, p.column, got, p.want)
		}
	}
	if got := c.Column(file+"x", 2, 8); got != 8 {
		t.Errorf("without the file the column is %d", got)
	}
}
