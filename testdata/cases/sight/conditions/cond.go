// Package cond has conditional mutations on tables that nobody knows.
package cond

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type locks struct{ tbl *bigtable.Table }

// New is given a table.
func New(tbl *bigtable.Table) *locks { return &locks{tbl} }

func live(d time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) }

func (l *locks) Take(ctx context.Context, key string) (bool, error) {
	mut := bigtable.NewMutation()
	mut.Set("token", "holder", live(time.Minute), nil)
	var taken bool
	cond := bigtable.NewCondMutation(bigtable.PassAllFilter(), nil, mut) // want `conditional-mutation: .*"token"`
	err := l.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&taken))
	return !taken, err
}

func (l *locks) TakeColumn(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "holder", live(time.Minute), nil)
	cond := bigtable.NewCondMutation(bigtable.ColumnFilter("holder"), nil, mut) // want `conditional-mutation: .*"token"`
	return l.tbl.Apply(ctx, key, cond)
}

// The predicate asks for another family.
func (l *locks) TakeOther(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "holder", live(time.Minute), nil)
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter("profile"), nil, mut)
	return l.tbl.Apply(ctx, key, cond)
}

func (l *locks) TakeLive(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "holder", live(time.Minute), nil)
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.ColumnFilter("holder"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})), nil, mut)
	return l.tbl.Apply(ctx, key, cond)
}

func (l *locks) Release(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily("token")
	return l.tbl.Apply(ctx, key, bigtable.NewCondMutation(bigtable.ValueFilter("me"), mut, nil))
}

// An ordinary family says nothing of an expiring one beside it.
func (l *locks) Ordinary(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("profile", "name", bigtable.Now(), nil)
	return l.tbl.Apply(ctx, key, bigtable.NewCondMutation(bigtable.PassAllFilter(), nil, mut))
}

// A family of two meanings says nothing.
func (l *locks) Ambiguous(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "name", live(time.Minute), nil)
	return l.tbl.Apply(ctx, key, bigtable.NewCondMutation(bigtable.PassAllFilter(), nil, mut))
}

// A sequence is asked only whether it exists.
func (l *locks) Sequence(ctx context.Context, key string, n int64) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "n", bigtable.Timestamp(5000), nil)
	return l.tbl.Apply(ctx, key, bigtable.NewCondMutation(bigtable.PassAllFilter(), nil, mut))
}

// Known and not registered.
func Elsewhere(ctx context.Context, c *bigtable.Client, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "holder", live(time.Minute), nil)
	return c.Open("unregistered").Apply(ctx, key, bigtable.NewCondMutation(bigtable.PassAllFilter(), nil, mut))
}

// Grab takes a lock in whatever table.
func Grab(ctx context.Context, tbl *bigtable.Table, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "holder", live(time.Minute), nil)
	return tbl.Apply(ctx, key, bigtable.NewCondMutation(bigtable.PassAllFilter(), nil, mut)) // want `conditional-mutation: .*"token"`
}

func once(m *bigtable.Mutation) *bigtable.Mutation {
	return bigtable.NewCondMutation(bigtable.PassAllFilter(), nil, m)
}

func (l *locks) apply(ctx context.Context, key string, m *bigtable.Mutation) error {
	return l.tbl.Apply(ctx, key, m)
}

// First and Second hand a mutation to the same helpers.
func (l *locks) First(ctx context.Context, c *bigtable.Client, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "first", live(time.Minute), nil)
	return c.Open("sessions").Apply(ctx, key, once(mut)) // want `conditional-mutation: .*"token"`
}

func (l *locks) Second(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("profile", "second", bigtable.Now(), nil)
	return l.apply(ctx, key, once(mut))
}
