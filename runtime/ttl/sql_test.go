package ttl_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

// What the emulator cannot show: it has no GoogleSQL.
func TestSQL(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_900_000, time.UTC)
	age, versions := bigtable.MaxAgePolicy(time.Hour), bigtable.MaxVersionsPolicy(2)
	for _, test := range []struct {
		name     string
		families []ttl.Family
		want     string // or a part of the error
	}{
		{"one-second", []ttl.Family{second}, "after_or_equal => TIMESTAMP_MICROS(1767323045678000)"},
		{"two of them", []ttl.Family{second, ttl.OneSecond("other", time.Hour)}, "after_or_equal => TIMESTAMP_MICROS(1767323045678000)"},
		{"default", []ttl.Family{standard}, "after_or_equal => TIMESTAMP_MICROS(1767321245678000)"},
		{"longer than since 1970", []ttl.Family{ttl.Default("f", 1<<63-1)}, "after_or_equal => TIMESTAMP_MICROS(0)"},
		{"sequence", []ttl.Family{sequence}, "latest_n => 2"},
		{"zero", []ttl.Family{zero}, "latest_n => 1"},
		{"real", []ttl.Family{realTime}, ""},
		{"real, either", []ttl.Family{ttl.RealTime("f").MaxAge(time.Hour).MaxVersions(2)},
			"after_or_equal => TIMESTAMP_MICROS(1767319445678000), latest_n => 2"},
		{"real, both", []ttl.Family{ttl.RealTime("f").Policy(bigtable.IntersectionPolicy(age, versions))},
			"! GoogleSQL cannot express (max age 1h0m0s and max versions 2)"},
		{"mixed", []ttl.Family{zero, second}, `! families "zero" and "second" cannot both`},
		{"two lifetimes", []ttl.Family{standard, ttl.Default("f", time.Hour)}, `! families "default" and "f" cannot both`},
	} {
		got, err := ttl.NewTable("my-table", test.families...).SQL(at)
		if fault, ok := strings.CutPrefix(test.want, "! "); ok {
			if !errors.Is(err, ttl.ErrDeclaration) || !strings.Contains(err.Error(), fault) {
				t.Errorf("%s: error %v, want %s", test.name, err, fault)
			}
			continue
		}
		want := "with_history => TRUE"
		if test.want != "" {
			want += ", " + test.want
		}
		if want = "`my-table`(" + want + ")"; got != want || err != nil {
			t.Errorf("%s:\n got %s, %v\nwant %s", test.name, got, err, want)
		}
	}
}

// A time that no cell can have is an error, and passes nothing as a filter.
func TestNoTime(t *testing.T) {
	e := newEmulator(t, mixed)
	fill(e, "r")
	for _, at := range []time.Time{{}, time.Unix(-1, 0), time.Unix(1<<33+1<<31, 0), time.Date(294277, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(1<<62, 0)} {
		if got := e.values("r", mixed.LiveAt(at)); got != "" {
			t.Errorf("at %v live is %s", at, got)
		}
		if from, err := ttl.NewTable("t", second).SQL(at); !errors.Is(err, ttl.ErrOutOfRange) {
			t.Errorf("at %v: %s, error %v", at, from, err)
		}
	}
}
