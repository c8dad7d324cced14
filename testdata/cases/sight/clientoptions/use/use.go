// Package use gives another package's functions what fills structs of the client.
package use

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"example.com/cases/sight/clientoptions/opts"
)

func families(ctx context.Context, a *bigtable.AdminClient) {
	_ = opts.Create(ctx, a, "sessions", "token", opts.Age(time.Hour)) // want `age-mismatch: .*"token" of table "sessions"`
	_ = opts.Create(ctx, a, "sessions", "token", opts.Age(time.Second))
	_ = opts.Create(ctx, a, "sessions", "token", func(f *bigtable.Family) { f.GCPolicy = bigtable.MaxVersionsPolicy(1) }) // want `no-policy: .*"token" of table "sessions"`
	_ = opts.Create(ctx, a, "sessions", "token", nil, opts.Age(time.Second))
	_ = opts.Create(ctx, a, "sessions", "token") // want `no-policy: .*"token" of table "sessions"`
}

func own(ctx context.Context, a *bigtable.AdminClient, family string, fill ...func(*bigtable.Family)) error {
	f := bigtable.Family{}
	opts.Apply(&f, fill...)
	return a.CreateColumnFamilyWithConfig(ctx, "sessions", family, f)
}

func applied(ctx context.Context, a *bigtable.AdminClient) {
	_ = own(ctx, a, "token", opts.Age(time.Hour)) // want `age-mismatch: .*"token" of table "sessions"`
	_ = own(ctx, a, "token", opts.Age(time.Second))
}

func mine(ctx context.Context, a *bigtable.AdminClient, family string, fill ...opts.Family) error {
	f := bigtable.Family{}
	for _, o := range fill {
		o(&f)
	}
	return a.CreateColumnFamilyWithConfig(ctx, "sessions", family, f)
}

func mines(ctx context.Context, a *bigtable.AdminClient) {
	_ = mine(ctx, a, "token", opts.Age(time.Hour)) // want `age-mismatch: .*"token" of table "sessions"`
	_ = mine(ctx, a, "token", opts.Age(time.Second))
}

func cells(ctx context.Context, c bigtablepb.BigtableClient) {
	_, _ = c.MutateRow(ctx, &bigtablepb.MutateRowRequest{TableName: "projects/p/instances/i/tables/sessions", Mutations: []*bigtablepb.Mutation{
		opts.Set("token", opts.At(time.Now())), // want `write-time: .*"token" of table "sessions"`
		opts.Set("token", opts.At(time.Now().Add(time.Hour))),
		opts.Set("token"), // want `server-timestamp: .*"token" of table "sessions"`
	}})
}
