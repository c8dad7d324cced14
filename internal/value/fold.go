package value

import (
	"cmp"
	"regexp"
	"strings"
	"time"
)

// The operations of Go itself, as names of calls.
const (
	Add      = "+"
	Sub      = "-"
	Mul      = "*"
	Quo      = "/"
	Rem      = "%"
	Shl      = "<<"
	Shr      = ">>"
	BitAnd   = "&"
	BitOr    = "|"
	BitXor   = "^"
	BitClear = "&^"
	Eql      = "=="
	Neq      = "!="
	Lss      = "<"
	Leq      = "<="
	Gtr      = ">"
	Geq      = ">="
	Not      = "!"
	Or       = "||"
	Min      = "min"
	Max      = "max"
	Len      = "len"
	Index    = "[]"
	Count    = "counter" // a number that grows by Args[0] from one use to the next
	Elem     = "elem"    // some element of the list Args[0]
	Has      = "has"     // whether the map Args[0] has the key Args[1]
	Sprint   = "fmt.Sprintf"
	Text     = "fmt.Sprint"
	// Entries is the list of the keys and elements of the map Args[0], each a
	// list of two.
	Entries = "entries"
	// Turn is the condition Args[0] of the element of a list that a turn of a loop is
	// about: what it is of one element it need not be of another.
	Turn = "turn"
)

// Apply returns the operation on the arguments, folded to a constant where
// they are constants.
func Apply(name string, args ...*Value) *Value {
	args, v := folded(name, args)
	if v != nil {
		return v
	}
	return &Value{Kind: Call, Name: name, Args: args}
}

// folded returns what an operation comes to, nil where that is not known, and the
// operands as they are compared.
func folded(name string, args []*Value) ([]*Value, *Value) {
	f := folds[name]
	if f == nil {
		return args, nil
	}
	if operators[name] {
		args = typed(args)
	}
	return args, f(args)
}

var folds map[string]func([]*Value) *Value

// operators are the operations whose operands have one type.
var operators = map[string]bool{
	Add: true, Sub: true, Mul: true, Quo: true, Rem: true, BitAnd: true, BitOr: true, BitXor: true, BitClear: true, Eql: true, Neq: true, Lss: true, Leq: true, Gtr: true, Geq: true,
}

// IsOperator reports whether a call of that name is an operation on two numbers or texts.
func IsOperator(name string) bool { return operators[name] }

// typed gives a zero value the type of the other operand.
func typed(args []*Value) []*Value {
	if len(args) != 2 || args[0].Base().Is(Zero) == args[1].Base().Is(Zero) {
		return args
	}
	zero := func(other *Value) *Value {
		switch other = other.Base(); other.Kind {
		case Int, Float, Bool, Str:
			return &Value{Kind: other.Kind}
		case Nil, Func, Struct, List, Map:
			return NilValue()
		case Call:
			if other.Is(ZeroTime) {
				return other
			}
			if other.isMade() {
				return NilValue()
			}
		}
		if other.Class == NoClass || other.Class == Time {
			return &Value{Kind: Call, Name: Zero} // of a type that is not known yet
		}
		return &Value{Kind: Int, Class: other.Class}
	}
	if args[0].Base().Is(Zero) {
		return []*Value{zero(args[1]), args[1]}
	}
	return []*Value{args[0], zero(args[0])}
}

