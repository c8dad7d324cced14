// Package askedcolumns tells by the column of a cell, which begins with the family's
// name, of which family it is.
package askedcolumns

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

func okOne(ctx context.Context, c *bigtable.Client) error {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	for _, items := range row {
		for _, it := range items {
			if it.Column == "profile:name" {
				fmt.Println(string(it.Value))
			}
		}
	}
	return err
}

func okPrefix(ctx context.Context, c *bigtable.Client) error {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	for _, items := range row {
		for i := range items {
			if !strings.HasPrefix(items[i].Column, "profile:") {
				continue
			}
			fmt.Println(items[i].Column, string(items[i].Value))
		}
	}
	return err
}

func okSeveral(ctx context.Context, c *bigtable.Client) error {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	for _, items := range row {
		for _, it := range items {
			switch it.Column {
			case "profile:a", "profile:b":
				fmt.Println(string(it.Value))
			}
		}
	}
	return err
}

func another(ctx context.Context, c *bigtable.Client) error {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	for _, items := range row {
		for _, it := range items {
			switch it.Column {
			case "profile:a", "token:b":
				fmt.Println(string(it.Value))
			}
		}
	}
	return err
}

func whether(ctx context.Context, c *bigtable.Client) (found bool, err error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	for _, items := range row {
		for _, it := range items {
			found = found || it.Column == "token:jwt"
		}
	}
	return found, err
}

func butOne(ctx context.Context, c *bigtable.Client) error {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	for _, items := range row {
		for _, it := range items {
			if it.Column != "profile:name" {
				fmt.Println(string(it.Value))
			}
		}
	}
	return err
}

func noFamily(ctx context.Context, c *bigtable.Client) error {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	for _, items := range row {
		for _, it := range items {
			if strings.HasPrefix(it.Column, "p") {
				fmt.Println(string(it.Value))
			}
		}
	}
	return err
}

func counted(ctx context.Context, c *bigtable.Client) (n int, err error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	for _, items := range row {
		n += len(items)
		for _, it := range items {
			if it.Column == "profile:name" {
				fmt.Println(string(it.Value))
			}
		}
	}
	return n, err
}

func age(row bigtable.Row) {
	for _, items := range row {
		for _, it := range items {
			switch {
			case it.Column == "entry:at":
				fmt.Println(time.Since(it.Timestamp.Time())) // want `not-write-time: .*"entry"`
			case strings.HasPrefix(it.Column, "profile:"):
				fmt.Println(time.Since(it.Timestamp.Time()))
			}
		}
	}
}
