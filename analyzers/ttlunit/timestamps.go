package ttlunit

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// conversion judges Timestamp(x).
func (u *units) conversion(e *trace.Event, c trace.Case) []check.Finding {
	v := c.Args[0].Base()
	i := instant.OfTimestamp(v)
	unit := i.Unit
	if e.Depth == 0 && e.Call != nil && len(e.Call.Args) == 1 && btapi.Type(u.TypesInfo.TypeOf(e.Call.Args[0])) == "time.Duration" {
		unit = aDuration
	}
	if v.Kind == value.Int && v.Class == value.Duration {
		if e.Depth == 0 && u.quotient(e.Call) {
			return nil
		}
		unit = aDuration
		i.Kind = instant.WrongUnit
	}
	if lost := instant.LostUnit(v); lost != "" {
		unit, i.Kind = lost, instant.WrongUnit
	}
	if i.Kind == instant.Fixed && i.Micros == 0 {
		i = countedBeside(e, v)
		unit = i.Unit
	}
	if i.Kind != instant.WrongUnit && !(unit == aDuration && countedSpan(v)) {
		return nil
	}
	if unit == "nanoseconds" && ofCell(v) {
		return nil // 1000 times what may be a number
	}
	return []check.Finding{{Category: "wrong-unit", Message: wrongUnit(unit), Fix: u.unitFix(e)}}
}

// countedBeside returns what a conversion is given in another case in which the same method
// counts a time in a wrong unit: a zero, which is one in every unit, is no better for it.
func countedBeside(e *trace.Event, zero *value.Value) instant.Instant {
	for _, c := range e.Cases {
		v := c.Args[0].Base()
		if i := instant.OfTimestamp(v); i.Kind == instant.WrongUnit && v.Is(zero.Name) && strings.HasPrefix(v.Name, "time.Time.Unix") {
			return i
		}
	}
	return instant.Instant{}
}

// ofCell reports whether a number is made of a cell's timestamp.
func ofCell(v *value.Value) bool {
	found := false
	v.Walk(func(w *value.Value) {
		found = found || w.Kind == value.Field && w.Name == "bigtable.ReadItem.Timestamp"
	})
	return found
}

// countedSpan reports whether a number is a count of a millisecond or more:
// time.Duration(i) * time.Hour.
func countedSpan(v *value.Value) bool {
	if !v.Is(value.Mul) || len(v.Args) != 2 {
		return false
	}
	for i, a := range v.Args {
		n, ok := a.IsInt()
		if ok && a.Base().Class == value.Duration && n >= int64(time.Millisecond) && counts(v.Args[1-i].Base()) {
			return true
		}
	}
	return false
}

// counts reports whether a number is a counter, or a multiple of one.
func counts(v *value.Value) bool {
	if v.Is(value.Count) {
		return true
	}
	if !v.Is(value.Mul) && !v.Is(value.Add) || len(v.Args) != 2 {
		return false
	}
	x, y := v.Args[0].Base(), v.Args[1].Base()
	return counts(x) && y.Kind == value.Int || x.Kind == value.Int && counts(y)
}

const aDuration = "the nanoseconds of a time.Duration"

// wrongUnit says what a number of another unit means as a timestamp, of a cell
// or in a filter.
func wrongUnit(unit string) string {
	s := "Timestamp counts microseconds, not " + unit + ": "
	switch unit {
	case aDuration:
		return s + "it comes to a thousand times as much; write d.Microseconds()"
	case "nanoseconds":
		return s + "this is a time tens of thousands of years ahead, which never expires; write bigtable.Time(t), or t.UnixMicro()"
	case "seconds", "milliseconds":
		return s + "this is a time in January 1970; write bigtable.Time(t), or t.UnixMicro()"
	}
	return s + "this is another time; write bigtable.Time(t), or t.UnixMicro()"
}

// quotient reports whether the argument of a conversion is a division, by
// which durations are made numbers of a unit.
func (u *units) quotient(call *ast.CallExpr) bool {
	if call == nil || len(call.Args) != 1 {
		return false
	}
	found := false
	ast.Inspect(call.Args[0], func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok && b.Op == token.QUO {
			found = true
		}
		return true
	})
	return found
}

