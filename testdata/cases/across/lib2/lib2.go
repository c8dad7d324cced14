// Package lib2 wraps lib once more.
package lib2

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/across/lib"
)

// Expire writes a value that lives for ttl.
func Expire(mut *bigtable.Mutation, family string, ttl time.Duration) {
	lib.Put(mut, family, lib.Expiry(ttl))
}

// Stamp writes a value with the current time.
func Stamp(mut *bigtable.Mutation, family string) { lib.PutNow(mut, family) }

// At writes a value with a timestamp.
func At(mut *bigtable.Mutation, family string, ts bigtable.Timestamp) { lib.Put(mut, family, ts) }

// Until writes a token that expires at t.
func Until(mut *bigtable.Mutation, t time.Time) { At(mut, lib.TokenFamily, lib.ToTS(t)) }

// Get reads what is live.
func Get(ctx context.Context, tbl *bigtable.Table, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", lib.LiveOnly(opts...)...)
}

// GetLatest reads the latest versions.
func GetLatest(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return lib.Read(ctx, tbl, "k", lib.LatestOnly()...)
}

// Options chooses the options of a read.
func Options(live bool) []bigtable.ReadOption {
	if live {
		return lib.LiveOnly()
	}
	return lib.LatestOnly()
}

// A Service embeds a store.
type Service struct {
	*lib.Store
	name string
}

// NewService opens a service.
func NewService(client *bigtable.Client, table string) *Service {
	return &Service{Store: lib.New(client, table), name: table}
}

// Find reads with a filter.
func (s *Service) Find(ctx context.Context, f bigtable.Filter) (bigtable.Row, error) {
	return s.Read(ctx, s.name, f)
}

// Keep sets the age of a family.
func Keep(ctx context.Context, ac *bigtable.AdminClient, table, family string, d time.Duration) error {
	return lib.SetPolicy(ctx, ac, table, family, lib.KeepFor(d))
}
