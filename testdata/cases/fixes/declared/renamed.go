package declared

import (
	"context"

	"cloud.google.com/go/bigtable"

	tables "example.com/cases/runtime_helpers/schema"
)

var _ = tables.Attempts

func (s *store) renamed(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("grant", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"grant"`
	return s.logins.Apply(ctx, key, mut)
}

func (s *store) hidden(ctx context.Context, key string) error {
	tables := "a name that is taken"
	mut := bigtable.NewMutation()
	mut.Set("grant", tables, bigtable.ServerTime, nil) // want `server-timestamp: .*"grant"`
	return s.logins.Apply(ctx, key, mut)
}
