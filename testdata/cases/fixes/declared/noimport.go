package declared

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func (s *store) otherFile(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("grant", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"grant"`
	return s.logins.Apply(ctx, key, mut)
}
