package declared

import (
	"context"

	"cloud.google.com/go/bigtable"

	. "example.com/cases/runtime_helpers/schema"
)

var _ = Attempts

func (s *store) dotted(ctx context.Context, key string) (bigtable.Row, error) {
	return s.books.ReadRow(ctx, key) // want `missing-filter: .*"amount"`
}
