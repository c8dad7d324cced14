package instant

import (
	"math"
	"testing"
	"time"

	"github.com/ttlvet/ttlvet/internal/value"
)

// Short names for the tables below.
var (
	call   = value.Apply
	num    = value.IntOf
	now    = call("time.Now")
	btNow  = call("bigtable.Now")
	zeroT  = value.ZeroOf(value.Time)
	aTimeV = classed(param(0), value.Time)
	aDurV  = classed(param(1), value.Duration)
	aStamp = classed(param(2), value.Timestamp)
	aNum   = param(3)
)

func param(n int64) *value.Value { return &value.Value{Kind: value.Param, Num: n} }

func classed(v *value.Value, c value.Class) *value.Value {
	w := *v
	w.Class = c
	return &w
}

func dur(d time.Duration) *value.Value { return classed(num(int64(d)), value.Duration) }

func bt(v *value.Value) *value.Value { return call("bigtable.Time", v) }

func fixed(micros int64) Instant { return Instant{Kind: Fixed, Micros: micros} }

func clock(d time.Duration) Instant { return Instant{Kind: Now, Lo: float64(d), Hi: float64(d)} }

func within(lo, hi time.Duration) Instant {
	return Instant{Kind: Now, Lo: float64(lo), Hi: float64(hi)}
}

func unitOf(name string) Instant { return Instant{Kind: WrongUnit, Unit: name} }

var (
	dunno = Instant{}
	ever  = Instant{Kind: Now, Lo: math.Inf(-1), Hi: math.Inf(1)}
)

