// Package datedcells dates cells in helpers that are given them: what is wrong with the
// cells of every call is wrong in the helper.
package datedcells

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Page is dated.
type Page struct {
	Text      string
	UpdatedAt time.Time
}

// All calls give cells of one family.
func toPages(items []bigtable.ReadItem) (pages []Page) {
	for _, it := range items {
		pages = append(pages, Page{string(it.Value), it.Timestamp.Time()}) // want `not-write-time: .*"page" of table "\*-diary"`
	}
	return pages
}

func read(ctx context.Context, tbl *bigtable.Table, n int) []Page {
	row, _ := tbl.ReadRow(ctx, "row", bigtable.RowFilter(bigtable.LatestNFilter(n)))
	return toPages(row["page"])
}

func first(ctx context.Context, tbl *bigtable.Table) []Page {
	row, _ := tbl.ReadRow(ctx, "first", bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return toPages(row["page"])
}

// By way of another helper too.
func toPage(it bigtable.ReadItem) Page {
	p := Page{Text: string(it.Value)}
	p.UpdatedAt = it.Timestamp.Time() // want `not-write-time: .*"page" of table "\*-diary"`
	return p
}

func newest(items []bigtable.ReadItem) Page { return toPage(items[0]) }

func last(ctx context.Context, tbl *bigtable.Table) Page {
	row, _ := tbl.ReadRow(ctx, "last", bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return newest(row["page"])
}

// One call gives cells that tell when they were written: the other is wrong.
func age(it bigtable.ReadItem) time.Duration { return time.Since(it.Timestamp.Time()) }

func ages(ctx context.Context, diary, sessions *bigtable.Table) (time.Duration, time.Duration) {
	row, _ := diary.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1)))
	written, _ := sessions.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("profile")))
	return age(row["page"][0]), // want `not-write-time: .*"page" of table "\*-diary"`
		age(written["profile"][0])
}

// Dated is for whoever has cells.
func Dated(it bigtable.ReadItem) Page { return Page{UpdatedAt: it.Timestamp.Time()} }

func exported(ctx context.Context, tbl *bigtable.Table) Page {
	row, _ := tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return Dated(row["page"][0]) // want `not-write-time: .*"page" of table "\*-diary"`
}

// All calls give cells that tell when they were written.
func okPage(it bigtable.ReadItem) Page { return Page{UpdatedAt: it.Timestamp.Time()} }

func okWritten(ctx context.Context, sessions *bigtable.Table) Page {
	row, _ := sessions.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("profile")))
	return okPage(row["profile"][0])
}

// Run calls all.
func Run(ctx context.Context, c *bigtable.Client) {
	diary, sessions := c.Open("my-diary"), c.Open("sessions")
	_, _, _, _ = read(ctx, diary, 2), first(ctx, diary), last(ctx, diary), exported(ctx, diary)
	_, _ = ages(ctx, diary, sessions)
	_ = okWritten(ctx, sessions)
}
