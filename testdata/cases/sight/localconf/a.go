// Package localconf names policies that local variables hold in the literals of
// tables' configurations: a finding stands at the entry of its family.
package localconf

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func families(ctx context.Context, admin *bigtable.AdminClient) error {
	old := bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(7*24*time.Hour))
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "mixed", Families: map[string]bigtable.GCPolicy{
		"hot": bigtable.MaxAgePolicy(time.Second),
		"log": bigtable.MaxAgePolicy(24 * time.Hour),
		"seq": old, // want `age-on-sequence: .*"seq"`
	}})
}

func columnFamilies(ctx context.Context, admin *bigtable.AdminClient) error {
	var day bigtable.GCPolicy = bigtable.MaxAgePolicy(24 * time.Hour)
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "mixed", ColumnFamilies: map[string]bigtable.Family{
		"hot": {GCPolicy: day}, // want `age-mismatch: .*"hot"`
		"log": {GCPolicy: day},
		"seq": {GCPolicy: day}, // want `age-on-sequence: .*"seq"`
	}})
}

func variable(ctx context.Context, admin *bigtable.AdminClient) error {
	day, second := bigtable.MaxAgePolicy(24*time.Hour), bigtable.MaxAgePolicy(time.Second)
	conf := bigtable.TableConf{
		TableID: "mixed",
		ColumnFamilies: map[string]bigtable.Family{
			"hot": {GCPolicy: second},
			"log": {GCPolicy: day},
			"seq": {GCPolicy: (day)}, // want `age-on-sequence: .*"seq"`
		},
	}
	return admin.CreateTableFromConf(ctx, &conf)
}

func whole(ctx context.Context, admin *bigtable.AdminClient) error {
	family := bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(24 * time.Hour)}
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "mixed", ColumnFamilies: map[string]bigtable.Family{
		"hot": {GCPolicy: bigtable.MaxAgePolicy(time.Second)},
		"log": family,
		"seq": family, // want `age-on-sequence: .*"seq"`
	}})
}

func chosen(ctx context.Context, admin *bigtable.AdminClient, long bool) error {
	age := bigtable.MaxAgePolicy(24 * time.Hour)
	if long {
		age = bigtable.MaxAgePolicy(48 * time.Hour)
	}
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "mixed", Families: map[string]bigtable.GCPolicy{
		"hot": bigtable.MaxAgePolicy(time.Second),
		"log": bigtable.MaxAgePolicy(24 * time.Hour),
		"seq": age, // want `age-on-sequence: .*"seq"`
	}})
}

var daily = bigtable.MaxAgePolicy(24 * time.Hour)

func shared(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "mixed", Families: map[string]bigtable.GCPolicy{
		"hot": bigtable.MaxAgePolicy(time.Second),
		"log": daily,
		"seq": daily, // want `age-on-sequence: .*"seq"`
	}})
}

// What is put in afterwards.
func put(ctx context.Context, admin *bigtable.AdminClient) error {
	day := bigtable.MaxAgePolicy(24 * time.Hour)
	families := map[string]bigtable.GCPolicy{"hot": bigtable.MaxAgePolicy(time.Second), "log": day}
	families["seq"] = day // want `age-on-sequence: .*"seq"`
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "mixed", Families: families})
}

// At a call that names one family there is nothing to tell apart.
func set(ctx context.Context, admin *bigtable.AdminClient) error {
	day := bigtable.MaxAgePolicy(24 * time.Hour)
	return admin.SetGCPolicy(ctx, "mixed", "seq", day) // want `age-on-sequence: .*"seq"`
}

func rows(ctx context.Context, admin *bigtable.AdminClient) error {
	day := bigtable.MaxAgePolicy(24 * time.Hour)
	for _, row := range []struct {
		family string
		policy bigtable.GCPolicy
	}{
		{"log", day},
		{"seq", day}, // want `age-on-sequence: .*"seq"`
	} {
		if err := admin.SetGCPolicy(ctx, "mixed", row.family, row.policy); err != nil {
			return err
		}
	}
	return nil
}

func name(family string) string { return family }

// A helper that hands a name on does not make it.
func helped(ctx context.Context, admin *bigtable.AdminClient) error {
	day := bigtable.MaxAgePolicy(24 * time.Hour)
	for _, row := range []struct {
		family string
		policy bigtable.GCPolicy
	}{
		{"log", day},
		{"seq", day}, // want `age-on-sequence: .*"seq"`
	} {
		if err := admin.SetGCPolicy(ctx, "mixed", name(row.family), row.policy); err != nil {
			return err
		}
	}
	return nil
}

func okRight(ctx context.Context, admin *bigtable.AdminClient) error {
	day, versions := bigtable.MaxAgePolicy(24*time.Hour), bigtable.MaxVersionsPolicy(1)
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "mixed", ColumnFamilies: map[string]bigtable.Family{
		"hot": {GCPolicy: bigtable.MaxAgePolicy(time.Second)},
		"log": {GCPolicy: day},
		"seq": {GCPolicy: versions},
	}})
}
