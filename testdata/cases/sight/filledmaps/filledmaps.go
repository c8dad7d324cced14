// Package filledmaps fills maps of families, names and lifetimes by helpers.
package filledmaps

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func fill(m map[string]bigtable.Family, age time.Duration, names ...string) map[string]bigtable.Family {
	for _, n := range names {
		m[n] = bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(age)}
	}
	return m
}

func one(m map[string]bigtable.Family, age time.Duration, name string) {
	if age == 0 {
		m[name] = bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)}
		return
	}
	m[name] = bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(age)}
}

func create(ctx context.Context, a *bigtable.AdminClient, table string, m map[string]bigtable.Family) error {
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: table, ColumnFamilies: m})
}

func variadic(ctx context.Context, a *bigtable.AdminClient) error {
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "sessions", ColumnFamilies: fill(map[string]bigtable.Family{"profile": {}}, time.Hour, "token")}) // not seen: age-mismatch
}

func variadicRight(ctx context.Context, a *bigtable.AdminClient) error {
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "sessions", ColumnFamilies: fill(map[string]bigtable.Family{"profile": {}}, time.Second, "token")})
}

func single(ctx context.Context, a *bigtable.AdminClient) error {
	m := map[string]bigtable.Family{}
	one(m, time.Hour, "token")
	one(m, 0, "profile")
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "sessions", ColumnFamilies: m}) // not seen: age-mismatch
}

func right(ctx context.Context, a *bigtable.AdminClient) error {
	m := make(map[string]bigtable.Family)
	one(m, time.Second, "token")
	one(m, 0, "profile")
	return create(ctx, a, "sessions", m)
}

func unaged(ctx context.Context, a *bigtable.AdminClient) error {
	m := make(map[string]bigtable.Family)
	one(m, 0, "ticket")
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "tickets", ColumnFamilies: m}) // not seen: no-policy
}

// later fills the map once more where it has come back.
func later(ctx context.Context, a *bigtable.AdminClient) error {
	m := begun()
	one(m, time.Second, "token")
	return create(ctx, a, "sessions", m)
}

func begun() map[string]bigtable.Family {
	m := map[string]bigtable.Family{}
	one(m, 0, "profile")
	return m
}

func lifetime(m map[string]time.Duration, name string, d time.Duration) { m[name] = d }

func writes(m *bigtable.Mutation) {
	lives := map[string]time.Duration{}
	lifetime(lives, "token", time.Hour)
	lifetime(lives, "code", 0)
	for fam, d := range lives {
		m.Set(fam, "c", bigtable.Time(time.Now().Add(d)), nil) // not seen: write-time
	}
}

var _ = []any{variadic, variadicRight, single, right, unaged, later, writes}
