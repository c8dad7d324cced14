package gcpolicy

import (
	"testing"
	"time"
)

func TestKeeps(t *testing.T) {
	age := func(d time.Duration) *Policy { return &Policy{Op: MaxAge, Age: d, AgeKnown: true} }
	versions := func(n int) *Policy { return &Policy{Op: MaxVersions, N: n} }
	group := func(op Op, sub ...*Policy) *Policy { return &Policy{Op: op, Sub: sub} }
	never := &Policy{Op: None}
	for _, test := range []struct {
		p, other *Policy
		want     bool
	}{
		{age(time.Hour), age(time.Minute), true},
		{age(time.Minute), age(time.Hour), false},
		{age(time.Minute), age(time.Minute), true},
		{versions(3), versions(1), true},
		{versions(1), versions(3), false},
		{versions(3), age(time.Hour), false},
		{age(time.Hour), versions(3), false},
		{never, age(time.Hour), true},
		{age(time.Hour), never, false},
		{age(time.Second), group(Union, age(time.Second), versions(1)), true},
		{group(Union, age(time.Second), versions(1)), age(time.Second), false},
		{group(Intersection, age(time.Second), versions(1)), age(time.Second), true},
		{age(time.Second), group(Intersection, age(time.Second), versions(1)), false},
		{group(Intersection), age(time.Second), true},
		{age(time.Hour), &Policy{Op: MaxAge}, false},
		{age(time.Hour), &Policy{}, false},
	} {
		if got := test.p.Keeps(test.other); got != test.want {
			t.Errorf("%s keeps what %s keeps: %v, want %v", test.p, test.other, got, test.want)
		}
	}
}
