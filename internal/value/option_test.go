package value

import "testing"

func TestOptioned(t *testing.T) {
	set := func(field string, v *Value) *Value { return Setter(&Value{Kind: Func}, []string{field}, []*Value{v}) }
	nothing := Setter(&Value{Kind: Func}, nil, nil)
	for _, test := range []struct {
		name string
		list *Value
		want string
	}{
		{"none", ListOf(), `"before"`},
		{"nil", NilValue(), `"before"`},
		{"one", ListOf(set("family", s("a"))), `"a"`},
		{"the last", ListOf(set("family", s("a")), set("family", s("b"))), `"b"`},
		{"another field", ListOf(set("ts", i(1)), nothing), `"before"`},
		{"a nil option", ListOf(set("family", s("a")), NilValue()), `"a"`},
		{"anything", ListOf(set("family", s("a")), set(AnyField, dunno)), dunno.String()},
		{"one that runs others", ListOf(set("family", s("a")), set(AnyField, ListOf(set("family", s("b")), set("ts", i(1))))), `"b"`},
		{"one that runs others of other fields", ListOf(set("family", s("a")), set(AnyField, ListOf(set("ts", i(1))))), `"a"`},
		{"one that runs what is not known", ListOf(set(AnyField, p0)), `optioned("before", $0, "family")`},
		{"the whole of it", ListOf(set("family.name", s("a"))), `?a field that a functional option may set`},
		{"known after unknown", ListOf(spread(p0), set("family", s("a"))), `"a"`},
		{"unknown after known", ListOf(set("family", s("a")), spread(p0)), `optioned("before", [(family: "a"), ...($0)], "family")`},
		{"a parameter", p0, `optioned("before", $0, "family")`},
	} {
		v := Apply(Optioned, s("before"), test.list, s("family"))
		if got := v.String(); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	more := set("families", ListOf(spread(Before), s("b")))
	grown := Apply(Optioned, ListOf(s("a")), ListOf(more, set("ts", i(1)), more), s("families"))
	if got := grown.String(); got != `["a", "b", "b"]` {
		t.Errorf("options that append: %s", got)
	}
	late := Apply(Optioned, s("before"), p0, s("family")).Subst(func(*Value) *Value { return ListOf(set("family", s("late"))) })
	if got := late.String(); got != `"late"` {
		t.Errorf("a parameter that becomes known: %s", got)
	}
}