func init() {
	folds = map[string]func([]*Value) *Value{
		Add: add, Sub: integer(func(a, b int64) (int64, bool) { return a - b, true }),
		Mul: arith(func(a, b int64) (int64, bool) { return a * b, a == 0 || a*b/a == b },
			func(a, b float64) float64 { return a * b }),
		Quo: quotient(arith(func(a, b int64) (int64, bool) {
			if b == 0 {
				return 0, false
			}
			return a / b, true
		}, func(a, b float64) float64 { return a / b })),
		Rem: integer(func(a, b int64) (int64, bool) {
			if b == 0 {
				return 0, false
			}
			return a % b, true
		}),
		Shl:      integer(func(a, b int64) (int64, bool) { return a << (b & 63), b >= 0 && b < 63 }),
		Shr:      integer(func(a, b int64) (int64, bool) { return a >> (b & 63), b >= 0 && b < 64 }),
		BitAnd:   integer(func(a, b int64) (int64, bool) { return a & b, true }),
		BitOr:    integer(func(a, b int64) (int64, bool) { return a | b, true }),
		BitXor:   integer(func(a, b int64) (int64, bool) { return a ^ b, true }),
		BitClear: integer(func(a, b int64) (int64, bool) { return a &^ b, true }),
		Eql:      equal(true), Neq: equal(false),
		Lss: order(func(c int) bool { return c < 0 }), Leq: order(func(c int) bool { return c <= 0 }),
		Gtr: order(func(c int) bool { return c > 0 }), Geq: order(func(c int) bool { return c >= 0 }),
		Min: extreme(-1), Max: extreme(1),
		"time.Parse": parsed,
		Turn: func(a []*Value) *Value {
			if len(a) == 1 && a[0].Base().Kind == Bool {
				return a[0]
			}
			return nil
		},
		Not: func(a []*Value) *Value {
			if b, ok := a[0].IsBool(); ok {
				return BoolOf(!b)
			}
			return nil
		},
		Or: func(a []*Value) *Value {
			x, okX := a[0].IsBool()
			y, okY := a[1].IsBool()
			switch {
			case okX && x, okY && y:
				return BoolOf(true)
			case okX && okY:
				return BoolOf(false)
			}
			return nil
		},
		Len: length, Index: index, Sprint: sprintf, Text: sprint, Optioned: optioned, Given: ifGiven, If: ifHolds, Changed: changed, Has: has, Holds: holds(identical), Is: holds(pointerOr), Offers: offers, Where: where, Entries: entries, Clock: clock, Receiver: receiver, Captured: captured,
		"maps.Keys":                mapped(0),
		"maps.Values":              mapped(1),
		"slices.Sorted":            elements,
		"slices.Collect":           elements,
		"slices.Clone":             elements,
		"slices.Values":            elements,
		"slices.Contains":          contains,
		"slices.Index":             position,
		"regexp.QuoteMeta":         text(regexp.QuoteMeta),
		"strings.ToLower":          text(strings.ToLower),
		"strings.ToUpper":          text(strings.ToUpper),
		"strings.TrimSpace":        text(strings.TrimSpace),
		"strings.TrimPrefix":       text2(strings.TrimPrefix, StrOf),
		"strings.TrimSuffix":       text2(strings.TrimSuffix, StrOf),
		"strings.HasPrefix":        text2(strings.HasPrefix, BoolOf),
		"strings.HasSuffix":        text2(strings.HasSuffix, BoolOf),
		"strings.Contains":         text2(strings.Contains, BoolOf),
		"strings.EqualFold":        text2(strings.EqualFold, BoolOf),
		"strings.Index":            text2(strings.Index, intOf),
		"strings.LastIndex":        text2(strings.LastIndex, intOf),
		"strings.IndexByte":        indexByte,
		"strings.IndexRune":        indexByte,
		"strings.Split":            text2(strings.Split, textsOf),
		"strings.SplitN":           splitN,
		"strings.Fields":           splitFields,
		CutBefore:                  cut(func(before, _ string, _ bool) *Value { return StrOf(before) }),
		CutAfter:                   cut(func(_, after string, _ bool) *Value { return StrOf(after) }),
		CutFound:                   cut(func(_, _ string, found bool) *Value { return BoolOf(found) }),
		"strings.ReplaceAll":       replaceAll,
		"strings.Join":             join,
		Substring:                  substring,
		"ttl.OneSecondFamily.Name": declaredName,
		"ttl.DefaultFamily.Name":   declaredName,
		"ttl.SequenceFamily.Name":  declaredName,
		"ttl.ZeroFamily.Name":      declaredName,
		"ttl.RealTimeFamily.Name":  declaredName,
		"ttl.Table.Name":           declaredName,
		"ttl.declaration.Name":     declaredName,
		DeclaredName:               declaredName,
		DeclaredColumn:             declaredArg("ttl.WrittenAt"),
		DeclaredLifetime:           declaredArg("ttl.OneSecond", "ttl.Default"),
		DeclaredShift:              declaredShift,
		Shifted:                    shifted,
		DeclaredVersions:           declaredArg("ttl.Sequence"),
		"time.Time.IsZero":         isZero,
		"bigtable.Timestamp.TruncateToMilliseconds": truncated,
		"time.Duration.Abs":                         nil,
		"time.Duration.Hours":                       inUnits(time.Hour),
		"time.Duration.Minutes":                     inUnits(time.Minute),
		"time.Duration.Seconds":                     inUnits(time.Second),
		"time.Duration.Milliseconds":                inWhole(time.Millisecond),
		"time.Duration.Microseconds":                inWhole(time.Microsecond),
		"durationpb.New":                            first,
		"durationpb.Duration.AsDuration":            first,
		"ptypes.DurationProto":                      first,
		"proto.Int64":                               first, "proto.Int32": first, "proto.String": first,
	}
}

func first(a []*Value) *Value { return a[0] }

// isConst reports whether v is a constant that can be compared.
func isConst(v *Value) bool {
	switch v.Kind {
	case Int, Float, Bool, Str, Nil:
		return true
	}
	return v.Is(Zero) || v.Is(ZeroTime)
}

func integer(f func(a, b int64) (int64, bool)) func([]*Value) *Value {
	return arith(f, nil)
}

// quotient leaves it open what a duration divided by 1000 or by a unit counts.
func quotient(divide func([]*Value) *Value) func([]*Value) *Value {
	return func(args []*Value) *Value {
		v := divide(args)
		if v != nil && v.Class == Duration && (args[1].Class == Duration || args[1].Num >= 1000) {
			v.Class = NoClass
		}
		return v
	}
}

