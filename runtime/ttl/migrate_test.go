package ttl_test

import (
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

func TestMigrate(t *testing.T) {
	t.Parallel()
	before := ttl.NewTable("t", ttl.RealTime("f"), ttl.RealTime("other"))
	after := ttl.NewTable("t", ttl.OneSecond("f", time.Hour), ttl.RealTime("other"))
	family := after.Families()[0].(ttl.OneSecondFamily)
	e := newEmulator(t, before)
	unchanged := func() {
		t.Helper()
		if err := before.Verify(t.Context(), e.admin); err != nil {
			t.Errorf("the schema changed: %v", err)
		}
	}

	// Real timestamps, one of this very moment, two in one column.
	written := ttl.RealTime("f")
	e.apply("r1", func(m *bigtable.Mutation) error { return written.SetAt(m, "c", value, time.Unix(1e9, 0)) },
		func(m *bigtable.Mutation) error { return written.Set(m, "c", value) })
	e.apply("r2", func(m *bigtable.Mutation) error { return written.Set(m, "d", value) },
		func(m *bigtable.Mutation) error { return family.Set(m, "e", value) },
		func(m *bigtable.Mutation) error { return ttl.RealTime("other").Set(m, "c", value) })

	err := after.Migrate(t.Context(), e.client, e.admin, family)
	var refused *ttl.MigrationError
	if !errors.As(err, &refused) || *refused != (ttl.MigrationError{Table: "t", Family: "f", Cells: 3}) {
		t.Fatalf("error %v, want refusal for 3 cells", err)
	}
	unchanged()

	if err := after.Migrate(t.Context(), e.client, e.admin, ttl.OneSecond("f", time.Minute)); !errors.Is(err, ttl.ErrDeclaration) {
		t.Errorf("with another declaration: %v", err)
	}
	absent := ttl.OneSecond("absent", time.Hour)
	if err := ttl.NewTable("t", absent).Migrate(t.Context(), e.client, e.admin, absent); !errors.Is(err, ttl.ErrSchema) {
		t.Errorf("of a family that is missing: %v", err)
	}
	if err := ttl.NewTable("absent", absent).Migrate(t.Context(), e.client, e.admin, absent); err == nil {
		t.Error("no error for a table that is missing")
	}
	unchanged()

	// Once they are deleted, only the cell with an expiry is left.
	e.apply("r1", func(m *bigtable.Mutation) error { m.DeleteRow(); return nil })
	e.apply("r2", func(m *bigtable.Mutation) error { m.DeleteCellsInColumn("f", "d"); return nil })
	if err := after.Migrate(t.Context(), e.client, e.admin, family); err != nil {
		t.Fatal(err)
	}
	if err := after.Verify(t.Context(), e.admin); err != nil {
		t.Error(err)
	}

	// Again, for example at every start: dead cells are no reason now.
	e.apply("r3", raw("f", "c", 1000, "dead"))
	if err := after.Migrate(t.Context(), e.client, e.admin, family); err != nil {
		t.Errorf("of a family that has the policy: %v", err)
	}
	eventually(t, "the dead cell is collected", func() bool { return e.values("r3") == "" })
	if got, want := e.values("r2"), "f:e=v other:c=v"; got != want {
		t.Errorf("left is %s, want %s", got, want)
	}
}

// Each case is a family with a policy and cells in it, all in one column, and a
// strategy that it shall get.
func TestMigrateStrategies(t *testing.T) {
	t.Parallel()
	client, admin, stop := connect(t.Context())
	defer stop()
	age, versions := bigtable.MaxAgePolicy, bigtable.MaxVersionsPolicy
	now := time.Now()
	at := func(offsets ...time.Duration) (ts []bigtable.Timestamp) {
		for _, d := range offsets {
			ts = append(ts, bigtable.Time(now.Add(d)))
		}
		return ts
	}
	const h = time.Hour
	numbers := []bigtable.Timestamp{0, 1000, 2000, 3000}
	for i, test := range []struct {
		name              string
		policy            bigtable.GCPolicy
		cells             []bigtable.Timestamp
		to                ttl.Family
		doomed, outranked int64
	}{
		{"no policy to one-second", nil, at(-h, -time.Millisecond, h), ttl.OneSecond("f", h), 2, 0},
		{"default to one-second", age(h), at(2*h, h/2), ttl.OneSecond("f", h), 2, 0},
		{"default to one-second, live and dead", age(h), at(-h/2, -2*h), ttl.OneSecond("f", h), 1, 0},
		{"versions to one-second", versions(1), at(2*h, h), ttl.OneSecond("f", h), 0, 0},
		{"one-second to one-second", age(time.Second), at(-h, h), ttl.OneSecond("f", h).MaxAge(time.Millisecond), 0, 0},
		{"one-second to default", age(time.Second), at(-h/2, h), ttl.Default("f", h), 0, 0},
		{"5 min to 10 min", age(5 * time.Minute), at(-3*time.Minute, -7*time.Minute), ttl.Default("f", 10*time.Minute), 0, 0},
		{"10 min to 5 min", age(10 * time.Minute), at(-h, -7*time.Minute, h), ttl.Default("f", 5*time.Minute), 2, 0},
		{"no policy to default", nil, at(-2*h, -h/2, h), ttl.Default("f", h), 1, 0},
		{"versions to default", versions(2), at(-2*h, -3*h, -4*h), ttl.Default("f", h), 2, 0},
		{"default to none", age(h), at(-2*h, 0), ttl.RealTime("f"), 0, 0},
		{"none to versions", nil, at(-3*h, -2*h, -h), ttl.RealTime("f").MaxVersions(2), 1, 0},
		{"age to age or versions", age(h), at(-2*h, -h/2, -h/3), ttl.RealTime("f").MaxAge(h).MaxVersions(1), 1, 0},
		{"age or versions to both", bigtable.UnionPolicy(age(h), versions(1)), at(-2*h, -h/2, -h/3),
			ttl.RealTime("f").Policy(bigtable.IntersectionPolicy(age(h), versions(1))), 0, 0},
		{"none to zero", nil, at(-2*h, -h), ttl.Zero("f"), 1, 0},
		{"one version to zero", versions(1), at(-h), ttl.Zero("f"), 0, 0},
		{"age to zero", age(24 * h), at(-2*h, -h), ttl.Zero("f"), 1, 0},
		{"none to sequence", nil, numbers, ttl.Sequence("f", 3), 1, 0},
		{"sequence to fewer", versions(4), numbers, ttl.Sequence("f", 2), 2, 0},
		{"sequence to more", versions(2), numbers, ttl.Sequence("f", 4), 0, 0},
		{"real to sequence", nil, append(at(-h, 0), numbers...), ttl.Sequence("f", 4), 2, 2},
		{"real with the policy to sequence", versions(4), at(-h, 0), ttl.Sequence("f", 4), 0, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := fmt.Sprintf("t%d", i)
			must(admin.CreateTableFromConf(t.Context(), &bigtable.TableConf{TableID: name,
				ColumnFamilies: map[string]bigtable.Family{"f": {GCPolicy: test.policy}, "other": {}}}))
			mut := bigtable.NewMutation()
			for _, ts := range test.cells {
				mut.Set("f", "c", ts, value)
			}
			mut.Set("other", "c", 1000, value)
			must(client.Open(name).Apply(t.Context(), "r", mut))

			table := ttl.NewTable(name, test.to)
			policies := func() map[string]string {
				info, err := admin.TableInfo(t.Context(), name)
				must(err)
				all := map[string]string{}
				for _, f := range info.FamilyInfos {
					all[f.Name] = f.GCPolicy
				}
				return all
			}
			before := policies()
			err := table.Migrate(t.Context(), client, admin, test.to)
			if test.doomed+test.outranked == 0 {
				if err != nil {
					t.Error(err)
				}
				if err := table.Verify(t.Context(), admin); err != nil {
					t.Error(err)
				}
				return
			}
			var refused *ttl.MigrationError
			want := ttl.MigrationError{Table: name, Family: "f", Cells: test.doomed, Outranking: test.outranked}
			if !errors.As(err, &refused) || *refused != want {
				t.Errorf("error %v, want %v", err, &want)
			}
			if after := policies(); !maps.Equal(before, after) {
				t.Errorf("the schema changed: %v to %v", before, after)
			}
		})
	}
}
