package counts

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type counter interface {
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}
