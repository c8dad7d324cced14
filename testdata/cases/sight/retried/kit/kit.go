// Package kit reads rows, and tries again.
package kit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

var ErrNoRow = errors.New("no such row")

func retry(ctx context.Context, n int, f func() error) error {
	var err error
	wait := time.Second
	for i := 0; i < n; i++ {
		if err = f(); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		wait *= 2
	}
	return fmt.Errorf("gave up: %w", err)
}

// Get reads a row.
func Get(ctx context.Context, tbl *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	var row bigtable.Row
	err := retry(ctx, 4, func() error {
		var err error
		row, err = tbl.ReadRow(ctx, key, opts...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", key, err)
	}
	if len(row) == 0 {
		return nil, ErrNoRow
	}
	return row, nil
}

// Once tries once.
func Once(f func() error) error { return f() }

// GetOnce reads a row, by way of a function that is given one.
func GetOnce(ctx context.Context, tbl *bigtable.Table, key string, opts ...bigtable.ReadOption) (row bigtable.Row, err error) {
	if err := Once(func() error {
		row, err = tbl.ReadRow(ctx, key, opts...)
		return err
	}); err != nil {
		return nil, err
	}
	return row, nil
}

// Cell finds a cell.
func Cell(row bigtable.Row, family, column string) (bigtable.ReadItem, bool) {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// Stamp is a choice that callers make.
func Stamp(now bool) bigtable.Timestamp {
	if chosen(now) {
		return bigtable.Now()
	}
	return bigtable.Time(time.Now().Add(time.Hour))
}

func chosen(now bool) bool { return now }