// unitFix turns Timestamp(t.Unix()) into Time(t), and scales a duration.
func (u *units) unitFix(e *trace.Event) *analysis.SuggestedFix {
	if e.Depth > 0 || e.Call == nil || len(e.Call.Args) != 1 {
		return nil
	}
	b := fix.New(u.Pass.Pass, e.Call)
	if b == nil {
		return nil
	}
	arg := ast.Unparen(e.Call.Args[0])
	if call, ok := arg.(*ast.CallExpr); ok && len(call.Args) == 0 {
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if ok && btapi.Type(u.TypesInfo.TypeOf(sel.X)) == "time.Time" {
			if u.expired(e.Call) {
				return nil // in the right unit it would be wrong still
			}
			return b.Replace(e.Call.Fun, b.Ref(fix.Bigtable, "Time", e.Call.Pos())).Delete(sel.X.End(), call.End()).Done("Convert the time by bigtable.Time")
		}
	}
	if btapi.Type(u.TypesInfo.TypeOf(arg)) == "time.Duration" {
		end := ".Microseconds()"
		if _, bin := e.Call.Args[0].(*ast.BinaryExpr); bin {
			b.Insert(arg.Pos(), "(")
			end = ")" + end
		}
		return b.Insert(e.Call.Args[0].End(), end).Done("Count microseconds")
	}
	return nil
}

// The times that fit into the int64 of nanoseconds by which bigtable.Time
// converts.
var (
	minMicros = math.MinInt64 / int64(1000)
	maxMicros = math.MaxInt64 / int64(1000)
)

// fromTime judges bigtable.Time(t).
func (u *units) fromTime(e *trace.Event, c trace.Case) []check.Finding {
	i := instant.OfTime(c.Args[0])
	switch {
	case e.Helper != "":
		return u.givenTime(e, i)
	case i.Kind == instant.Zero && leftOut(e):
		return nil
	case i.Kind == instant.Zero:
		return []check.Finding{{Category: "out-of-range",
			Message: "bigtable.Time of the zero time is a negative timestamp, which the service rejects; check t.IsZero() first"}}
	case i.Kind == instant.Fixed && (i.Micros < minMicros || i.Micros > maxMicros):
		instead := "use an earlier one, or bigtable.Timestamp with the microseconds"
		if i.Micros < minMicros {
			instead = "use a time since 1970"
		}
		return []check.Finding{{Category: "out-of-range",
			Message: "bigtable.Time of a time outside the years 1678 to 2262 overflows to another time; " + instead}}
	}
	return nil
}

// leftOut reports whether the time of a conversion is not known in another case:
// a zero beside it is what data leaves out, in a field that it sets elsewhere.
func leftOut(e *trace.Event) bool {
	return slices.ContainsFunc(e.Cases, func(c trace.Case) bool { return instant.OfTime(c.Args[0]).Kind == instant.Unknown })
}

// timeRange judges TimestampRangeFilter(start, end).
func (u *units) timeRange(e *trace.Event, c trace.Case) []check.Finding {
	return u.judgeRange(e, c, 0, instant.OfTime(c.Args[0]), instant.OfTime(c.Args[1]))
}

// microsRange judges a range of Timestamps whose start is the i-th argument.
func (u *units) microsRange(e *trace.Event, c trace.Case, i int) []check.Finding {
	if len(c.Args) < i+2 {
		return nil
	}
	return u.judgeRange(e, c, i, instant.OfTimestamp(c.Args[i]), instant.OfTimestamp(c.Args[i+1]))
}

func (u *units) judgeRange(e *trace.Event, c trace.Case, arg int, start, end instant.Instant) []check.Finding {
	what := "the filter"
	if e.Op == btapi.DeleteTimeRange {
		what = "the deletion"
	}
	endFixed := end.Kind == instant.Fixed
	startMicros, startFixed := start.Micros, start.Kind == instant.Fixed || start.Kind == instant.Zero
	if start.Kind == instant.Zero {
		startMicros = 0
	}
	// Two readings of the clock differ, but by less.
	inverted := start.Clock() && end.Clock() && start.Lo-end.Hi >= float64(time.Second)
	switch {
	case endFixed && end.Micros > 0 && end.Micros < 1000:
		return u.bound(e, c, arg+1, "sub-millisecond", fmt.Sprintf("the end %dµs of a range is cut to 0, which means no end: %s covers every later cell; use multiples of a millisecond", end.Micros, what))
	case (endFixed && startFixed && end.Micros != 0 && startMicros/1000 >= end.Micros/1000 || inverted) && !crossed(e, c, arg):
		message := "the range ends before it starts: " + what + " covers nothing; swap its bounds"
		if endFixed && startFixed && startMicros/1000 == end.Micros/1000 {
			message = "the range ends where it starts: " + what + " covers nothing, since the end is not included; end it a millisecond later"
		}
		return []check.Finding{{Category: "empty-range", Message: message}}
	case startFixed && start.Kind == instant.Fixed && startMicros%1000 != 0:
		return u.bound(e, c, arg, "sub-millisecond", fmt.Sprintf("the start %dµs of a range is cut to %dµs: Bigtable keeps milliseconds; use multiples of a millisecond", startMicros, startMicros/1000*1000))
	case endFixed && end.Micros%1000 != 0 && end.Micros > 0:
		return u.bound(e, c, arg+1, "sub-millisecond", fmt.Sprintf("the end %dµs of a range is cut to %dµs: Bigtable keeps milliseconds; use multiples of a millisecond", end.Micros, end.Micros/1000*1000))
	}
	return nil
}

