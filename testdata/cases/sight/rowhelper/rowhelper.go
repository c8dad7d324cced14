// Package rowhelper dates the cells of rows in methods that are given a row, of a
// family in a field of their receiver: what is wrong stands there, not where rows are
// given.
package rowhelper

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Page struct{ Modified time.Time }

// Clicks has a family with a default.
type Clicks struct {
	tbl *bigtable.Table
	fam string
}

func New(c *bigtable.Client, fam string) *Clicks {
	if fam == "" {
		fam = "event"
	}
	return &Clicks{c.Open("clicks"), fam}
}

func (c *Clicks) decode(row bigtable.Row) Page {
	var p Page
	for _, it := range row[c.fam] {
		p.Modified = it.Timestamp.Time() // want `not-write-time: .*"event"`
	}
	return p
}

func (c *Clicks) age(row bigtable.Row) time.Duration {
	return time.Since(row[c.fam][0].Timestamp.Time()) // want `not-write-time: .*"event"`
}

// first returns the time itself: what its callers make of it is wrong there.
func (c *Clicks) first(row bigtable.Row) time.Time {
	return row[c.fam][0].Timestamp.Time()
}

// through only hands the row on.
func (c *Clicks) through(row bigtable.Row) []Page { return []Page{c.decode(row)} }

func live() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("event"), bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{})))
}

func (c *Clicks) Get(ctx context.Context) (Page, error) {
	row, err := c.tbl.ReadRow(ctx, "k", live())
	return c.decode(row), err
}

func (c *Clicks) Aged(ctx context.Context) (time.Duration, error) {
	row, err := c.tbl.ReadRow(ctx, "k", live())
	return c.age(row), err
}

func (c *Clicks) Dated(ctx context.Context) (Page, error) {
	row, err := c.tbl.ReadRow(ctx, "k", live())
	return Page{Modified: c.first(row)}, err // want `not-write-time: .*"event"`
}

func (c *Clicks) List(ctx context.Context) (pages []Page, err error) {
	err = c.tbl.ReadRows(ctx, bigtable.PrefixRange("k"), func(row bigtable.Row) bool {
		pages = append(pages, c.through(row)...)
		pages = append(pages, c.decode(row))
		return true
	}, live())
	return pages, err
}

// Decode is given its row by whoever has one.
func (c *Clicks) Decode(row bigtable.Row) Page { return c.decode(row) }

// Fixed has a constant for its family.
type Fixed struct {
	tbl *bigtable.Table
	fam string
}

func NewFixed(c *bigtable.Client) *Fixed { return &Fixed{c.Open("clicks"), "event"} }

func (f *Fixed) decode(row bigtable.Row, n int) Page {
	var p Page
	if len(row[f.fam]) > n {
		p.Modified = row[f.fam][n].Timestamp.Time() // want `not-write-time: .*"event"`
	}
	return p
}

func (f *Fixed) Get(ctx context.Context, n int) (Page, error) {
	row, err := f.tbl.ReadRow(ctx, "k", live())
	return f.decode(row, n), err
}

func (f *Fixed) Second(ctx context.Context) (Page, error) {
	row, err := f.tbl.ReadRow(ctx, "k", live())
	return f.decode(row, 1), err
}

// Cells are given instead of their row: of one family by every call.
func (f *Fixed) ofCells(items []bigtable.ReadItem) (p Page) {
	for _, it := range items {
		p.Modified = it.Timestamp.Time() // want `not-write-time: .*"event"`
	}
	return p
}

func (f *Fixed) Cells(ctx context.Context) (Page, error) {
	row, err := f.tbl.ReadRow(ctx, "k", live())
	return f.ofCells(row[f.fam]), err
}

// Either has families by constructors of which one is wrong: the one that names it.
type Either struct {
	tbl *bigtable.Table
	fam string
}

func NewEvents(c *bigtable.Client) *Either { return &Either{c.Open("clicks"), "event"} }

func (e *Either) okNamed(row bigtable.Row, family string) Page {
	var p Page
	for _, it := range row[family] {
		p.Modified = it.Timestamp.Time()
	}
	return p
}

func (e *Either) Get(ctx context.Context) (Page, error) {
	row, err := e.tbl.ReadRow(ctx, "k", live())
	return e.okNamed(row, e.fam), err // want `not-write-time: .*"event"`
}

// Two reads rows of two tables in which its family means two things.
type Two struct {
	history, diaries *bigtable.Table
	fam              string
}

func NewTwo(c *bigtable.Client) *Two {
	return &Two{c.Open("a-diary"), c.Open("diaries"), "page"}
}

func (t *Two) decode(row bigtable.Row) Page {
	var p Page
	for _, it := range row[t.fam] {
		p.Modified = it.Timestamp.Time()
	}
	return p
}

func (t *Two) Old(ctx context.Context) (Page, error) {
	row, err := t.history.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(5)))
	return t.decode(row), err // want `not-write-time: .*"page" of table "\*-diary"`
}

func (t *Two) OkNew(ctx context.Context) (Page, error) {
	row, err := t.diaries.ReadRow(ctx, "k")
	return t.decode(row), err
}

func (f *Fixed) Keep(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set(f.fam, "c", 0, nil) // want `already-expired`
	return f.tbl.Apply(ctx, "k", m)
}
func (f *Fixed) keepX(ctx context.Context, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set(f.fam, "c", ts, nil)
	return f.tbl.Apply(ctx, "k", m)
}
func (f *Fixed) Keep2(ctx context.Context) error {
	return f.keepX(ctx, 0) // want `already-expired`
}
func (f *Fixed) Read(ctx context.Context) (int, error) {
	row, err := f.tbl.ReadRow(ctx, "k") // want `missing-filter`
	return len(row[f.fam]), err
}
func (f *Fixed) Since(ctx context.Context) time.Duration {
	row, _ := f.tbl.ReadRow(ctx, "k", live())
	return time.Since(row[f.fam][0].Timestamp.Time()) // want `not-write-time`
}
