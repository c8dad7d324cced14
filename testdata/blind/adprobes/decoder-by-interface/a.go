// Package decoderbyinterface: a reader is given a decoder by interface; which
// families the row is used for depends on the caller's. Wrong finding.
package decoderbyinterface

import (
	"context"
	"errors"

	"cloud.google.com/go/bigtable"
)

type decoder interface{ decode(bigtable.Row) int }

type segments struct{}

func (segments) decode(r bigtable.Row) int { return len(r["seg"]) }

type caps struct{}

func (caps) decode(r bigtable.Row) int { return len(r["cap"]) }

func fetch(ctx context.Context, tbl *bigtable.Table, d decoder) (int, error) {
	row, err := tbl.ReadRow(ctx, "k")
	if err != nil {
		return 0, err
	}
	return d.decode(row), nil
}

func fetchFunc(ctx context.Context, tbl *bigtable.Table, f func(bigtable.Row) int) (int, error) {
	row, err := tbl.ReadRow(ctx, "k") // want ttlread/missing-filter[func]
	if err != nil {
		return 0, err
	}
	return f(row), nil
}

func run(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("freqcap")
	_, err1 := fetch(ctx, tbl, segments{})                                            // ok ttlread/missing-filter
	_, err2 := fetch(ctx, tbl, caps{})                                                // want ttlread/missing-filter
	_, err3 := fetchFunc(ctx, tbl, func(r bigtable.Row) int { return len(r["seg"]) }) // ok ttlread/missing-filter
	_, err4 := fetchFunc(ctx, tbl, func(r bigtable.Row) int { return len(r["cap"]) }) // want ttlread/missing-filter[func]
	return errors.Join(err1, err2, err3, err4)
}

var _ = run
