package value

import "testing"

// What is in an interface tells its type, itself or, of a struct, by its name; what is
// bound to a leaf takes the type on with which the leaf was put in.
func TestDynamic(t *testing.T) {
	lifetime := &Value{Kind: Param, Class: Duration}
	for _, c := range []struct {
		name string
		in   *Value
		op   string
		of   string
		want string
	}{
		{"its type", IntOf(5).OfType("int"), Holds, "int", "true"},
		{"another", IntOf(5).OfType("int"), Holds, "time.Duration", "false"},
		{"a pointer", lifetime.OfType("*p.T"), Holds, "p.T", "false"},
		{"or a pointer", lifetime.OfType("*p.T"), Is, "p.T", "true"},
		{"a struct", &Value{Kind: Struct, Name: "p.T"}, Holds, "*p.T", "true"},
		{"another struct", &Value{Kind: Struct, Name: "p.T"}, Holds, "p.U", "false"},
		{"nothing", NilValue(), Holds, "p.T", "false"},
		{"a nil pointer", NilValue().OfType("*p.T"), Holds, "*p.T", "true"},
		{"by way of a handle", ViaOf("p.f", IntOf(5).OfType("int")), Holds, "int", "true"},
		{"not known", lifetime, Holds, "p.T", `holds($0, "p.T")`},
	} {
		if got := Apply(c.op, c.in, StrOf(c.of)).String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	bound := lifetime.OfType("p.T").Subst(func(*Value) *Value { return IntOf(5) })
	if got := Apply(Holds, bound, StrOf("p.T")).String(); got != "true" {
		t.Errorf("what is bound: %s", got)
	}
	if got := Apply(Eql, lifetime.OfType("time.Duration"), NilValue()).String(); got != "false" {
		t.Errorf("a duration in an interface is nil: %s", got)
	}
	for of, want := range map[string]string{"string": "false", "*p.T": "==(nil, ?text)", "p.Func": "==(nil, ?text)"} {
		if got := Apply(Eql, NilValue(), UnknownFor("text").OfType(of)).String(); got != want {
			t.Errorf("what is in an interface as a %s is nil: %s", of, got)
		}
	}
	if got := bound.Portable().Dynamic; got != "p.T" {
		t.Errorf("in a fact: %q", got)
	}
}

func TestTexts(t *testing.T) {
	list := ListOf(StrOf("a"), StrOf("b"))
	open := ListOf(StrOf("a"), &Value{Kind: Param})
	for _, c := range []struct {
		got  *Value
		want string
	}{
		{Apply(CutBefore, StrOf("a:b"), StrOf(":")), `"a"`},
		{Apply(CutAfter, StrOf("a:b"), StrOf(":")), `"b"`},
		{Apply(CutFound, StrOf("ab"), StrOf(":")), "false"},
		{Apply("strings.Split", StrOf("a/b"), StrOf("/")), `["a", "b"]`},
		{Apply("strings.SplitN", StrOf("a/b/c"), StrOf("/"), IntOf(2)), `["a", "b/c"]`},
		{Apply("strings.Fields", StrOf(" a  b ")), `["a", "b"]`},
		{Apply("strings.IndexByte", StrOf("a:b"), IntOf(':')), "1"},
		{Apply("strings.LastIndex", StrOf("a/b/c"), StrOf("/")), "3"},
		{Apply("strings.HasSuffix", StrOf("ab"), StrOf("b")), "true"},
		{Apply("slices.Contains", list, StrOf("b")), "true"},
		{Apply("slices.Contains", list, StrOf("c")), "false"},
		{Apply("slices.Index", list, StrOf("b")), "1"},
		{Apply("slices.Contains", NilValue(), StrOf("c")), "false"},
		{Apply("slices.Contains", open, StrOf("a")), "true"},
		{Apply("slices.Contains", open, StrOf("b")), `slices.Contains(["a", $0], "b")`},
	} {
		if got := c.got.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
