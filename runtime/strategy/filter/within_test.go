package filter

import (
	"fmt"
	"testing"
	"time"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// TestWithin looks for a witness among few rows only, where there are many to
// try: whoever judges requests must not be kept by one of them.
func TestWithin(t *testing.T) {
	f := &strategy.Family{Name: "f", Strategy: strategy.OneSecond, MaxAge: time.Second}
	text := func(s string) Text { return Text{Known: true, S: s} }
	contradiction := &Tree{Op: Chain, Sub: []*Tree{{Op: Column, Pattern: text("never")}, {Op: Column, Pattern: text("both")}}}
	all := &Tree{Op: Interleave, Sub: []*Tree{contradiction, contradiction}}
	for i := range 40 {
		name := text(fmt.Sprint("x", i))
		all.Sub = append(all.Sub, &Tree{Op: Chain, Sub: []*Tree{{Op: BlockAll}, {Op: Family, Pattern: name}, {Op: Column, Pattern: name}, {Op: Cell, Pattern: name}}})
	}
	if got := JudgeWithin(all, f, 1000).Verdict; got != Unknown {
		t.Errorf("a tree without witness is %s", got)
	}
	two := &Tree{Op: Chain, Sub: []*Tree{{Op: Column, Pattern: text("a|b")}, {Op: Column, Pattern: text("a")}}}
	for rows, want := range map[int]Verdict{0: Unknown, 1000: Unbounded} {
		if got := JudgeWithin(two, f, rows).Verdict; got != want {
			t.Errorf("within %d rows: %s, want %s", rows, got, want)
		}
	}
}

// TestDoubled judges a predicate in which each of many interleaves doubles the
// cells.
func TestDoubled(t *testing.T) {
	f := &strategy.Family{Name: "f", Strategy: strategy.OneSecond, MaxAge: time.Second}
	twice := &Tree{Op: Interleave, Sub: []*Tree{{Op: PassAll}, {Op: PassAll}}}
	p := &Tree{Op: Chain}
	for range 60 {
		p.Sub = append(p.Sub, twice)
	}
	if got := Judge(&Tree{Op: Condition, Sub: []*Tree{p, {Op: PassAll}, nil}}, f).Verdict; got != Unknown {
		t.Errorf("it is %s", got)
	}
}
