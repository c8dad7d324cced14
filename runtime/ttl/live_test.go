package ttl_test

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

// fill writes live and dead cells of all strategies. Dead cells have the value
// "dead", and the dead ones of expiring families come first in the row.
func fill(e *emulator, key string) {
	dead := []byte("dead")
	ago := func(d time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(-d)) }
	e.apply(key,
		// Custom lifetimes of the least possible length, dead when read.
		func(m *bigtable.Mutation) error { return second.SetFor(m, "a", dead, time.Millisecond) },
		raw("second", "b", ago(time.Hour), "dead"),
		raw("second", "c", ago(2*time.Second), "dead"),
		func(m *bigtable.Mutation) error { return second.SetFor(m, "c", []byte("short"), time.Minute) },
		func(m *bigtable.Mutation) error { return second.Set(m, "d", []byte("usual")) },
		func(m *bigtable.Mutation) error { return second.SetFor(m, "e", []byte("long"), 1000*time.Hour) },

		func(m *bigtable.Mutation) error { return standard.SetFor(m, "a", dead, time.Millisecond) },
		raw("default", "b", ago(ttlOf+2*time.Second), "dead"),
		raw("default", "c", ago(ttlOf-time.Minute), "short"),
		func(m *bigtable.Mutation) error { return standard.Set(m, "d", []byte("usual")) },
		func(m *bigtable.Mutation) error { return standard.SetFor(m, "e", []byte("long"), 1000*time.Hour) },

		func(m *bigtable.Mutation) error { return sequence.Set(m, "c", dead, 1) },
		func(m *bigtable.Mutation) error { return sequence.Set(m, "c", dead, 2) },
		func(m *bigtable.Mutation) error { return sequence.Set(m, "c", []byte("n4"), 4) },
		func(m *bigtable.Mutation) error { return sequence.Set(m, "c", []byte("n3"), 3) },
		func(m *bigtable.Mutation) error { return sequence.Set(m, "d", []byte("n0"), 0) },

		func(m *bigtable.Mutation) error { return zero.Set(m, "c", dead) },
		func(m *bigtable.Mutation) error { return zero.Set(m, "c", []byte("last")) },

		func(m *bigtable.Mutation) error { return realTime.Set(m, "c", []byte("new")) },
		func(m *bigtable.Mutation) error { return realTime.SetAt(m, "c", []byte("old"), time.Unix(0, 0)) },
	)
	time.Sleep(3 * time.Millisecond) // the shortest lifetime has passed
}

const live = "default:c=short default:d=usual default:e=long " +
	"real.time:c=new real.time:c=old " +
	"second:c=short second:d=usual second:e=long " +
	"sequence:c=n4 sequence:c=n3 sequence:d=n0 " +
	"zero:c=last"