func (u *units) bound(e *trace.Event, c trace.Case, arg int, category, message string) []check.Finding {
	f := check.Finding{Category: category, Message: message, Wrong: c.Args[arg]}
	if expr := e.Arg(c, arg); expr != nil {
		f.At = expr
	}
	return []check.Finding{f}
}

// age judges MaxAgePolicy(d).
func (u *units) age(e *trace.Event, c trace.Case) []check.Finding {
	d, ok := instant.OfDuration(c.Args[0])
	if !ok {
		return u.named(e, c)
	}
	if !gcpolicy.Slip(d) && !(e.Depth == 0 && e.Call != nil && len(e.Call.Args) == 1 && u.unitless(e.Call.Args[0])) {
		return nil
	}
	return []check.Finding{{Category: "age-unit", Message: ageUnit(d), Wrong: c.Args[0]}}
}

// unitless reports whether an age is written as a mere number.
func (u *units) unitless(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		return e.Kind == token.INT && e.Value != "0"
	case *ast.Ident:
		c, ok := u.TypesInfo.Uses[e].(*types.Const)
		if !ok {
			return false
		}
		b, ok := c.Type().(*types.Basic)
		return ok && b.Kind() == types.UntypedInt
	case *ast.CallExpr:
		if len(e.Args) == 1 && u.TypesInfo.Types[e.Fun].IsType() {
			return u.unitless(e.Args[0])
		}
	}
	return false
}

func ageUnit(d time.Duration) string {
	if d < 0 {
		return fmt.Sprintf("the age %s is negative: the service rejects the policy; write it without the minus", registry.FormatDuration(d))
	}
	if d == 0 {
		return "the age 0s is rejected: the service takes 1ms or more; pass the age that is meant, or set no policy"
	}
	fate := "every cell is deleted at that age"
	if d < time.Millisecond {
		fate = "the service rejects less than 1ms"
	}
	return fmt.Sprintf("the age %d counts nanoseconds, and comes to %s: %s; write its unit, such as %d*time.Second", int64(d), d, fate, int64(d))
}

// constants judges conversions of constants, which leave no trace in the
// program but their value.
func (u *units) constants() {
	if !u.Trace.Reaches {
		return
	}
	for _, f := range u.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 || !u.TypesInfo.Types[call.Fun].IsType() {
				return true
			}
			arg := u.TypesInfo.Types[call.Args[0]]
			if arg.Value == nil || u.isTaken(call) {
				return true
			}
			switch btapi.Type(u.TypesInfo.TypeOf(call)) {
			case "bigtable.Timestamp":
				if btapi.Type(arg.Type) == "time.Duration" && !u.quotient(call) {
					u.Add(check.Finding{Category: "wrong-unit", At: call, Message: wrongUnit(aDuration),
						Fix: u.unitFix(&trace.Event{Call: call, Node: call})})
				}
			case "bigtable.MaxAgeGCPolicy":
				if d, exact := constant.Int64Val(constant.ToInt(arg.Value)); exact && (gcpolicy.Slip(time.Duration(d)) || u.unitless(call.Args[0])) {
					u.Add(check.Finding{Category: "age-unit", At: call, Message: ageUnit(time.Duration(d))})
				}
			}
			return true
		})
	}
}

// crossed reports whether the bounds of a range, the i-th argument and the
// next, vary each by itself: two looked up with a default each are not empty
// because the defaults are.
func crossed(e *trace.Event, c trace.Case, i int) bool {
	same := func(d trace.Case, i int) bool { return d.Args[i].String() == c.Args[i].String() }
	start, end := false, false
	for _, d := range e.Cases {
		if len(d.Args) > i+1 {
			start = start || !same(d, i) && same(d, i+1)
			end = end || same(d, i) && !same(d, i+1)
		}
	}
	return start && end
}
