// Package keptcheckers checks rows by what a struct keeps, which another package made.
package keptcheckers

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/keptcheckers/alive"
)

func values(row bigtable.Row, o alive.Opts) (out []string) {
	for _, it := range row["token"] {
		if o.Keep == nil || o.Keep(it) {
			out = append(out, string(it.Value))
		}
	}
	return out
}

func okLive(ctx context.Context, c *bigtable.Client) []string {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	return values(row, alive.Opts{Keep: alive.At(time.Now())})
}

func long(ctx context.Context, c *bigtable.Client) []string {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return values(row, alive.Opts{Keep: alive.Long(3)})
}

func okMade(ctx context.Context, c *bigtable.Client) []string {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	return values(row, alive.Live(time.Now()))
}

func madeLong(ctx context.Context, c *bigtable.Client) []string {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return values(row, alive.Longer(3))
}

type store struct {
	tbl   *bigtable.Table
	check *alive.Checker
	size  alive.Sizer
}

func newStore(c *bigtable.Client, now time.Time) *store {
	return &store{c.Open("sessions"), alive.NewChecker(now), alive.Sizer{}}
}

func (s *store) okToken(ctx context.Context) (out []string) {
	row, _ := s.tbl.ReadRow(ctx, "k")
	for _, it := range row["token"] {
		if s.check.Keep(it) {
			out = append(out, string(it.Value))
		}
	}
	return out
}

func (s *store) longToken(ctx context.Context) (out []string) {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	for _, it := range row["token"] {
		if s.size.Keep(it) {
			out = append(out, string(it.Value))
		}
	}
	return out
}

type reader struct {
	tbl  *bigtable.Table
	keep func(bigtable.ReadItem) bool
}

func newReader(c *bigtable.Client) *reader {
	return &reader{c.Open("sessions"), alive.At(time.Now())}
}

func newLongReader(c *bigtable.Client) *longReader {
	return &longReader{c.Open("sessions"), alive.Long(3)}
}

type longReader struct {
	tbl  *bigtable.Table
	keep func(bigtable.ReadItem) bool
}

func (r *reader) okTokens(ctx context.Context) (out []string) {
	row, _ := r.tbl.ReadRow(ctx, "k")
	for _, it := range row["token"] {
		if r.keep(it) {
			out = append(out, string(it.Value))
		}
	}
	return out
}

func (r *longReader) tokens(ctx context.Context) (out []string) {
	row, _ := r.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	for _, it := range row["token"] {
		if r.keep(it) {
			out = append(out, string(it.Value))
		}
	}
	return out
}
