package summary_test

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

func param(n int64) *value.Value { return &value.Value{Kind: value.Param, Num: n} }

func guard(cond *value.Value, want bool) summary.Guard { return summary.Guard{Cond: cond, Want: want} }

// sample has something of everything that a summary can say.
var sample = &summary.Summary{
	Results: summary.Returning([]summary.ResultCase{
		{Guards: []summary.Guard{guard(param(0), true)}, Values: []*value.Value{value.StrOf("session"), value.NilValue()}},
		{Guards: []summary.Guard{guard(param(0), false)}, Values: []*value.Value{value.StrOf("token"), value.NilValue()}},
	}...),
	Effects: []summary.Effect{{
		Op: "bigtable.Mutation.Set", Where: "put.go:3", Depth: 1,
		Cases: []summary.Case{{Args: []*value.Value{param(1), value.StrOf("token")}, When: []summary.Guard{guard(param(2), true)}}},
	}},
	Rows:   []summary.RowUse{{Param: 3, Uses: summary.Uses{Families: []string{"token"}}}},
	Flows:  []summary.Flow{{From: 1, To: 0}, {From: -1, Site: "put.go:7:2", To: 0}},
	Checks: []summary.Check{{Param: 2}},
	Sets: []summary.FieldSet{
		{Param: 0, Field: "ttl", Value: value.IntOf(5), Guards: []summary.Guard{guard(param(1), false)}},
		{Param: 0, Field: "family"},
	},
}

// The text of a summary is what tests want: results, effects, and the rest.
func TestString(t *testing.T) {
	const want = `if $0 returns "session", nil; if !($0) returns "token", nil; ` +
		`if $2 bigtable.Mutation.Set($1, "token"); ` +
		`uses row $3 [token]; puts $1 in $0; puts its mutation in $0; checks $2; ` +
		`if !($1) sets $0.ttl to 5; sets $0.family to ?`
	if got := sample.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for fact, want := range map[fmt.Stringer]string{
		&summary.Summary{Holds: []*value.Value{value.StrOf("a"), value.IntOf(1)}}: `holds ("a", 1)`,
		&summary.Reach{}: "reaches Bigtable",
		&summary.Reach{Declared: make([]summary.Declared, 2), Shown: make([]summary.Shown, 1)}: "reaches Bigtable, declares 2 tables, shows 1 families",
	} {
		if got := fact.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// What drivers write is the same each time, and says the same when it is read
// again: the go command caches it by its bytes.
func TestEncoding(t *testing.T) {
	encode := func(s *summary.Summary) []byte {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(s); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	first := encode(sample)
	var back summary.Summary
	if err := gob.NewDecoder(bytes.NewReader(first)).Decode(&back); err != nil {
		t.Fatal(err)
	}
	if back.String() != sample.String() {
		t.Errorf("came back as\n%s", back.String())
	}
	if !bytes.Equal(encode(&back), first) || !bytes.Equal(encode(sample), first) {
		t.Error("the bytes differ from one time to the next")
	}
}

// Guards are kept once each, in an order of their own: two ways to one place
// differ in which condition they ask first.
func TestUniqueGuards(t *testing.T) {
	a, b := guard(param(0), true), guard(param(1), false)
	for _, guards := range [][]summary.Guard{{a, b}, {b, a}, {a, b, a}} {
		if got, want := summary.GuardString(summary.UniqueGuards(guards)), "if !($1) if $0 "; got != want {
			t.Errorf("%s becomes %s", summary.GuardString(guards), got)
		}
	}
}

// Uses of several places add up.
func TestUses(t *testing.T) {
	u := summary.Uses{Families: []string{"profile"}, Returned: true}
	u = u.With(summary.Uses{Families: []string{"token", "profile"}, Checked: true, Callback: 2})
	u.AddFamilyParam(1)
	u.AddFamilyParam(1)
	if got, want := fmt.Sprintf("%+v", u), "{Families:[profile token] All:false Exists:false Keys:false Checked:true CheckedOf:[] Perhaps:false Handed:[] Returned:false Around:false Callback:2 Yields:0 Kept:[] FamilyParams:[1] Given:[] InView:[] AnyInView:false}"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// What callers of a method name is no matter of its object; what the object names is.
func TestUsesOfObject(t *testing.T) {
	named := func(by *value.Value) summary.Uses {
		u := summary.Uses{AnyInView: true}
		u.AddFamilyParam(1)
		u.AddGiven(value.Apply(value.Method, value.StrOf("Family"), by))
		return u.OfObject()
	}
	if u := named(param(1)); u.AnyInView || len(u.FamilyParams) > 0 {
		t.Errorf("what an argument names: %+v", u)
	}
	if u := named(value.FieldOf(param(0), "p.T.entity", value.NoClass)); !u.AnyInView {
		t.Errorf("what a field names: %+v", u)
	}
}
