package value

import (
	"math"
	"testing"
)

// Short names for the tables below.
var (
	i     = IntOf
	s     = StrOf
	yes   = BoolOf(true)
	no    = BoolOf(false)
	dunno = UnknownFor("reasons")
	p0    = &Value{Kind: Param, Num: 0}
	now   = Apply("time.Now")
	zeroT = ZeroOf(Time)
	zero  = ZeroOf(NoClass)
)

func of(class Class, v *Value) *Value {
	c := *v
	c.Class = class
	return &c
}

func via(v *Value) *Value { return ViaOf("p.T.f", v) }

func structOf(name string, fields ...any) *Value {
	v := &Value{Kind: Struct, Name: name}
	for n := 0; n < len(fields); n += 2 {
		v.Keys = append(v.Keys, fields[n].(string))
		v.Args = append(v.Args, fields[n+1].(*Value))
	}
	return v
}

func mapOf(entries ...*Value) *Value { return &Value{Kind: Map, Args: entries} }

func spread(list *Value) *Value { return &Value{Kind: Call, Name: Spread, Args: []*Value{list}} }

func TestApply(t *testing.T) {
	call := func(name string, args ...*Value) *Value { return &Value{Kind: Call, Name: name, Args: args} }
	for _, test := range []struct {
		name string
		args []*Value
		want *Value
	}{
		{Add, []*Value{i(2), i(3)}, i(5)},
		{Add, []*Value{s("a"), s("b")}, s("ab")},
		{Add, []*Value{FloatOf(1.5), FloatOf(2)}, FloatOf(3.5)},
		{Add, []*Value{i(2), p0}, call(Add, i(2), p0)},
		{Sub, []*Value{i(2), i(3)}, i(-1)},
		{Mul, []*Value{i(-4), i(3)}, i(-12)},
		{Mul, []*Value{FloatOf(0.5), FloatOf(3)}, FloatOf(1.5)},
		{Mul, []*Value{i(math.MaxInt64), i(2)}, call(Mul, i(math.MaxInt64), i(2))},
		{Quo, []*Value{i(-7), i(2)}, i(-3)},
		{Quo, []*Value{FloatOf(7), FloatOf(2)}, FloatOf(3.5)},
		{Quo, []*Value{i(7), i(0)}, call(Quo, i(7), i(0))},
		{Rem, []*Value{i(-7), i(2)}, i(-1)},
		{Rem, []*Value{i(7), i(0)}, call(Rem, i(7), i(0))},
		{BitAnd, []*Value{i(6), i(3)}, i(2)},
		{BitOr, []*Value{i(6), i(3)}, i(7)},
		{BitXor, []*Value{i(6), i(3)}, i(5)},
		{BitClear, []*Value{i(6), i(3)}, i(4)},
		{Min, []*Value{i(3), i(-4), i(5)}, i(-4)},
		{Max, []*Value{s("a"), s("b")}, s("b")},
		{Max, []*Value{i(3), p0}, call(Max, i(3), p0)},
		{Shl, []*Value{i(3), i(4)}, i(48)},
		{Shl, []*Value{i(3), i(64)}, call(Shl, i(3), i(64))},
		{Shr, []*Value{i(48), i(4)}, i(3)},
		{Shr, []*Value{i(48), i(-1)}, call(Shr, i(48), i(-1))},

		{Eql, []*Value{i(1), i(1)}, yes},
		{Eql, []*Value{i(1), i(2)}, no},
		{Neq, []*Value{s("a"), s("b")}, yes},
		{Eql, []*Value{via(s("a")), s("a")}, yes},
		{Eql, []*Value{NilValue(), NilValue()}, yes},
		{Eql, []*Value{i(1), p0}, call(Eql, i(1), p0)},
		{Eql, []*Value{zeroT, zeroT}, yes},
		{Eql, []*Value{zeroT, zero}, yes},
		{Eql, []*Value{Apply("bigtable.Now"), i(-1)}, no},
		{Neq, []*Value{i(0), Apply("bigtable.Time", Apply("time.Time.Add", now, p0))}, yes},
		{Eql, []*Value{i(0), Apply("bigtable.Time", p0)}, call(Eql, i(0), Apply("bigtable.Time", p0))},
		{Neq, []*Value{ListOf(), NilValue()}, yes},
		{Eql, []*Value{NilValue(), structOf("p.T")}, no},
		{Eql, []*Value{NilValue(), p0}, call(Eql, NilValue(), p0)},

		{Lss, []*Value{i(1), i(2)}, yes},
		{Lss, []*Value{i(2), i(2)}, no},
		{Leq, []*Value{i(2), i(2)}, yes},
		{Gtr, []*Value{s("b"), s("a")}, yes},
		{Geq, []*Value{s("a"), s("b")}, no},
		{Gtr, []*Value{s("b"), i(1)}, call(Gtr, s("b"), i(1))},
		{Not, []*Value{yes}, no},
		{Not, []*Value{p0}, call(Not, p0)},

		{Len, []*Value{s("äb")}, i(3)},
		{Len, []*Value{NilValue()}, i(0)},
		{Len, []*Value{via(ListOf(p0, p0))}, i(2)},
		{Len, []*Value{ListOf(spread(p0))}, call(Len, ListOf(spread(p0)))},
		{Len, []*Value{mapOf(s("a"), i(1), s("b"), i(2))}, i(2)},
		{Index, []*Value{ListOf(s("a"), s("b")), i(1)}, s("b")},
		{Index, []*Value{ListOf(s("a"), spread(p0)), i(0)}, s("a")},
		{Index, []*Value{ListOf(spread(p0), s("a")), i(1)}, call(Index, ListOf(spread(p0), s("a")), i(1))},
		{Index, []*Value{ListOf(s("a")), p0}, call(Index, ListOf(s("a")), p0)},
		{Index, []*Value{mapOf(s("k"), i(7), s("l"), i(8)), s("l")}, i(8)},
		{Index, []*Value{mapOf(s("k"), i(7)), s("x")}, zero},
		{Index, []*Value{mapOf(p0, i(7), s("k"), i(8)), s("k")}, call(Index, mapOf(p0, i(7), s("k"), i(8)), s("k"))},

		{"strings.ToLower", []*Value{s("AbC")}, s("abc")},
		{"strings.ToUpper", []*Value{s("AbC")}, s("ABC")},
		{"strings.TrimSpace", []*Value{s(" a ")}, s("a")},
		{"regexp.QuoteMeta", []*Value{s("a.b")}, s(`a\.b`)},
		{"strings.Join", []*Value{ListOf(s("a"), s("b"), s("c")), s("|")}, s("a|b|c")},
		{"strings.Join", []*Value{ListOf(), s("|")}, s("")},
		{"strings.Join", []*Value{ListOf(s("a"), p0), s("|")}, Apply(Add, s("a|"), p0)},
		{"strings.Join", []*Value{ListOf(spread(p0)), s("|")}, call("strings.Join", ListOf(spread(p0)), s("|"))},

		{Sprint, []*Value{s("%s-%d%%"), ListOf(s("a"), i(7))}, s("a-7%")},
		{Sprint, []*Value{s("%v %v %t"), ListOf(of(Duration, i(1e9)), yes, no)}, s("1s true false")},
		{Sprint, []*Value{s("%05d|%-4s|%q"), ListOf(i(42), s("x"), s("y"))}, s(`00042|x   |"y"`)},
		{Sprint, []*Value{s("plain"), ListOf()}, s("plain")},
		{Sprint, []*Value{s("%s-t"), ListOf(p0)}, Apply(Add, Apply(Add, s(""), p0), s("-t"))},
		{Sprint, []*Value{s("%d"), ListOf()}, call(Sprint, s("%d"), ListOf())},
		{Sprint, []*Value{s("%*d"), ListOf(i(1), i(2))}, call(Sprint, s("%*d"), ListOf(i(1), i(2)))},
		{Sprint, []*Value{p0, ListOf()}, call(Sprint, p0, ListOf())},

		{"ttl.Table.Name", []*Value{Apply("ttl.NewTable", s("sessions"), ListOf())}, s("sessions")},
		{"ttl.OneSecondFamily.Name", []*Value{Apply("ttl.OneSecondFamily.MaxAge", Apply("ttl.OneSecond", s("token"), i(1)), i(2))}, s("token")},
		{"ttl.Family.Name", []*Value{p0}, call("ttl.Family.Name", p0)},
		{"time.Time.IsZero", []*Value{zeroT}, yes},
		{"time.Time.IsZero", []*Value{Apply("time.Time.Add", now, p0)}, no},
		{"time.Time.IsZero", []*Value{p0}, call("time.Time.IsZero", p0)},
		{"durationpb.New", []*Value{of(Duration, i(5))}, of(Duration, i(5))},
		{"time.Duration.Abs", []*Value{i(-5)}, call("time.Duration.Abs", i(-5))},
	} {
		got := Apply(test.name, test.args...)
		if got.String() != test.want.String() || got.Kind != test.want.Kind {
			t.Errorf("%s%v = %v, want %v", test.name, test.args, got, test.want)
		}
	}
}

