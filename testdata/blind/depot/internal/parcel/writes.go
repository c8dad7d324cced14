package parcel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/bt"
	"example.com/depot/internal/names"
	"example.com/depot/internal/seqx"
)

// GrantFor is how long somebody may pick up a parcel.
const GrantFor = 2 * time.Hour

// The families, for the calls of the client.
const (
	fState = string(names.State)
	fStep  = string(names.Step)
	fGrant = string(names.Grant)
	fTrail = string(names.Trail)
)

// Store is the shell around the parcels.
type Store struct {
	tbl    *bigtable.Table
	totals *bigtable.Table
	pins   *bt.Repo[Number, string]
	codes  *bt.Repo[Number, string]
	mu     sync.Mutex
	steps  map[Number]int64
	log    *slog.Logger
}

var text = bt.Codec[string]{
	Encode: func(s string) []byte { return []byte(s) },
	Decode: func(b []byte) (string, error) { return string(b), nil },
}

// New opens the tables.
func New(c *bigtable.Client, log *slog.Logger) *Store {
	tbl := c.Open(names.Parcels)
	pins := bt.RepoConfig{Family: names.Grant, Column: "pin", Live: bt.Live, Stamp: bigtable.Time} // want ttlwrite/write-time[pins]
	codes := bt.RepoConfig{Family: names.Grant, Column: "code", Live: bt.Live, Stamp: func(now time.Time) bigtable.Timestamp {
		return bigtable.Time(now.Add(GrantFor)) // ok ttlwrite/write-time
	}}
	return &Store{
		tbl:    tbl,
		totals: c.Open(names.Totals),
		pins:   bt.NewRepo[Number](tbl, text, pins),  // want ttlwrite/write-time[pins]
		codes:  bt.NewRepo[Number](tbl, text, codes), // ok ttlwrite/write-time
		steps:  map[Number]int64{},
		log:    log,
	}
}

// SetPin stores the code of a locker.
func (s *Store) SetPin(ctx context.Context, n Number, pin string) error {
	return s.pins.Put(ctx, n, pin)
}

// SetCode stores the code of a door.
func (s *Store) SetCode(ctx context.Context, n Number, c string) error { return s.codes.Put(ctx, n, c) }

// Announce makes a parcel.
func (s *Store) Announce(ctx context.Context, n Number, st State) error {
	m := bigtable.NewMutation()
	m.Set(fState, "now", 0, enc(st))                             // ok ttlwrite/clock-in-zero
	m.Set(fStep, "way", 1000, enc(Step{Phase: Announced}))       // ok ttlwrite/unscaled-sequence
	m.Set(fTrail, "announced", bigtable.Now(), []byte(st.Place)) // ok ttlwrite/clock-in-sequence
	if err := s.tbl.Apply(ctx, string(n), m); err != nil {
		return fmt.Errorf("announce %s: %w", n, err)
	}
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(string(names.Count), "announced", 1) // ok ttlwrite/read-modify-write
	_, err := s.totals.ApplyReadModifyWrite(ctx, "parcels", rmw)
	return err
}

// Move notes a step and where the parcel is then.
func (s *Store) Move(ctx context.Context, n Number, st State, step Step) error {
	next, err := st.Move(step)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	bt.Put(m, names.Step, "way", bt.Seq(step.N), enc(step))                // ok ttlwrite/unscaled-sequence
	bt.Put(m, names.State, "now", bt.Single{}, enc(next))                  // ok ttlwrite/clock-in-zero
	bt.Put(m, names.Trail, "moved", bt.Written(step.At), []byte(st.Place)) // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, string(n), m)
}

// MoveNow is Move for the belt, which does not number its steps.
func (s *Store) MoveNow(ctx context.Context, n Number, step Step) error {
	s.mu.Lock()
	s.steps[n]++
	count := s.steps[n]
	s.mu.Unlock()
	m := bigtable.NewMutation()
	m.Set(fStep, "way", bigtable.Timestamp(count), enc(step)) // want ttlwrite/unscaled-sequence
	m.Set(fState, "belt", bigtable.Now(), enc(step.Phase))    // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, string(n), m)
}

