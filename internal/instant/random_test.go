package instant

import (
	"encoding/binary"
	"math/rand"
	"sort"
	"testing"
	"time"

	"github.com/ttlvet/ttlvet/internal/value"
)

// A random expression is built twice: as an abstract value, and as what Go
// makes of it.
type expr[T any] struct {
	v    *value.Value
	real T
}

// A timestamp does what the client's Timestamp does, to which TestTimestamps of
// the package proof holds it: with the client among the imports, whoever uses the
// analyzers would have to download it.
type timestamp int64

func timestampOf(t time.Time) timestamp { return timestamp(t.UnixNano() / 1e3) }

func (ts timestamp) time() time.Time {
	n := int64(ts)
	return time.Unix(n/1e6, n%1e6*1e3)
}

// A source decides how an expression is built.
type source interface{ Intn(n int) int }

// What the expressions may come to: Go's integers do not overflow, and a
// float64 holds what matters: times from 1970 to 2040 in whole microseconds,
// spans of up to a century. Conversions and divisions leave no remainder.
const (
	exactNanos = 104 * 24 * time.Hour // of which a float64 has every nanosecond
	century    = 100 * 365 * 24 * time.Hour
	lastMicros = 70 * 365 * 24 * 3600e6
)

func randomInt(r source, depth int) expr[int64] {
	for depth > 0 {
		depth--
		switch r.Intn(10) {
		case 0, 1, 2:
			a, b := randomInt(r, depth), randomInt(r, depth)
			switch op := []string{value.Add, value.Sub, value.Mul, value.Quo, value.Rem}[r.Intn(5)]; {
			case op == value.Add:
				return expr[int64]{call(op, a.v, b.v), a.real + b.real}
			case op == value.Sub:
				return expr[int64]{call(op, a.v, b.v), a.real - b.real}
			case op == value.Mul && small(a.real) && small(b.real):
				return expr[int64]{call(op, a.v, b.v), a.real * b.real}
			case op == value.Quo && b.real != 0 && a.real%b.real == 0:
				return expr[int64]{call(op, a.v, b.v), a.real / b.real}
			case op == value.Rem && b.real != 0:
				return expr[int64]{call(op, a.v, b.v), a.real % b.real}
			}
		case 3:
			if a, n := randomInt(r, depth), r.Intn(10); small(a.real) {
				return expr[int64]{call(value.Shl, a.v, num(int64(n))), a.real << n}
			}
		case 4:
			a, n := randomInt(r, depth), r.Intn(10)
			return expr[int64]{call(value.Shr, a.v, num(int64(n))), a.real >> n}
		case 5, 6:
			d := randomDuration(r, depth)
			switch k := r.Intn(3); {
			case k == 0 && d.real.Abs() < exactNanos:
				return expr[int64]{call("time.Duration.Nanoseconds", d.v), d.real.Nanoseconds()}
			case k == 1 && d.real%time.Microsecond == 0:
				return expr[int64]{call("time.Duration.Microseconds", d.v), d.real.Microseconds()}
			case k == 2 && d.real%time.Millisecond == 0:
				return expr[int64]{call("time.Duration.Milliseconds", d.v), d.real.Milliseconds()}
			}
		case 7, 8:
			t := randomTime(r, depth)
			switch k, micros := r.Intn(3), t.real.UnixMicro(); {
			case k == 0 && micros%1e6 == 0:
				return expr[int64]{call("time.Time.Unix", t.v), t.real.Unix()}
			case k == 1 && micros%1e3 == 0:
				return expr[int64]{call("time.Time.UnixMilli", t.v), t.real.UnixMilli()}
			case k == 2:
				return expr[int64]{call("time.Time.UnixMicro", t.v), t.real.UnixMicro()}
			}
		case 9:
			a, b := randomInt(r, depth), randomInt(r, depth)
			if r.Intn(2) == 0 {
				return expr[int64]{call(value.Min, a.v, b.v), min(a.real, b.real)}
			}
			return expr[int64]{call(value.Max, a.v, b.v), max(a.real, b.real)}
		}
	}
	n := []int64{0, 1, -1, 2, 7, 60, 999, 1000, 1001, 86400, 1e6, 1_700_000_000}[r.Intn(12)]
	return expr[int64]{num(n), n}
}

func small(n int64) bool { return n > -1e6 && n < 1e6 }

