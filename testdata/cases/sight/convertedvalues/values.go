// Package convertedvalues gives values to options of another package, which keep them as
// types of their own: what is converted there and back is the same.
package convertedvalues

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/convertedvalues/lib"
)

func until(ctx context.Context, tbl *bigtable.Table) error {
	return lib.Hold(ctx, tbl, lib.Until(time.Now())) // want `write-time: .*"token"`
}

func okUntil(ctx context.Context, tbl *bigtable.Table) error {
	return lib.Hold(ctx, tbl, lib.Until(time.Now().Add(time.Minute)))
}

func lasting(ctx context.Context, tbl *bigtable.Table) error {
	return lib.Hold(ctx, tbl, lib.Lasting(-time.Minute)) // want `already-expired: .*"token"`
}

func okLasting(ctx context.Context, tbl *bigtable.Table) error {
	return lib.Hold(ctx, tbl, lib.Lasting(time.Minute))
}

func during(ctx context.Context, tbl *bigtable.Table) error {
	now := time.Now()
	return lib.Hold(ctx, tbl, lib.During(lib.Life{From: now, To: now})) // want `write-time: .*"token"`
}

func okDuring(ctx context.Context, tbl *bigtable.Table) error {
	now := time.Now()
	return lib.Hold(ctx, tbl, lib.During(lib.Life{From: now, To: now.Add(time.Minute)}))
}

func okLater(ctx context.Context, tbl *bigtable.Table) error {
	return lib.Hold(ctx, tbl, lib.Until(time.Now()), lib.Lasting(time.Minute))
}

func fixed(ctx context.Context, tbl *bigtable.Table) error {
	return lib.Put(ctx, tbl, lib.Fixed(time.Now())) // want `write-time: .*"token"`
}

func okFixed(ctx context.Context, tbl *bigtable.Table) error {
	return lib.Put(ctx, tbl, lib.Fixed(time.Now().Add(time.Minute)))
}
