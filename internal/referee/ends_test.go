package referee

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEnds analyses programs that asked without an end whether a method of an interface
// tells the current time, each call for another one, until the stack was full. An earlier
// generator wrote them.
func TestEnds(t *testing.T) {
	entry := Subjects[slices.IndexFunc(Subjects, func(s Subject) bool { return s.Name == "entry" })]
	var programs []*Program
	for _, n := range []int{14058, 14073, 14104} {
		p := &Program{Number: n, Subject: entry}
		body, err := os.ReadFile(filepath.Join("testdata", "ends", strings.TrimPrefix(p.Name(), "p")+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		p.Body = []Stmt{{Text: strings.TrimSuffix(string(body), "\n")}}
		programs = append(programs, p)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewBatch(t.TempDir(), root, programs)
	if err != nil {
		t.Fatal(err)
	}
	found, err := b.Analyze()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		if !slices.ContainsFunc(found, func(f Finding) bool { return strings.HasPrefix(f.At, p.Name()+".go:") }) {
			t.Errorf("nothing is found in %s: is it analysed?", p.Name())
		}
	}
}
