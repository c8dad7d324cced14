package ttlwrite

import (
	"fmt"
	"go/ast"
	"strconv"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
	"github.com/ttlvet/ttlvet/runtime/strategy"
)

func quote(s string) string { return strconv.Quote(s) }

// A write is one timestamp in one family.
type write struct {
	p         *check.Pass
	mutations mutations
	e         *trace.Event
	c         trace.Case
	target    check.Target
	ts        *value.Value
	arg       int // the argument of the event that is the timestamp, -1 for none
	// raw is, of a raw message, the literal.
	raw *ast.CompositeLit
}

// judge holds the timestamp against the strategy of its family.
func (w write) judge() *check.Finding {
	ts := instant.OfTimestamp(w.ts)
	fault := w.target.Family.Agreement().Write(ts)
	early := instant.BeforeEpoch(w.ts)
	switch w.target.Family.Strategy {
	case registry.OneSecond:
		if early {
			return w.finding("already-expired", "uses a time before 1970: "+w.fate(rejected, w.setExpiry()), nil)
		}
		return w.oneSecond(ts, fault)
	case registry.Default:
		if early {
			return w.finding("already-expired", "uses a time before 1970: "+w.fate(rejected, w.setShifted()), nil)
		}
		return w.defaultExpiration(ts, fault)
	case registry.Sequence:
		return w.sequence(ts, fault)
	case registry.Zero:
		if early {
			return w.finding("clock-in-zero", "uses a time before 1970: "+rejected+"; "+w.setZero(), w.replaced("0"))
		}
		return w.zero(ts, fault)
	}
	return nil
}

const rejected = "it is a negative timestamp, which the service rejects"

// isClock reports whether a timestamp comes from the clock, in whatever unit.
func (w write) isClock(ts instant.Instant) bool {
	if ts.Clock() {
		return true
	}
	if v := w.ts.Base(); ts.Kind == instant.Unknown && v.Is(value.Mul) {
		if n, ok := v.Args[1].IsInt(); ok && n == 1000 { // a number, scaled
			w.ts = v.Args[0]
			ts = instant.OfTimestamp(w.ts)
		}
	}
	found := false
	if ts.Kind == instant.WrongUnit {
		w.ts.Walk(func(v *value.Value) { found = found || v.Is("time.Now") || v.Is("bigtable.Now") || v.Is(value.Clock) })
	}
	return found
}

// isTime reports whether a timestamp is a time, whichever it is. One that
// callers make of a number is the callers' business.
func (w write) isTime() bool {
	return instant.MadeOfTime(w.ts) && (w.arg < 0 || !w.numbered(w.e, 8))
}

// numbered reports whether a caller in view makes the time of a number.
func (w write) numbered(e *trace.Event, depth int) bool {
	for _, d := range e.Link.Derived {
		if depth == 0 || w.p.InTest(d) {
			continue
		}
		for _, c := range d.Cases {
			if len(c.Args) > w.arg && instant.MadeOfNumber(c.Args[w.arg]) {
				return true
			}
		}
		if w.numbered(d, depth-1) {
			return true
		}
	}
	return false
}

// ofCell reports whether a timestamp is made of a cell's.
func (w write) ofCell() bool {
	found := false
	w.ts.Walk(func(v *value.Value) {
		found = found || v.Kind == value.Field && v.Name == "bigtable.ReadItem.Timestamp"
	})
	return found
}

func (w write) oneSecond(ts instant.Instant, fault strategy.Fault) *check.Finding {
	switch fault {
	case strategy.ServerTime:
		return w.finding("server-timestamp", "uses the server timestamp: the next compaction deletes it; "+w.setExpiry(), w.expiry())
	case strategy.NoTime:
		return w.finding("already-expired", "uses the zero time: "+w.fate(rejected, w.setExpiry()), nil)
	case strategy.LongPast:
		return w.finding("already-expired", "uses "+when(ts.Micros)+", which is past: "+w.fate("the next compaction deletes it", w.end()), nil)
	case strategy.BeforeNow:
		return w.finding("already-expired", "uses "+beforeNow(ts)+": "+w.fate("the cell has expired", w.end()), nil)
	case strategy.StaleClock:
		return w.staleClock(ts)
	case strategy.WriteTime:
		return w.finding("write-time", "uses the current time: "+w.fate("the next compaction deletes it", w.setExpiry()), w.later())
	}
	return nil
}

func (w write) defaultExpiration(ts instant.Instant, fault strategy.Fault) *check.Finding {
	d := registry.FormatDuration(w.target.Family.TTL)
	switch fault {
	case strategy.LongPast:
		return w.finding("already-expired", "uses "+when(ts.Micros)+", longer ago than the default lifetime "+d+": "+w.fate("the next compaction deletes it", w.setShifted()), nil)
	case strategy.BeforeNow:
		return w.finding("already-expired", "uses a time "+d+" or more ago, the default lifetime: "+w.fate("the cell has expired", w.setShifted()), nil)
	case strategy.StaleClock:
		return w.staleClock(ts)
	}
	return nil
}

