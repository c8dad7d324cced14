// Package find looks cells up by a helper: who compares the time of what it
// finds has checked its own read, and no other.
package find

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func find(row bigtable.Row, family, col string) (bigtable.ReadItem, bool) {
	for _, item := range row[family] {
		if item.Column == family+":"+col {
			return item, true
		}
	}
	return bigtable.ReadItem{}, false
}

// A helper over the helper.
func first(row bigtable.Row, family string, cols ...string) *bigtable.ReadItem {
	for _, col := range cols {
		if item, ok := find(row, family, col); ok {
			return &item
		}
	}
	return nil
}

func value(ctx context.Context, c *bigtable.Client) ([]byte, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token" of table "sessions"`
	if err != nil {
		return nil, err
	}
	item, _ := find(row, "token", "a")
	return item.Value, nil
}

func checked(ctx context.Context, c *bigtable.Client) ([]byte, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	if err != nil {
		return nil, err
	}
	item, ok := find(row, "token", "a")
	if !ok || item.Timestamp.Time().Before(time.Now()) {
		return nil, nil
	}
	return item.Value, nil
}

func firstValue(ctx context.Context, c *bigtable.Client) ([]byte, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token" of table "sessions"`
	if err != nil {
		return nil, err
	}
	if item := first(row, "token", "a", "b"); item != nil {
		return item.Value, nil
	}
	return nil, nil
}

func firstChecked(ctx context.Context, c *bigtable.Client) ([]byte, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	if err != nil {
		return nil, err
	}
	if item := first(row, "token", "a", "b"); item != nil && item.Timestamp.Time().After(time.Now()) {
		return item.Value, nil
	}
	return nil, nil
}

func other(ctx context.Context, c *bigtable.Client) time.Duration {
	row, err := c.Open("eu-ledger").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return 0
	}
	if item, _ := find(row, "entry", "try"); int64(item.Timestamp) > time.Now().Unix() {
		return 0
	}
	return 1
}
