package gcpolicy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ttlvet/ttlvet/internal/value"
)

var (
	call = value.Apply
	num  = value.IntOf
	what = value.UnknownFor("reasons")
)

func dur(d time.Duration) *value.Value {
	v := num(int64(d))
	v.Class = value.Duration
	return v
}

func maxAge(d time.Duration) *value.Value   { return call("bigtable.MaxAgePolicy", dur(d)) }
func versions(n int64) *value.Value         { return call("bigtable.MaxVersionsPolicy", num(n)) }
func union(of ...*value.Value) *value.Value { return call("bigtable.UnionPolicy", value.ListOf(of...)) }
func both(of ...*value.Value) *value.Value {
	return call("bigtable.IntersectionPolicy", value.ListOf(of...))
}

func message(name string, fields ...any) *value.Value {
	v := &value.Value{Kind: value.Struct, Name: name}
	for i := 0; i < len(fields); i += 2 {
		v.Keys = append(v.Keys, fields[i].(string))
		v.Args = append(v.Args, fields[i+1].(*value.Value))
	}
	return v
}

// rule is the raw form of a policy: the message with its oneof.
func rule(kind, field string, v *value.Value) *value.Value {
	return message("adminpb.GcRule", "Rule", message("adminpb.GcRule_"+kind, field, v))
}

// show writes a policy in a form that a table can hold.
func show(p *Policy) string {
	if p == nil {
		return "nil"
	}
	sub := func() string {
		var s []string
		for _, q := range p.Sub {
			s = append(s, show(q))
		}
		return "(" + strings.Join(s, " ") + ")"
	}
	switch p.Op {
	case None:
		return "none"
	case MaxAge:
		if !p.AgeKnown {
			return "age ?"
		}
		return "age " + p.Age.String()
	case MaxVersions:
		return fmt.Sprint("versions ", p.N)
	case Union:
		return "union" + sub()
	case Intersection:
		return "both" + sub()
	}
	return "?"
}

func TestOf(t *testing.T) {
	rules := func(of ...*value.Value) *value.Value { return value.ListOf(of...) }
	for _, test := range []struct {
		v    *value.Value
		want string
	}{
		{value.NilValue(), "nil"},
		{value.ZeroOf(value.NoClass), "nil"},
		{what, "?"},
		{call("example.com/app.policy"), "?"},
		{call("bigtable.NoGcPolicy"), "none"},
		{maxAge(time.Second), "age 1s"},
		{value.ViaOf("p.T.f", maxAge(time.Second)), "age 1s"},
		{call("bigtable.MaxAgePolicy", what), "age ?"},
		{versions(3), "versions 3"},
		{call("bigtable.MaxVersionsPolicy", what), "versions -1"},
		{union(), "union()"},
		{union(maxAge(time.Hour), versions(1)), "union(age 1h0m0s versions 1)"},
		{both(maxAge(time.Hour), union(versions(1), versions(2))), "both(age 1h0m0s union(versions 1 versions 2))"},
		{union(maxAge(time.Hour), what), "union(age 1h0m0s ?)"},
		{union(maxAge(time.Hour), value.NilValue()), "union(age 1h0m0s)"},
		{union(call(value.Spread, what)), "union(?)"},
		{call("bigtable.UnionPolicy", what), "?"},
		{call("bigtable.UnionPolicy", value.NilValue()), "union()"},

		// The client's exported types.
		{message("bigtable.UnionGCPolicy", "Children", rules(maxAge(time.Hour))), "union(age 1h0m0s)"},
		{message("bigtable.UnionGCPolicy"), "union()"},
		{message("bigtable.IntersectionGCPolicy", "Children", rules(maxAge(time.Hour), versions(1))), "both(age 1h0m0s versions 1)"},
		{message("bigtable.IntersectionGCPolicy", "Children", what), "?"},

		// Raw messages.
		{message("adminpb.GcRule"), "none"},
		{rule("MaxNumVersions", "MaxNumVersions", num(2)), "versions 2"},
		{rule("MaxNumVersions", "MaxNumVersions", what), "versions -1"},
		{rule("MaxAge", "MaxAge", call("durationpb.New", dur(time.Minute))), "age 1m0s"},
		{rule("MaxAge", "MaxAge", message("durationpb.Duration", "Seconds", num(90), "Nanos", num(5))), "age 1m30.000000005s"},
		{rule("MaxAge", "MaxAge", message("durationpb.Duration")), "age 0s"},
		{rule("MaxAge", "MaxAge", message("durationpb.Duration", "Seconds", what)), "age ?"},
		{rule("Union_", "Union", message("adminpb.GcRule_Union", "Rules",
			rules(rule("MaxNumVersions", "MaxNumVersions", num(2)), rule("MaxAge", "MaxAge", call("durationpb.New", dur(1)))))),
			"union(versions 2 age 1ns)"},
		{rule("Intersection_", "Intersection", message("adminpb.GcRule_Intersection", "Rules", rules(rule("MaxNumVersions", "MaxNumVersions", num(2))))),
			"both(versions 2)"},
		{message("example.com/app.T"), "?"},
	} {
		if got := show(Of(test.v)); got != test.want {
			t.Errorf("%v = %s, want %s", test.v, got, test.want)
		}
	}
}

