// Package handed gives helpers what they call with a mutation and a time: the
// time's fault is the caller's.
package handed

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/handed/rows"
	"example.com/cases/sight/handed/rt"
)

type local struct{}

func (local) Marshal(mut *bigtable.Mutation, ts bigtable.Timestamp) { mut.Set("token", "l", ts, nil) }

func set(mut *bigtable.Mutation, ts bigtable.Timestamp) { mut.Set("token", "f", ts, nil) }

func into(mut *bigtable.Mutation, f func(*bigtable.Mutation, bigtable.Timestamp), ts bigtable.Timestamp) {
	f(mut, ts)
}

func batch(ctx context.Context, c *bigtable.Client, keys []string) error {
	var b rt.Batch
	for _, k := range keys {
		b.Add(k, &rows.Token{Key: k}, bigtable.Now()) // want `write-time: .*"token" of table "sessions"`
		b.Add(k, local{}, bigtable.Now())             // want `write-time: .*"token" of table "sessions"`
		b.Add(k, &rows.Token{Key: k}, bigtable.Time(time.Now().Add(time.Minute)))
		b.Add(k, &rows.Profile{Name: k}, bigtable.Now())
		b.Add(k, &rows.Fixed{Key: k}, bigtable.Now())
	}
	return b.Flush(ctx, c.Open("sessions"))
}

func ledger(ctx context.Context, c *bigtable.Client, keys []string) error {
	var b rt.Batch
	for i, k := range keys {
		b.Add(k, rows.Entry{Amount: k}, bigtable.Now())        // want `clock-in-sequence: .*"entry"`
		b.Add(k, rows.Entry{Amount: k}, bigtable.Timestamp(i)) // want `unscaled-sequence: .*"entry"`
		b.Add(k, rows.Entry{Amount: k}, bigtable.Timestamp(i*1000))
	}
	return b.Flush(ctx, c.Open("cash-ledger"))
}

// okArchive writes the same rows to a table that nobody declares.
func okArchive(ctx context.Context, c *bigtable.Client, keys []string) error {
	var b rt.Batch
	for _, k := range keys {
		b.Add(k, &rows.Token{Key: k}, bigtable.Now())
	}
	return b.Flush(ctx, c.Open("archive"))
}

func okArchived(ctx context.Context, c *bigtable.Client, k string) error {
	return rt.Put(ctx, c.Open("archive"), k, &rows.Token{Key: k}, bigtable.Now())
}

func put(ctx context.Context, c *bigtable.Client, k string, tokens []*rows.Token) {
	t := c.Open("sessions")
	rt.Put(ctx, t, k, &rows.Token{Key: k}, bigtable.Now())               // want `write-time: .*"token" of table "sessions"`
	rt.PutAt(ctx, t, k, &rows.Token{Key: k}, time.Now())                 // want `write-time: .*"token" of table "sessions"`
	rt.PutAt(ctx, t, k, &rows.Token{Key: k}, time.Now().Add(-time.Hour)) // want `already-expired: .*"token" of table "sessions"`
	rt.PutAt(ctx, t, k, &rows.Profile{Name: k}, time.Now())
	for _, tok := range tokens {
		rt.Put(ctx, t, k, tok, bigtable.Now()) // want `write-time: .*"token" of table "sessions"`
	}
	rt.Put(ctx, t, k, rt.Func(set), bigtable.Now()) // want `write-time: .*"token" of table "sessions"`
	rt.Put(ctx, t, k, rt.Func(func(mut *bigtable.Mutation, ts bigtable.Timestamp) { mut.Set("profile", "n", ts, nil) }), bigtable.Now())
	through(ctx, t, &rows.Token{Key: k}, bigtable.Now()) // want `write-time: .*"token" of table "sessions"`
	through(ctx, t, &rows.Profile{Name: k}, bigtable.Now())
}

// through hands on what another package calls.
func through(ctx context.Context, t *bigtable.Table, m rt.Marshaler, ts bigtable.Timestamp) error {
	return rt.Put(ctx, t, "k", m, ts)
}

