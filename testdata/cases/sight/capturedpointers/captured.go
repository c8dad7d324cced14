// Package capturedpointers has literals that write through a pointer that they capture.
package capturedpointers

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type state struct {
	n, scaled int64
	at        bigtable.Timestamp
}

func counting(c *bigtable.Client) func(context.Context) error {
	tbl, st := c.Open("history"), &state{}
	return func(ctx context.Context) error {
		st.n++
		st.scaled += 1000
		mut := bigtable.NewMutation()
		mut.Set("val", "a", bigtable.Timestamp(st.n), nil) // want `unscaled-sequence: .*"val"`
		mut.Set("val", "b", bigtable.Timestamp(st.scaled), nil)
		return tbl.Apply(ctx, "r", mut)
	}
}

// The other literal runs before each write.
func setBeside(tbl *bigtable.Table) func(context.Context) error {
	st := &state{}
	later := func() { st.at = bigtable.Time(time.Now().Add(time.Hour)) }
	return func(ctx context.Context) error {
		later()
		mut := bigtable.NewMutation()
		mut.Set("token", "a", st.at, nil)
		return tbl.Apply(ctx, "r", mut)
	}
}

// The second call writes what the first has set.
func setAfter(tbl *bigtable.Table) func(context.Context) error {
	st := &state{at: bigtable.Time(time.Now().Add(time.Minute))}
	return func(ctx context.Context) error {
		mut := bigtable.NewMutation()
		mut.Set("token", "a", st.at, nil)
		st.at = bigtable.Time(time.Now().Add(time.Hour))
		return tbl.Apply(ctx, "r", mut)
	}
}

// What both literals are given is the same object.
func setByOther(tbl *bigtable.Table) (set func(bigtable.Timestamp), write func(context.Context) error) {
	st := &state{}
	set = func(ts bigtable.Timestamp) { st.at = ts }
	write = func(ctx context.Context) error {
		mut := bigtable.NewMutation()
		mut.Set("token", "a", st.at, nil)
		return tbl.Apply(ctx, "r", mut)
	}
	return set, write
}

// Nobody sets it, whatever else is set.
func othersSet(tbl *bigtable.Table) func(context.Context) error {
	st := &state{}
	return func(ctx context.Context) error {
		st.n++
		mut := bigtable.NewMutation()
		mut.Set("token", "a", st.at, nil) // want `already-expired: .*"token"`
		return tbl.Apply(ctx, "r", mut)
	}
}

func neverSet(tbl *bigtable.Table) func(context.Context) error {
	st := &state{at: bigtable.Now()}
	return func(ctx context.Context) error {
		mut := bigtable.NewMutation()
		mut.Set("token", "a", st.at, nil) // want `write-time: .*"token"`
		return tbl.Apply(ctx, "r", mut)
	}
}

// What the literal has just set it reads.
func setBefore(tbl *bigtable.Table, now func() time.Time) func(context.Context, time.Duration) error {
	st := &state{}
	return func(ctx context.Context, ttl time.Duration) error {
		st.at = bigtable.Now()
		mut := bigtable.NewMutation()
		mut.Set("token", "a", st.at, nil) // want `write-time: .*"token"`
		st.at = bigtable.Time(now().Add(ttl))
		mut.Set("token", "b", st.at, nil)
		return tbl.Apply(ctx, "r", mut)
	}
}
