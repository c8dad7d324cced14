package gcpolicy

import (
	"testing"
	"time"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

func old(d time.Duration) *Policy  { return &Policy{Op: MaxAge, Age: d, AgeKnown: true} }
func kept(n int) *Policy           { return &Policy{Op: MaxVersions, N: n} }
func anyOf(sub ...*Policy) *Policy { return &Policy{Op: Union, Sub: sub} }
func allOf(sub ...*Policy) *Policy { return &Policy{Op: Intersection, Sub: sub} }

const week = 7 * 24 * time.Hour

func TestJudge(t *testing.T) {
	token := &strategy.Family{Strategy: strategy.OneSecond, MaxAge: time.Second}
	event := &strategy.Family{Strategy: strategy.Default, TTL: week, MaxAge: week}
	entry := &strategy.Family{Strategy: strategy.Sequence, Versions: 3}
	latest := &strategy.Family{Strategy: strategy.Zero}
	sample := &strategy.Family{Strategy: strategy.Real, MaxAge: week}
	meta := &strategy.Family{Strategy: strategy.Real, Versions: 2}
	both := &strategy.Family{Strategy: strategy.Real, MaxAge: week, Versions: 2}
	free := &strategy.Family{Strategy: strategy.Real}
	unknown := &Policy{}
	tests := []struct {
		family *strategy.Family
		policy *Policy
		want   string
	}{
		{token, old(time.Second), ""},
		{token, old(time.Millisecond), ""},
		{token, old(week), "age-mismatch"},
		{token, anyOf(old(time.Second), kept(1)), "versions-with-expiry"},
		{token, allOf(old(time.Second), kept(1)), "no-policy"},
		{token, kept(1), "no-policy"},
		{token, unknown, ""},
		{token, &Policy{Op: MaxAge}, ""},
		{event, old(week), ""},
		{event, old(time.Hour), "age-mismatch"},
		{event, &Policy{Op: None}, "no-policy"},
		{entry, kept(3), ""},
		{entry, anyOf(kept(3), kept(9)), ""},
		{entry, kept(1), "policy-mismatch"},
		{entry, kept(9), "policy-mismatch"},
		{entry, kept(-1), ""},
		{entry, old(week), "age-on-sequence"},
		{entry, allOf(old(week), kept(3)), "age-on-sequence"},
		{entry, &Policy{Op: None}, "no-policy"},
		{latest, old(week), "age-on-zero"},
		{latest, allOf(old(week), kept(1)), ""},
		{latest, kept(1), ""},
		{sample, old(week), ""},
		{sample, anyOf(old(week)), ""},
		{sample, old(time.Hour), "policy-mismatch"},
		{sample, kept(1), "policy-mismatch"},
		{sample, anyOf(old(week), kept(1)), "policy-mismatch"},
		{sample, allOf(old(week), kept(1)), "policy-mismatch"},
		{sample, &Policy{Op: None}, "policy-mismatch"},
		{meta, kept(2), ""},
		{meta, kept(3), "policy-mismatch"},
		{meta, old(week), "policy-mismatch"},
		{both, anyOf(kept(2), old(week)), ""},
		{both, allOf(old(week), kept(2)), ""},
		{both, old(week), "policy-mismatch"},
		{both, anyOf(old(week), unknown), ""},
		{free, old(week), ""},
	}
	for _, test := range tests {
		s := &Setting{Family: test.family, Name: "it", Policy: test.policy}
		got := ""
		if v := s.Judge(); v != nil {
			got = v.Category
		}
		if got != test.want {
			t.Errorf("%s of a %s family: %q, want %q", test.policy, test.family.Strategy, got, test.want)
		}
	}
}

func TestEqual(t *testing.T) {
	tests := []struct {
		p, q *Policy
		want bool
	}{
		{anyOf(old(week), kept(1)), anyOf(kept(1), old(week)), true},
		{anyOf(old(week)), old(week), true},
		{anyOf(anyOf(old(week), kept(2)), kept(1)), anyOf(kept(1), kept(2), old(week)), true},
		{allOf(old(week), kept(1)), anyOf(old(week), kept(1)), false},
		{anyOf(), &Policy{Op: None}, true},
		{&Policy{}, &Policy{}, false},
		{kept(-1), kept(-1), false},
		{anyOf(old(week), old(week)), old(week), true},
	}
	for _, test := range tests {
		if got := test.p.Equal(test.q); got != test.want {
			t.Errorf("%s equals %s: %t", test.p, test.q, got)
		}
	}
}
