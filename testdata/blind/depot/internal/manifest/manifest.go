// Package manifest keeps the loading lists of the depots. Each change of a
// list is a revision: the cells of the family rev have the revision's number
// as timestamp, and three revisions are kept.
package manifest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
)

// Keep is how many revisions are kept.
const Keep = 3

// Line is a line of a list.
type Line struct {
	Parcel string  `json:"parcel"`
	Pallet int     `json:"pallet"`
	Kilos  float64 `json:"kilos"`
}

// Compare orders lines as they are loaded.
func (l Line) Compare(o Line) int {
	return cmp.Or(cmp.Compare(l.Pallet, o.Pallet), -cmp.Compare(l.Kilos, o.Kilos), strings.Compare(l.Parcel, o.Parcel))
}

// Revision is a state of a list.
type Revision struct {
	Number uint64    `json:"number"`
	By     string    `json:"by"`
	At     time.Time `json:"at"`
	Lines  []Line    `json:"lines"`
}

// ErrConflict says that somebody else was faster.
var ErrConflict = errors.New("manifest has changed")

// Kilos is the weight of a revision.
func (r Revision) Kilos() (kg float64) {
	for _, l := range r.Lines {
		kg += l.Kilos
	}
	return kg
}

// Pallets yields the lines by pallet.
func (r Revision) Pallets() iter.Seq2[int, []Line] {
	return func(yield func(int, []Line) bool) {
		by := map[int][]Line{}
		for _, l := range r.Lines {
			by[l.Pallet] = append(by[l.Pallet], l)
		}
		for _, p := range slices.Sorted(maps.Keys(by)) {
			if !yield(p, by[p]) {
				return
			}
		}
	}
}

// Change is what happened between two revisions.
type Change struct {
	Added, Removed, Moved []Line
}

// Empty says whether nothing happened.
func (c Change) Empty() bool { return len(c.Added)+len(c.Removed)+len(c.Moved) == 0 }

// Diff is the change from a to b.
func Diff(a, b Revision) (c Change) {
	old := index(a)
	for _, l := range b.Lines {
		was, ok := old[l.Parcel]
		switch {
		case !ok:
			c.Added = append(c.Added, l)
		case was.Pallet != l.Pallet:
			c.Moved = append(c.Moved, l)
		}
		delete(old, l.Parcel)
	}
	c.Removed = slices.SortedFunc(maps.Values(old), Line.Compare)
	return c
}

func index(r Revision) map[string]Line {
	return maps.Collect(func(yield func(string, Line) bool) {
		for _, l := range r.Lines {
			if !yield(l.Parcel, l) {
				return
			}
		}
	})
}

// Apply is the list after a change.
func (r Revision) Apply(c Change, by string, at time.Time) Revision {
	lines := index(r)
	for _, l := range c.Removed {
		delete(lines, l.Parcel)
	}
	for _, l := range slices.Concat(c.Added, c.Moved) {
		lines[l.Parcel] = l
	}
	return Revision{Number: r.Number + 1, By: by, At: at, Lines: slices.SortedFunc(maps.Values(lines), Line.Compare)}
}

func (r Revision) bytes() []byte {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return b
}

func parse(b []byte) (r Revision, err error) {
	if err := json.Unmarshal(b, &r); err != nil {
		return r, fmt.Errorf("revision: %w", err)
	}
	return r, nil
}
