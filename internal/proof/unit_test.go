package proof

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
)

var unitProofs = map[string]proof{
	"ttlunit/wrong-unit":      {run: wrongUnit},
	"ttlunit/out-of-range":    {run: outOfRange},
	"ttlunit/sub-millisecond": {run: subMillisecond},
	"ttlunit/empty-range":     {run: emptyRange},
	"ttlunit/age-unit":        {run: ageUnit},
	"ttlunit/invalid-filter":  {run: invalidFilter},
}

var ageProofs = map[string]proof{
	"ttlage/not-write-time":  {run: notWriteTime},
	"ttlage/server-sentinel": {run: serverSentinel},
}

func wrongUnit(t *testing.T) {
	tb := collecting.newTable(t, map[string]bigtable.GCPolicy{
		"profile": bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(24*time.Hour)),
	})
	now := time.Now()
	// Too small: older than any age. Too large: newer than any later write.
	for name, c := range map[string]struct {
		ts   bigtable.Timestamp
		lost bool
	}{
		"seconds":      {ts: bigtable.Timestamp(now.Unix()), lost: true},
		"milliseconds": {ts: bigtable.Timestamp(now.UnixMilli()), lost: true},
		"nanoseconds":  {ts: bigtable.Timestamp(now.UnixNano())},
		"duration":     {ts: bigtable.Time(now) + bigtable.Timestamp(time.Hour)},
		"good":         {ts: bigtable.Time(now)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tb := &table{t, tb.srv, tb.name, tb.tbl}
			tb.set(name, "profile", "name", c.ts, "old")
			tb.collect(name)
			kept := "profile:name=old"
			if c.lost {
				kept = ""
			}
			tb.want("collected", tb.read(name), kept)
			// A timestamp that is too large hides what is written even with that
			// of next week: an hour of nanoseconds is 41 days of microseconds.
			tb.set(name, "profile", "name", in(7*24*time.Hour), "new")
			tb.collect(name)
			after := "profile:name=new"
			if name == "nanoseconds" || name == "duration" {
				after = "profile:name=old"
			}
			tb.want("written for next week", tb.read(name), after)
		})
	}
}

func outOfRange(t *testing.T) {
	tb := lingering.newTable(t)
	for name, c := range map[string]struct {
		ts       bigtable.Timestamp
		rejected bool
	}{
		"zero time": {bigtable.Time(time.Time{}), true},
		"year 9999": {bigtable.Time(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), true},
		"negative":  {bigtable.Timestamp(-5_000_000), true},
		"good":      {bigtable.Time(time.Date(2261, 12, 31, 0, 0, 0, 0, time.UTC)), false},
		"good now":  {bigtable.Now(), false},
	} {
		mut := bigtable.NewMutation()
		mut.Set("profile", "name", c.ts, []byte("ada"))
		err := tb.tbl.Apply(t.Context(), name, mut)
		if c.rejected != (err != nil) {
			t.Errorf("%s, %d: error %v", name, c.ts, err)
		}
		want := "profile:name=ada"
		if c.rejected {
			want = ""
		}
		tb.want(name, tb.read(name), want)
	}
}

func subMillisecond(t *testing.T) {
	tb := lingering.newTable(t)
	for _, key := range []string{"bad", "good"} {
		tb.set(key, "profile", "name", 0, "zero")
		tb.set(key, "profile", "name", bigtable.Now(), "now")
	}
	tb.want("range up to 999µs", tb.read("bad", bigtable.TimestampRangeFilterMicros(0, 999)), "profile:name=now profile:name=zero")
	tb.want("range up to 1ms", tb.read("good", bigtable.TimestampRangeFilterMicros(0, 1000)), "profile:name=zero")
	tb.apply("bad", func(mut *bigtable.Mutation) { mut.DeleteTimestampRange("profile", "name", 0, 999) })
	tb.apply("good", func(mut *bigtable.Mutation) { mut.DeleteTimestampRange("profile", "name", 0, 1000) })
	tb.want("deleted up to 999µs", tb.read("bad"), "")
	tb.want("deleted up to 1ms", tb.read("good"), "profile:name=now")
}

