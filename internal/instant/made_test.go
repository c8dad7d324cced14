package instant_test

import (
	"testing"

	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/value"
)

// The next number after a cell's is 1000 more, or a multiple.
func TestCountsOn(t *testing.T) {
	cell := &value.Value{Kind: value.Field, Name: "bigtable.ReadItem.Timestamp", Class: value.Timestamp, Args: []*value.Value{value.UnknownFor("a cell")}}
	for add, want := range map[int64]bool{0: false, 1: true, 999: true, 1000: false, 1500: true, -1000: false} {
		if got := instant.CountsOn(value.Apply(value.Add, cell, value.IntOf(add))); got != want {
			t.Errorf("a cell's number + %d counts on by ones: %v, want %v", add, got, want)
		}
	}
	if instant.CountsOn(value.Apply(value.Mul, cell, value.IntOf(1000))) {
		t.Error("a cell's number times 1000 is a multiple of 1000")
	}
}
