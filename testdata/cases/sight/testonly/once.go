// Package testonly has a method that only its test calls, with a fake.
package testonly

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type table interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

type keeper struct{ tbl table }

func newKeeper(tbl table) *keeper { return &keeper{tbl} }

// claim writes a token unless there is one.
func (k *keeper) claim(ctx context.Context, user string) (bool, error) {
	m := bigtable.NewMutation()
	m.Set("token", "claim", bigtable.Time(time.Now().Add(time.Hour)), []byte(user))
	taken := false
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.ColumnFilter("claim")), nil, m) // want `conditional-mutation: .*"token"`
	err := k.tbl.Apply(ctx, user, cond, bigtable.GetCondMutationResult(&taken))
	return !taken, err
}

// Serve makes the one that is not a test's.
func Serve(ctx context.Context, c *bigtable.Client) *keeper {
	return newKeeper(c.Open("sessions"))
}