// MoveTimed is Move for the old scanners, which number by the second.
func (s *Store) MoveTimed(ctx context.Context, n Number, step Step) error {
	m := bigtable.NewMutation()
	m.Set(fStep, "way", bigtable.Time(step.At), enc(step)) // want ttlwrite/clock-in-sequence
	m.Set(fState, "now", bigtable.ServerTime, enc(step))   // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, string(n), m)
}

// MoveAll notes a way that comes in one piece.
func (s *Store) MoveAll(ctx context.Context, n Number, steps []Step) error {
	m := bigtable.NewMutation()
	for i, st := range seqx.Enumerate(slicesValues(steps)) {
		m.Set(fStep, "way", bigtable.Timestamp(1000*(i+1)), enc(st)) // ok ttlwrite/unscaled-sequence
	}
	if len(steps) > 0 {
		m.Set(fState, "now", 0, enc(steps[len(steps)-1])) // ok ttlwrite/clock-in-zero
	}
	return s.tbl.Apply(ctx, string(n), m)
}

func slicesValues[A any](in []A) iter.Seq[A] {
	return func(yield func(A) bool) {
		for _, a := range in {
			if !yield(a) {
				return
			}
		}
	}
}

// Backward notes a way that comes newest first.
func (s *Store) Backward(ctx context.Context, n Number, steps []Step) error {
	m := bigtable.NewMutation()
	for i, st := range steps {
		m.Set(fStep, "way", bigtable.Timestamp(len(steps)-i), enc(st)) // want ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, string(n), m)
}

// Grant lets somebody pick a parcel up.
func (s *Store) Grant(ctx context.Context, n Number, who string) error {
	m := bigtable.NewMutation()
	m.Set(fGrant, who, bigtable.Time(bt.Now(ctx).Add(GrantFor)), []byte(who)) // ok ttlwrite/write-time
	m.Set(fTrail, "granted", bigtable.Now(), []byte(who))                     // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, string(n), m)
}

// GrantNow is Grant for the counter: they are there already.
func (s *Store) GrantNow(ctx context.Context, n Number, who string) error {
	ts := bigtable.Now()
	m := bigtable.NewMutation()
	m.Set(fGrant, who, ts, []byte(who))       // want ttlwrite/write-time
	m.Set(fTrail, "granted", ts, []byte(who)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, string(n), m)
}

// GrantAll lets some people pick a parcel up.
func (s *Store) GrantAll(ctx context.Context, n Number, who iter.Seq[string], d time.Duration) error {
	m := bigtable.NewMutation()
	for w := range who {
		bt.Put(m, names.Grant, w, bt.In(d), []byte(w)) // ok ttlwrite/write-time
	}
	m.Set(fGrant, "count", bigtable.ServerTime, []byte("many")) // want ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, string(n), m)
}

// Visits counts who came for a parcel.
func (s *Store) Visits(ctx context.Context, n Number, who string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(fState, "visits", 1)          // want ttlwrite/read-modify-write
	rmw.AppendValue(fTrail, "who", []byte(who)) // ok ttlwrite/read-modify-write
	rmw.Increment(fStep, "visits", 1)           // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, string(n), rmw)
	return err
}

// Weigh adds up what the scales say.
func (s *Store) Weigh(ctx context.Context, n Number, kilos int64) error {
	m := bigtable.NewMutation()
	m.AddIntToCell(string(names.Count), "kilos", bigtable.ServerTime, kilos) // want ttlwrite/aggregate-server-time
	return s.totals.Apply(ctx, "kilos", m)
}

// WeighDay adds up what the scales say on a day.
func (s *Store) WeighDay(ctx context.Context, day time.Time, kilos int64) error {
	m := bigtable.NewMutation()
	m.AddIntToCell(string(names.Count), "kilos", bigtable.Time(day.Truncate(24*time.Hour)), kilos) // ok ttlwrite/aggregate-server-time
	return s.totals.Apply(ctx, "kilos", m)
}

// Sketch merges the sketch of the numbers that a scanner saw.
func (s *Store) Sketch(ctx context.Context, sketch []byte) error {
	m := bigtable.NewMutation()
	m.MergeBytesToCell(string(names.Count), "seen", bigtable.ServerTime, sketch) // want ttlwrite/aggregate-server-time
	m.MergeBytesToCell(string(names.Count), "ever", 0, sketch)                   // ok ttlwrite/aggregate-server-time
	return s.totals.Apply(ctx, "sketch", m)
}

// Correct writes a state twice: the form has two fields for it.
func (s *Store) Correct(ctx context.Context, n Number, phase Phase, place string) error {
	m := bigtable.NewMutation()
	m.Set(fState, "now", 0, enc(State{Phase: phase}))
	m.Set(fState, "now", 0, enc(State{Place: place})) // want ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, string(n), m)
}

// CorrectBoth writes a state, and what it was.
func (s *Store) CorrectBoth(ctx context.Context, n Number, was, is State) error {
	m := bigtable.NewMutation()
	m.Set(fState, "was", 0, enc(was))
	m.Set(fState, "now", 0, enc(is)) // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, string(n), m)
}

// Rewrite replaces a state.
func (s *Store) Rewrite(ctx context.Context, n Number, is State) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(fState, "now")
	m.Set(fState, "now", 0, enc(is)) // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, string(n), m)
}

