package ttl_test

import (
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	table := ttl.NewTable("t", mixed.Families()...)
	e := newEmulator(t, table)
	if err := table.Verify(t.Context(), e.admin); err != nil {
		t.Fatalf("as created: %v", err)
	}
	versions, age := bigtable.MaxVersionsPolicy, bigtable.MaxAgePolicy
	must(e.admin.CreateColumnFamily(t.Context(), "t", "other"))
	must(e.admin.CreateColumnFamilyWithConfig(t.Context(), "t", "intersection",
		bigtable.Family{GCPolicy: bigtable.IntersectionPolicy(versions(1), age(time.Hour))}))
	must(e.admin.CreateColumnFamilyWithConfig(t.Context(), "t", "union",
		bigtable.Family{GCPolicy: bigtable.UnionPolicy(age(time.Hour), versions(1))}))
	must(e.admin.CreateColumnFamilyWithConfig(t.Context(), "t", "single",
		bigtable.Family{GCPolicy: bigtable.UnionPolicy(versions(1))}))
	must(e.admin.CreateColumnFamilyWithConfig(t.Context(), "t", "empty",
		bigtable.Family{GCPolicy: bigtable.UnionPolicy()}))
	must(e.admin.CreateColumnFamilyWithConfig(t.Context(), "t", "1500ms", bigtable.Family{GCPolicy: age(1500 * time.Millisecond)}))

	must(e.admin.CreateColumnFamilyWithConfig(t.Context(), "t", "1ms", bigtable.Family{GCPolicy: age(time.Millisecond)}))
	must(e.admin.CreateColumnFamilyWithConfig(t.Context(), "t", "nested", bigtable.Family{GCPolicy: bigtable.IntersectionPolicy(
		bigtable.UnionPolicy(versions(5), age(time.Hour)), bigtable.UnionPolicy(age(time.Minute), versions(4)), bigtable.UnionPolicy(versions(1)))}))

	const prefix = `ttl: table "t": schema differs from its declaration: `
	for _, test := range []struct {
		name     string
		families []ttl.Family
		want     string
	}{
		{"undeclared families", table.Families(), ""},
		{"ages", []ttl.Family{ttl.OneSecond("default", time.Hour), ttl.Default("second", time.Hour)},
			`family "default" has max age 30m0s, declared is max age 1s; family "second" has max age 1s, declared is max age 1h0m0s`},
		{"order, missing, kind", []ttl.Family{ttl.Sequence("zero", 3), ttl.Zero("missing"), ttl.Zero("default"), ttl.Sequence("real.time", 1), ttl.RealTime("sequence")},
			`family "zero" has max versions 1, declared is max versions 3; family "missing" is missing; ` +
				`family "default" has max age 30m0s, declared is max versions 1; family "real.time" has no policy, declared is max versions 1; ` +
				`family "sequence" has max versions 2, declared is no policy`},
		{"union in other order", []ttl.Family{ttl.RealTime("union").MaxAge(time.Hour).MaxVersions(1)}, ""},
		{"union of one", []ttl.Family{ttl.Zero("single")}, ""},
		{"union of none", []ttl.Family{ttl.RealTime("empty")}, ""},
		{"intersection", []ttl.Family{ttl.RealTime("intersection").MaxAge(time.Hour).MaxVersions(1)},
			`family "intersection" has (max age 1h0m0s and max versions 1), declared is (max age 1h0m0s or max versions 1)`},
		{"intersection declared", []ttl.Family{ttl.RealTime("intersection").Policy(bigtable.IntersectionPolicy(age(time.Hour), versions(1)))}, ""},
		{"nested", []ttl.Family{ttl.RealTime("nested").Policy(bigtable.UnionPolicy(
			bigtable.IntersectionPolicy(versions(1), age(time.Hour)), versions(5)))}, ""},
		{"fractions of a second", []ttl.Family{ttl.RealTime("1500ms").MaxAge(1200 * time.Millisecond)}, ""},
		{"fractions differ by more", []ttl.Family{ttl.RealTime("1500ms").MaxAge(2200 * time.Millisecond)},
			`family "1500ms" has max age 1s, declared is max age 2.2s`},
		{"one-second of a millisecond", []ttl.Family{ttl.OneSecond("1ms", time.Hour)}, ""},
		{"one-second declared with less", []ttl.Family{second.MaxAge(time.Millisecond)}, ""},
		{"one-second and versions", []ttl.Family{ttl.OneSecond("intersection", time.Hour)},
			`family "intersection" has (max age 1h0m0s and max versions 1), declared is max age 1s`},
		{"zero without policy", []ttl.Family{ttl.Zero("real.time")}, ""},
		{"zero with more versions", []ttl.Family{ttl.Zero("sequence")}, ""},
		{"zero with age beside versions", []ttl.Family{ttl.Zero("intersection")}, ""},
		{"zero with age or versions", []ttl.Family{ttl.Zero("union")},
			`family "union" has (max age 1h0m0s or max versions 1), declared is max versions 1`},
	} {
		err := ttl.NewTable("t", test.families...).Verify(t.Context(), e.admin)
		if test.want == "" {
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		if !errors.Is(err, ttl.ErrSchema) || err.Error() != prefix+test.want {
			t.Errorf("%s:\n got %v\nwant %s", test.name, err, prefix+test.want)
		}
	}
	if err := ttl.NewTable("absent", second).Verify(t.Context(), e.admin); err == nil || errors.Is(err, ttl.ErrSchema) {
		t.Errorf("absent table: %v", err)
	}
}

func TestNilClients(t *testing.T) {
	e := newEmulator(t, mixed)
	for name, err := range map[string]error{
		"verify":          mixed.Verify(t.Context(), nil),
		"ensure":          mixed.Ensure(t.Context(), nil),
		"migrate, client": mixed.Migrate(t.Context(), nil, e.admin, second),
		"migrate, admin":  mixed.Migrate(t.Context(), e.client, nil, second),
	} {
		if !errors.Is(err, ttl.ErrNilClient) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := mixed.Undeclared(t.Context(), nil); !errors.Is(err, ttl.ErrNilClient) {
		t.Error(err)
	}
}
