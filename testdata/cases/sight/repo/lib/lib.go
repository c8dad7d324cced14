// Package lib has a repository of one family, with options.
package lib

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type Repo struct {
	t      *bigtable.Table
	family string
	filter func() bigtable.Filter
	stamp  func() bigtable.Timestamp
}

type Option func(*Repo)

func Through(f func() bigtable.Filter) Option { return func(r *Repo) { r.filter = f } }

func NewRepo(t *bigtable.Table, family string, opts ...Option) *Repo {
	r := &Repo{t: t, family: family, stamp: bigtable.Now}
	for _, o := range opts {
		o(r)
	}
	return r
}

func (r *Repo) Get(ctx context.Context, k string) ([]byte, error) {
	var opts []bigtable.ReadOption
	if r.filter != nil {
		opts = append(opts, bigtable.RowFilter(r.filter()))
	}
	row, err := r.t.ReadRow(ctx, k, opts...)
	if err != nil || len(row[r.family]) == 0 {
		return nil, err
	}
	return row[r.family][0].Value, nil
}

func (r *Repo) Put(ctx context.Context, k string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(r.family, "v", r.stamp(), v)
	return r.t.Apply(ctx, k, m)
}

// Read is Get with options of the caller's.
func (r *Repo) Read(ctx context.Context, k string, opts ...bigtable.ReadOption) ([]byte, error) {
	row, err := r.t.ReadRow(ctx, k, opts...)
	if err != nil || len(row[r.family]) == 0 {
		return nil, err
	}
	return row[r.family][0].Value, nil
}
