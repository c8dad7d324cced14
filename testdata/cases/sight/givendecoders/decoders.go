// Package givendecoders has objects that hold a table, a filter and what decodes a row: which
// families are used of which table, the object's maker says, or who calls that.
package givendecoders

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type lister struct {
	table  *bigtable.Table
	filter bigtable.Filter
	decode func(bigtable.Row) string
}

func (l *lister) list(ctx context.Context) (out []string) {
	l.table.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		out = append(out, l.decode(row))
		return true
	}, bigtable.RowFilter(l.filter))
	return out
}

func pulses(c *bigtable.Client, decode func(bigtable.Row) string) *lister {
	return &lister{table: c.Open("pulses"), filter: bigtable.LatestNFilter(1), decode: decode}
}

func sessions(c *bigtable.Client, decode func(bigtable.Row) string) *lister {
	return &lister{table: c.Open("sessions"), filter: bigtable.LatestNFilter(1), decode: decode}
}

func gauges(c *bigtable.Client) *lister {
	return &lister{
		table:  c.Open("gauges"),
		filter: bigtable.FamilyFilter("gauge"),
		decode: func(row bigtable.Row) string { return string(row["gauge"][0].Value) },
	}
}

func okGauges(ctx context.Context, c *bigtable.Client) []string { return gauges(c).list(ctx) }

func beats(ctx context.Context, c *bigtable.Client) []string {
	return pulses(c, func(row bigtable.Row) string { return string(row["beat"][0].Value) }).list(ctx) // want `missing-filter: .*"beat" of table "pulses"`
}

func tokens(ctx context.Context, c *bigtable.Client) []string {
	return sessions(c, func(row bigtable.Row) string { return string(row["token"][0].Value) }).list(ctx) // want `missing-filter: .*"token" of table "sessions"`
}

func okProfiles(ctx context.Context, c *bigtable.Client) []string {
	return sessions(c, func(row bigtable.Row) string { return string(row["profile"][0].Value) }).list(ctx)
}

// Lister is the same for other packages.
type Lister struct {
	Table  *bigtable.Table
	Decode func(bigtable.Row) string
}

// List has callers here, too.
func (l *Lister) List(ctx context.Context) (out []string) {
	l.Table.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		out = append(out, l.Decode(row))
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return out
}

func okUnits(ctx context.Context, c *bigtable.Client) []string {
	l := &Lister{Table: c.Open("gauges"), Decode: func(row bigtable.Row) string { return string(row["gauge"][0].Value) }}
	return l.List(ctx)
}

// Watches is given what decodes.
func Watches(c *bigtable.Client, decode func(bigtable.Row) string) *Lister {
	return &Lister{Table: c.Open("watches"), Decode: decode}
}

func on(ctx context.Context, c *bigtable.Client) []string {
	return Watches(c, func(row bigtable.Row) string { return string(row["on"][0].Value) }).List(ctx) // want `missing-filter: .*"on" of table "watches"`
}

func okWho(ctx context.Context, c *bigtable.Client) []string {
	return Watches(c, func(row bigtable.Row) string { return string(row["who"][0].Value) }).List(ctx)
}
