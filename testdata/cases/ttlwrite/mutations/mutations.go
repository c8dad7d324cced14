// Package mutations builds mutations in one place and applies them in
// another. "val" needs the table to be judged, "token" does not.
package mutations

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

const lifetime = time.Hour

// Built by a function, applied by its caller.

func build() *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
	return mut
}

func okBuild() *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(lifetime)), nil)
	return mut
}

func applyBuilt(ctx context.Context, client *bigtable.Client) error {
	if err := client.Open("sessions").Apply(ctx, "k", okBuild()); err != nil {
		return err
	}
	return client.Open("sessions").Apply(ctx, "k", build())
}

// Passed to a function that applies it.

type store struct{ tbl *bigtable.Table }

func newStore(client *bigtable.Client) *store { return &store{client.Open("cache")} }

func (s *store) apply(ctx context.Context, mut *bigtable.Mutation) error {
	return s.tbl.Apply(ctx, "k", mut)
}

func (s *store) passed(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "x", bigtable.Now(), nil) // want `write-time: .*"val"`
	return s.apply(ctx, mut)
}

func (s *store) okPassed(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "x", bigtable.Time(time.Now().Add(lifetime)), nil)
	return s.apply(ctx, mut)
}

// Filled by a function.

func fill(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("ticket", "seat", ts, nil)
	mut.Set("ticket", "row", ts, nil)
}

func filled(ctx context.Context, client *bigtable.Client) error {
	mut := bigtable.NewMutation()
	fill(mut, bigtable.Time(time.Now().Add(lifetime)))
	return client.Open("tickets").Apply(ctx, "k", mut)
}

// Collected in a struct, written by another method.

type bulk struct {
	tbl  *bigtable.Table
	keys []string
	muts []*bigtable.Mutation
}

func (b *bulk) add(key string) {
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", bigtable.Now(), nil) // want `write-time: .*"token"`
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, mut)
}

func (b *bulk) okAdd(key string) {
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(lifetime)), nil)
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, mut)
}

func (b *bulk) flush(ctx context.Context) ([]error, error) {
	return b.tbl.ApplyBulk(ctx, b.keys, b.muts)
}

// Sent through a channel.

func send(ch chan<- *bigtable.Mutation) {
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
	ch <- mut
}

func okSend(ch chan<- *bigtable.Mutation) {
	mut := bigtable.NewMutation()
	mut.Set("profile", "name", bigtable.ServerTime, nil)
	ch <- mut
}

func receive(ctx context.Context, tbl *bigtable.Table, ch <-chan *bigtable.Mutation) error {
	for mut := range ch {
		if err := tbl.Apply(ctx, "k", mut); err != nil {
			return err
		}
	}
	return nil
}

// Conditional: the children are judged like any mutation. Their predicate is
// nil only where the branch deletes.

func conditional(ctx context.Context, client *bigtable.Client) error {
	set, del := bigtable.NewMutation(), bigtable.NewMutation()
	set.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
	del.DeleteCellsInFamily("token")
	live := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	return client.Open("sessions").Apply(ctx, "k", bigtable.NewCondMutation(live, del, set))
}

// A mutation that is never applied here and stays ambiguous.
func okAmbiguous() *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set("val", "x", bigtable.Now(), nil)
	return mut
}

// A slice literal.
func slice(ctx context.Context, client *bigtable.Client) ([]error, error) {
	a, b := bigtable.NewMutation(), bigtable.NewMutation()
	a.Set("val", "x", bigtable.Time(time.Now().Add(lifetime)), nil)
	b.Set("val", "x", bigtable.Now(), nil) // want `write-time: .*"val"`
	return client.Open("cache").ApplyBulk(ctx, []string{"a", "b"}, []*bigtable.Mutation{a, b})
}

// Applied in a closure.
func closure(client *bigtable.Client, run func(func(context.Context) error) error) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "x", bigtable.Now(), nil) // want `write-time: .*"val"`
	tbl := client.Open("cache")
	return run(func(ctx context.Context) error { return tbl.Apply(ctx, "k", mut) })
}
