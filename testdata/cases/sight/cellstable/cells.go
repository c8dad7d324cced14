// Package cellstable dates cells that helpers return, of a family that means one
// thing in one table and another in the next: the cells are of the table that the
// helper reads, or that it is given.
package cellstable

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/cellstable/model"
)

type Diary struct{ t *model.Asia }

func NewDiary(t *model.Asia) *Diary { return &Diary{t: t} }

func (s *Diary) read(ctx context.Context, id string) ([]bigtable.ReadItem, error) {
	row, err := s.t.Table().ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(5)))
	return row["page"], err
}

func (s *Diary) row(ctx context.Context, id string) (bigtable.Row, error) {
	return s.t.Table().ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(5)))
}

func (s *Diary) filtered(ctx context.Context, id string, f bigtable.Filter) ([]bigtable.ReadItem, error) {
	r, err := s.t.Table().ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("page"), f)))
	return r["page"], err
}

func (s *Diary) history(ctx context.Context, id string) ([]bigtable.ReadItem, error) {
	return s.filtered(ctx, id, bigtable.LatestNFilter(5))
}

func (s *Diary) Near(ctx context.Context, id string) time.Duration {
	items, _ := s.read(ctx, id)
	return time.Since(items[0].Timestamp.Time()) // want `not-write-time: .*"page" of table "\*-diary"`
}

func (s *Diary) NearRow(ctx context.Context, id string) time.Duration {
	row, _ := s.row(ctx, id)
	return time.Since(row["page"][0].Timestamp.Time()) // want `not-write-time: .*"page" of table "\*-diary"`
}

func (s *Diary) NearFiltered(ctx context.Context, id string) time.Duration {
	items, _ := s.filtered(ctx, id, bigtable.LatestNFilter(1))
	return time.Since(items[0].Timestamp.Time()) // want `not-write-time: .*"page" of table "\*-diary"`
}

func (s *Diary) Far(ctx context.Context, id string) time.Duration {
	items, _ := s.history(ctx, id)
	return time.Since(items[0].Timestamp.Time()) // want `not-write-time: .*"page" of table "\*-diary"`
}

// The same of the table where times are times.

type Journal struct{ t *model.Diaries }

func NewJournal(t *model.Diaries) *Journal { return &Journal{t: t} }

func (s *Journal) read(ctx context.Context, id string) ([]bigtable.ReadItem, error) {
	row, err := s.t.Table().ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(5)))
	return row["page"], err
}

func (s *Journal) history(ctx context.Context, id string) ([]bigtable.ReadItem, error) {
	return s.read(ctx, id)
}

func (s *Journal) OkNear(ctx context.Context, id string) time.Duration {
	items, _ := s.read(ctx, id)
	return time.Since(items[0].Timestamp.Time())
}

func (s *Journal) OkFar(ctx context.Context, id string) time.Duration {
	items, _ := s.history(ctx, id)
	return time.Since(items[0].Timestamp.Time())
}

// One helper for both: what a call supplies is the table, not what another does.

func cells(ctx context.Context, t *bigtable.Table, id string) ([]bigtable.ReadItem, error) {
	row, err := t.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return row["page"], err
}

func ofAsia(ctx context.Context, c *bigtable.Client) ([]bigtable.ReadItem, error) {
	return cells(ctx, c.Open("asia-diary"), "k")
}

func ofDiaries(ctx context.Context, c *bigtable.Client) ([]bigtable.ReadItem, error) {
	return cells(ctx, c.Open("diaries"), "k")
}

func supplied(ctx context.Context, c *bigtable.Client) time.Duration {
	items, _ := ofAsia(ctx, c)
	return time.Since(items[0].Timestamp.Time()) // want `not-write-time: .*"page" of table "\*-diary"`
}

func okSupplied(ctx context.Context, c *bigtable.Client) time.Duration {
	items, _ := ofDiaries(ctx, c)
	return time.Since(items[0].Timestamp.Time())
}

func okUnknown(ctx context.Context, t *bigtable.Table) time.Duration {
	items, _ := cells(ctx, t, "k")
	return time.Since(items[0].Timestamp.Time())
}

// The helper of another package, by way of one of this.

func foreign(ctx context.Context, c *bigtable.Client) ([]bigtable.ReadItem, error) {
	return model.Cells(ctx, c.Open("asia-diary"), "k")
}

func okForeign(ctx context.Context, c *bigtable.Client) ([]bigtable.ReadItem, error) {
	return model.Cells(ctx, c.Open("diaries"), "k")
}

func farForeign(ctx context.Context, c *bigtable.Client) time.Duration {
	items, _ := foreign(ctx, c)
	return time.Since(items[0].Timestamp.Time()) // want `not-write-time: .*"page" of table "\*-diary"`
}

func okFarForeign(ctx context.Context, c *bigtable.Client) time.Duration {
	items, _ := okForeign(ctx, c)
	return time.Since(items[0].Timestamp.Time())
}

// A helper that reads this table or that.
func either(ctx context.Context, s *Diary, j *Journal, asia bool) ([]bigtable.ReadItem, error) {
	if asia {
		return s.read(ctx, "k")
	}
	return j.read(ctx, "k")
}

func okEither(ctx context.Context, s *Diary, j *Journal, asia bool) time.Duration {
	items, _ := either(ctx, s, j, asia)
	return time.Since(items[0].Timestamp.Time())
}