// TestApplyClass keeps the class of arithmetic on constants: without it a
// duration would be read as a number of microseconds.
func TestApplyClass(t *testing.T) {
	for _, test := range []struct {
		got  *Value
		want Class
	}{
		{Apply(Mul, i(30), of(Duration, i(60e9))), Duration},
		{Apply(Mul, of(Duration, i(60e9)), i(30)), Duration},
		{Apply(Add, of(Timestamp, i(1)), i(1)), Timestamp},
		{Apply(Add, i(1), i(1)), NoClass},
	} {
		if test.got.Class != test.want {
			t.Errorf("%v has class %d, want %d", test.got, test.got.Class, test.want)
		}
	}
}

func TestConcat(t *testing.T) {
	for _, test := range []struct {
		a, b *Value
		want string
	}{
		{ListOf(i(1)), ListOf(i(2), i(3)), "[1, 2, 3]"},
		{NilValue(), ListOf(i(2)), "[2]"},
		{ListOf(i(1)), NilValue(), "[1]"},
		{NilValue(), NilValue(), "[]"},
		{via(ListOf(i(1))), ListOf(i(2)), "[1, 2]"},
		{p0, ListOf(i(2)), "[...($0), 2]"},
		{ListOf(i(1), spread(ListOf(i(2), spread(p0)))), ListOf(i(3)), "[1, 2, ...($0), 3]"},
	} {
		got := Concat(test.a, test.b)
		if got.String() != test.want {
			t.Errorf("Concat(%v, %v) = %v, want %s", test.a, test.b, got, test.want)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, test := range []struct {
		v    *Value
		want string
	}{
		{s("sessions"), "sessions"},
		{via(s("sessions")), "sessions"},
		{Apply(Add, p0, s("-ledger")), "*-ledger"},
		{Apply(Add, Apply(Add, s("eu-"), p0), s("-ledger")), "eu-*-ledger"},
		{Apply(Add, Apply(Add, p0, dunno), s("-x")), "*-x"},
		{Apply(Sprint, s("%s-%s-ledger"), ListOf(s("eu"), p0)), "eu-*-ledger"},
		{Apply(Sprint, s("t%d"), ListOf(p0)), "t*"},
		{p0, ""},
		{Apply(Add, p0, p0), ""},
		{zero, ""},
	} {
		if got := Glob(test.v); got != test.want {
			t.Errorf("Glob(%v) = %q, want %q", test.v, got, test.want)
		}
	}
}