func TestLive(t *testing.T) {
	t.Parallel()
	e := newEmulator(t, mixed)
	fill(e, "r")
	if got := strings.Count(e.values("r"), "=dead"); got != 7 {
		t.Fatalf("%d dead cells to begin with, want 7", got)
	}
	alone := func(f ttl.Family) *ttl.Table { return ttl.NewTable("mixed", f) }
	for _, test := range []struct {
		name string
		opt  bigtable.ReadOption
		want string
	}{
		{"all", mixed.Live(), live},
		{"and nothing", mixed.LiveAnd(), live},
		{"and column", mixed.LiveAnd(bigtable.ColumnFilter("d")), "default:d=usual second:d=usual sequence:d=n0"},
		{"and column, value", mixed.LiveAnd(bigtable.ColumnFilter("c"), bigtable.ValueFilter("short")), "default:c=short second:c=short"},
		{"and nil", mixed.LiveAnd(nil, bigtable.ColumnFilter("d"), nil), "default:d=usual second:d=usual sequence:d=n0"},
		{"and nothing but nil", mixed.LiveAnd(nil), live},
		{"in twenty minutes", mixed.LiveAt(time.Now().Add(ttlOf-10*time.Minute), bigtable.FamilyFilter("second|default")),
			"default:d=usual default:e=long second:d=usual second:e=long"},
		{"in two", mixed.LiveAt(time.Now().Add(time.Hour), bigtable.FamilyFilter("second|default"), nil), "default:e=long second:e=long"},
		{"an hour ago", mixed.LiveAt(time.Now().Add(-time.Hour+time.Minute), bigtable.FamilyFilter("second"), bigtable.ValueFilter("dead")),
			"second:a=dead second:c=dead"},
		{"latest", mixed.Latest(), strings.NewReplacer(" real.time:c=old", "", " sequence:c=n3", "").Replace(live)},
		{"latest and value", mixed.Latest(bigtable.ColumnFilter("c"), bigtable.ValueFilter("n3|old|short")), "default:c=short second:c=short"},
		{"as filter", bigtable.RowFilter(bigtable.ChainFilters(mixed.LiveFilter(), bigtable.FamilyFilter("zero"))), "zero:c=last"},
		// A limit counts live cells only, though dead ones come first.
		{"and row limit", mixed.LiveAnd(bigtable.FamilyFilter("second"), bigtable.CellsPerRowLimitFilter(1)), "second:c=short"},
		{"and row offset", mixed.LiveAnd(bigtable.FamilyFilter("second"), bigtable.CellsPerRowOffsetFilter(1)), "second:d=usual second:e=long"},
		{"limit among families", alone(second).LiveAnd(bigtable.CellsPerRowLimitFilter(2)), "second:c=short second:d=usual"},
		// A value that a later number has superseded does not come back.
		{"and superseded value", mixed.LiveAnd(bigtable.FamilyFilter("sequence"), bigtable.ValueFilter("dead")), ""},
		{"one-second alone", alone(second).Live(), "second:c=short second:d=usual second:e=long"},
		{"default alone", alone(standard).Live(), "default:c=short default:d=usual default:e=long"},
		{"sequence alone", alone(sequence).Live(), "sequence:c=n4 sequence:c=n3 sequence:d=n0"},
		{"zero alone", alone(zero).Live(), "zero:c=last"},
		{"real alone", alone(realTime).Live(), "real.time:c=new real.time:c=old"},
		// The dot in the name is no pattern, and other families stay out.
		{"quoted", alone(ttl.RealTime("r.al.time")).Live(), ""},
		{"filter of one family", bigtable.RowFilter(standard.LiveFilter()), "default:c=short default:d=usual default:e=long"},
		{"pair", ttl.NewTable("mixed", zero, sequence).Live(), "sequence:c=n4 sequence:c=n3 sequence:d=n0 zero:c=last"},
	} {
		if got := e.values("r", test.opt); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

// Rows whose cells are all dead are not read.
func TestLiveRows(t *testing.T) {
	t.Parallel()
	e := newEmulator(t, mixed)
	e.apply("dead", raw("second", "c", 1000, "dead"), raw("default", "c", 1000, "dead"))
	e.apply("live", func(m *bigtable.Mutation) error { return second.Set(m, "c", value) })
	var keys []string
	err := e.tbl.ReadRows(t.Context(), bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		keys = append(keys, row.Key())
		return true
	}, mixed.Live())
	if got := strings.Join(keys, " "); got != "live" || err != nil {
		t.Errorf("read rows %q, error %v", got, err)
	}
}

// As the condition of a mutation, the live filter does not match dead cells.
func TestLiveCondition(t *testing.T) {
	t.Parallel()
	e := newEmulator(t, mixed)
	e.apply("dead", raw("second", "lock", 1000, "dead"))
	e.apply("live", func(m *bigtable.Mutation) error { return second.Set(m, "lock", value) })
	for key, want := range map[string]bool{"dead": false, "live": true} {
		taken := bigtable.NewMutation()
		if err := zero.Set(taken, "taken", value); err != nil {
			t.Fatal(err)
		}
		var matched bool
		mut := bigtable.NewCondMutation(mixed.LiveFilter(), taken, nil)
		if err := e.tbl.Apply(t.Context(), key, mut, bigtable.GetCondMutationResult(&matched)); err != nil || matched != want {
			t.Errorf("%s: matched %v, error %v", key, matched, err)
		}
	}
}

// Garbage collection by the declared policies deletes what is dead and keeps
// what is live.
func TestGarbageCollection(t *testing.T) {
	t.Parallel()
	e := newEmulator(t, mixed)
	fill(e, "r")
	// With a max age of 1ms, the cells that have just died go at once too.
	dying := ttl.OneSecond("second", ttlOf).MaxAge(time.Millisecond)
	for name, family := range ttl.NewTable("mixed", dying, standard, sequence, zero, realTime).Conf().ColumnFamilies {
		if err := e.admin.UpdateFamily(t.Context(), "mixed", name, family); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "dead cells are gone", func() bool { return !strings.Contains(e.values("r"), "=dead") })
	if got := e.values("r"); got != live {
		t.Errorf("garbage collection left\n     %s\nwant %s", got, live)
	}
}

// What the GC policy of a family with real timestamps deletes, a read does not
// return: by age, by versions, by either and by both.
func TestLiveRealTime(t *testing.T) {
	t.Parallel()
	f := ttl.RealTime("f")
	age, versions := bigtable.MaxAgePolicy(time.Hour), bigtable.MaxVersionsPolicy(2)
	e := newEmulator(t, ttl.NewTable("t", f))
	for column, minutes := range map[string][]int{"a": {1, 2, 3}, "b": {30, 90, 120}, "c": {90, 120, 150}} {
		for _, m := range minutes {
			e.apply("r", func(mut *bigtable.Mutation) error {
				return f.SetAt(mut, column, strconv.AppendInt(nil, int64(m), 10), time.Now().Add(time.Duration(-m)*time.Minute))
			})
		}
	}
	all := "f:a=1 f:a=2 f:a=3 f:b=30 f:b=90 f:b=120 f:c=90 f:c=120 f:c=150"
	for _, test := range []struct {
		name   string
		family ttl.RealTimeFamily
		want   string
	}{
		{"no policy", f, all},
		{"age", f.MaxAge(time.Hour), "f:a=1 f:a=2 f:a=3 f:b=30"},
		{"versions", f.MaxVersions(2), "f:a=1 f:a=2 f:b=30 f:b=90 f:c=90 f:c=120"},
		{"age and versions", f.MaxAge(time.Hour).MaxVersions(2), "f:a=1 f:a=2 f:b=30"},
		{"intersection", f.Policy(bigtable.IntersectionPolicy(age, versions)), "f:a=1 f:a=2 f:a=3 f:b=30 f:b=90 f:c=90 f:c=120"},
		{"policy and versions", f.Policy(age).MaxVersions(2), "f:a=1 f:a=2 f:b=30"},
		{"the last policy", f.MaxVersions(1).MaxAge(time.Second).Policy(versions), "f:a=1 f:a=2 f:b=30 f:b=90 f:c=90 f:c=120"},
		{"no policy any more", f.MaxVersions(1).Policy(bigtable.NoGcPolicy()), all},
		{"an age beyond 1970", f.Policy(bigtable.IntersectionPolicy(versions, bigtable.MaxAgePolicy(math.MaxInt64))), all},
	} {
		if got := e.values("r", ttl.NewTable("t", test.family).Live()); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

// Columns of a family that had real timestamps before have their last value,
// until they are written, and that then, whatever is collected.
func TestZeroOverOldData(t *testing.T) {
	t.Parallel()
	e := newEmulator(t, mixed)
	for _, column := range []string{"rewritten", "old"} {
		e.apply("r", raw("zero", column, 1e15, "first"), raw("zero", column, 2e15, "second"))
	}
	e.apply("r", func(m *bigtable.Mutation) error { return zero.Set(m, "rewritten", []byte("new")) })
	want := "zero:old=second zero:rewritten=new"
	if got := e.values("r", mixed.Live()); got != want {
		t.Errorf("read %s, want %s", got, want)
	}
	must(e.admin.SetGCPolicy(t.Context(), "mixed", "zero", mixed.Conf().ColumnFamilies["zero"].GCPolicy))
	eventually(t, "all but the live cells are collected", func() bool { return e.values("r") == want })
}
