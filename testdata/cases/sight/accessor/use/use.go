// Package use gives accessors to another package.
package use

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/accessor/model"
	"example.com/cases/sight/accessor/seed"
)

func write(ctx context.Context, t *model.Diaries) error {
	return seed.Write(ctx, t, bigtable.Now()) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func through(ctx context.Context, t *model.Diaries, ts bigtable.Timestamp) error {
	return seed.Write(ctx, t, ts)
}

func throughs(ctx context.Context, t *model.Diaries) error {
	return through(ctx, t, bigtable.Now()) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func okNumber(ctx context.Context, t *model.Diaries, n int64) error {
	return seed.Write(ctx, t, bigtable.Timestamp(n*1000))
}

func okKeep(ctx context.Context, t *model.Archive) error {
	return seed.Keep(ctx, t, bigtable.Now())
}
