// Package put writes, and so is one call away from the client.
package put

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/facts/stamp"
)

func Cell(mut *bigtable.Mutation, family, column string, ts bigtable.Timestamp, value []byte) {
	mut.Set(family, column, ts, value)
}

// Token is two calls away, and decides the family and the timestamp.
func Token(mut *bigtable.Mutation, ttl time.Duration, value []byte) {
	Cell(mut, stamp.Token, "jwt", stamp.ExpiresIn(ttl), value)
}

// Maybe writes under a condition.
func Maybe(mut *bigtable.Mutation, now bool, ts bigtable.Timestamp) {
	if now {
		Cell(mut, "token", "a", bigtable.Now(), nil)
		return
	}
	Cell(mut, "token", "b", ts, nil)
}

// Each writes to every family of its arguments.
func Each(mut *bigtable.Mutation, ts bigtable.Timestamp, families ...string) {
	for _, f := range families {
		mut.Set(f, "x", ts, nil)
	}
}

// New returns a mutation with a write in it.
func New(ts bigtable.Timestamp) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn("token", "jwt")
	mut.Set("token", "jwt", ts, nil)
	return mut
}

// A Store knows its table.
type Store struct{ tbl *bigtable.Table }

func Open(client *bigtable.Client) *Store { return &Store{tbl: client.Open("sessions")} }

func (s *Store) Put(ctx context.Context, key string, ts bigtable.Timestamp) error {
	return s.tbl.Apply(ctx, key, New(ts))
}

func Count(ctx context.Context, tbl *bigtable.Table, key, family string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, "n", 1)
	_, err := tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

func Keep(ctx context.Context, admin *bigtable.AdminClient, table, family string, age time.Duration) error {
	return admin.SetGCPolicy(ctx, table, family, bigtable.MaxAgePolicy(age))
}

// Restore shows the strategy of a family.
func Restore(ctx context.Context, admin *bigtable.AdminClient) error {
	return Keep(ctx, admin, "otp", "code", time.Second)
}
