// Package sweptbyhelpers gives the keys of rows to functions that delete those.
package sweptbyhelpers

import (
	"context"
	"strings"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/sweptbyhelpers/keys"
)

func drop(ctx context.Context, tbl *bigtable.Table, keys []string) error {
	for _, key := range keys {
		mut := bigtable.NewMutation()
		mut.DeleteRow()
		if err := tbl.Apply(ctx, key, mut); err != nil {
			return err
		}
	}
	return nil
}

func okHere(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("sessions")
	var found []string
	err := tbl.ReadRows(ctx, bigtable.PrefixRange("u#"), func(row bigtable.Row) bool {
		if string(row["token"][0].Value) == "gone" {
			found = append(found, row.Key())
		}
		return true
	})
	if err != nil {
		return err
	}
	return drop(ctx, tbl, found)
}

func written(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("sessions")
	var found []string
	err := tbl.ReadRows(ctx, bigtable.PrefixRange("u#"), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		if string(row["token"][0].Value) == "gone" {
			found = append(found, row.Key())
		}
		return true
	})
	if err != nil {
		return err
	}
	return keys.Touch(ctx, tbl, found)
}

func listed(list []string) string { return strings.Join(list, ",") }

func told(ctx context.Context, c *bigtable.Client, say func(string)) error {
	tbl := c.Open("sessions")
	var found []string
	err := tbl.ReadRows(ctx, bigtable.PrefixRange("u#"), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		if string(row["token"][0].Value) == "gone" {
			found = append(found, row.Key())
		}
		return true
	})
	say(listed(found))
	if err != nil {
		return err
	}
	return drop(ctx, tbl, found)
}
