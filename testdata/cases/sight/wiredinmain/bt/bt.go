// Package bt has a repository whose constructor is given the family.
package bt

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Repo writes one family.
type Repo struct {
	tbl    *bigtable.Table
	family string
	stamp  func(time.Time) bigtable.Timestamp
}

func writeTime(now time.Time) bigtable.Timestamp { return bigtable.Time(now) }

// NewRepo returns a repository of a family.
func NewRepo(t *bigtable.Table, family string) *Repo {
	return &Repo{tbl: t, family: family, stamp: writeTime}
}

func (r *Repo) Put(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set(r.family, "c", r.stamp(time.Now()), nil)
	return r.tbl.Apply(ctx, key, mut)
}

// Open is a repository that others fill.
type Open struct {
	Tbl    *bigtable.Table
	Family string
}

func (o *Open) Put(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set(o.Family, "c", bigtable.Now(), nil)
	return o.Tbl.Apply(ctx, key, mut)
}
