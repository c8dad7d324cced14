package celltime_test

import (
	"testing"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/celltime"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/eval"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/layertest"
)

// A function checks the cells that it is given where it, or what it hands them to,
// compares the time of one with a time; to keep or to print it is no check.
func TestChecksTime(t *testing.T) {
	code := layertest.Load(t, `
func compared(items []bigtable.ReadItem, now bigtable.Timestamp) int {
	n := 0
	for _, i := range items {
		if i.Timestamp > now {
			n++
		}
	}
	return n
}

func handed(items []bigtable.ReadItem, now bigtable.Timestamp) int { return compared(items, now) }

func stored(items []bigtable.ReadItem) map[string]bigtable.Timestamp {
	out := map[string]bigtable.Timestamp{}
	for _, i := range items {
		out[i.Column] = i.Timestamp
	}
	return out
}

func latest(items []bigtable.ReadItem) bigtable.ReadItem {
	var last bigtable.ReadItem
	for _, i := range items {
		if i.Timestamp > last.Timestamp {
			last = i
		}
	}
	return last
}
`)
	finder := celltime.New(eval.New(code.Program))
	for name, want := range map[string]bool{"compared": true, "handed": true, "stored": false, "latest": false} {
		if got := finder.ChecksTime(code.Func(name), 3); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
