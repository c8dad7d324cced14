// Package givenonce gives constructors what is wrong, and calls methods that
// supply nothing more: one finding for what is wrong, where it is given.
package givenonce

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/givenonce/lib"
)

func live() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}

func filterGiven(ctx context.Context, c *bigtable.Client) error {
	r := lib.NewRepo(c.Open("sessions"), "profile", bigtable.FamilyFilter("token")) // want `missing-filter: .*"token"`
	if _, err := r.Load(ctx, "k"); err != nil {
		return err
	}
	if err := r.Save(ctx, "k", nil); err != nil {
		return err
	}
	_, err := r.All(ctx)
	return err
}

func familyGiven(ctx context.Context, c *bigtable.Client) error {
	r := lib.NewRepo(c.Open("sessions"), "token", live()) // want `write-time: .*"token"`
	if err := r.Save(ctx, "k", nil); err != nil {
		return err
	}
	_, err := r.Load(ctx, "k")
	return err
}

func okGiven(ctx context.Context, c *bigtable.Client) error {
	r := lib.NewRepo(c.Open("sessions"), "profile", live())
	if err := r.Save(ctx, "k", nil); err != nil {
		return err
	}
	_, err := r.Load(ctx, "k")
	return err
}

// A service keeps it in a field.
type service struct{ repo *lib.Repo }

func newService(c *bigtable.Client) *service {
	return &service{repo: lib.NewRepo(c.Open("sessions"), "token", bigtable.FamilyFilter("token"))} // want `write-time: .*"token"` `missing-filter: .*"token"`
}

func (s *service) load(ctx context.Context, key string) (bigtable.Row, error) {
	return s.repo.Load(ctx, key)
}

func (s *service) save(ctx context.Context, key string) error { return s.repo.Save(ctx, key, nil) }

func (s *service) all(ctx context.Context) ([]bigtable.Row, error) { return s.repo.All(ctx) }

// What is wrong whatever is given is told there, and not again where the table is.
func okVault(ctx context.Context, c *bigtable.Client) error {
	v := lib.NewVault(c.Open("sessions"))
	if err := v.Put(ctx, "k", nil); err != nil {
		return err
	}
	_, err := v.Get(ctx, "k")
	return err
}

// In one package it is the same.
type own struct {
	tbl    *bigtable.Table
	filter bigtable.Filter
}

func newOwn(tbl *bigtable.Table, f bigtable.Filter) *own { return &own{tbl, f} }

func (o *own) load(ctx context.Context, key string) (bigtable.Row, error) {
	return o.tbl.ReadRow(ctx, key, bigtable.RowFilter(o.filter))
}

func (o *own) all(ctx context.Context) (rows []bigtable.Row, err error) {
	err = o.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		rows = append(rows, row)
		return true
	}, bigtable.RowFilter(o.filter))
	return rows, err
}

func ownGiven(ctx context.Context, c *bigtable.Client) error {
	o := newOwn(c.Open("sessions"), bigtable.FamilyFilter("token")) // want `missing-filter: .*"token".*reached at .*:82.*also .*:86`
	row, err := o.load(ctx, "k")
	if err != nil || len(row["token"]) > 0 {
		return err
	}
	rows, err := o.all(ctx)
	for _, row := range rows {
		for _, it := range row["token"] {
			println(string(it.Value))
		}
	}
	return err
}
