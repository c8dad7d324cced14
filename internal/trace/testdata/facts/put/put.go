package put // want package:`\) reaches Bigtable, shows 1 families}$`

// Package put writes, and so is one call away from the client.

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/facts/stamp"
)

func Cell(mut *bigtable.Mutation, family, column string, ts bigtable.Timestamp, value []byte) { // want Cell:`bigtable\.Mutation\.Set\(\$0, \$1, \$2, \$3, `
	mut.Set(family, column, ts, value)
}

// Token is two calls away, and decides the family and the timestamp.
func Token(mut *bigtable.Mutation, ttl time.Duration, value []byte) { // want Token:`bigtable\.Mutation\.Set\(\$0, "token", "jwt", bigtable\.Time\(time\.Time\.Add\(time\.Now\(\), \$1\)\), `
	Cell(mut, stamp.Token, "jwt", stamp.ExpiresIn(ttl), value)
}

// Maybe writes under a condition.
func Maybe(mut *bigtable.Mutation, now bool, ts bigtable.Timestamp) { // want Maybe:`if \$1 bigtable\.Mutation\.Set\(\$0, "token", "a", bigtable\.Now\(\), .*; if !\(\$1\) bigtable\.Mutation\.Set\(\$0, "token", "b", \$2, `
	if now {
		Cell(mut, "token", "a", bigtable.Now(), nil)
		return
	}
	Cell(mut, "token", "b", ts, nil)
}

// Each writes to every family of its arguments.
func Each(mut *bigtable.Mutation, ts bigtable.Timestamp, families ...string) { // want Each:`bigtable\.Mutation\.Set\(\$0, elem\(\$2\), "x", \$1, `
	for _, f := range families {
		mut.Set(f, "x", ts, nil)
	}
}

// New returns a mutation with a write in it.
func New(ts bigtable.Timestamp) *bigtable.Mutation { // want New:`returns bigtable\.NewMutation\("[^"]*"\); bigtable\.Mutation\.DeleteCellsInColumn\(bigtable\.NewMutation\("[^"]*"\), "token", "jwt"\); bigtable\.Mutation\.Set\(bigtable\.NewMutation\("[^"]*"\), "token", "jwt", \$0, `
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn("token", "jwt")
	mut.Set("token", "jwt", ts, nil)
	return mut
}

// A Store knows its table.
type Store struct{ tbl *bigtable.Table }

func Open(client *bigtable.Client) *Store { return &Store{tbl: client.Open("sessions")} } // want Open:`returns example\.com/facts/put\.Store\{tbl: bigtable\.Client\.Open\(\$0, "sessions"\) via example\.com/facts/put\.Store\.tbl\}`

func (s *Store) Put(ctx context.Context, key string, ts bigtable.Timestamp) error { // want Put:`"sessions"\) via example\.com/facts/put\.Store\.tbl, .*bigtable\.NewMutation\("[^"]*"\).*bigtable\.Mutation\.Set\(bigtable\.NewMutation\("[^"]*"\), "token", "jwt", \$3, `
	return s.tbl.Apply(ctx, key, New(ts))
}

func Count(ctx context.Context, tbl *bigtable.Table, key, family string) error { // want Count:`bigtable\.ReadModifyWrite\.Increment\(bigtable\.NewReadModifyWrite\("[^"]*"\), \$3, "n", .*bigtable\.Table\.ApplyReadModifyWrite\(\$1, `
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, "n", 1)
	_, err := tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

func Keep(ctx context.Context, admin *bigtable.AdminClient, table, family string, age time.Duration) error { // want Keep:`bigtable\.AdminClient\.SetGCPolicy\(.*, \$2, \$3, bigtable\.MaxAgePolicy\(\$4\)\)`
	return admin.SetGCPolicy(ctx, table, family, bigtable.MaxAgePolicy(age))
}

// Restore shows the strategy of a family.
func Restore(ctx context.Context, admin *bigtable.AdminClient) error {
	return Keep(ctx, admin, "otp", "code", time.Second)
}
