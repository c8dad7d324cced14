package value

import (
	"bytes"
	"encoding/gob"
	"go/ast"
	"testing"
)

// bound binds the parameters to the arguments, in their order.
func bound(args ...*Value) func(*Value) *Value {
	return func(leaf *Value) *Value {
		if leaf.Kind == Param && int(leaf.Num) < len(args) {
			return args[leaf.Num]
		}
		return nil
	}
}

func param(n int64) *Value { return &Value{Kind: Param, Num: n} }

func TestSubst(t *testing.T) {
	field := &Value{Kind: Field, Name: "p.T.age", Class: Duration, Args: []*Value{p0}}
	for _, test := range []struct {
		v    *Value
		args []*Value
		want string
	}{
		{p0, []*Value{i(7)}, "7"},
		{p0, nil, "$0"},
		{i(7), []*Value{i(8)}, "7"},
		{Apply(Add, p0, i(1)), []*Value{i(7)}, "8"},
		{Apply(Add, p0, s("-ledger")), []*Value{s("eu")}, `"eu-ledger"`},
		{Apply(Not, Apply(Eql, p0, i(0))), []*Value{i(0)}, "false"},
		{Apply("bigtable.Time", Apply("time.Time.Add", now, p0)), []*Value{i(5)}, "bigtable.Time(time.Time.Add(time.Now(), 5))"},
		{field, []*Value{structOf("p.T", "age", i(5))}, "5"},
		{field, []*Value{structOf("p.T")}, "0"},
		{field, []*Value{param(3)}, "$3.age"},
		{ListOf(i(1), spread(p0)), []*Value{ListOf(i(2), i(3))}, "[1, 2, 3]"},
		{ListOf(i(1), spread(p0)), []*Value{NilValue()}, "[1]"},
		{ListOf(i(1), spread(p0)), []*Value{param(1)}, "[1, ...($1)]"},
		{via(p0), []*Value{i(1)}, "1 via p.T.f"},
		{via(p0), []*Value{via(i(1))}, "1 via p.T.f"},
		{structOf("p.T", "a", p0), []*Value{i(1)}, "p.T{a: 1}"},
		{Apply(Len, p0), []*Value{ListOf(i(1), i(2))}, "2"},
		{Apply(Index, mapOf(s("a"), i(1)), p0), []*Value{s("a")}, "1"},
	} {
		before := test.v.String()
		if got := test.v.Subst(bound(test.args...)); got.String() != test.want {
			t.Errorf("%v with %v = %v, want %s", test.v, test.args, got, test.want)
		}
		if after := test.v.String(); after != before {
			t.Errorf("Subst changed %s to %s", before, after)
		}
	}
}

// TestSubstKeeps: what tells places apart survives the binding of parameters,
// and a value in which nothing is bound is the same value.
func TestSubstKeeps(t *testing.T) {
	expr, site := ast.NewIdent("x"), new(int)
	v := &Value{Kind: Call, Name: "bigtable.Time", Class: Timestamp, Args: []*Value{p0}, Expr: expr, Site: site}
	got := v.Subst(bound(now))
	if got.Expr != expr || got.Site != any(site) || got.Class != Timestamp {
		t.Errorf("got expression %v, site %v, class %d", got.Expr, got.Site, got.Class)
	}
	if got := v.Subst(bound()); got != v {
		t.Errorf("nothing is bound, but %p becomes %p", v, got)
	}
	folded := Apply(Add, of(Duration, p0), i(1)).At(expr)
	folded.Class = Duration
	if got := folded.Subst(bound(i(2))); got.Class != Duration || got.Expr != expr || got.Num != 3 {
		t.Errorf("%v of class %d at %v", got, got.Class, got.Expr)
	}
}

// TestSubstLimit: a value that doubles with every call ends as unknown and
// not as a tree that fills the memory.
func TestSubstLimit(t *testing.T) {
	twice := &Value{Kind: Call, Name: "f", Args: []*Value{p0, p0}}
	v := twice
	for range 60 {
		v = v.Subst(bound(twice))
		if v.Size() > maxSize {
			t.Fatalf("a tree of %d values", v.Size())
		}
	}
	if v.Kind != Unknown {
		t.Errorf("the value is %v", v)
	}
}

func TestFieldOf(t *testing.T) {
	lazy := &Value{Kind: Struct, Name: "p.T", Lazy: func(name string) *Value {
		if name == "a" {
			return i(9)
		}
		return nil
	}}
	for _, test := range []struct {
		base  *Value
		key   string
		class Class
		want  string
	}{
		{structOf("p.T", "a", i(1), "b", i(2)), "p.T.b", NoClass, "2"},
		{via(structOf("p.T", "a", i(1))), "p.T.a", NoClass, "1"},
		{structOf("p.T"), "p.T.a", NoClass, "zero()"},
		{structOf("p.T"), "p.T.a", Duration, "0"},
		{structOf("p.T"), "p.T.a", Time, "time.Time{}()"},
		{lazy, "p.T.a", NoClass, "9"},
		{lazy, "p.T.b", NoClass, "p.T{…}.b"},
		{NilValue(), "p.T.a", NoClass, "?a field of nil"},
		{dunno, "p.T.a", NoClass, "?reasons.a"},
		{p0, "p.T.a", NoClass, "$0.a"},
		{via(p0), "p.T.a", NoClass, "$0 via p.T.f.a"},
	} {
		if got := FieldOf(test.base, test.key, test.class); got.String() != test.want {
			t.Errorf("FieldOf(%v, %s) = %v, want %s", test.base, test.key, got, test.want)
		}
	}
}

