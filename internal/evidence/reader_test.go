package evidence_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/input"
)

// TestTogether holds that many files which are small enough do not come to more than is
// read of all of them, of what has a length and of what parsers take long for.
func TestTogether(t *testing.T) {
	plan := func(s *evidence.Schema, path string) bool { _, ok := s.ReadPlan(path); return ok }
	text := func(s *evidence.Schema, path string) bool { _, ok := s.ReadFile(path); return ok }
	for _, test := range []struct {
		name    string
		content []byte
		read    func(*evidence.Schema, string) bool
		files   int
		says    string
	}{
		{"long texts", bytes.Repeat([]byte("a"), input.Together/4), text, 4, "the 16 MB that are read of all of them"},
		{"many marks", bytes.Repeat([]byte("a,"), input.MarksTogether/4), text, 4, "the 400000 lines, brackets and other marks that are read of all of them"},
		{"long plans", bytes.Repeat([]byte("a"), input.TogetherPlans/4), plan, 4, "the 128 MB that are read of all of them"},
		{"many values", bytes.Repeat([]byte("1,"), input.ValuesTogether/4), plan, 4, "the 5000000 values that are read of all of them"},
	} {
		path := filepath.Join(t.TempDir(), "a")
		if err := os.WriteFile(path, test.content, 0o666); err != nil {
			t.Fatal(err)
		}
		var s evidence.Schema
		read := 0
		for range test.files + 2 {
			if test.read(&s, path) {
				read++
			}
		}
		if read != test.files || len(s.Errors) != 2 {
			t.Fatalf("%s: %d files were read, and %d not, want %d and 2", test.name, read, len(s.Errors), test.files)
		}
		if said := fmt.Sprint(*s.Errors[0]); !strings.Contains(said, test.says) {
			t.Errorf("%s: it says %s", test.name, said)
		}
	}
}
