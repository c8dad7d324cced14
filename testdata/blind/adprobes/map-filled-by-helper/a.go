// Package mapfilled: a map of families is filled by a helper that is given the
// map, the names and the age. Missed.
package mapfilled

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
	m[name] = bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(age)}
}

func variadic(ctx context.Context, a *bigtable.AdminClient) error {
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "freqcap", ColumnFamilies: fill(map[string]bigtable.Family{}, time.Second, "cap", "seen")}) // want ttlgc/age-mismatch
}

func single(ctx context.Context, a *bigtable.AdminClient) error {
	m := map[string]bigtable.Family{}
	one(m, time.Second, "cap")
	one(m, time.Second, "seen")                                                                   // want ttlgc/age-mismatch[single]
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "freqcap", ColumnFamilies: m}) // want ttlgc/age-mismatch[single]
}

func right(ctx context.Context, a *bigtable.AdminClient) error {
	m := map[string]bigtable.Family{}
	one(m, time.Second, "cap")                                                                    // ok ttlgc/age-mismatch
	one(m, 168*time.Hour, "seen")                                                                 // ok ttlgc/age-mismatch
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "freqcap", ColumnFamilies: m}) // ok ttlgc/age-mismatch
}

var _ = []any{variadic, single, right}
