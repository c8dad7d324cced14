package strategy

import (
	"testing"
	"time"
)

func TestWrite(t *testing.T) {
	now := func(d time.Duration) Instant { return Instant{Kind: Now, Lo: float64(d), Hi: float64(d)} }
	fixed := func(n int64) Instant { return Instant{Kind: Fixed, Micros: n} }
	once := now(time.Hour)
	once.Once = true
	token := &Family{Strategy: OneSecond, MaxAge: time.Second}
	event := &Family{Strategy: Default, TTL: time.Hour, MaxAge: time.Hour}
	entry := &Family{Strategy: Sequence, Versions: 1}
	latest := &Family{Strategy: Zero}
	profile := &Family{Strategy: Real}
	for _, test := range []struct {
		f    *Family
		ts   Instant
		want Fault
	}{
		{token, fixed(-1), ServerTime},
		{token, fixed(0), LongPast},
		{token, fixed(4e15), None},
		{token, Instant{Kind: Never}, NoTime},
		{token, now(0), WriteTime},
		{token, now(-1), BeforeNow},
		{token, now(time.Second), None},
		{token, once, StaleClock},
		{token, Instant{Kind: Now, Lo: float64(never), Hi: float64(never), Once: true}, None},
		{token, Instant{}, None},
		{event, fixed(-1), None},
		{event, fixed(0), LongPast},
		{event, now(0), None},
		{event, now(-time.Hour), BeforeNow},
		{event, now(time.Millisecond - time.Hour), None},
		{event, Instant{Kind: Never}, NoTime},
		{event, once, StaleClock},
		{entry, fixed(-1), ServerTime},
		{entry, now(0), ClockTime},
		{entry, fixed(1001), NotScaled},
		{entry, fixed(1000), None},
		{entry, Instant{Kind: Counter, Step: 1}, ByOnes},
		{entry, Instant{Kind: Counter, Step: 2000}, None},
		{latest, fixed(-1), ServerTime},
		{latest, fixed(0), None},
		{latest, fixed(999), None}, // is cut to 0
		{latest, fixed(1000), NotZero},
		{latest, now(0), ClockTime},
		{latest, Instant{Kind: WrongUnit}, NotKnown},
		{profile, fixed(-1), None},
		{profile, now(-time.Hour), None},
	} {
		if got := test.f.Write(test.ts); got != test.want {
			t.Errorf("%s, %+v: fault %d, want %d", test.f.Strategy, test.ts, got, test.want)
		}
	}
}