func randomDuration(r source, depth int) expr[time.Duration] {
	for depth > 0 {
		depth--
		switch r.Intn(6) {
		case 0, 1:
			a, b := randomDuration(r, depth), randomDuration(r, depth)
			op, sum := value.Add, a.real+b.real
			if r.Intn(2) == 0 {
				op, sum = value.Sub, a.real-b.real
			}
			if sum.Abs() < century {
				return expr[time.Duration]{classed(call(op, a.v, b.v), value.Duration), sum}
			}
		case 2:
			d, n := randomDuration(r, depth), randomInt(r, depth)
			if small(n.real) && d.real.Abs() < 24*time.Hour && (d.real*time.Duration(n.real)).Abs() < century {
				return expr[time.Duration]{classed(call(value.Mul, classed(n.v, value.NoClass), d.v), value.Duration), time.Duration(n.real) * d.real}
			}
		case 3:
			a, b := randomTime(r, depth), randomTime(r, depth)
			if d := a.real.Sub(b.real); d.Abs() < century && a.real.Nanosecond() == 0 && b.real.Nanosecond() == 0 {
				return expr[time.Duration]{call("time.Time.Sub", a.v, b.v), d}
			}
		}
	}
	d := []time.Duration{0, time.Microsecond, time.Millisecond, 1500 * time.Microsecond, time.Second, time.Minute, 30 * time.Minute, time.Hour, 720 * time.Hour}[r.Intn(9)]
	return expr[time.Duration]{dur(d), d}
}

func randomTime(r source, depth int) expr[time.Time] {
	inRange := func(t time.Time) bool { return t.UnixMicro() >= 0 && t.UnixMicro() < lastMicros }
	for depth > 0 {
		depth--
		switch r.Intn(8) {
		case 0, 1:
			t, d := randomTime(r, depth), randomDuration(r, depth)
			if sum := t.real.Add(d.real); inRange(sum) {
				return expr[time.Time]{call("time.Time.Add", t.v, d.v), sum}
			}
		case 2:
			if n := randomInt(r, depth); n.real >= 0 && n.real < lastMicros {
				return expr[time.Time]{call("time.UnixMicro", n.v), time.UnixMicro(n.real)}
			}
		case 3:
			if n := randomInt(r, depth); n.real >= 0 && n.real < lastMicros/1000 {
				return expr[time.Time]{call("time.UnixMilli", n.v), time.UnixMilli(n.real)}
			}
		case 4:
			if n := randomInt(r, depth); n.real >= 0 && n.real < lastMicros/1e6 {
				return expr[time.Time]{call("time.Unix", n.v, num(0)), time.Unix(n.real, 0)}
			}
		case 5:
			t := randomTime(r, depth)
			return expr[time.Time]{call("time.Time.UTC", t.v), t.real.UTC()}
		case 6:
			if ts := randomTimestamp(r, depth); ts.real >= 0 && ts.real < lastMicros {
				return expr[time.Time]{call("bigtable.Timestamp.Time", ts.v), ts.real.time()}
			}
		}
	}
	if r.Intn(3) == 0 {
		n := [6]int{1970 + r.Intn(69), 1 + r.Intn(12), 1 + r.Intn(28), r.Intn(24), r.Intn(60), r.Intn(60)}
		var args []*value.Value
		for _, c := range n {
			args = append(args, num(int64(c)))
		}
		args = append(args, num(5000), param(9))
		return expr[time.Time]{call("time.Date", args...), time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 5000, time.UTC)}
	}
	n := []int64{0, 1, 1_000_000_000, 1_700_000_000, 2_200_000_000}[r.Intn(5)]
	return expr[time.Time]{call("time.Unix", num(n), num(0)), time.Unix(n, 0)}
}