// Forget deletes the grants of a parcel after the last one is noted.
func (s *Store) Forget(ctx context.Context, n Number, who string) error {
	m := bigtable.NewMutation()
	m.Set(fGrant, "last", bigtable.Time(time.Now().Add(time.Hour)), []byte(who))
	m.DeleteCellsInColumn(fGrant, who)    // ok ttlwrite/delete-after-set
	m.DeleteCellsInColumn(fGrant, "last") // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, string(n), m)
}

// Import applies a file of changes.
func (s *Store) Import(ctx context.Context, lines iter.Seq[[]byte]) error {
	var bad error
	err := bt.Bulk(ctx, s.tbl, seqx.Values(mutations(lines), &bad), 100) // want ttlwrite/unscaled-sequence[line]
	return errors.Join(err, bad)
}

// mutations turns a file of changes into mutations, line by line.
func mutations(lines iter.Seq[[]byte]) iter.Seq2[bt.Write, error] {
	type change struct {
		Number Number          `json:"number"`
		Seq    uint64          `json:"seq"`
		Until  time.Time       `json:"until"`
		Value  json.RawMessage `json:"value"`
		Kind   string          `json:"kind"`
	}
	return func(yield func(bt.Write, error) bool) {
		line := 0
		for raw := range lines {
			line++
			var c change
			if err := json.Unmarshal(raw, &c); err != nil {
				if !yield(bt.Write{}, fmt.Errorf("line %d: %w", line, err)) {
					return
				}
				continue
			}
			m := bigtable.NewMutation()
			switch c.Kind {
			case "state":
				m.Set(fState, "now", 0, c.Value) // ok ttlwrite/clock-in-zero
			case "step":
				m.Set(fStep, "way", bigtable.Timestamp(c.Seq*1000), c.Value) // ok ttlwrite/unscaled-sequence
			case "grant":
				m.Set(fGrant, "file", bigtable.Time(c.Until), c.Value) // ok ttlwrite/write-time
			case "grant-seconds":
				m.Set(fGrant, "file", bigtable.Timestamp(c.Until.Unix()), c.Value) // want ttlunit/wrong-unit|ttlwrite/already-expired
			case "line":
				m.Set(fStep, "line", bigtable.Timestamp(line), c.Value) // want ttlwrite/unscaled-sequence[line]
			default:
				m.Set(fTrail, "file", bigtable.Now(), []byte(strconv.Itoa(line))) // ok ttlwrite/unscaled-sequence
			}
			if !yield(bt.Write{Key: string(c.Number), Mut: m}, nil) {
				return
			}
		}
	}
}
