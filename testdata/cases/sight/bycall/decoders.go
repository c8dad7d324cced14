package bycall

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type decoder interface{ decode(bigtable.Row) int }

type profiles struct{}

func (profiles) decode(r bigtable.Row) int { return len(r["profile"]) }

type tokens struct{}

func (*tokens) decode(r bigtable.Row) int { return len(r["token"]) }

type repo struct{ tbl *bigtable.Table }

func newRepo(c *bigtable.Client) *repo { return &repo{c.Open("sessions")} }

func (r *repo) into(ctx context.Context, key string, d decoder) int {
	row, _ := r.tbl.ReadRow(ctx, key)
	return d.decode(row)
}

func decodes(ctx context.Context, c *bigtable.Client) int {
	r := newRepo(c)
	n := r.into(ctx, "k", profiles{})
	return n + r.into(ctx, "k", &tokens{}) // want `missing-filter: .*"token"`
}

type repo2 struct{ tbl *bigtable.Table }

func newRepo2(c *bigtable.Client) *repo2 { return &repo2{c.Open("sessions")} }

func (r *repo2) okInto(ctx context.Context, key string, d decoder) int {
	row, _ := r.tbl.ReadRow(ctx, key)
	return d.decode(row)
}

func okDecodes(ctx context.Context, c *bigtable.Client) int {
	return newRepo2(c).okInto(ctx, "k", profiles{})
}

type repo3 struct{ tbl *bigtable.Table }

func newRepo3(tbl *bigtable.Table) *repo3 { return &repo3{tbl} }

func (r *repo3) okInto(ctx context.Context, key string, d decoder) int {
	row, _ := r.tbl.ReadRow(ctx, key)
	return d.decode(row)
}

func okDecodes3(ctx context.Context, c *bigtable.Client) int {
	return newRepo3(c.Open("sessions")).okInto(ctx, "k", profiles{})
}

type repo4 struct{ tbl *bigtable.Table }

func newRepo4(tbl *bigtable.Table) *repo4 { return &repo4{tbl} }

func (r *repo4) okEach(ctx context.Context, f func(bigtable.ReadItem)) error {
	return r.tbl.ReadRows(ctx, bigtable.PrefixRange(""), func(row bigtable.Row) bool {
		for _, it := range row["token"] {
			f(it)
		}
		return true
	})
}

func okEach4(ctx context.Context, c *bigtable.Client) (n int, err error) {
	err = newRepo4(c.Open("sessions")).okEach(ctx, func(it bigtable.ReadItem) {
		if it.Timestamp > bigtable.Now() {
			n++
		}
	})
	return n, err
}
