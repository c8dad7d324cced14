package value

import "testing"

// given is the condition that an element is not its type's zero value.
var given = Apply(Neq, It, ZeroOf(NoClass))

func TestWhere(t *testing.T) {
	param := &Value{Kind: Param}
	where := func(list *Value) *Value { return Apply(Where, list, given, It) }
	for _, test := range []struct {
		v    *Value
		want string
	}{
		{where(ListOf(StrOf(""), StrOf("a"), StrOf("b"))), `["a", "b"]`},
		{where(ListOf(IntOf(0), IntOf(2))), `[2]`},
		{where(ListOf(NilValue(), Apply("bigtable.PassAllFilter"))), `[bigtable.PassAllFilter()]`},
		{where(NilValue()), `[]`},
		{where(param), `where($0, !=(an element, zero()), an element)`},
		{where(ListOf(param, StrOf("a"))), `[...(where([$0], !=(an element, zero()), an element)), "a"]`},
		{Apply(Index, where(ListOf(StrOf(""), StrOf("a"))), IntOf(0)), `"a"`},
		{Apply(Index, where(ListOf(param, StrOf("a"))), IntOf(0)), `[]([...(where([$0], !=(an element, zero()), an element)), "a"], 0)`},
		// The number of elements is known from below.
		{Apply(Gtr, Apply(Len, where(ListOf(param, StrOf("a")))), IntOf(0)), `true`},
		{Apply(Eql, Apply(Len, where(ListOf(param, StrOf("a")))), IntOf(0)), `false`},
		{Apply(Lss, IntOf(0), Apply(Len, where(ListOf(param, StrOf("a"))))), `true`},
		{Apply(Eql, Apply(Len, where(ListOf(param, StrOf("a")))), IntOf(1)), `==(len([...(where([$0], !=(an element, zero()), an element)), "a"]), 1)`},
		// What becomes known folds.
		{where(ListOf(param, StrOf("a"))).Subst(func(*Value) *Value { return StrOf("") }), `["a"]`},
		{where(param).Subst(func(leaf *Value) *Value {
			if leaf.Kind != Param {
				return nil
			}
			return ListOf(StrOf("x"), StrOf(""))
		}), `["x"]`},
	} {
		if got := test.v.String(); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

func TestSource(t *testing.T) {
	ttl := &Value{Kind: Global, Name: "ttl", Class: Duration}
	req := &Value{Kind: Global, Name: "req"}
	column := &Value{Kind: Field, Name: "example.com/p.Request.Column", Args: []*Value{req}}
	hour := &Value{Kind: Int, Class: Duration, Num: 3600e9}
	for _, test := range []struct {
		cond *Value
		want bool
		text string
	}{
		{Apply(Gtr, ttl, IntOf(0)), false, "ttl <= 0"},
		{Apply(Geq, ttl, hour), true, "ttl >= 1h0m0s"},
		{Apply(Neq, column, StrOf("")), true, `req.Column != ""`},
		{Apply(Not, Apply(Eql, column, NilValue())), true, "req.Column != nil"},
		{req, false, "!req"},
		{Apply(Or, Apply(Eql, Apply(Len, column), IntOf(1)), req), true, "len(req.Column) == 1 || req"},
		{Apply(Mul, Apply(Add, req, IntOf(1)), IntOf(2)), true, "(req + 1) * 2"},
		{Apply("time.Time.IsZero", req), false, "!req.IsZero()"},
		{Apply("strings.ToLower", column), true, "strings.ToLower(req.Column)"},
		{Apply(Index, req, StrOf("a")), true, `req["a"]`},
		{UnknownFor("anything"), true, "…"},
	} {
		if got := SourceOf(test.cond, test.want); got != test.text {
			t.Errorf("got %s, want %s", got, test.text)
		}
	}
}
