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
// read of all of them.
func TestTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.sh")
	if err := os.WriteFile(path, bytes.Repeat([]byte("a"), input.Source), 0o666); err != nil {
		t.Fatal(err)
	}
	var s evidence.Schema
	read := 0
	for range input.Together/input.Source + 2 {
		if _, ok := s.ReadFile(path); ok {
			read++
		}
	}
	if want := input.Together / input.Source; read != want || len(s.Errors) != 2 {
		t.Fatalf("%d files were read, and %d not, want %d and 2", read, len(s.Errors), want)
	}
	if said := fmt.Sprint(*s.Errors[0]); !strings.Contains(said, "the 128 MB that are read of all of them") {
		t.Errorf("it says %s", said)
	}
}
