// Package fleet plans which truck takes what: pure functions, no tables.
package fleet

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"time"

	"example.com/depot/internal/manifest"
	"example.com/depot/internal/seqx"
)

// Truck is a truck with its limits.
type Truck struct {
	Plate   string
	Pallets int
	Kilos   float64
	From    time.Time
}

// Load is what a truck takes.
type Load struct {
	Truck Truck
	Lines []manifest.Line
}

// ErrTooMuch says that the trucks cannot take everything.
var ErrTooMuch = errors.New("not enough trucks")

// Room is what a truck can still take.
func (l Load) Room() (pallets int, kilos float64) {
	used := map[int]bool{}
	for _, x := range l.Lines {
		used[x.Pallet] = true
	}
	return l.Truck.Pallets - len(used), l.Truck.Kilos - seqx.Sum(slices.Values(l.Lines), func(x manifest.Line) float64 { return x.Kilos })
}

type pallet struct {
	number int
	kilos  float64
	lines  []manifest.Line
}

// Plan spreads the pallets over the trucks, heaviest first.
func Plan(lines iter.Seq[manifest.Line], trucks []Truck) ([]Load, error) {
	by := seqx.GroupBy(lines, func(l manifest.Line) int { return l.Pallet })
	var pallets []pallet
	for n, ls := range seqx.SortedKeys(by) {
		pallets = append(pallets, pallet{n, seqx.Sum(slices.Values(ls), func(l manifest.Line) float64 { return l.Kilos }), ls})
	}
	slices.SortStableFunc(pallets, func(a, b pallet) int { return cmp.Compare(b.kilos, a.kilos) })
	loads := make([]Load, len(trucks))
	for i, t := range slices.SortedFunc(slices.Values(trucks), func(a, b Truck) int { return a.From.Compare(b.From) }) {
		loads[i].Truck = t
	}
	var left int
	for _, p := range pallets {
		i := slices.IndexFunc(loads, func(l Load) bool {
			n, kg := l.Room()
			return n > 0 && kg >= p.kilos
		})
		if i < 0 {
			left++
			continue
		}
		loads[i].Lines = append(loads[i].Lines, p.lines...)
	}
	if left > 0 {
		return loads, ErrTooMuch
	}
	return loads, nil
}

// Waits says how long each truck waits from now on.
func Waits(loads []Load, now time.Time) iter.Seq2[string, time.Duration] {
	return func(yield func(string, time.Duration) bool) {
		for _, l := range loads {
			if !yield(l.Truck.Plate, max(0, l.Truck.From.Sub(now))) {
				return
			}
		}
	}
}
