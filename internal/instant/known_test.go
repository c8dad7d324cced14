package instant

import (
	"math"
	"testing"
	"time"

	"github.com/ttlvet/ttlvet/internal/value"
)

// TestMultiplesOfTheClock: the clock times two, shifted or reversed is read
// from the clock, but how far it lies from it is not known.
func TestMultiplesOfTheClock(t *testing.T) {
	for _, v := range []*value.Value{
		call(value.Shl, call("time.Time.UnixMilli", now), num(10)),
		call(value.Sub, num(0), call("time.Time.UnixMicro", now)),
		call(value.Sub, num(math.MaxInt64), call("time.Time.UnixMicro", now)),
		call(value.Mul, btNow, num(2)),
	} {
		if got := OfTimestamp(v); got.Bounded() {
			t.Errorf("%v = %+v", v, got)
		}
	}
}

// TestTruncation: conversions to larger units drop the rest.
func TestTruncation(t *testing.T) {
	for _, test := range []struct {
		v    *value.Value
		want int64
	}{
		{call("time.Duration.Milliseconds", dur(1500*time.Microsecond)), 1},
		{call("time.Time.Unix", call("time.UnixMilli", num(999))), 0},
		{call(value.Quo, call("time.Duration.Microseconds", dur(1500*time.Microsecond)), num(1000)), 1},
	} {
		if got := OfTimestamp(test.v); got.Kind == Fixed && got.Micros != test.want {
			t.Errorf("%v = %d, want %d", test.v, got.Micros, test.want)
		}
	}
}

// TestMilliseconds: a constant of whole milliseconds stays one, or
// ttlunit/sub-millisecond is reported for it.
func TestMilliseconds(t *testing.T) {
	v := bt(call("time.Date", num(2043), num(2), num(3), num(4), num(5), num(6), num(28e6), param(9)))
	want := time.Date(2043, 2, 3, 4, 5, 6, 28e6, time.UTC).UnixMicro()
	if got := OfTimestamp(v); got.Micros != want {
		t.Errorf("%v = %d, want %d", v, got.Micros, want)
	}
}

// TestBadDuration: the distance from the zero time is not what a float64
// makes of it.
func TestBadDuration(t *testing.T) {
	if d, ok := OfDuration(call("time.Time.Sub", call("time.Unix", num(60), num(0)), zeroT)); ok {
		t.Errorf("60 s after 1970 less the zero time is %s", d)
	}
}