// TestWalk: an age in an intersection with something else deletes nothing by
// itself.
func TestWalk(t *testing.T) {
	for _, test := range []struct {
		v    *value.Value
		want string // the policies that delete by themselves
	}{
		{maxAge(time.Hour), "age 1h0m0s"},
		{union(maxAge(time.Hour), versions(1)), "union(age 1h0m0s versions 1), age 1h0m0s, versions 1"},
		{both(maxAge(time.Hour), versions(1)), "both(age 1h0m0s versions 1)"},
		{both(maxAge(time.Hour)), "both(age 1h0m0s), age 1h0m0s"},
		{both(union(maxAge(time.Hour)), versions(1)), "both(union(age 1h0m0s) versions 1)"},
		{union(both(maxAge(time.Hour), versions(2)), versions(1)), "union(both(age 1h0m0s versions 2) versions 1), both(age 1h0m0s versions 2), versions 1"},
	} {
		var deletes []string
		Of(test.v).Walk(func(q *Policy, d bool) {
			if d {
				deletes = append(deletes, show(q))
			}
		})
		if got := strings.Join(deletes, ", "); got != test.want {
			t.Errorf("of %v delete %s, want %s", test.v, got, test.want)
		}
	}
}

func TestOneSecond(t *testing.T) {
	for _, test := range []struct {
		v    *value.Value
		want bool
	}{
		{maxAge(time.Second), true},
		{maxAge(time.Millisecond), true},
		{maxAge(1001 * time.Millisecond), false},
		{union(maxAge(time.Second), versions(1)), true},
		{both(maxAge(time.Second)), true},
		{both(maxAge(time.Second), versions(1)), false},
		{versions(1), false},
		{call("bigtable.NoGcPolicy"), false},
		{call("bigtable.MaxAgePolicy", what), false},
		// A unit was forgotten: 90 days in seconds, 5 of something.
		{maxAge(7776000), false},
		{maxAge(5), false},
		{maxAge(0), false},
		{maxAge(-time.Second), false},
	} {
		if got := Of(test.v).OneSecond(); got != test.want {
			t.Errorf("%v: %t", test.v, got)
		}
	}
}

func TestSlip(t *testing.T) {
	for d, want := range map[time.Duration]bool{
		-time.Hour: true, 0: true, 1: true, 86400: true, time.Millisecond - 1: true, 1500 * time.Microsecond: true,
		time.Millisecond: false, 500 * time.Millisecond: false, time.Second: false, time.Second + 1: false, time.Hour: false,
	} {
		if Slip(d) != want {
			t.Errorf("Slip(%s) = %t", d, !want)
		}
	}
}

func TestKnown(t *testing.T) {
	for _, test := range []struct {
		v    *value.Value
		want bool
	}{
		{union(maxAge(time.Hour), versions(1)), true},
		{call("bigtable.MaxAgePolicy", what), true},
		{union(maxAge(time.Hour), what), false},
		{what, false},
	} {
		if got := Of(test.v).Known(); got != test.want {
			t.Errorf("%v: %t", test.v, got)
		}
	}
}