func TestOfTimestamp(t *testing.T) {
	for _, test := range []struct {
		v    *value.Value
		want Instant
	}{
		// Constants.
		{num(0), fixed(0)},
		{num(-1), fixed(-1)},
		{num(1999), fixed(1999)},
		{value.ZeroOf(value.NoClass), fixed(0)},
		{bt(zeroT), Instant{Kind: Zero}},
		{bt(call("time.Time.UTC", zeroT)), Instant{Kind: Zero}},
		{bt(call("time.Time.Truncate", call("time.Time.UTC", zeroT), dur(time.Minute))), Instant{Kind: Zero}},
		{bt(call("time.Unix", num(5), num(0))), fixed(5e6)},
		{bt(call("time.Unix", num(5), num(7000))), fixed(5e6 + 7)},
		{bt(call("time.UnixMilli", num(5))), fixed(5e3)},
		{bt(call("time.UnixMicro", num(5))), fixed(5)},
		{bt(call("time.Date", num(1970), num(1), num(2), num(0), num(0), num(1), num(5000), param(9))), fixed(86401e6 + 5)},
		{call("bigtable.Timestamp.TruncateToMilliseconds", num(5)), fixed(0)},

		// The clock.
		{btNow, clock(0)},
		{bt(now), clock(0)},
		{bt(call("time.Time.Add", now, dur(time.Hour))), clock(time.Hour)},
		{call(value.Max, btNow, bt(call("time.Time.Add", now, dur(time.Hour)))), clock(time.Hour)},
		{call(value.Min, btNow, bt(call("time.Time.Add", now, dur(time.Hour)))), clock(0)},
		{call(value.Max, num(0), btNow, num(1000)), clock(0)},
		{call(value.Min, btNow, num(1000)), fixed(1000)},
		{call(value.Max, btNow, num(4_000_000_000_000_000)), Instant{Kind: Now, Hi: math.Inf(1)}},
		{call(value.Max, btNow, bt(param(0))), Instant{Kind: Now, Hi: math.Inf(1)}},
		{call(value.Max, aNum, btNow, aNum), Instant{Kind: Now, Hi: math.Inf(1)}},
		{call(value.Min, bt(param(0)), btNow), dunno},
		{call(value.Min, call(value.Max, btNow, aNum), aNum), dunno},
		{call(value.Max, num(1000), aNum), dunno},
		{bt(call("time.Time.Add", now, call(value.Sub, num(0), dur(time.Hour)))), clock(-time.Hour)},
		{call(value.Add, btNow, num(5)), clock(5 * time.Microsecond)},
		{call(value.Sub, btNow, num(5)), clock(-5 * time.Microsecond)},
		{call(value.Add, btNow, call("time.Duration.Microseconds", dur(time.Minute))), clock(time.Minute)},
		{call(value.Add, btNow, call(value.Quo, aDurV, num(1000))), ever},
		{call("bigtable.Timestamp.TruncateToMilliseconds", btNow), within(-time.Millisecond, 0)},
		{bt(call("bigtable.Timestamp.Time", call(value.Add, btNow, num(1000)))), clock(time.Millisecond)},
		{bt(call("time.Time.UTC", now)), clock(0)},
		{bt(call("time.Time.Local", now)), clock(0)},
		{bt(call("time.Time.In", now, param(9))), clock(0)},
		{bt(call("time.Time.Truncate", now, dur(time.Minute))), within(-time.Minute, 0)},
		{bt(call("time.Time.Round", now, dur(time.Minute))), within(-30*time.Second, 30*time.Second)},
		{bt(call("time.Time.Truncate", now, aDurV)), ever},
		{bt(call("time.Time.Truncate", call("time.Unix", num(5*3600+59*60), num(0)), dur(time.Hour))), fixed(5 * 3600e6)},
		{bt(call("time.Time.Round", call("time.Unix", num(5*3600+59*60), num(0)), dur(time.Hour))), fixed(6 * 3600e6)},
		{bt(call("time.Time.Round", call("time.Unix", num(5), num(0)), dur(-time.Hour))), fixed(5e6)},
		{bt(call("time.Time.Add", now, call("time.Duration.Truncate", dur(59*time.Second), dur(time.Minute)))), within(0, 0)},
		{bt(call("time.Time.Add", now, call("time.Duration.Round", dur(59*time.Second), dur(time.Minute)))), within(time.Minute, time.Minute)},
		{bt(call("time.Time.Add", now, aDurV)), ever},
		{bt(call("time.Time.Add", aTimeV, dur(time.Hour))), dunno},
		{bt(aTimeV), dunno},
		{aStamp, dunno},
		{aNum, dunno},
		{classed(call(value.Mul, aNum, num(1000)), value.Timestamp), dunno}, // a number, scaled
		{call(value.Sub, btNow, btNow), fixed(0)},
		// The distance from a time is no time.
		{call("time.Duration.Microseconds", call("time.Since", aTimeV)), dunno},
		{bt(call("time.Time.Add", now, call("time.Until", now))), clock(0)},
		{bt(call("time.Time.Add", now, call("time.Since", now))), clock(0)},
		{bt(call("time.Time.Add", aTimeV, call("time.Until", aTimeV))), dunno},
		{bt(call("time.Time.Add", aTimeV, call("time.Since", aTimeV))), clock(0)},

		// Units.
		{call("time.Time.UnixMicro", now), clock(0)},
		{call("time.Time.UnixMicro", aTimeV), dunno},
		{call("time.Time.Unix", now), unitOf("seconds")},
		{call("time.Time.UnixMilli", now), unitOf("milliseconds")},
		{call("time.Time.UnixNano", now), unitOf("nanoseconds")},
		{call("time.Time.Unix", aTimeV), unitOf("seconds")},
		{call("time.Time.UnixNano", call("bigtable.Timestamp.Time", aStamp)), unitOf("nanoseconds")},
		{aDurV, unitOf("nanoseconds")},
		{call(value.Add, btNow, aDurV), unitOf("nanoseconds")},
		{call(value.Add, btNow, call("time.Duration.Seconds", aDurV)), unitOf("seconds")},
		{call(value.Add, btNow, call("time.Duration.Milliseconds", aDurV)), unitOf("milliseconds")},
		{call(value.Mul, call("time.Time.Unix", now), num(1e6)), clock(0)},
		{call(value.Mul, num(1e3), call("time.Time.UnixMilli", now)), clock(0)},
		{call(value.Quo, call("time.Time.UnixNano", now), num(1000)), clock(0)},
		{call(value.Mul, call(value.Add, call("time.Time.Unix", now), num(60)), num(1e6)), clock(time.Minute)},
		{call(value.Mul, call("time.Time.UnixMilli", aTimeV), num(1000)), dunno},

		// Counters.
		{call(value.Count, num(1)), Instant{Kind: Counter, Step: 1}},
		{call(value.Mul, call(value.Count, num(1)), num(1000)), Instant{Kind: Counter, Step: 1000}},
		{call(value.Shl, call(value.Count, num(1)), num(3)), Instant{Kind: Counter, Step: 8}},
		{call(value.Sub, num(0), call(value.Count, num(2))), Instant{Kind: Counter, Step: 2}},
		{call(value.Add, call(value.Count, num(5)), num(7)), Instant{Kind: Counter, Step: 5}},
		{call(value.Count, aNum), dunno},
		{call(value.Len, aNum), Instant{Kind: Counter, Step: 1}},
		{call("atomic.AddInt64", param(8), num(3)), Instant{Kind: Counter, Step: 3}},
		{call("atomic.AddInt32", param(8), num(3)), Instant{Kind: Counter, Step: 3}},
		{call("atomic.AddUint64", param(8), num(3)), Instant{Kind: Counter, Step: 3}},
		{call("atomic.AddUint32", param(8), num(3)), Instant{Kind: Counter, Step: 3}},
		{call("atomic.Int64.Add", param(8), num(1)), Instant{Kind: Counter, Step: 1}},
		{call("atomic.Int32.Add", param(8), num(1)), Instant{Kind: Counter, Step: 1}},
		{call("atomic.Uint64.Add", param(8), num(1)), Instant{Kind: Counter, Step: 1}},
		{call("atomic.Uint32.Add", param(8), num(1000)), Instant{Kind: Counter, Step: 1000}},
		{call("atomic.Int64.Add", param(8), aNum), dunno},

		// Arithmetic of which nothing is known.
		{call(value.Mul, btNow, aNum), dunno},
		{call(value.Quo, btNow, aNum), dunno},
		{call(value.Quo, btNow, num(0)), dunno},
		{call(value.Shl, btNow, aNum), dunno},
		{call(value.Sub, btNow, call(value.Rem, btNow, num(1000))), within(-time.Millisecond, time.Millisecond)},
		{call(value.Rem, aNum, aNum), dunno},
		{call("example.com/app.f"), dunno},
	} {
		if got := OfTimestamp(test.v); !similar(got, test.want) {
			t.Errorf("%v = %+v, want %+v", test.v, got, test.want)
		}
	}
}

