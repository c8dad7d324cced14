// Package timesasnumbers writes times into families of numbers.
package timesasnumbers

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/timesasnumbers/lib"
)

type entry struct {
	At  time.Time
	Seq int64
}

type store struct {
	tbl   *bigtable.Table
	clock lib.Clock
	now   func() time.Time
}

func param(m *bigtable.Mutation, at time.Time) {
	m.Set("entry", "event", bigtable.Time(at), nil) // want `clock-in-sequence: .*uses a time`
}

func Exported(m *bigtable.Mutation, at time.Time) {
	m.Set("entry", "event", bigtable.Time(at), nil) // want `clock-in-sequence`
}

func field(m *bigtable.Mutation, e entry, p *lib.Entry) {
	m.Set("entry", "event", bigtable.Time(e.At), nil)                   // want `clock-in-sequence`
	m.Set("entry", "posted", bigtable.Time(p.Posted), nil)              // want `clock-in-sequence`
	m.Set("entry", "when", bigtable.Time(p.When()), nil)                // want `clock-in-sequence`
	m.Set("entry", "utc", bigtable.Time(e.At.UTC().Add(1)), nil)        // want `clock-in-sequence`
	m.Set("entry", "version", bigtable.Time(p.Version()), nil)          // a number
	m.Set("entry", "number", bigtable.Time(time.UnixMilli(e.Seq)), nil) // a number
	m.Set("entry", "lib", bigtable.Time(lib.Number(e.Seq)), nil)        // a number
}

func called(m *bigtable.Mutation, now func() time.Time) {
	m.Set("entry", "event", bigtable.Time(now().Add(1)), nil) // want `clock-in-sequence`
}

func (s *store) clocks(ctx context.Context, m *bigtable.Mutation) error {
	m.Set("entry", "a", bigtable.Time(s.clock.Now()), nil) // want `clock-in-sequence`
	m.Set("entry", "b", bigtable.Time(s.now()), nil)       // want `clock-in-sequence`
	return s.tbl.Apply(ctx, "k", m)
}

func decoded(m *bigtable.Mutation, raw []byte) error {
	var e entry
	if err := json.Unmarshal(raw, &e); err != nil {
		return err
	}
	m.Set("entry", "a", bigtable.Time(e.At), nil) // want `clock-in-sequence`
	at, err := time.Parse(time.RFC3339, string(raw))
	if err != nil {
		return err
	}
	m.Set("entry", "b", bigtable.Time(at), nil) // want `clock-in-sequence`
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return err
	}
	m.Set("entry", "c", bigtable.Time(time.Unix(n, 0)), nil)
	m.Set("entry", "d", bigtable.Time(time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)), nil) // want `clock-in-sequence`
	return nil
}

func looped(m *bigtable.Mutation, es []entry) {
	for _, e := range es {
		m.Set("entry", strconv.FormatInt(e.Seq, 10), bigtable.Time(e.At), nil) // want `clock-in-sequence`
	}
}

// A caller in view makes the time of a number: nothing here, and a finding at
// the caller that does not.
func put(m *bigtable.Mutation, at time.Time) {
	m.Set("entry", "event", bigtable.Time(at), nil)
}

func numbered(m *bigtable.Mutation, e entry) {
	put(m, time.Unix(0, e.Seq*1e6))
}

func dated(m *bigtable.Mutation, e entry) {
	put(m, e.At)       // want `clock-in-sequence`
	put(m, time.Now()) // want `clock-in-sequence`
}

// The family is the caller's.
func across(m *bigtable.Mutation, e entry) {
	lib.Posted(m, "entry", e.At)                  // want `clock-in-sequence`
	lib.Posted(m, "profile", e.At)                // ordinary
	lib.Posted(m, "entry", time.UnixMilli(e.Seq)) // a number
	lib.Posted(m, "entry", lib.Number(e.Seq))     // a number
	lib.Posted(m, "entry", (&lib.Entry{}).When()) // want `clock-in-sequence`
	lib.Posted(m, "latest", e.At)                 // want `clock-in-zero`
	lib.Posted(m, "latest", time.UnixMicro(0))    // 0
}

func zero(m *bigtable.Mutation, e entry) {
	m.Set("latest", "a", bigtable.Time(e.At), nil) // want `clock-in-zero: .*uses a time`
	m.Set("latest", "b", 0, nil)
}

// Silent: timestamps that are not known to be times, and copies of cells.
func unknown(m *bigtable.Mutation, ts bigtable.Timestamp, it bigtable.ReadItem, epoch time.Time, e entry) {
	m.Set("entry", "a", ts, nil)
	m.Set("entry", "b", it.Timestamp, nil)
	m.Set("entry", "c", bigtable.Time(it.Timestamp.Time()), nil)
	m.Set("entry", "d", bigtable.Timestamp(e.Seq*1000), nil)
	m.Set("entry", "e", bigtable.Timestamp(e.At.Sub(epoch).Milliseconds()*1000), nil)
}