func TestPortable(t *testing.T) {
	v := &Value{Kind: Call, Name: "bigtable.Time", Class: Timestamp, Site: new(int), Expr: ast.NewIdent("x"),
		Args: []*Value{structOf("p.T", "a", via(p0.At(ast.NewIdent("y"))))}}
	w := v.Portable()
	if w.String() != v.String() || w.Class != v.Class {
		t.Errorf("%v became %v", v, w)
	}
	w.Walk(func(w *Value) {
		if w.Expr != nil || w.Site != nil || w.Lazy != nil {
			t.Errorf("%v keeps its place", w)
		}
	})
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(w); err != nil {
		t.Fatal(err)
	}
	var back Value
	if err := gob.NewDecoder(&b).Decode(&back); err != nil || back.String() != v.String() {
		t.Errorf("%v came back as %v, %v", v, &back, err)
	}
	if got := (&Value{Kind: Struct, Lazy: func(string) *Value { return nil }}).Portable(); got.Kind != Unknown {
		t.Errorf("a struct whose fields are resolved on demand became %v", got)
	}
}

func TestConstants(t *testing.T) {
	if n, ok := via(i(7)).IsInt(); n != 7 || !ok {
		t.Errorf("IsInt: %d, %t", n, ok)
	}
	if n, ok := zero.IsInt(); n != 0 || !ok {
		t.Errorf("IsInt of the zero value: %d, %t", n, ok)
	}
	if _, ok := s("7").IsInt(); ok {
		t.Error("a string is an integer")
	}
	if text, ok := via(s("a")).IsStr(); text != "a" || !ok {
		t.Errorf("IsStr: %q, %t", text, ok)
	}
	if text, ok := zero.IsStr(); text != "" || !ok {
		t.Errorf("IsStr of the zero value: %q, %t", text, ok)
	}
	if text, ok := UnknownFor("a parameter").IsStr(); text != "" || ok {
		t.Errorf("IsStr of what is not known: %q, %t", text, ok)
	}
	for _, test := range []struct {
		v             *Value
		known, params bool
	}{
		{ListOf(i(1), now), true, false},
		{ListOf(i(1), p0), false, true},
		{ListOf(dunno), false, false},
		{&Value{Kind: Global, Name: "p.x"}, false, false},
	} {
		if test.v.Known() != test.known || test.v.HasParams() != test.params {
			t.Errorf("%v: known %t, with parameters %t", test.v, test.v.Known(), test.v.HasParams())
		}
	}
}

// TestStringTellsApart holds the promise that equal strings mean equal
// values: the tracer drops values whose string it has seen.
func TestStringTellsApart(t *testing.T) {
	values := []*Value{
		i(1), FloatOf(1), s("1"), yes, s("true"), NilValue(), s("nil"), p0, s("$0"), ListOf(), mapOf(), structOf("p.T"),
		ListOf(i(1), i(2)), ListOf(ListOf(i(1)), i(2)), ListOf(s("a, b")), ListOf(s("a"), s("b")),
		structOf("p.T", "a", i(1)), structOf("p.T", "b", i(1)), structOf("p.U", "a", i(1)),
		Apply("f", i(1)), &Value{Kind: Func, Name: "f"}, via(i(1)), ViaOf("p.T.g", i(1)),
	}
	seen := map[string]*Value{}
	for _, v := range values {
		if w := seen[v.String()]; w != nil {
			t.Errorf("kinds %d and %d both write %s", v.Kind, w.Kind, v)
		}
		seen[v.String()] = v
	}
}

// What an operation folds to may be a part of a fact: it stays as it is.
func TestFoldingLeavesWhatItFoldsTo(t *testing.T) {
	said := &Value{Kind: Call, Name: "bigtable.Now"}
	reading := &Value{Kind: Call, Name: Clock, Args: []*Value{{Kind: Call, Name: Invoke, Args: []*Value{UnknownFor("f")}}}, Class: Timestamp, Expr: ast.NewIdent("now"), Site: "here"}
	w := reading.Rewrite(func(v *Value) *Value {
		if v.Is(Invoke) {
			return said
		}
		return nil
	})
	if w.Name != "bigtable.Now" || w.Class != Timestamp || w.Expr == nil {
		t.Errorf("folded to %+v", w)
	}
	if w := reading.Reapply(said); w.Name != "bigtable.Now" || w.Site != "here" {
		t.Errorf("applied anew: %+v", w)
	}
	if said.Class != NoClass || said.Expr != nil || said.Site != nil {
		t.Errorf("what it folded to was changed: %+v", said)
	}
}

// A value whose parts are shared is found too large without going through all of
// them, which would not end.
func TestTooLarge(t *testing.T) {
	v := param(0)
	for range 3 {
		v = ListOf(v, v)
	}
	if v.TooLarge() {
		t.Errorf("%d parts are too many", v.Size())
	}
	for range 200 {
		v = ListOf(v, v)
	}
	if !v.TooLarge() {
		t.Error("2^200 parts are few enough")
	}
}
