// Package use applies what another package makes.
package use

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/zb1_bytable"
)

func both(ctx context.Context, c *bigtable.Client, key string) error {
	if err := c.Open("diaries").Apply(ctx, key, zb1_bytable.Correction("u")); err != nil {
		return err
	}
	return c.Open("my-diary").Apply(ctx, key, zb1_bytable.Correction("t")) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func okOne(ctx context.Context, c *bigtable.Client, key string) error {
	return c.Open("diaries").Apply(ctx, key, zb1_bytable.Correction("u"))
}

func okAny(ctx context.Context, tbl *bigtable.Table, key string) error {
	return tbl.Apply(ctx, key, zb1_bytable.Correction("u"))
}

func later(ctx context.Context, c *bigtable.Client, key string) error {
	m := zb1_bytable.Correction("t")
	if key == "" {
		return nil
	}
	return c.Open("my-diary").Apply(ctx, key, m) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func given(ctx context.Context, c *bigtable.Client, key string) error {
	if err := zb1_bytable.Write(ctx, c.Open("diaries"), key); err != nil {
		return err
	}
	return zb1_bytable.Write(ctx, c.Open("my-diary"), key) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func okGiven(ctx context.Context, tbl *bigtable.Table, key string) error {
	return zb1_bytable.Write(ctx, tbl, key)
}