func emptyRange(t *testing.T) {
	tb := lingering.newTable(t)
	tb.set(row, "profile", "name", 1_000_000, "ada")
	for _, end := range []bigtable.Timestamp{500_000, 1_000_000} {
		tb.want(fmt.Sprintf("range up to %d", end), tb.read(row, bigtable.TimestampRangeFilterMicros(1_000_000, end)), "")
	}
	tb.want("start before end", tb.read(row, bigtable.TimestampRangeFilterMicros(1_000_000, 2_000_000)), "profile:name=ada")
}

func ageUnit(t *testing.T) {
	written := func(mut *bigtable.Mutation) { mut.Set("profile", "name", bigtable.Now(), []byte("ada")) }
	compare(t, "profile", written, cases{
		"bad":  {bigtable.MaxAgePolicy(86400), ""},
		"good": {bigtable.MaxAgePolicy(86400 * time.Second), "profile:name=ada"},
	})
}

func invalidFilter(t *testing.T) {
	tb := lingering.newTable(t)
	tb.set(row, "profile", "name", 0, "ada")
	latest := bigtable.LatestNFilter(1)
	for _, f := range []bigtable.Filter{
		bigtable.LatestNFilter(0), bigtable.LatestNFilter(-1),
		bigtable.ChainFilters(), bigtable.ChainFilters(latest),
		bigtable.InterleaveFilters(), bigtable.InterleaveFilters(latest),
	} {
		if _, err := tb.tbl.ReadRow(t.Context(), row, bigtable.RowFilter(f)); err == nil {
			t.Errorf("%s is accepted", f)
		}
	}
	for _, f := range []bigtable.Filter{latest, bigtable.ChainFilters(latest, latest), bigtable.InterleaveFilters(latest, bigtable.BlockAllFilter())} {
		tb.want(f.String(), tb.read(row, f), "profile:name=ada")
	}
}

func notWriteTime(t *testing.T) {
	tb := lingering.newTable(t)
	now := time.Now()
	issued := binary.BigEndian.AppendUint64(nil, uint64(now.UnixMicro()))
	tb.apply(row, func(mut *bigtable.Mutation) {
		for family, ts := range map[string]bigtable.Timestamp{
			"token": bigtable.Time(now.Add(tokenTTL)), "event": bigtable.Time(now.Add(time.Hour - eventAge)), "entry": 1000, "latest": 0,
		} {
			mut.Set(family, "issued", ts, issued)
		}
	})
	r, err := tb.tbl.ReadRow(t.Context(), row)
	tb.check(err)
	near := func(d time.Duration) bool { return d >= -time.Second && d < time.Minute }
	for _, family := range []string{"token", "event", "entry", "latest"} {
		item := r[family][0]
		if age := time.Since(item.Timestamp.Time()); near(age) {
			t.Errorf("the timestamp of %s is a write time: %v ago", family, age)
		}
		if age := time.Since(time.UnixMicro(int64(binary.BigEndian.Uint64(item.Value)))); !near(age) {
			t.Errorf("the column of %s that stores the write time says %v ago", family, age)
		}
	}
}

func serverSentinel(t *testing.T) {
	tb := lingering.newTable(t)
	tb.set(row, "profile", "name", bigtable.ServerTime, "ada")
	tb.set(row, "token", "a", in(-time.Minute), "dead")
	tb.set(row, "token", "b", in(tokenTTL), "live")
	r, err := tb.tbl.ReadRow(t.Context(), row)
	tb.check(err)
	var expired []string
	for _, family := range []string{"profile", "token"} {
		for _, item := range r[family] {
			if item.Timestamp == bigtable.ServerTime {
				t.Errorf("%s is read with the timestamp %d", item.Column, item.Timestamp)
			}
			if family == "token" && item.Timestamp.Time().Before(time.Now()) {
				expired = append(expired, string(item.Value))
			}
		}
	}
	if fmt.Sprint(expired) != "[dead]" {
		t.Errorf("expired by comparison with the clock: %v, want the dead one", expired)
	}
}
