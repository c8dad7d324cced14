// Package crossed makes repositories of several families with one constructor.
package crossed

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// repo is made with a bound where its family needs one.
type repo struct {
	t      *bigtable.Table
	family string
	filter func() bigtable.Filter
}

func (r *repo) okGet(ctx context.Context, k string) int {
	var opts []bigtable.ReadOption
	if r.filter != nil {
		opts = append(opts, bigtable.RowFilter(r.filter()))
	}
	row, _ := r.t.ReadRow(ctx, k, opts...)
	return len(row[r.family])
}

// NewRepo is given them together.
func NewRepo(t *bigtable.Table, family string, filter func() bigtable.Filter) *repo {
	return &repo{t: t, family: family, filter: filter}
}

func live(family string) func() bigtable.Filter {
	return func() bigtable.Filter {
		return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
}

func okUse(ctx context.Context, c *bigtable.Client) int {
	t := c.Open("sessions")
	names := NewRepo(t, "profile", nil)
	tokens := NewRepo(t, "token", live("token"))
	return names.okGet(ctx, "k") + tokens.okGet(ctx, "k")
}

// Bare is made like that, and once without the bound that its family needs.
type Bare struct {
	t      *bigtable.Table
	family string
	filter func() bigtable.Filter
}

func (r *Bare) Get(ctx context.Context, k string) int {
	var opts []bigtable.ReadOption
	if r.filter != nil {
		opts = append(opts, bigtable.RowFilter(r.filter()))
	}
	row, _ := r.t.ReadRow(ctx, k, opts...)
	return len(row[r.family])
}

func NewBare(t *bigtable.Table, family string, filter func() bigtable.Filter) *Bare {
	return &Bare{t: t, family: family, filter: filter}
}

func use(ctx context.Context, c *bigtable.Client) int {
	t := c.Open("sessions")
	names := NewBare(t, "profile", nil)
	tokens := NewBare(t, "token", nil) // want `missing-filter: .*"token" of table "sessions"`
	bounded := NewBare(t, "token", live("token"))
	return names.Get(ctx, "k") + tokens.Get(ctx, "k") + bounded.Get(ctx, "k")
}

// Always has no filter, whatever it is made with.
type Always struct {
	t      *bigtable.Table
	family string
	limit  int
}

func (r *Always) Get(ctx context.Context, k string) int {
	var opts []bigtable.ReadOption
	if r.limit > 0 {
		opts = append(opts, bigtable.LimitRows(int64(r.limit)))
	}
	row, _ := r.t.ReadRow(ctx, k, opts...)
	return len(row[r.family])
}

func NewAlways(t *bigtable.Table, family string, limit int) *Always {
	return &Always{t: t, family: family, limit: limit}
}

func useAlways(ctx context.Context, c *bigtable.Client) int {
	t := c.Open("sessions")
	return NewAlways(t, "profile", 0).Get(ctx, "k") + NewAlways(t, "token", 1).Get(ctx, "k") // want `missing-filter: .*"token" of table "sessions"`
}
