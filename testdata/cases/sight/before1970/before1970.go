// Package before1970 writes cells at times before all that timestamps can say.
package before1970

import (
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"example.com/cases/sight/before1970/epoch"
)

func born(mut *bigtable.Mutation) {
	mut.Set("profile", "born", bigtable.Time(time.Date(1956, 4, 1, 0, 0, 0, 0, time.UTC)), nil) // want `out-of-range: .*before 1970`
	mut.Set("profile", "unix", bigtable.Time(time.Unix(-86400, 0)), nil)                        // want `out-of-range: `
	mut.Set("profile", "milli", bigtable.Time(time.UnixMilli(-5000)), nil)                      // want `out-of-range: `
	mut.Set("profile", "since", bigtable.Time(time.Date(1996, 4, 1, 0, 0, 0, 0, time.UTC)), nil)
	mut.Set("profile", "epoch", bigtable.Time(time.Unix(0, 0)), nil)
}

// No registry names this family.
func anywhere(mut *bigtable.Mutation) {
	at := time.Date(1969, 7, 20, 20, 17, 40, 0, time.UTC)
	ts := bigtable.Time(at)
	mut.Set("anything", "landed", ts, nil) // want `out-of-range: `
}

func added(mut *bigtable.Mutation) {
	at := time.Unix(0, 0).Add(-time.Hour)
	mut.Set("profile", "moved", bigtable.Time(at), nil)                     // want `out-of-range: `
	mut.Set("profile", "micros", bigtable.Timestamp(at.UnixMicro()), nil)   // want `out-of-range: `
	mut.AddIntToCell("total", "count", bigtable.Time(time.Unix(-60, 0)), 1) // want `out-of-range: `
}

func helped(mut *bigtable.Mutation) {
	epoch.Put(mut, "founded", time.Date(1923, 10, 29, 0, 0, 0, 0, time.UTC)) // want `out-of-range: `
	epoch.PutStamp(mut, "founded", bigtable.Time(epoch.Founded()))           // want `out-of-range: `
	epoch.Put(mut, "joined", time.Date(2003, 10, 29, 0, 0, 0, 0, time.UTC))
}

var legends = []struct {
	name string
	died time.Time
}{
	{"ada", time.Date(1852, 11, 27, 0, 0, 0, 0, time.UTC)},
	{"alan", time.Date(1954, 6, 7, 0, 0, 0, 0, time.UTC)},
}

func listed(mut *bigtable.Mutation) {
	for _, l := range legends {
		mut.Set("profile", l.name, bigtable.Time(l.died), nil) // want `out-of-range: `
	}
}

func raw() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "profile", TimestampMicros: time.Date(1956, 4, 1, 0, 0, 0, 0, time.UTC).UnixMicro()} // want `out-of-range: `
}

func rawConstant() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "profile", TimestampMicros: -1000} // want `out-of-range: `
}

func okRaw() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "profile", TimestampMicros: -1}
}

// A family with a strategy is ttlwrite's business.
func expiring(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Date(1956, 4, 1, 0, 0, 0, 0, time.UTC)), nil)    // want `already-expired: .*"token"`
	mut.Set("event", "url", bigtable.Time(time.Unix(-86400, 0)), nil)                           // want `already-expired: .*"event"`
	mut.Set("latest", "price", bigtable.Time(time.Unix(-86400, 0)), nil)                        // want `clock-in-zero: .*"latest"`
	mut.Set("entry", "amount", bigtable.Time(time.Date(1956, 4, 1, 0, 0, 0, 0, time.UTC)), nil) // want `clock-in-sequence: .*"entry"`
}

// What filters and deletions cover is not written.
func okBounds(mut *bigtable.Mutation) bigtable.Filter {
	mut.DeleteTimestampRange("profile", "born", bigtable.Time(time.Date(1956, 4, 1, 0, 0, 0, 0, time.UTC)), bigtable.Time(time.Date(1996, 4, 1, 0, 0, 0, 0, time.UTC)))
	return bigtable.TimestampRangeFilter(time.Date(1956, 4, 1, 0, 0, 0, 0, time.UTC), time.Time{})
}

func okMicros() bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(bigtable.Time(time.Date(1956, 4, 1, 0, 0, 0, 0, time.UTC)), 0)
}

// In some places it was 1970 already.
func okElsewhere(mut *bigtable.Mutation, loc *time.Location) {
	mut.Set("profile", "eve", bigtable.Time(time.Date(1969, 12, 31, 19, 0, 0, 0, loc)), nil)
}

func elsewhere(mut *bigtable.Mutation, loc *time.Location) {
	mut.Set("profile", "eve", bigtable.Time(time.Date(1969, 12, 24, 19, 0, 0, 0, loc)), nil) // want `out-of-range: `
}

// What is only compared or printed is not written.
func okCompared(it bigtable.ReadItem) bool {
	return it.Timestamp < bigtable.Time(time.Date(1956, 4, 1, 0, 0, 0, 0, time.UTC))
}

func okUnknown(mut *bigtable.Mutation, birth time.Time) {
	mut.Set("profile", "born", bigtable.Time(birth), nil)
}

// OkChecked writes what its caller is old enough for.
func OkChecked(mut *bigtable.Mutation, birth time.Time) {
	if birth.Before(time.Unix(0, 0)) {
		birth = time.Unix(0, 0)
	}
	mut.Set("profile", "born", bigtable.Time(birth), nil)
}
