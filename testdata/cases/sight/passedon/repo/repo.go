// Package repo is given its tables.
package repo

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/passedon/bt"
)

// Repo keeps what it is given.
type Repo struct {
	tbl bt.Table
	bt.Cells
	now func() time.Time
}

// New returns one; what the table is, nobody in view says.
func New(tbl bt.Table, cells bt.Cells) *Repo { return &Repo{tbl: tbl, Cells: cells, now: time.Now} }

func (r *Repo) Save(ctx context.Context, key string) error {
	return r.tbl.Write(ctx, key, "token", "jwt", bigtable.Time(r.now())) // want `write-time`
}

func (r *Repo) Renew(ctx context.Context, key string) error {
	ts := bigtable.Time(r.now().Add(time.Hour))
	if err := r.tbl.Write(ctx, key, "token", "jwt", ts); err != nil {
		return err
	}
	return r.tbl.Write(ctx, key, "token", "renewed", bigtable.ServerTime) // want `server-timestamp`
}

func (r *Repo) Load(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := r.tbl.Read(ctx, key, bigtable.LatestNFilter(1)) // want `missing-filter`
	return row["token"], err
}

func (r *Repo) okLoad(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := r.tbl.Read(ctx, key, bigtable.LatestNFilter(1), bigtable.TimestampRangeFilter(r.now(), time.Time{}))
	return row["token"], err
}

func (r *Repo) okProfile(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := r.tbl.Read(ctx, key)
	return row["profile"], err
}

// One of the two that may stand behind the interface adds what is missing.
func (r *Repo) okCells(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	return r.Cells.Cells(ctx, key, bigtable.ColumnFilter("jwt"))
}
