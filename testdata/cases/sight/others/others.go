// Package others compares the timestamps of one family's cells.
package others

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/others/read"
)

func show(ctx context.Context, c *bigtable.Client) error {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	if err != nil {
		return err
	}
	for _, it := range row["profile"] {
		if it.Timestamp.Time().Before(time.Now().Add(-time.Hour)) {
			fmt.Println("old")
		}
	}
	for _, it := range row["token"] {
		fmt.Printf("%s\n", it.Value)
	}
	return nil
}

func ago(t time.Time) string {
	if time.Since(t) > time.Hour {
		return "long ago"
	}
	return "now"
}

const profiles = "profile"

func ages(ctx context.Context, c *bigtable.Client) (out []string) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	for _, it := range row[profiles] {
		out = append(out, ago(it.Timestamp.Time()))
	}
	if items := row["token"]; len(items) > 0 {
		out = append(out, string(items[0].Value))
	}
	return out
}

func scan(ctx context.Context, c *bigtable.Client) (n int) {
	_ = c.Open("sessions").ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		for _, it := range row["profile"] {
			if it.Timestamp > bigtable.Time(time.Now().Add(-time.Hour)) {
				n++
			}
		}
		n += len(row["token"][0].Value)
		return true
	})
	return n
}

func elsewhere(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return read.Recent(row) + len(row["token"][0].Value)
}

func okChecked(ctx context.Context, c *bigtable.Client) (n int) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	for _, it := range row["token"] {
		if it.Timestamp.Time().After(time.Now()) {
			n += len(it.Value)
		}
	}
	return n + len(row["profile"])
}

func okCheckedElsewhere(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	return read.Live(row) + len(row["profile"])
}

// The cells of both are compared.
func okBoth(ctx context.Context, c *bigtable.Client) (n int) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	for _, family := range []string{"profile", "token"} {
		for _, it := range row[family] {
			if it.Timestamp.Time().After(time.Now()) {
				n += len(it.Value)
			}
		}
	}
	return n
}

func okTogether(ctx context.Context, c *bigtable.Client) (n int) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	all := append(row["profile"], row["token"]...)
	for _, it := range all {
		if it.Timestamp.Time().After(time.Now()) {
			n += len(it.Value)
		}
	}
	return n
}
