// Package handmade checks the expiry of cells itself: such reads need no
// filter.
package handmade

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

func okAfterRead(ctx context.Context, c *bigtable.Client) ([]byte, error) {
	row, err := c.Open("otp").ReadRow(ctx, "k")
	if err != nil {
		return nil, err
	}
	for _, item := range row["code"] {
		if item.Timestamp.Time().Before(time.Now()) {
			continue
		}
		return item.Value, nil
	}
	return nil, nil
}

func okInCallback(ctx context.Context, c *bigtable.Client) error {
	now := bigtable.Now()
	return c.Open("otp").ReadRows(ctx, bigtable.PrefixRange("a"), func(row bigtable.Row) bool {
		for _, item := range row["code"] {
			if item.Timestamp < now {
				continue
			}
			fmt.Println(string(item.Value))
		}
		return true
	})
}

func okDeadline(ctx context.Context, c *bigtable.Client) ([]byte, error) {
	row, err := c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil || len(row["code"]) == 0 {
		return nil, err
	}
	deadline := row["code"][0].Timestamp.Time()
	if deadline.Before(time.Now()) {
		return nil, nil
	}
	return row["code"][0].Value, nil
}

func okUntil(ctx context.Context, c *bigtable.Client) ([]byte, error) {
	row, err := c.Open("otp").ReadRow(ctx, "k")
	if err != nil || len(row["code"]) == 0 {
		return nil, err
	}
	item := row["code"][0]
	if time.Until(item.Timestamp.Time()) <= 0 {
		return nil, nil
	}
	return item.Value, nil
}

// Looking at the value is no check.
func valueOnly(ctx context.Context, c *bigtable.Client) ([]byte, error) {
	row, err := c.Open("otp").ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	if err != nil {
		return nil, err
	}
	for _, item := range row["code"] {
		if len(item.Value) > 0 {
			return item.Value, nil
		}
	}
	return nil, nil
}

func callbackWithoutCheck(ctx context.Context, c *bigtable.Client) error {
	return c.Open("otp").ReadRows(ctx, bigtable.PrefixRange("a"), func(row bigtable.Row) bool { // want `missing-filter: .*"code"`
		for _, item := range row["code"] {
			fmt.Println(item.Column, string(item.Value))
		}
		return true
	})
}
