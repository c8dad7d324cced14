package referee

import "testing"

// TestEnds analyses programs that asked without an end whether a method of an interface
// tells the current time, each call for another one, until the stack was full.
func TestEnds(t *testing.T) {
	if _, err := (&Batch{Dir: "testdata/ends"}).Analyze(); err != nil {
		t.Fatal(err)
	}
}
