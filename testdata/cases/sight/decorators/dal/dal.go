// Package dal decorates readers.
package dal

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Reader reads.
type Reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}

type guarded struct{ Reader }

func (g *guarded) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return g.Reader.ReadRow(ctx, row, append(opts, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))...)
}

// Guarded reads what is live.
func Guarded(r Reader) Reader { return &guarded{r} }

type counted struct {
	next Reader
	n    int
}

func (c *counted) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	c.n++
	return c.next.ReadRow(ctx, row, opts...)
}

// Counted counts reads.
func Counted(r Reader) Reader { return &counted{next: r} }

type logged struct{ Reader }

// Logged does nothing yet.
func Logged(r Reader) Reader { return logged{r} }
