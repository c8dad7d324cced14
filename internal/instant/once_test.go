package instant

import (
	"testing"
	"time"

	"github.com/ttlvet/ttlvet/internal/value"
)

// TestOnce: a reading that was taken once is the clock, and not now: how far
// it lies from a reading of now is not known.
func TestOnce(t *testing.T) {
	started := value.TakenOnce(now)
	for _, test := range []struct {
		v    *value.Value
		want Instant
	}{
		{bt(started), Instant{Kind: Now, Once: true}},
		{value.TakenOnce(btNow), Instant{Kind: Now, Once: true}},
		{bt(call("time.Time.Add", started, dur(time.Hour))), Instant{Kind: Now, Lo: float64(time.Hour), Hi: float64(time.Hour), Once: true}},
		{call("time.Time.UnixMicro", started), Instant{Kind: Now, Once: true}},
		{call("time.Time.Unix", started), unitOf("seconds")},
		{bt(call("time.Time.Add", now, call("time.Since", started))), dunno}, // as far ahead as the program has run
		{bt(call("time.Time.Add", now, call("time.Time.Sub", started, started))), clock(0)},
	} {
		got := OfTimestamp(test.v)
		if !similar(got, test.want) || got.Once != test.want.Once {
			t.Errorf("%v = %+v, want %+v", test.v, got, test.want)
		}
	}
	hourAgo := call("time.Time.Add", now, dur(-time.Hour))
	if _, ok := Decide(call("time.Time.Before", started, hourAgo)); ok {
		t.Error("it is known whether the program started an hour ago")
	}
	if holds, ok := Decide(call("time.Time.After", started, zeroT)); !holds || !ok {
		t.Error("it is not known whether the program started after the zero time")
	}
}
