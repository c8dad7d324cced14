// Package decorator gets rows by way of what other packages put around tables.
// What the timestamps of a family are, the table says: "val" counts in history,
// expires in cache, and is nobody's elsewhere.
package decorator

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/decorator/core"
)

type event struct{ CreatedAt time.Time }

type dao struct {
	client           *bigtable.Client
	metered, plain   core.Table
	both             core.Table
	other, elsewhere core.Table
	repo, otherRepo  *core.Repo
}

func newDao(c *bigtable.Client) *dao {
	return &dao{
		client:    c,
		metered:   core.OpenMetered(c, "history"),
		plain:     core.OpenPlain(c, "history"),
		both:      &core.Retrying{Inner: core.OpenMetered(c, "history")},
		other:     core.OpenMetered(c, "others"),
		elsewhere: core.OpenMetered(c, "metrics"),
		repo:      core.NewRepo(c, "history"),
		otherRepo: core.NewRepo(c, "others"),
	}
}

var newest = bigtable.RowFilter(bigtable.LatestNFilter(1))

func (d *dao) byMetered(ctx context.Context) (e event, err error) {
	row, err := d.metered.ReadRow(ctx, "k", newest)
	for _, item := range row["val"] {
		e.CreatedAt = item.Timestamp.Time() // want `not-write-time: .*"val" of table "history"`
	}
	return e, err
}

func (d *dao) byPlain(ctx context.Context) (e event, err error) {
	row, err := d.plain.ReadRow(ctx, "k", newest)
	for _, item := range row["val"] {
		e.CreatedAt = item.Timestamp.Time() // want `not-write-time: .*"val" of table "history"`
	}
	return e, err
}

func (d *dao) byBoth(ctx context.Context) (e event, err error) {
	row, err := d.both.ReadRow(ctx, "k", newest)
	for _, item := range row["val"] {
		e.CreatedAt = item.Timestamp.Time() // want `not-write-time: .*"val" of table "history"`
	}
	return e, err
}

func (d *dao) okOther(ctx context.Context) (e event, err error) {
	row, err := d.other.ReadRow(ctx, "k", newest)
	for _, item := range row["val"] {
		e.CreatedAt = item.Timestamp.Time()
	}
	return e, err
}

func (d *dao) okElsewhere(ctx context.Context) (e event, err error) {
	row, err := d.elsewhere.ReadRow(ctx, "k", newest)
	for _, item := range row["val"] {
		e.CreatedAt = item.Timestamp.Time()
	}
	return e, err
}

func (d *dao) scanned(ctx context.Context) (out []event, err error) {
	err = d.metered.ReadRows(ctx, bigtable.PrefixRange("k"), func(row bigtable.Row) bool {
		for _, item := range row["val"] {
			out = append(out, event{CreatedAt: item.Timestamp.Time()}) // want `not-write-time: .*"val" of table "history"`
		}
		return true
	}, newest)
	return out, err
}

func (d *dao) byRepo(ctx context.Context) (e event, err error) {
	row, err := d.repo.Load(ctx, "k")
	for _, item := range row["val"] {
		e.CreatedAt = item.Timestamp.Time() // want `not-write-time: .*"val" of table "history"`
	}
	return e, err
}

func (d *dao) okOtherRepo(ctx context.Context) (e event, err error) {
	row, err := d.otherRepo.Load(ctx, "k")
	for _, item := range row["val"] {
		e.CreatedAt = item.Timestamp.Time()
	}
	return e, err
}

func (d *dao) byFetch(ctx context.Context) (e event, err error) {
	row, err := core.Fetch(ctx, d.client.Open("history"), "k")
	for _, item := range row["val"] {
		e.CreatedAt = item.Timestamp.Time() // want `not-write-time: .*"val" of table "history"`
	}
	return e, err
}

func (d *dao) okFetch(ctx context.Context) (e event, err error) {
	row, err := core.Fetch(ctx, d.client.Open("others"), "k")
	for _, item := range row["val"] {
		e.CreatedAt = item.Timestamp.Time()
	}
	return e, err
}

func read(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", newest)
}

func (d *dao) byRead(ctx context.Context) (e event, err error) {
	row, err := read(ctx, d.client.Open("history"))
	for _, item := range row["val"] {
		e.CreatedAt = item.Timestamp.Time() // want `not-write-time: .*"val" of table "history"`
	}
	return e, err
}

func (d *dao) okRead(ctx context.Context) (e event, err error) {
	row, err := read(ctx, d.client.Open("others"))
	for _, item := range row["val"] {
		e.CreatedAt = item.Timestamp.Time()
	}
	return e, err
}

func (d *dao) load(ctx context.Context) (bigtable.Row, error) {
	return d.metered.ReadRow(ctx, "k", newest)
}

func (d *dao) byLoad(ctx context.Context) (e event, err error) {
	row, err := d.load(ctx)
	for _, item := range row["val"] {
		e.CreatedAt = item.Timestamp.Time() // want `not-write-time: .*"val" of table "history"`
	}
	return e, err
}

// The row may be of another table.
func (d *dao) okEither(ctx context.Context) (e event, err error) {
	row, err := core.Either(ctx, d.client.Open("others"), d.client.Open("history"), "k")
	for _, item := range row["val"] {
		e.CreatedAt = item.Timestamp.Time()
	}
	return e, err
}
