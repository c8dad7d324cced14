package referee

import (
	"path/filepath"
	"testing"
)

// TestEnds analyses programs that asked without an end whether a method of an interface
// tells the current time, each call for another one, until the stack was full.
func TestEnds(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var programs []*Program
	for _, number := range []int{14058, 14073, 14104} {
		programs = append(programs, Generate(1, number))
	}
	b, err := NewBatch(t.TempDir(), root, programs)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Analyze(); err != nil {
		t.Fatal(err)
	}
}