func mutation(k string) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	rt.All(mut, bigtable.Now(), &rows.Profile{Name: k}, &rows.Token{Key: k}) // want `write-time: .*"token"`
	rt.All(mut, bigtable.Now(), &rows.Profile{Name: k})
	rt.Generic(mut, &rows.Token{Key: k}, bigtable.Now()) // want `write-time: .*"token"`
	rt.Generic(mut, rows.Entry{}, bigtable.Now())        // want `clock-in-sequence: .*"entry"`
	rt.Generic(mut, &rows.Profile{}, bigtable.Now())
	rt.Retried(mut, &rows.Token{Key: k}, bigtable.Now()) // want `write-time: .*"token"`
	rt.Now(mut, &rows.Token{Key: k})                     // want `write-time: .*"token"`
	rt.Now(mut, &rows.Profile{Name: k})
	rt.NewWriter(&rows.Token{Key: k}).Write(mut, bigtable.Now()) // want `write-time: .*"token"`
	rt.NewWriter(&rows.Profile{Name: k}).Write(mut, bigtable.Now())
	w := rt.NewWriter(rows.Any{Family: "token"})
	w.Write(mut, bigtable.Now()) // want `write-time: .*"token"`
	rt.With(mut, (&rows.Profile{}).Marshal, bigtable.Now())
	rt.With(mut, set, bigtable.Now())                           // want `write-time: .*"token"`
	rt.With(mut, (&rows.Token{Key: k}).Marshal, bigtable.Now()) // want `write-time: .*"token"`
	rt.With(mut, local{}.Marshal, bigtable.Now())               // want `write-time: .*"token"`
	rt.With(mut, func(m *bigtable.Mutation, ts bigtable.Timestamp) {
		m.Set("profile", "n", ts, nil)
	}, bigtable.Now())
	rt.With(mut, func(m *bigtable.Mutation, ts bigtable.Timestamp) { m.Set("token", "n", ts, nil) }, bigtable.Now()) // want `write-time: .*"token"`
	return mut
}

func values(k string) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	h := &rows.Token{Key: k}
	into(mut, h.Marshal, bigtable.Now())       // want `write-time: .*"token"`
	into(mut, local{}.Marshal, bigtable.Now()) // want `write-time: .*"token"`
	into(mut, set, bigtable.Now())             // want `write-time: .*"token"`
	into(mut, set, bigtable.Time(time.Now().Add(time.Minute)))
	into(mut, (&rows.Profile{}).Marshal, bigtable.Now())
	into(mut, func(m *bigtable.Mutation, ts bigtable.Timestamp) { h.Marshal(m, ts) }, bigtable.Now()) // want `write-time: .*"token"`
	into(mut, rt.Func(set).Marshal, bigtable.Now())                                                   // want `write-time: .*"token"`
	return mut
}

// whole is wrong where the literal stands, once.
func whole(ctx context.Context, c *bigtable.Client, k string) {
	rt.Update(ctx, c.Open("sessions"), k, func(mut *bigtable.Mutation) {
		mut.Set("token", "n", bigtable.Now(), nil) // want `write-time: .*"token"`
	})
	rt.Update(ctx, c.Open("sessions"), k, func(mut *bigtable.Mutation) {
		mut.Set("token", "n", bigtable.Time(time.Now().Add(time.Minute)), nil)
	})
}

// given leaves the time to its callers.
func given(ctx context.Context, c *bigtable.Client, k string, ts bigtable.Timestamp) error {
	return rt.Update(ctx, c.Open("sessions"), k, func(mut *bigtable.Mutation) { mut.Set("token", "n", ts, nil) })
}

func gives(ctx context.Context, c *bigtable.Client) {
	given(ctx, c, "k", bigtable.Now()) // want `write-time: .*"token"`
	given(ctx, c, "k", bigtable.Time(time.Now().Add(time.Hour)))
}

// setters get the method of a mutation itself.
func stamp(set func(family, column string, ts bigtable.Timestamp, value []byte), family string, ts bigtable.Timestamp) {
	set(family, "at", ts, nil)
}

func stamps() *bigtable.Mutation {
	mut := bigtable.NewMutation()
	stamp(mut.Set, "token", bigtable.Now()) // want `write-time: .*"token"`
	stamp(mut.Set, "profile", bigtable.Now())
	stamp(func(string, string, bigtable.Timestamp, []byte) {}, "token", bigtable.Now())
	return mut
}