func randomTimestamp(r source, depth int) expr[timestamp] {
	stamp := func(v *value.Value) *value.Value { return classed(v, value.Timestamp) }
	for depth > 0 {
		depth--
		switch r.Intn(5) {
		case 0, 1:
			t := randomTime(r, depth)
			return expr[timestamp]{bt(t.v), timestampOf(t.real)}
		case 2:
			ts, n := randomTimestamp(r, depth), randomInt(r, depth)
			if n.real > -lastMicros && n.real < lastMicros && ts.real > -lastMicros && ts.real < lastMicros {
				return expr[timestamp]{stamp(call(value.Add, ts.v, n.v)), ts.real + timestamp(n.real)}
			}
		case 3:
			n := randomInt(r, depth)
			return expr[timestamp]{n.v, timestamp(n.real)}
		case 4:
			a, b := randomTimestamp(r, depth), randomTimestamp(r, depth)
			if r.Intn(2) == 0 {
				return expr[timestamp]{stamp(call(value.Min, a.v, b.v)), min(a.real, b.real)}
			}
			return expr[timestamp]{stamp(call(value.Max, a.v, b.v)), max(a.real, b.real)}
		}
	}
	n := []int64{0, 1000, 999, 1_700_000_000_000_000}[r.Intn(4)]
	return expr[timestamp]{stamp(num(n)), timestamp(n)}
}

// holds compares what is read of a constant expression with what Go makes of
// it, and reports whether it was read as a constant.
func holds(t *testing.T, e expr[timestamp]) bool {
	t.Helper()
	got := OfTimestamp(e.v)
	off := max(got.Micros-int64(e.real), int64(e.real)-got.Micros)
	if near := exactNanos.Microseconds(); e.real < -timestamp(near) || e.real > timestamp(near) {
		off -= 2 // a float64 has not every nanosecond since 1970
	}
	if got.Kind == Fixed && e.real > -lastMicros && e.real < lastMicros && off > 0 {
		t.Errorf("%v = %d, Go has %d", e.v, got.Micros, e.real)
	}
	if got.Kind == Now || got.Kind == Counter {
		t.Errorf("%v = %+v, though it is a constant", e.v, got)
	}
	return got.Kind == Fixed
}

func TestRandomConstants(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	known := 0
	const n = 100_000
	for range n {
		if holds(t, randomTimestamp(r, 1+r.Intn(5))) {
			known++
		}
	}
	t.Logf("%d of %d are constants", known, n)
	if known < n*8/10 {
		t.Errorf("only %d of %d constant expressions are read as constants", known, n)
	}
}

// bits decides by the bytes of a fuzzed input.
type bits []byte

func (b *bits) Intn(n int) int {
	if len(*b) == 0 {
		return 0
	}
	first := (*b)[0]
	*b = (*b)[1:]
	return int(first) % n
}

// FuzzOfTimestamp reads expressions that need not type-check, as those of
// broken programs or of facts written by another version may be.
func FuzzOfTimestamp(f *testing.F) {
	f.Add([]byte("time.Now"))
	f.Add([]byte("07 0CA07\xec")) // Truncate by less than nothing
	f.Add([]byte{3, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14})
	var names []string
	for name := range operations {
		names = append(names, name)
	}
	sort.Strings(names)
	f.Fuzz(func(t *testing.T, data []byte) {
		b := bits(data)
		v := arbitrary(&b, names, 5)
		i := OfTimestamp(v)
		if i.Kind == Now && i.Lo > i.Hi {
			t.Errorf("%v is between %g and %g", v, i.Lo, i.Hi)
		}
		OfTime(v)
		OfDuration(v)
		b = bits(data)
		holds(t, randomTimestamp(&b, 4))
	})
}

// arities are the operations with another number of arguments than two.
var arities = map[string]int{"time.Date": 8, "time.Time.AddDate": 4, "time.Now": 0, "bigtable.Now": 0}

func arbitrary(b *bits, names []string, depth int) *value.Value {
	class := value.Class(b.Intn(4))
	k := b.Intn(8)
	if depth == 0 {
		k %= 4
	}
	var v *value.Value
	switch k {
	case 0:
		var n [8]byte
		for i := range n {
			n[i] = byte(b.Intn(256))
		}
		v = num(int64(binary.LittleEndian.Uint64(n[:])))
	case 1:
		v = value.FloatOf(float64(b.Intn(256)) / 7)
	case 2:
		v = param(int64(b.Intn(3)))
	case 3:
		v = []*value.Value{zeroT, value.NilValue(), value.StrOf("x"), value.UnknownFor("x"), now, btNow}[b.Intn(6)]
	default:
		name := names[b.Intn(len(names))]
		n, ok := arities[name]
		if !ok {
			n = 2
		}
		var args []*value.Value
		for range n {
			args = append(args, arbitrary(b, names, depth-1))
		}
		v = call(name, args...)
	}
	return classed(v, class)
}
