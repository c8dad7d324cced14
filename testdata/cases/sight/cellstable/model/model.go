// Package model opens tables, and hands them out.
package model

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type Asia struct{ tbl *bigtable.Table }

func NewAsia(c *bigtable.Client) *Asia { return &Asia{tbl: c.Open("asia-diary")} }

func (t *Asia) Table() *bigtable.Table { return t.tbl }

type Diaries struct{ tbl *bigtable.Table }

func NewDiaries(c *bigtable.Client) *Diaries { return &Diaries{tbl: c.Open("diaries")} }

func (t *Diaries) Table() *bigtable.Table { return t.tbl }

// Cells reads from the table that it is given.
func Cells(ctx context.Context, t *bigtable.Table, key string) ([]bigtable.ReadItem, error) {
	row, err := t.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return row["page"], err
}
