// Package dock keeps the reservations of the docks: a carrier holds a slot
// for a quarter of an hour, and then books it or loses it.
package dock

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"
)

// HoldFor is how long a hold lives when nobody books.
const HoldFor = 15 * time.Minute

// Errors of the package.
var (
	ErrTaken  = errors.New("slot is taken")
	ErrNoHold = errors.New("no hold on the slot")
	ErrClosed = errors.New("dock is closed")
)

// ID names a slot: a dock, a day and a quarter of an hour.
type ID struct {
	Dock    string
	Day     time.Time
	Quarter int
}

// Key is the row key of a slot.
func (id ID) Key() string {
	return fmt.Sprintf("%s#%s#%02d", id.Dock, id.Day.Format("20060102"), id.Quarter)
}

// Start is the moment at which the slot begins.
func (id ID) Start() time.Time {
	return id.Day.Add(time.Duration(id.Quarter) * 15 * time.Minute)
}

// Compare orders slots by dock and then by time.
func (id ID) Compare(o ID) int {
	return cmp.Or(cmp.Compare(id.Dock, o.Dock), id.Day.Compare(o.Day), cmp.Compare(id.Quarter, o.Quarter))
}

// Hold is a claim for a while.
type Hold struct {
	Slot    ID        `json:"-"`
	Carrier string    `json:"carrier"`
	Plate   string    `json:"plate"`
	Until   time.Time `json:"until"`
}

// Booking is a claim for good.
type Booking struct {
	Carrier string    `json:"carrier"`
	Plate   string    `json:"plate"`
	Pallets int       `json:"pallets"`
	Booked  time.Time `json:"-"`
}

// Quarters yields the slots of a dock on a day, between two hours.
func Quarters(dock string, day time.Time, from, to int) iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for q := from * 4; q < to*4; q++ {
			if !yield(ID{Dock: dock, Day: day, Quarter: q}) {
				return
			}
		}
	}
}

// Free yields the slots that are in none of the sets.
func Free(all iter.Seq[ID], taken ...map[string]bool) iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for id := range all {
			busy := slices.ContainsFunc(taken, func(m map[string]bool) bool { return m[id.Key()] })
			if !busy && !yield(id) {
				return
			}
		}
	}
}

func encode[T any](v T) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only plain structs come here
	}
	return b
}

func decode[T any](b []byte) (T, error) {
	var v T
	err := json.Unmarshal(b, &v)
	return v, err
}