func arith(f func(a, b int64) (int64, bool), g func(a, b float64) float64) func([]*Value) *Value {
	return func(args []*Value) *Value {
		a, b := args[0], args[1]
		if a.Kind == Int && b.Kind == Int {
			if n, ok := f(a.Num, b.Num); ok {
				v := IntOf(n)
				if v.Class = a.Class; v.Class == NoClass {
					v.Class = b.Class
				}
				return v
			}
		}
		if g != nil && a.Kind == Float && b.Kind == Float {
			return FloatOf(g(a.Float64(), b.Float64()))
		}
		return nil
	}
}

func add(a []*Value) *Value {
	if a[0].Kind == Str && a[1].Kind == Str {
		return StrOf(a[0].Name + a[1].Name)
	}
	return arith(func(a, b int64) (int64, bool) { return a + b, true }, func(a, b float64) float64 { return a + b })(a)
}

func equal(want bool) func([]*Value) *Value {
	return func(args []*Value) *Value {
		a, b := args[0].Base(), args[1].Base()
		if isConst(a) && isConst(b) && a.Kind == b.Kind {
			return BoolOf((a.Kind == Call && a.Name == b.Name || a.Name == b.Name && a.Num == b.Num) == want)
		}
		// The clock is neither 0 nor ServerTime.
		if a.Kind == Int && ofClock(b) || b.Kind == Int && ofClock(a) {
			return BoolOf(!want)
		}
		if v := counted(a, b, func(c int) bool { return (c == 0) == want }); v != nil {
			return v
		}
		// What was made is not nil.
		for _, p := range [][2]*Value{{a, args[1]}, {b, args[0]}} {
			if p[0].Kind == Nil && (p[1].Base().isMade() || p[1].neverNil()) {
				return BoolOf(!want)
			}
		}
		return nil
	}
}

func order(holds func(int) bool) func([]*Value) *Value {
	return func(a []*Value) *Value {
		switch {
		case a[0].Kind == Int && a[1].Kind == Int:
			switch {
			case a[0].Num < a[1].Num:
				return BoolOf(holds(-1))
			case a[0].Num > a[1].Num:
				return BoolOf(holds(1))
			}
			return BoolOf(holds(0))
		case a[0].Kind == Str && a[1].Kind == Str:
			return BoolOf(holds(strings.Compare(a[0].Name, a[1].Name)))
		case a[0].Kind == Float && a[1].Kind == Float:
			return BoolOf(holds(cmp.Compare(a[0].Float64(), a[1].Float64())))
		}
		return counted(a[0].Base(), a[1].Base(), holds)
	}
}

// extreme folds min, of sign −1, and max.
func extreme(sign int) func([]*Value) *Value {
	beyond := order(func(c int) bool { return c == sign })
	return func(a []*Value) *Value {
		most := a[0]
		for _, v := range a[1:] {
			is := beyond([]*Value{v, most})
			if is == nil {
				return nil
			}
			if is.Num != 0 {
				most = v
			}
		}
		return most
	}
}

// inUnits folds the length of a duration as a fraction of a unit, inWhole that
// in whole units.
func inUnits(unit time.Duration) func([]*Value) *Value {
	return func(a []*Value) *Value {
		if a[0].Kind != Int {
			return nil
		}
		return FloatOf(float64(a[0].Num) / float64(unit))
	}
}

func inWhole(unit time.Duration) func([]*Value) *Value {
	return func(a []*Value) *Value {
		if a[0].Kind != Int {
			return nil
		}
		return IntOf(a[0].Num / int64(unit))
	}
}

// ofClock reports whether a time or timestamp is read from the clock and
// moved by some duration.
func ofClock(v *Value) bool {
	for v = v.Base(); v.Kind == Call; v = v.Args[0].Base() {
		if v.ReadsClock() {
			return true
		}
		switch v.Name {
		case "bigtable.Time", "time.Time.Add", "time.Time.AddDate", "time.Time.UTC", "time.Time.Truncate", "time.Time.Round",
			"bigtable.Timestamp.TruncateToMilliseconds", "bigtable.Timestamp.Time", Once:
		default:
			return false
		}
		if len(v.Args) == 0 {
			return false
		}
	}
	return false
}

// declaredName returns the name of a family or table that is declared with
// the runtime package.
func declaredName(a []*Value) *Value {
	for v := a[0].Base(); (v.Kind == Call || v.Kind == Field) && len(v.Args) > 0; v = v.Args[0].Base() {
		if v.Args[0].Kind == Str {
			return v.Args[0]
		}
	}
	return nil
}

// truncated folds a constant timestamp as Bigtable stores it; the server's time
// stays what it is.
func truncated(a []*Value) *Value {
	ts := a[0].Base()
	if ts.Kind != Int {
		return nil
	}
	v := IntOf(ts.Num)
	v.Class = Timestamp
	if ts.Num != -1 {
		v.Num -= ts.Num % 1000
	}
	return v
}
