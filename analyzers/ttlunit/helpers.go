package ttlunit

import (
	"fmt"
	"strings"
	"time"

	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/helper"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// lifetime judges how long a helper of the runtime package is told that cells
// live, or the age that it is told to collect them at.
func (u *units) lifetime(e *trace.Event, c trace.Case) []check.Finding {
	if unit := pointInTime(c.Args[0]); unit != "" {
		return []check.Finding{{Category: "age-unit", At: e.Arg(c, 0),
			Message: "the lifetime is a moment, the " + unit + " since 1970: the cell lives for years or dies at once; write time.Until(t), or call what takes a deadline"}}
	}
	d, ok := instant.OfDuration(c.Args[0])
	if !ok {
		return u.named(e, c)
	}
	if d >= time.Millisecond && !(e.Arg(c, 0) != nil && u.unitless(e.Arg(c, 0))) {
		return nil
	}
	message := fmt.Sprintf("the lifetime %d counts nanoseconds, and comes to %s; write its unit, such as %d*time.Second", int64(d), d, int64(d))
	if d <= 0 {
		message = fmt.Sprintf("the lifetime %s is over before it begins: nothing is written; pass one above zero", registry.FormatDuration(d))
	}
	return []check.Finding{{Category: "age-unit", At: e.Arg(c, 0), Message: message}}
}

// pointInTime names the unit in which a duration counts the time since 1970, ""
// where it does not.
func pointInTime(v *value.Value) string {
	for v = v.Base(); v.Is(value.Mul) || v.Is(value.Quo); v = v.Args[0].Base() {
		if _, constant := v.Args[1].IsInt(); !constant {
			return ""
		}
	}
	switch {
	case v.Is("time.Time.Unix"):
		return "seconds"
	case v.Is("time.Time.UnixMilli"):
		return "milliseconds"
	case v.Is("time.Time.UnixMicro"):
		return "microseconds"
	case v.Is("time.Time.UnixNano"):
		return "nanoseconds"
	}
	return ""
}

// givenTime judges a time of which a helper of the runtime package makes a
// timestamp.
func (u *units) givenTime(e *trace.Event, i instant.Instant) []check.Finding {
	name := e.Helper
	fate := "returns a timestamp that the service rejects"
	if helper.Of(name).Refuses {
		name, fate = name[strings.LastIndexByte(name, '.')+1:], "returns an error, and nothing is written"
	}
	switch {
	case i.Kind == instant.Zero:
		return []check.Finding{{Category: "out-of-range", Message: name + " of the zero time " + fate + "; check t.IsZero() first"}}
	case i.Kind == instant.Fixed && (i.Micros < 0 || i.Micros > maxMicros):
		return []check.Finding{{Category: "out-of-range", Message: name + " of a time outside the years 1970 to 2262 " + fate + "; pass one within"}}
	}
	return nil
}
