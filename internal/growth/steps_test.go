package growth_test

import (
	"os"
	"runtime"
	"testing"
)

// most is how many times as much a program of four times the size may cost. It is four
// times as much and a logarithm, and what is looked back at up to a limit; a square is
// sixteen times as much.
const most = 10.0

// TestGrowth counts what shapes allocate, which no other load of the machine changes, at
// a size and at four times that.
func TestGrowth(t *testing.T) {
	if os.Getenv("TTLVET_SLOW") == "" {
		t.Skip("part of the slow suite")
	}
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			small, large := allocated(t, s.source(s.n/16)), allocated(t, s.source(s.n/4))
			t.Logf("%d allocations at %d, %d at %d: %.2f", small, s.n/16, large, s.n/4, float64(large)/float64(small))
			if float64(large) > most*float64(small) {
				t.Errorf("%.1f times as many", float64(large)/float64(small))
			}
		})
	}
}

func allocated(t *testing.T, source string) uint64 {
	program := load(t, source)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run(t, program)
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}
