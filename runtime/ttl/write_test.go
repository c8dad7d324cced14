package ttl_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

const ttlOf = 30 * time.Minute // of the expiring families

var (
	second   = ttl.OneSecond("second", ttlOf)
	standard = ttl.Default("default", ttlOf)
	sequence = ttl.Sequence("sequence", 2)
	zero     = ttl.Zero("zero")
	realTime = ttl.RealTime("real.time")
	mixed    = ttl.NewTable("mixed", second, standard, sequence, zero, realTime)
	value    = []byte("v")
)

// Refused writes say which family, column and value, and leave the mutation as
// it was: the cell that was there before stays, and no new one comes.
func TestRefusedWrites(t *testing.T) {
	t.Parallel()
	e := newEmulator(t, mixed)
	future, y9999 := time.Now().Add(time.Hour), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	type refusal struct {
		write   func(mut *bigtable.Mutation) error
		want    error
		mention string
	}
	tests := map[string]refusal{ // by names that begin with the family's
		"sequence -1":        {func(m *bigtable.Mutation) error { return sequence.Set(m, "c", value, -1) }, ttl.ErrOutOfRange, "-1"},
		"sequence too large": {func(m *bigtable.Mutation) error { return sequence.Set(m, "c", value, math.MaxInt64/1000+1) }, ttl.ErrOutOfRange, "9223372036854776"},
		"sequence nil":       {func(*bigtable.Mutation) error { return sequence.Set(nil, "c", value, 1) }, ttl.ErrNilMutation, "nil"},
		"zero nil":           {func(*bigtable.Mutation) error { return zero.Set(nil, "c", value) }, ttl.ErrNilMutation, "nil"},
		"real.time nil":      {func(*bigtable.Mutation) error { return realTime.Set(nil, "c", value) }, ttl.ErrNilMutation, "nil"},
		"real.time zero":     {func(m *bigtable.Mutation) error { return realTime.SetAt(m, "c", value, time.Time{}) }, ttl.ErrOutOfRange, "zero time"},
		"real.time 1969":     {func(m *bigtable.Mutation) error { return realTime.SetAt(m, "c", value, time.Unix(-1, 0).UTC()) }, ttl.ErrOutOfRange, "1969"},
		"real.time 9999":     {func(m *bigtable.Mutation) error { return realTime.SetAt(m, "c", value, y9999) }, ttl.ErrOutOfRange, "9999"},
		"default too short": {func(m *bigtable.Mutation) error {
			return ttl.Default("default", 200*365*24*time.Hour).SetFor(m, "c", value, time.Hour)
		}, ttl.ErrOutOfRange, "default lifetime"},
	}
	for _, f := range []ttl.Expiring{second, standard} {
		add := func(name string, want error, mention string, write func(m *bigtable.Mutation) error) {
			tests[f.Name()+" "+name] = refusal{write, want, mention}
		}
		for name, lifetime := range map[string]time.Duration{"none": 0, "negative": -time.Hour, "below 1ms": time.Millisecond - 1} {
			add("for "+name, ttl.ErrLifetime, lifetime.String(), func(m *bigtable.Mutation) error { return f.SetFor(m, "c", value, lifetime) })
			add("replace "+name, ttl.ErrLifetime, lifetime.String(), func(m *bigtable.Mutation) error { return f.Replace(m, "c", value, lifetime) })
		}
		add("for 292 years", ttl.ErrOutOfRange, "23", func(m *bigtable.Mutation) error { return f.SetFor(m, "c", value, math.MaxInt64) })
		add("replace 292 years", ttl.ErrOutOfRange, "23", func(m *bigtable.Mutation) error { return f.Replace(m, "c", value, math.MaxInt64) })
		add("replace until now", ttl.ErrPast, "deadline", func(m *bigtable.Mutation) error { return f.ReplaceUntil(m, "c", value, time.Now()) })
		add("replace until 9999", ttl.ErrOutOfRange, "9999", func(m *bigtable.Mutation) error { return f.ReplaceUntil(m, "c", value, y9999) })
		add("until zero time", ttl.ErrOutOfRange, "zero time", func(m *bigtable.Mutation) error { return f.SetUntil(m, "c", value, time.Time{}) })
		add("until 1600", ttl.ErrOutOfRange, "1600", func(m *bigtable.Mutation) error { return f.SetUntil(m, "c", value, y9999.AddDate(-8399, 0, 0)) })
		add("until 9999", ttl.ErrOutOfRange, "9999", func(m *bigtable.Mutation) error { return f.SetUntil(m, "c", value, y9999) })
		add("until now", ttl.ErrPast, "deadline", func(m *bigtable.Mutation) error { return f.SetUntil(m, "c", value, time.Now()) })
		add("until 2001", ttl.ErrPast, "2001", func(m *bigtable.Mutation) error {
			return f.SetUntil(m, "c", value, time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC))
		})
		add("nil", ttl.ErrNilMutation, "nil", func(*bigtable.Mutation) error { return f.Set(nil, "c", value) })
		add("for nil", ttl.ErrNilMutation, "nil", func(*bigtable.Mutation) error { return f.SetFor(nil, "c", value, time.Hour) })
		add("until nil", ttl.ErrNilMutation, "nil", func(*bigtable.Mutation) error { return f.SetUntil(nil, "c", value, future) })
		add("replace nil", ttl.ErrNilMutation, "nil", func(*bigtable.Mutation) error { return f.Replace(nil, "c", value, time.Hour) })
		add("counter", ttl.ErrPast, "2001", func(m *bigtable.Mutation) error {
			return ttl.NewCounter(f, "n").AddUntil(m, 1, time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC))
		})
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			family, _, _ := strings.Cut(name, " ")
			e.apply(name, raw(family, "c", 1000, "before"))
			mut := bigtable.NewMutation()
			err := test.write(mut)
			if !errors.Is(err, test.want) {
				t.Fatalf("error %v, want %v", err, test.want)
			}
			for _, part := range []string{family, `column "`, test.mention} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not mention %q", err, part)
				}
			}
			mut.Set("zero", "marker", 0, value)
			if err := e.tbl.Apply(t.Context(), name, mut); err != nil {
				t.Fatal(err)
			}
			got := strings.Fields(e.values(name))
			if len(got) != 2 || !strings.Contains(e.values(name), family+":c=before") {
				t.Errorf("the row has %v, want what was there and the marker", got)
			}
		})
	}
}

