// Package parcel keeps the parcels: where each one is (family state, one
// version), the numbered steps of its way (step), who may pick it up (grant)
// and what the scanners saw (trail).
package parcel

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"
)

// Number names a parcel.
type Number string

// Valid checks the last digit.
func (n Number) Valid() bool {
	if len(n) < 2 {
		return false
	}
	sum := 0
	for i, c := range n[:len(n)-1] {
		if c < '0' || c > '9' {
			return false
		}
		d := int(c - '0')
		if i%2 == 0 {
			d *= 3
		}
		sum += d
	}
	return int(n[len(n)-1]-'0') == (10-sum%10)%10
}

// Phase is where a parcel is on its way.
type Phase string

// Phases.
const (
	Announced Phase = "announced"
	Inbound   Phase = "inbound"
	Stored    Phase = "stored"
	Loaded    Phase = "loaded"
	Delivered Phase = "delivered"
)

var order = []Phase{Announced, Inbound, Stored, Loaded, Delivered}

// Next yields the phases that may follow.
func (p Phase) Next() iter.Seq[Phase] {
	i := slices.Index(order, p)
	return slices.Values(order[min(i+1, len(order)):])
}

// State is where a parcel is.
type State struct {
	Phase Phase  `json:"phase"`
	Place string `json:"place"`
	Kilos int    `json:"kilos"`
}

// Step is a step of the way.
type Step struct {
	N     uint64    `json:"-"`
	Phase Phase     `json:"phase"`
	Place string    `json:"place"`
	At    time.Time `json:"at"`
}

// Scan is what a scanner saw.
type Scan struct {
	Scanner string
	Seen    time.Time
}

// Parcel is all of it.
type Parcel struct {
	Number    Number
	State     State
	Steps     []Step
	Grants    map[string]time.Time
	Scans     []Scan
	UpdatedAt time.Time
	CreatedAt time.Time
	ValidTo   time.Time
}

// ErrPhase says that a parcel cannot go from one phase to another.
var ErrPhase = errors.New("phase out of order")

// Move is the state after a step.
func (s State) Move(to Step) (State, error) {
	for p := range s.Phase.Next() {
		if p == to.Phase {
			return State{Phase: to.Phase, Place: to.Place, Kilos: s.Kilos}, nil
		}
	}
	return s, fmt.Errorf("%s to %s: %w", s.Phase, to.Phase, ErrPhase)
}

// Dwell says how long parcels stay in each phase.
func Dwell(steps iter.Seq[Step]) map[Phase]time.Duration {
	out := map[Phase]time.Duration{}
	var last Step
	for s := range steps {
		if last.Phase != "" {
			out[last.Phase] += s.At.Sub(last.At)
		}
		last = s
	}
	return out
}

// Slowest is the phase in which parcels stay longest.
func Slowest(d map[Phase]time.Duration) Phase {
	return slices.MaxFunc(slices.Sorted(maps.Keys(d)), func(a, b Phase) int { return cmp.Compare(d[a], d[b]) })
}

func enc[T any](v T) []byte {
	b, _ := json.Marshal(v)
	return b
}

func dec[T any](b []byte) (v T) {
	_ = json.Unmarshal(b, &v)
	return v
}
