// Package listedtimes keeps the times of cells, or how old they are, in lists: that is no
// check by hand, unless what is in the list is compared.
package listedtimes

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
)

func printed(ctx context.Context, c *bigtable.Client) error {
	var ages []time.Duration
	err := c.Open("tickets").ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `missing-filter`
		for _, it := range row["ticket"] {
			ages = append(ages, time.Since(it.Timestamp.Time())) // want `not-write-time`
		}
		return true
	})
	fmt.Println(ages)
	return err
}

func counted(ctx context.Context, c *bigtable.Client, now time.Time) (int, error) {
	row, err := c.Open("tickets").ReadRow(ctx, "k") // want `missing-filter`
	var left []time.Duration
	for _, it := range row["ticket"] {
		left = append(left, it.Timestamp.Time().Sub(now))
	}
	show(left)
	return len(left), err
}

func show(left []time.Duration) {
	for _, l := range left {
		fmt.Println(l.Seconds())
	}
}

func okCompared(ctx context.Context, c *bigtable.Client) (n int, err error) {
	var left []time.Duration
	err = c.Open("tickets").ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["ticket"] {
			left = append(left, time.Until(it.Timestamp.Time()))
		}
		return true
	})
	return alive(left), err
}

func alive(left []time.Duration) (n int) {
	for _, l := range left {
		if l > 0 {
			n++
		}
	}
	return n
}

func okReturned(ctx context.Context, c *bigtable.Client) (bool, error) {
	left, err := all(ctx, c)
	return len(left) > 0 && left[0] > 0, err
}

func all(ctx context.Context, c *bigtable.Client) (left []time.Duration, err error) {
	row, err := c.Open("tickets").ReadRow(ctx, "k")
	for _, it := range row["ticket"] {
		left = append(left, time.Until(it.Timestamp.Time()))
	}
	return left, err
}

func okFound(ctx context.Context, c *bigtable.Client) (bool, error) {
	row, err := c.Open("tickets").ReadRow(ctx, "k")
	var times []time.Time
	for _, it := range row["ticket"] {
		times = append(times, it.Timestamp.Time())
	}
	return slices.ContainsFunc(times, func(t time.Time) bool { return t.After(time.Now()) }), err
}

// In a field, an array or a map.
type report struct{ left []time.Duration }

func (r *report) read(ctx context.Context, c *bigtable.Client) error {
	row, err := c.Open("tickets").ReadRow(ctx, "k")
	for _, it := range row["ticket"] {
		r.left = append(r.left, time.Until(it.Timestamp.Time()))
	}
	return err
}

func (r *report) okAlive() bool { return len(r.left) > 0 && r.left[0] > 0 }

func okReport(ctx context.Context, c *bigtable.Client) (bool, error) {
	var r report
	err := r.read(ctx, c)
	return r.okAlive(), err
}

func okMapped(ctx context.Context, c *bigtable.Client) (n int, err error) {
	row, err := c.Open("tickets").ReadRow(ctx, "k")
	left := map[string][]time.Duration{}
	for _, it := range row["ticket"] {
		left[it.Column] = append(left[it.Column], time.Until(it.Timestamp.Time()))
	}
	for _, ls := range left {
		n += alive(ls)
	}
	return n, err
}

func okLatest(ctx context.Context, c *bigtable.Client) (bool, error) {
	row, err := c.Open("tickets").ReadRow(ctx, "k")
	var times []time.Time
	for _, it := range row["ticket"] {
		times = append(times, it.Timestamp.Time())
	}
	slices.SortFunc(times, time.Time.Compare)
	return len(times) > 0 && times[0].After(time.Now()), err
}

func okOneReturned(ctx context.Context, c *bigtable.Client) (bool, error) {
	left, err := one(ctx, c)
	return left > 0, err
}

func one(ctx context.Context, c *bigtable.Client) (left time.Duration, err error) {
	row, err := c.Open("tickets").ReadRow(ctx, "k")
	for _, it := range row["ticket"] {
		left = time.Until(it.Timestamp.Time())
	}
	return left, err
}