// What is written to a conditional mutation would be lost without notice.
func TestConditionalMutation(t *testing.T) {
	for name, write := range map[string]func(*bigtable.Mutation) error{
		"one-second": func(m *bigtable.Mutation) error { return second.Set(m, "c", value) },
		"default":    func(m *bigtable.Mutation) error { return standard.Replace(m, "c", value, time.Hour) },
		"sequence":   func(m *bigtable.Mutation) error { return sequence.Set(m, "c", value, 1) },
		"zero":       func(m *bigtable.Mutation) error { return zero.Set(m, "c", value) },
		"real":       func(m *bigtable.Mutation) error { return realTime.Set(m, "c", value) },
		"counter":    func(m *bigtable.Mutation) error { return ttl.NewCounter(second, "n").Add(m, 1) },
	} {
		for _, cond := range []bigtable.Filter{nil, bigtable.PassAllFilter()} {
			mut := bigtable.NewCondMutation(cond, bigtable.NewMutation(), nil)
			if err := write(mut); !errors.Is(err, ttl.ErrCondMutation) {
				t.Errorf("%s: error %v, want ErrCondMutation", name, err)
			}
		}
		if err := write(bigtable.NewMutation()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Timestamps of the plain functions that cannot be right are refused by the
// service, so that nothing is written.
func TestRejectedTimestamps(t *testing.T) {
	t.Parallel()
	e := newEmulator(t, mixed)
	for name, ts := range map[string]bigtable.Timestamp{
		"in no time":       ttl.ExpiresIn(0),
		"in less than 1ms": ttl.ExpiresIn(time.Microsecond),
		"before now":       ttl.ExpiresIn(-time.Hour),
		"in 292 years":     ttl.ExpiresIn(math.MaxInt64),
		"at zero time":     ttl.ExpiresAt(time.Time{}),
		"at 1969":          ttl.ExpiresAt(time.Unix(-1, 0)),
		"at 2263":          ttl.ExpiresAt(time.Date(2263, 1, 1, 0, 0, 0, 0, time.UTC)),
		"number -1":        ttl.SequenceNumber(-1),
		"number overflow":  ttl.SequenceNumber(math.MaxInt64/1000 + 1),
	} {
		mut := bigtable.NewMutation()
		mut.Set("second", "c", ts, value)
		if err := e.tbl.Apply(t.Context(), name, mut); err == nil || !strings.Contains(err.Error(), "invalid timestamp") {
			t.Errorf("%s: the service says %v to timestamp %d", name, err, ts)
		}
		if got := e.values(name); got != "" {
			t.Errorf("%s: wrote %s", name, got)
		}
	}
	e.apply("good", raw("second", "c", ttl.ExpiresIn(time.Hour), "in"),
		raw("second", "d", ttl.ExpiresAt(time.Now().Add(time.Hour)), "at"), raw("sequence", "c", ttl.SequenceNumber(7), "7"))
	if got, want := e.values("good", mixed.Live()), "second:c=in second:d=at sequence:c=7"; got != want {
		t.Errorf("read %s, want %s", got, want)
	}
}

// Cells have the timestamps of their strategy, and expire when they shall.
func TestTimestampsOnTheWire(t *testing.T) {
	t.Parallel()
	e := newEmulator(t, mixed)
	deadline := time.Now().Add(48 * time.Hour)
	happened := time.Date(2001, 2, 3, 4, 5, 6, 789_900_000, time.UTC)
	before := time.Now().Truncate(time.Millisecond)
	e.apply("r",
		func(m *bigtable.Mutation) error { return second.Set(m, "set", value) },
		func(m *bigtable.Mutation) error { return second.SetFor(m, "for", value, time.Minute) },
		func(m *bigtable.Mutation) error { return second.SetUntil(m, "until", value, deadline) },
		func(m *bigtable.Mutation) error { return second.Replace(m, "replace", value, time.Minute) },
		func(m *bigtable.Mutation) error { return standard.Set(m, "set", value) },
		func(m *bigtable.Mutation) error { return standard.SetFor(m, "for", value, time.Minute) },
		func(m *bigtable.Mutation) error { return standard.SetUntil(m, "until", value, deadline) },
		func(m *bigtable.Mutation) error { return standard.Replace(m, "replace", value, time.Minute) },
		func(m *bigtable.Mutation) error { return sequence.Set(m, "c", value, 42) },
		func(m *bigtable.Mutation) error { return zero.Set(m, "c", value) },
		func(m *bigtable.Mutation) error { return realTime.Set(m, "set", value) },
		func(m *bigtable.Mutation) error { return realTime.SetAt(m, "at", value, happened) },
	)
	after := time.Now()
	row := e.read("r")

	lifetimes := map[string]time.Duration{"set": ttlOf, "for": time.Minute, "replace": time.Minute}
	for _, f := range []ttl.Expiring{second, standard} {
		if got := len(row[f.Name()]); got != 4 {
			t.Errorf("family %s has %d cells, want 4", f.Name(), got)
		}
		for _, item := range row[f.Name()] {
			got := f.Expiry(item)
			_, column, _ := strings.Cut(item.Column, ":")
			if column == "until" {
				if !got.Equal(deadline.Truncate(time.Millisecond)) {
					t.Errorf("%s expires at %v, want %v", item.Column, got, deadline)
				}
			} else if life := lifetimes[column]; got.Before(before.Add(life)) || got.After(after.Add(life)) {
				t.Errorf("%s expires at %v, want %v after now", item.Column, got, life)
			}
		}
	}
	for _, item := range row["default"] {
		if written := item.Timestamp.Time(); item.Column == "default:set" && (written.Before(before) || written.After(after)) {
			t.Errorf("a cell with the default lifetime has the timestamp %v", written)
		}
	}
	if item := row["sequence"][0]; item.Timestamp != 42000 || sequence.Number(item) != 42 {
		t.Errorf("number 42 has timestamp %d and reads as %d", item.Timestamp, sequence.Number(item))
	}
	if got := row["zero"][0].Timestamp; got != 0 {
		t.Errorf("zero has timestamp %d", got)
	}
	if got := row["real.time"][0].Timestamp.Time(); !got.Equal(happened.Truncate(time.Millisecond)) {
		t.Errorf("SetAt has time %v, want %v", got, happened)
	}
	if got := row["real.time"][1].Timestamp.Time(); got.Before(before) || got.After(after) {
		t.Errorf("Set has time %v, want now", got)
	}
}

// Set lets an earlier value with a longer life win, Replace does not.
func TestReplace(t *testing.T) {
	t.Parallel()
	e := newEmulator(t, mixed)
	for _, f := range []ttl.Expiring{second, standard} {
		e.apply("r", func(m *bigtable.Mutation) error { return f.SetFor(m, "c", []byte("long"), 48*time.Hour) })
		e.apply("r", func(m *bigtable.Mutation) error { return f.SetFor(m, "c", []byte("short"), time.Hour) })
		latest := mixed.LiveAnd(bigtable.FamilyFilter(f.Name()), bigtable.LatestNFilter(1))
		if got, want := e.values("r", latest), f.Name()+":c=long"; got != want {
			t.Errorf("after Set: %s, want %s", got, want)
		}
		e.apply("r", func(m *bigtable.Mutation) error { return f.Replace(m, "c", []byte("short"), time.Hour) })
		if got, want := e.values("r", mixed.LiveAnd(bigtable.FamilyFilter(f.Name()))), f.Name()+":c=short"; got != want {
			t.Errorf("after Replace: %s, want %s", got, want)
		}
	}
}

// ReplaceUntil and the Replace of real timestamps delete first, too.
func TestReplaceUntil(t *testing.T) {
	t.Parallel()
	e := newEmulator(t, mixed)
	deadline := time.Now().Add(time.Hour).Truncate(time.Millisecond)
	for _, f := range []ttl.Expiring{second, standard} {
		e.apply("r", func(m *bigtable.Mutation) error { return f.SetFor(m, "c", []byte("long"), 48*time.Hour) })
		e.apply("r", func(m *bigtable.Mutation) error { return f.ReplaceUntil(m, "c", []byte("short"), deadline) })
		row := e.read("r", bigtable.RowFilter(f.LiveFilter()))
		if got, want := values(row), f.Name()+":c=short"; got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		if got := f.Expiry(row[f.Name()][0]); !got.Equal(deadline) {
			t.Errorf("expires at %v, want %v", got, deadline)
		}
	}
	e.apply("r", func(m *bigtable.Mutation) error {
		return realTime.SetAt(m, "c", []byte("future"), time.Now().Add(time.Hour))
	})
	e.apply("r", func(m *bigtable.Mutation) error { return realTime.Replace(m, "c", []byte("new")) })
	if got := e.values("r", bigtable.RowFilter(realTime.LiveFilter())); got != "real.time:c=new" {
		t.Errorf("after RealTime.Replace: %s", got)
	}
}
