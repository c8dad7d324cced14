package referee

import (
	"flag"
	"fmt"
	"path/filepath"
	"testing"
)

var (
	seed  = flag.Uint64("seed", 1, "the `seed` of the programs")
	count = flag.Int("programs", 500, "how many programs")
)

func TestReferee(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var programs []*Program
	for n := range *count {
		programs = append(programs, Generate(*seed, n))
	}
	b, err := NewBatch(t.TempDir(), root, programs)
	if err != nil {
		t.Fatal(err)
	}
	requests, err := b.Execute()
	if err != nil {
		t.Fatal(err)
	}
	findings, err := b.Analyze()
	if err != nil {
		t.Fatal(err)
	}
	v := Judge(programs, findings, requests)
	t.Logf("%d requests, %d findings; %d of %d faults found; %d programs contradict", len(requests), v.Findings, v.Found, v.Faults, len(v.Contradictions))
	for _, p := range programs {
		for _, f := range v.Contradictions[p] {
			t.Errorf("%s (%s): %s: %s (%s)", p.Name(), p.Subject.Name, f.At, f.Message, f.Rule)
		}
	}
	_ = fmt.Sprint
}
