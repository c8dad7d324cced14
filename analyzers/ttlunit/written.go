package ttlunit

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

const (
	negative     = "timestamp %d is negative: %s; only bigtable.ServerTime, which is -1, has a meaning"
	rejected     = "the service rejects it"
	negativeTime = "a time before 1970 is a negative timestamp, which the service rejects; keep it in the cell's value"
)

// rawTimestamp judges the timestamp of a raw SetCell.
func (u *units) rawTimestamp(_ *trace.Event, c trace.Case) []check.Finding {
	m := c.Args[0].Base()
	if m.Kind != value.Struct {
		return nil
	}
	micros := value.FieldOf(m, m.Name+".TimestampMicros", value.NoClass)
	i := instant.OfTimestamp(micros)
	if lost := instant.LostUnit(micros); lost != "" {
		i.Kind, i.Unit = instant.WrongUnit, lost
	}
	n, constant := micros.IsInt()
	switch {
	case i.Kind == instant.WrongUnit:
		return []check.Finding{{Category: "wrong-unit", Message: wrongUnit(i.Unit)}}
	case constant && n < 0 && n != -1:
		return []check.Finding{{Category: "out-of-range", Message: fmt.Sprintf(negative, n, rejected)}}
	case instant.BeforeEpoch(micros):
		return []check.Finding{{Category: "out-of-range", Message: negativeTime}}
	}
	return nil
}

// written judges the timestamp of a write.
func (u *units) written(e *trace.Event, c trace.Case) []check.Finding {
	v := c.Args[3].Base()
	if n, ok := v.IsInt(); ok {
		return u.constant(e, c, 3, n)
	}
	if e.Helper != "" || !instant.BeforeEpoch(v) {
		return nil
	}
	return u.bound(e, c, 3, "out-of-range", negativeTime)
}

func (u *units) constant(e *trace.Event, c trace.Case, arg int, n int64) []check.Finding {
	f := check.Finding{Wrong: c.Args[arg]}
	if expr := e.Arg(c, arg); expr != nil {
		f.At = expr
	}
	switch {
	case n < 0 && n != -1:
		f.Category = "out-of-range"
		fate := rejected
		if n > -1000 {
			fate = "the client cuts it to 0"
		}
		f.Message = fmt.Sprintf(negative, n, fate)
	case n > 0 && n%1000 != 0:
		f.Category = "sub-millisecond"
		f.Message = fmt.Sprintf("timestamp %d is cut to %d: Bigtable keeps milliseconds; use multiples of 1000", n, n/1000*1000)
	default:
		return nil
	}
	return []check.Finding{f}
}

// expired reports whether the time that a conversion counts in a wrong unit is no time of
// expiry either, for a family to which it is written and of which no usual one is known.
func (u *units) expired(conversion *ast.CallExpr) bool {
	for _, e := range u.Events {
		if e.Op != btapi.Set || e.Call == nil || e.Call.Pos() > conversion.Pos() || conversion.End() > e.Call.End() {
			continue
		}
		for _, c := range e.Cases {
			now := false
			c.Args[3].Walk(func(v *value.Value) {
				if v.Kind == value.Call && strings.HasPrefix(v.Name, "time.Time.Unix") {
					d, exact := instant.OfTime(v.Args[0]).Exact()
					now = now || exact && d <= 0
				}
			})
			if now && slices.ContainsFunc(u.Writes(e, c, c.Args[1]), func(t check.Target) bool {
				return t.Family.Strategy == registry.OneSecond && t.Family.TTL == 0
			}) {
				return true
			}
		}
	}
	return false
}