func (w write) sequence(ts instant.Instant, fault strategy.Fault) *check.Finding {
	switch {
	case fault == strategy.ServerTime:
		return w.finding("clock-in-sequence", "uses the server timestamp: it hides all later numbers; "+w.setNumber(), nil)
	case w.isClock(ts):
		return w.finding("clock-in-sequence", "uses a clock reading: it hides all later numbers; "+w.setNumber(), nil)
	case w.isTime():
		return w.finding("clock-in-sequence", "uses a time: it hides all later numbers; "+w.setNumber(), nil)
	case fault == strategy.NotScaled:
		return w.finding("unscaled-sequence", fmt.Sprintf("uses the number %d, which Bigtable cuts to %d: versions overwrite each other; %s", ts.Micros, ts.Micros/1000*1000, w.setNumber()), w.scaled())
	case w.ofCell() && instant.CountsOn(w.ts):
		return w.finding("unscaled-sequence", "adds to a cell's number, of which Bigtable cuts three digits: versions overwrite each other; add 1000 for the next number", nil)
	case ts.Kind == instant.WrongUnit && ts.Unit != "nanoseconds" && w.ofCell(): // × 1000 twice is large enough
		return w.finding("unscaled-sequence", "adds to a cell's number, of which Bigtable cuts three digits: versions overwrite each other; "+w.setNumber(), w.scaled())
	case fault == strategy.ByOnes && ts.Kind != instant.Counter:
		return w.finding("unscaled-sequence", "adds a counter, of which Bigtable cuts three digits: versions overwrite each other; "+w.setNumber(), nil)
	case fault == strategy.ByOnes:
		return w.finding("unscaled-sequence", "uses a counter, of which Bigtable cuts three digits: versions overwrite each other; "+w.setNumber(), w.scaled())
	}
	return nil
}

func (w write) zero(ts instant.Instant, fault strategy.Fault) *check.Finding {
	remedy := ": it hides all later writes at 0; " + w.setZero()
	switch {
	case fault == strategy.ServerTime:
		return w.finding("clock-in-zero", "uses the server timestamp"+remedy, w.replaced("0"))
	case w.isClock(ts):
		return w.finding("clock-in-zero", "uses a clock reading"+remedy, w.replaced("0"))
	case w.isTime() && ts.Kind != instant.Fixed:
		return w.finding("clock-in-zero", "uses a time"+remedy, w.replaced("0"))
	case fault == strategy.NotZero:
		return w.finding("clock-in-zero", "uses "+when(ts.Micros)+remedy, w.replaced("0"))
	case fault == strategy.NotKnown:
		return w.finding("clock-in-zero", "uses a timestamp other than 0"+remedy, w.replaced("0"))
	}
	return nil
}

func (w write) unset() *check.Finding {
	f := w.target.Family
	what := "the next compaction deletes it; " + w.setExpiry()
	switch f.Strategy {
	case registry.Sequence:
		what = "versions overwrite each other; " + w.setNumber()
	case registry.Default:
		what = "the next compaction deletes it; set " + w.now("")
	}
	var mend *analysis.SuggestedFix
	switch {
	case f.Strategy == registry.OneSecond:
		mend = w.expiry()
	case f.Strategy == registry.Default:
		mend = w.clock()
	}
	return &check.Finding{Category: "unset-timestamp", Family: f.Name, Table: w.target.TablePattern(), Fix: mend,
		Message: "raw write to " + w.target.Name() + " sets no timestamp, which means 0: " + what}
}

func rmw(op string, t check.Target) []check.Finding {
	instead := "read it and Set the new value with"
	switch op {
	case "Increment":
		instead = "read it and Set the sum with"
	case "AppendValue":
		instead = "read it and Set the longer value with"
	}
	var fate string
	switch t.Family.Strategy {
	case registry.OneSecond:
		fate = "the next compaction deletes it; " + instead + " its expiry"
	case registry.Sequence:
		fate = "it hides all later numbers; " + instead + " the next number * 1000"
	case registry.Zero:
		fate = "it hides all later writes at 0; " + instead + " timestamp 0"
	default:
		return nil
	}
	return []check.Finding{{Category: "read-modify-write", Family: t.Family.Name, Table: t.TablePattern(),
		Message: op + " on " + t.Name() + " uses the server's time: " + fate}}
}

// setShifted says what to write into a family with default expiration.
func (w write) setShifted() string {
	ttl := w.target.Family.TTL
	if ttl <= 0 {
		return "set " + w.now("") + ", or a time shifted by what the lifetime differs from the default"
	}
	return "set " + w.now("d - "+registry.GoDuration(ttl)) + " for a lifetime d"
}

// isRaw reports whether the write is a raw message, whose timestamp is an
// int64 that the service takes in whole milliseconds alone.
func (w write) isRaw() bool { return w.arg < 0 }

// now is what to write for the current time, with something added to it.
func (w write) now(added string) string {
	now := "time.Now()"
	if added != "" {
		now += ".Add(" + added + ")"
	}
	switch {
	case w.isRaw():
		return "TimestampMicros: " + now + ".Truncate(time.Millisecond).UnixMicro()"
	case added == "":
		return "bigtable.Now()"
	}
	return "bigtable.Time(" + now + ")"
}

// beforeNow names a time before now, with how long before where that is known: what is
// subtracted may stand elsewhere.
func beforeNow(ts instant.Instant) string {
	if d, ok := ts.Exact(); ok && d < 0 {
		return "a time " + registry.FormatDuration(-d) + " before now"
	}
	return "a time before now"
}

// when names a constant timestamp as people know it.
func when(micros int64) string {
	t := time.UnixMicro(micros).UTC()
	switch {
	case micros < 24*time.Hour.Microseconds():
		return fmt.Sprintf("the timestamp %d", micros)
	case t.Equal(t.Truncate(24 * time.Hour)):
		return "the time " + t.Format(time.DateOnly)
	}
	return "the time " + t.Format(time.RFC3339)
}

func (w write) finding(category, what string, f *analysis.SuggestedFix) *check.Finding {
	return &check.Finding{Category: category, Family: w.target.Family.Name, Table: w.target.TablePattern(), Message: "write to " + w.target.Name() + " " + what, Wrong: w.ts, Fix: f}
}
