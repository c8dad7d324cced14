package ttl

import (
	"errors"
	"math"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
)

const maxNumber = math.MaxInt64 / 1000

var (
	lastTime = time.Unix(0, math.MaxInt64)
	someTime = time.Date(2026, 1, 2, 3, 4, 5, 678_900_000, time.UTC)
)

func TestTimestamp(t *testing.T) {
	for _, test := range []struct {
		name string
		in   time.Time
		want bigtable.Timestamp
		err  error
	}{
		{"zero time", time.Time{}, 0, ErrOutOfRange},
		{"1677", time.Date(1677, 1, 1, 0, 0, 0, 0, time.UTC), 0, ErrOutOfRange},
		{"before 1970", time.Unix(0, -1), 0, ErrOutOfRange},
		{"1970", time.Unix(0, 0), 0, nil},
		{"cut to 0", time.Unix(0, 999_999), 0, nil},
		{"first millisecond", time.Unix(0, 1_000_000), 1000, nil},
		{"cut", someTime, bigtable.Timestamp(someTime.Unix()*1e6 + 678_000), nil},
		{"last", lastTime, math.MaxInt64 / 1_000_000 * 1000, nil},
		{"after the last", lastTime.Add(1), 0, ErrOutOfRange},
		{"9999", time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), 0, ErrOutOfRange},
		{"far beyond", time.Unix(math.MaxInt64, 0), 0, ErrOutOfRange},
	} {
		got, err := timestamp(test.in)
		if got != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: timestamp(%v) = %d, %v; want %d, %v", test.name, test.in, got, err, test.want, test.err)
		}
	}
}

func TestExpiry(t *testing.T) {
	ms := bigtable.Timestamp(someTime.UnixMilli() * 1000)
	const year = 365 * 24 * time.Hour
	for _, test := range []struct {
		name          string
		lifetime, age time.Duration
		want          bigtable.Timestamp
		err           error
	}{
		{"one millisecond", time.Millisecond, 0, ms + 1000, nil},
		{"below", time.Millisecond - 1, 0, 0, ErrLifetime},
		{"none", 0, 0, 0, ErrLifetime},
		{"negative", -time.Hour, 0, 0, ErrLifetime},
		{"hour", time.Hour, 0, ms + 3600e6, nil},
		{"longest", lastTime.Sub(someTime), 0, math.MaxInt64 / 1_000_000 * 1000, nil},
		{"too long", lastTime.Sub(someTime) + 1, 0, 0, ErrOutOfRange},
		{"overflow", math.MaxInt64, 0, 0, ErrOutOfRange},
		{"default", time.Hour, time.Hour, ms, nil},
		{"sooner", time.Minute, time.Hour, ms - 59*60e6, nil},
		{"later", 2 * time.Hour, time.Hour, ms + 3600e6, nil},
		{"before 1970", time.Hour, 100 * year, 0, ErrOutOfRange},
		{"age overflows", time.Hour, math.MaxInt64, 0, ErrOutOfRange},
	} {
		got, err := expiryIn(someTime, test.lifetime, test.age)
		if got != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: expiryIn(%v, %v) = %d, %v; want %d, %v",
				test.name, test.lifetime, test.age, got, err, test.want, test.err)
		}
	}
}

func TestDeadline(t *testing.T) {
	ms := someTime.Truncate(time.Millisecond)
	for _, test := range []struct {
		name     string
		deadline time.Time
		err      error
	}{
		{"now", someTime, ErrPast},
		{"earlier", someTime.Add(-time.Hour), ErrPast},
		{"same millisecond", ms.Add(time.Millisecond - 1), ErrPast},
		{"next millisecond", ms.Add(time.Millisecond), nil},
		{"zero time", time.Time{}, ErrOutOfRange},
		{"9999", time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), ErrOutOfRange},
	} {
		if _, err := expiryAt(someTime, test.deadline, 0); !errors.Is(err, test.err) {
			t.Errorf("%s: error %v, want %v", test.name, err, test.err)
		}
	}
}

// The live filter's bound and the timestamp that a write computes meet in the
// millisecond of expiry.
func TestLiveBound(t *testing.T) {
	for _, test := range []struct {
		family Family
		now    time.Time
		want   bigtable.Timestamp
	}{
		{OneSecond("f", time.Hour), someTime, bigtable.Time(someTime)},
		{Default("f", time.Minute), someTime, bigtable.Time(someTime) - 60e6},
		{Default("f", math.MaxInt64), someTime, 0},
	} {
		want := bigtable.TimestampRangeFilterMicros(test.want, 0)
		if got := test.family.dead().live(test.now); got != want {
			t.Errorf("%+v: %v, want %v", test.family, got, want)
		}
	}
}

func FuzzSequenceNumber(f *testing.F) {
	for _, n := range []int64{0, 1, -1, -999, maxNumber, maxNumber + 1, math.MaxInt64, math.MinInt64} {
		f.Add(n)
	}
	family := Sequence("f", 1)
	f.Fuzz(func(t *testing.T, n int64) {
		ts, err := SequenceNumber(n), family.Set(bigtable.NewMutation(), "c", nil, n)
		if n < 0 || n > maxNumber {
			if ts != rejected || !errors.Is(err, ErrOutOfRange) {
				t.Errorf("number %d: timestamp %d, error %v", n, ts, err)
			}
			return
		}
		if err != nil || ts < 0 || ts != ts.TruncateToMilliseconds() {
			t.Errorf("number %d: timestamp %d, error %v", n, ts, err)
		}
		if got := family.Number(bigtable.ReadItem{Timestamp: ts}); got != n {
			t.Errorf("number %d reads back as %d", n, got)
		}
	})
}

func FuzzExpiresAt(f *testing.F) {
	for _, seed := range []struct{ sec, nsec int64 }{
		{0, 0}, {0, -1}, {0, 999_999}, {1 << 31, 1e9 - 1}, {0, math.MaxInt64}, {1, math.MaxInt64},
		{-62135596800, 0}, {253402300800, 0}, {math.MaxInt64, 0}, {math.MinInt64, 0},
	} {
		f.Add(seed.sec, seed.nsec)
	}
	f.Fuzz(func(t *testing.T, sec, nsec int64) {
		at := time.Unix(sec, nsec)
		ts := ExpiresAt(at)
		if ts == rejected {
			if !at.Before(time.Unix(0, 0)) && !at.After(lastTime) {
				t.Errorf("%v is rejected", at)
			}
			return
		}
		if late := at.Sub(ts.Time()); ts < 0 || ts%1000 != 0 || late < 0 || late >= time.Millisecond {
			t.Errorf("%v became %d, which is %v", at, ts, ts.Time())
		}
	})
}

// What is rejected must stay so after arithmetic and truncation, and must not
// be taken for server time.
func TestRejected(t *testing.T) {
	const century = bigtable.Timestamp(100 * 365 * 24 * 3600 * 1e6)
	for _, ts := range []bigtable.Timestamp{rejected, rejected + century, rejected - century} {
		if cut := ts.TruncateToMilliseconds(); cut > -1000 {
			t.Errorf("%d is cut to %d", ts, cut)
		}
	}
}
