package summary_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// TestAsked holds that results are found once, by the first of many who ask, and not to
// see whether something is known of a function of which more is.
func TestAsked(t *testing.T) {
	var found atomic.Int32
	s := &summary.Summary{
		Results: summary.Asked(func() []summary.ResultCase {
			found.Add(1)
			return []summary.ResultCase{{Values: []*value.Value{value.StrOf("token")}}}
		}),
		Writes: []int{1},
	}
	if s.Empty() || found.Load() != 0 {
		t.Fatalf("empty: %t, found %d times before somebody asks", s.Empty(), found.Load())
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := s.One(); got == nil || got.String() != value.StrOf("token").String() {
				t.Errorf("returns %v", got)
			}
		})
	}
	all.Wait()
	if found.Load() != 1 {
		t.Errorf("found %d times", found.Load())
	}
	nothing := &summary.Summary{Results: summary.Asked(func() []summary.ResultCase { return nil })}
	if !nothing.Empty() || nothing.One() != nil {
		t.Error("a function of which nothing is known is not empty")
	}
}