// similar compares all but the distance from the clock of which nothing is
// wanted, and leaves room for what floating-point arithmetic rounds.
func similar(a, b Instant) bool {
	if b.Kind == Now && a.Kind == Now {
		near := func(x, y float64) bool { return x == y || math.Abs(x-y) < 1 }
		return near(a.Lo, b.Lo) && near(a.Hi, b.Hi)
	}
	return a == b
}

func TestOfTime(t *testing.T) {
	for _, test := range []struct {
		v    *value.Value
		want Instant
	}{
		{zeroT, Instant{Kind: Zero}},
		{value.ZeroOf(value.NoClass), Instant{Kind: Zero}},
		{value.ViaOf("p.T.f", zeroT), Instant{Kind: Zero}},
		{now, clock(0)},
		{call("time.Unix", num(-1), num(0)), fixed(-1e6)},
		{call("time.Time.Add", zeroT, dur(time.Hour)), dunno},
		{call("bigtable.Timestamp.Time", num(-1)), fixed(-1)},
		{aTimeV, dunno},
	} {
		if got := OfTime(test.v); !similar(got, test.want) {
			t.Errorf("%v = %+v, want %+v", test.v, got, test.want)
		}
	}
}

// TestAddDate holds the bounds against the calendar.
func TestAddDate(t *testing.T) {
	for _, d := range [][3]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -6, 0}, {0, 0, -90}, {2, 3, 4}, {-1, 1, -1}, {0, 0, 0}} {
		v := call("time.Time.AddDate", now, num(int64(d[0])), num(int64(d[1])), num(int64(d[2])))
		got := OfTime(v)
		if !got.Bounded() {
			t.Fatalf("%v = %+v", v, got)
		}
		for day := range 366 * 5 {
			from := time.Date(2023, 1, 1+day, 12, 0, 0, 0, time.UTC)
			moved := from.AddDate(d[0], d[1], d[2]).Sub(from)
			if float64(moved) < got.Lo || float64(moved) > got.Hi {
				t.Fatalf("%v from %s is %s, outside %s to %s", v, from, moved, time.Duration(got.Lo), time.Duration(got.Hi))
			}
		}
	}
	if got := OfTime(call("time.Time.AddDate", now, num(0), num(0), aNum)); got != ever {
		t.Errorf("an unknown number of days = %+v", got)
	}
}

