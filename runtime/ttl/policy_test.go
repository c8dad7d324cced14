package ttl

import (
	"math/rand/v2"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
)

// deletes says what a policy does, by its definition.
func deletes(p bigtable.GCPolicy, age time.Duration, newer int) bool {
	switch p := p.(type) {
	case bigtable.MaxAgeGCPolicy:
		return age > time.Duration(p)
	case bigtable.MaxVersionsGCPolicy:
		return newer >= int(p)
	case bigtable.UnionGCPolicy:
		for _, c := range p.Children {
			if deletes(c, age, newer) {
				return true
			}
		}
		return false
	case bigtable.IntersectionGCPolicy:
		for _, c := range p.Children {
			if !deletes(c, age, newer) {
				return false
			}
		}
		return true
	}
	return false
}

func randomPolicy(r *rand.Rand, depth int) bigtable.GCPolicy {
	if depth == 0 || r.IntN(3) == 0 {
		if r.IntN(2) == 0 {
			return bigtable.MaxAgePolicy(time.Duration(2+r.IntN(5)) * time.Minute)
		}
		return bigtable.MaxVersionsPolicy(1 + r.IntN(4))
	}
	children := make([]bigtable.GCPolicy, 1+r.IntN(3))
	for i := range children {
		children[i] = randomPolicy(r, depth-1)
	}
	if r.IntN(2) == 0 {
		return bigtable.UnionPolicy(children...)
	}
	return bigtable.IntersectionPolicy(children...)
}

// A rule is what its policy is: what it deletes, and which other rules delete
// no less, or the same.
func TestRule(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	now := time.UnixMilli(1e12)
	type outcome [8][6]bool // by minutes of age, by newer cells
	of := func(p bigtable.GCPolicy) (all outcome) {
		for age := range all {
			for newer := range all[age] {
				all[age][newer] = deletes(p, time.Duration(age)*time.Minute, newer)
			}
		}
		return all
	}
	var last bigtable.GCPolicy = bigtable.NoGcPolicy()
	for range 20000 {
		p := randomPolicy(r, 3)
		want, before := of(p), of(last)
		covers := true
		for age := range want {
			for newer, deleted := range want[age] {
				ts := bigtable.Time(now.Add(time.Duration(-age) * time.Minute))
				if got := ruleOf(p).end(ts, newer) < now.UnixMicro(); got != deleted {
					t.Fatalf("%v, as a rule %v: a cell of %d minutes, with %d newer, deleted: %v", p, ruleOf(p), age, newer, got)
				}
				covers = covers && (deleted || !before[age][newer])
			}
		}
		if got := ruleOf(p).covers(ruleOf(last)); got != covers {
			t.Fatalf("%v covers %v: %v", p, last, got)
		}
		if got := ruleOf(p).same(ruleOf(last)); got != (want == before) {
			t.Fatalf("%v is %v: %v", p, last, got)
		}
		last = p
	}
}
