// Package stepbystep fills the configuration of a table step by step.
package stepbystep

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type tableBuilder struct{ conf bigtable.TableConf }

func table(name string) *tableBuilder {
	return &tableBuilder{conf: bigtable.TableConf{TableID: name, ColumnFamilies: map[string]bigtable.Family{}}}
}

func (b *tableBuilder) family(name string, p bigtable.GCPolicy) *tableBuilder {
	b.conf.ColumnFamilies[name] = bigtable.Family{GCPolicy: p}
	return b
}

func (b *tableBuilder) build() *bigtable.TableConf { return &b.conf }

func sessions(ctx context.Context, a *bigtable.AdminClient) error {
	conf := table("sessions").
		family("token", bigtable.MaxAgePolicy(time.Hour)). // not seen: age-mismatch
		family("profile", bigtable.MaxVersionsPolicy(1)).
		build()
	return a.CreateTableFromConf(ctx, conf)
}

func right(ctx context.Context, a *bigtable.AdminClient) error {
	return a.CreateTableFromConf(ctx, table("sessions").family("token", bigtable.MaxAgePolicy(time.Second)).build())
}

// Step by step in one function, and by a pointer.
func steps(ctx context.Context, a *bigtable.AdminClient) error {
	conf := &bigtable.TableConf{TableID: "clicks"}
	add(conf, "event", bigtable.MaxAgePolicy(time.Hour)) // not seen: age-mismatch
	return a.CreateTableFromConf(ctx, conf)
}

func add(conf *bigtable.TableConf, family string, p bigtable.GCPolicy) {
	if conf.ColumnFamilies == nil {
		conf.ColumnFamilies = map[string]bigtable.Family{}
	}
	conf.ColumnFamilies[family] = bigtable.Family{GCPolicy: p}
}
