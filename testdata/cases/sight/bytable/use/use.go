// Package use applies what another package makes.
package use

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/bytable"
)

func both(ctx context.Context, c *bigtable.Client, key string) error {
	if err := c.Open("diaries").Apply(ctx, key, bytable.Correction("u")); err != nil {
		return err
	}
	return c.Open("my-diary").Apply(ctx, key, bytable.Correction("t")) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func okOne(ctx context.Context, c *bigtable.Client, key string) error {
	return c.Open("diaries").Apply(ctx, key, bytable.Correction("u"))
}

func okAny(ctx context.Context, tbl *bigtable.Table, key string) error {
	return tbl.Apply(ctx, key, bytable.Correction("u"))
}

func later(ctx context.Context, c *bigtable.Client, key string) error {
	m := bytable.Correction("t")
	if key == "" {
		return nil
	}
	return c.Open("my-diary").Apply(ctx, key, m) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func given(ctx context.Context, c *bigtable.Client, key string) error {
	if err := bytable.Write(ctx, c.Open("diaries"), key); err != nil {
		return err
	}
	return bytable.Write(ctx, c.Open("my-diary"), key) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func okGiven(ctx context.Context, tbl *bigtable.Table, key string) error {
	return bytable.Write(ctx, tbl, key)
}
