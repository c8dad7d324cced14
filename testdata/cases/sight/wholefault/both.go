// Package wholefault has faults that are whole in a function, whatever its parameter is.
package wholefault

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"

	"cloud.google.com/go/bigtable"
)

// Run gives what it is given.
func Run(ctx context.Context, c *bigtable.Client, r io.Reader) error {
	for _, args := range [][]string{{"a"}, {"a", "b"}} {
		counts(ctx, c, args)
		expires(ctx, c, args)
		okBounded(ctx, c, args)
	}
	var lines []line
	for sc := bufio.NewScanner(r); sc.Scan(); {
		var l line
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
			return err
		}
		lines = append(lines, l)
	}
	okZero(ctx, c.Open("north-ledger"), 7)
	fixed(ctx, c.Open("north-ledger"), true) // want `clock-in-sequence: .*"entry"`
	return decoded(ctx, c.Open("north-ledger"), lines)
}

// counts has two ways, and on each something else is wrong.
func counts(ctx context.Context, c *bigtable.Client, args []string) int {
	var opts []bigtable.ReadOption
	if len(args) > 1 {
		opts = append(opts, bigtable.RowFilter(bigtable.ColumnFilter(args[1])))
	}
	row, _ := c.Open("north-ledger").ReadRow(ctx, args[0], opts...) // want `(missing-filter|version-limit): .*"entry"`
	return len(row["entry"])
}

func expires(ctx context.Context, c *bigtable.Client, args []string) int {
	var opts []bigtable.ReadOption
	if len(args) > 1 {
		opts = append(opts, bigtable.RowFilter(bigtable.ColumnFilter(args[1])))
	}
	row, _ := c.Open("sessions").ReadRow(ctx, args[0], opts...) // want `missing-filter: .*"token"`
	return len(row["token"])
}

func okBounded(ctx context.Context, c *bigtable.Client, args []string) int {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.LatestNFilter(1))}
	if len(args) > 1 {
		opts = []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter(args[1]), bigtable.LatestNFilter(1)))}
	}
	row, _ := c.Open("north-ledger").ReadRow(ctx, args[0], opts...)
	return len(row["entry"])
}

type line struct {
	Key   string
	TS    int64
	Value []byte
}

// decoded is given what nobody knows: both branches happen.
func decoded(ctx context.Context, t *bigtable.Table, lines []line) error {
	for _, l := range lines {
		ts := bigtable.Timestamp(l.TS)
		if ts == 0 {
			ts = bigtable.Now()
		}
		m := bigtable.NewMutation()
		m.Set("entry", "amount", ts, l.Value) // want `clock-in-sequence: .*"entry"`
		if err := t.Apply(ctx, l.Key, m); err != nil {
			return err
		}
	}
	return nil
}

// okZero is given a number.
func okZero(ctx context.Context, t *bigtable.Table, n int64) error {
	ts := bigtable.Timestamp(n * 1000)
	if n == 0 {
		ts = bigtable.Now()
	}
	m := bigtable.NewMutation()
	m.Set("entry", "amount", ts, nil)
	return t.Apply(ctx, "k", m)
}

// fixed is told which.
func fixed(ctx context.Context, t *bigtable.Table, now bool) error {
	ts := bigtable.Timestamp(7000)
	if now {
		ts = bigtable.Now()
	}
	m := bigtable.NewMutation()
	m.Set("entry", "amount", ts, nil)
	return t.Apply(ctx, "k", m)
}

// Main hands on what nobody knows, by way of another function.
func Main(ctx context.Context, c *bigtable.Client) error {
	return step(ctx, c.Open("north-ledger"), os.Args[1])
}

func step(ctx context.Context, t *bigtable.Table, env string) error { return staged(ctx, t, env) }

func staged(ctx context.Context, t *bigtable.Table, env string) error {
	ts := bigtable.Timestamp(7000)
	if env == "staging" {
		ts = bigtable.Now()
	}
	m := bigtable.NewMutation()
	m.Set("entry", "amount", ts, nil) // want `clock-in-sequence: .*"entry"`
	return t.Apply(ctx, "k", m)
}