func TestOfDuration(t *testing.T) {
	for _, test := range []struct {
		v    *value.Value
		want time.Duration
		ok   bool
	}{
		{dur(time.Hour), time.Hour, true},
		{call(value.Mul, dur(time.Hour), num(720)), 720 * time.Hour, true},
		{call(value.Sub, num(0), dur(time.Hour)), -time.Hour, true},
		{value.ViaOf("p.T.f", dur(5)), 5, true},
		{call("time.Time.Sub", call("time.Unix", num(90), num(0)), call("time.Unix", num(30), num(0))), time.Minute, true},
		{call("time.Time.Sub", now, now), 0, true},
		{call("time.Until", call("time.Time.Add", now, dur(time.Hour))), time.Hour, true},
		{value.ZeroOf(value.NoClass), 0, true},
		{aDurV, 0, false},
		{call("time.Duration.Round", dur(90*time.Second), dur(time.Minute)), 2 * time.Minute, true},
		{call("time.Duration.Round", aDurV, dur(time.Minute)), 0, false},
		{call("time.Since", aTimeV), 0, false},
	} {
		if got, ok := OfDuration(test.v); got != test.want || ok != test.ok {
			t.Errorf("%v = %s, %t", test.v, got, ok)
		}
	}
}

func TestExact(t *testing.T) {
	for _, test := range []struct {
		i              Instant
		d              time.Duration
		exact, bounded bool
	}{
		{clock(time.Hour), time.Hour, true, true},
		{within(-time.Second, 0), 0, false, true},
		{ever, 0, false, false},
		{fixed(5), 0, false, false},
	} {
		d, ok := test.i.Exact()
		if d != test.d || ok != test.exact || test.i.Bounded() != test.bounded || test.i.Clock() != (test.i.Kind == Now) {
			t.Errorf("%+v: %s, %t, bounded %t, clock %t", test.i, d, ok, test.i.Bounded(), test.i.Clock())
		}
	}
}

// A constant date whose number has lost its unit is told by what makes it.
func TestLostUnit(t *testing.T) {
	day := value.Apply("time.Date", value.IntOf(2024), value.IntOf(6), value.IntOf(1), value.IntOf(0), value.IntOf(0), value.IntOf(0), value.IntOf(0), value.Apply("time.UTC"))
	millis, seconds := value.Apply("time.Time.UnixMilli", day), value.Apply("time.Time.Unix", day)
	for _, test := range []struct {
		v    *value.Value
		want string
	}{
		{millis, "milliseconds"},
		{seconds, "seconds"},
		{value.Apply("time.Time.UnixNano", value.Apply("time.Time.Add", day, value.IntOf(1e9))), "nanoseconds"},
		{value.Apply("time.Time.UnixMicro", day), ""},
		{value.Apply(value.Mul, millis, value.IntOf(1000)), ""},
		{value.Apply(value.Mul, seconds, value.IntOf(1000)), "milliseconds"},
		{value.Apply("time.Time.Unix", value.Apply("time.Unix", value.IntOf(5), value.IntOf(0))), ""},
		{value.IntOf(1717200000000), ""},
	} {
		if got := LostUnit(test.v); got != test.want {
			t.Errorf("%s counts %q, want %q", test.v, got, test.want)
		}
	}
}
