// Package draft writes a registry from evidence: for each column family the
// strategy that its policies, writes and reads support, with what supports
// it, and both readings of what is open.
package draft

import (
	"fmt"
	"slices"
	"time"

	"github.com/ttlvet/ttlvet/internal/agreement"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// A reading is what the evidence for a family may mean.
type reading struct {
	strategy registry.Strategy
	ttl      time.Duration
	maxAge   time.Duration
	versions int
	why      string // what speaks for it, where it is one of several
}

func (r reading) same(q reading) bool {
	return r.strategy == q.strategy && r.ttl == q.ttl && r.maxAge == q.maxAge && r.versions == q.versions
}

// entry writes the reading as a value of ttlvet.yaml.
func (r reading) entry() string {
	s := "strategy: " + string(r.strategy)
	if r.ttl > 0 {
		s += ", ttl: " + registry.FormatDuration(r.ttl)
	}
	if r.maxAge > 0 {
		s += ", max-age: " + registry.FormatDuration(r.maxAge)
	}
	if r.versions > 0 {
		s += fmt.Sprintf(", versions: %d", r.versions)
	}
	return "{" + s + "}"
}

// A verdict is what is drafted for a family: one reading, or several of
// which none is certain enough.
type verdict struct {
	reading
	certain bool
	remark  string    // what to know of it
	others  []reading // of an open family: the candidates
}

// tally counts the evidence for a family.
type tally struct {
	kinds     map[evidence.WriteKind]int
	lifetimes map[time.Duration]bool
	live      bool
	ages      map[time.Duration]bool
	latest    map[int]bool
}

func (t *tally) n(k evidence.WriteKind) int { return t.kinds[k] }

func count(f *agreement.Family) *tally {
	t := &tally{map[evidence.WriteKind]int{}, map[time.Duration]bool{}, false, map[time.Duration]bool{}, map[int]bool{}}
	for _, w := range f.Writes {
		if w.Open && len(f.Writes) > 1 {
			continue // its callers are judged
		}
		t.kinds[w.Kind]++
		if w.Kind == evidence.Future {
			t.lifetimes[w.Lifetime] = true
		}
	}
	for _, r := range f.Reads {
		b := agreement.BoundOf(r, f.Name)
		t.live = t.live || b.Live
		if b.Age > 0 {
			t.ages[b.Age] = true
		}
		if b.Latest > 0 {
			t.latest[b.Latest] = true
		}
	}
	return t
}

// policies lists the different policies of a family that are known, and
// whether some statement of one is not.
func policies(f *agreement.Family) (list []*gcpolicy.Policy, unknown bool) {
	tested := true
	for _, s := range f.Settings {
		tested = tested && s.Test
	}
	for _, s := range f.Settings {
		if s.Policy == nil || s.Test && !tested {
			continue
		}
		if !s.Policy.Exact() {
			unknown = true
			continue
		}
		if slip(s.Policy) {
			continue
		}
		if !slices.ContainsFunc(list, s.Policy.Equal) {
			list = append(list, s.Policy)
		}
	}
	return list, unknown
}

// slip reports whether an age in the policy lacks its unit: it says nothing.
func slip(p *gcpolicy.Policy) bool {
	found := false
	p.Walk(func(q *gcpolicy.Policy, _ bool) {
		found = found || q.Op == gcpolicy.MaxAge && gcpolicy.Slip(q.Age)
	})
	return found
}

// decide drafts a family.
func decide(f *agreement.Family) verdict {
	t := count(f)
	list, unknown := policies(f)
	if len(list) == 0 {
		return withoutPolicy(t, unknown)
	}
	var found []verdict
	for _, p := range list {
		found = append(found, withPolicy(t, p))
	}
	if len(found) == 1 {
		return found[0]
	}
	// Several policies: those with which writes and reads agree decide, if
	// they decide alike.
	var agreed []verdict
	for _, v := range found {
		if v.certain && !slices.ContainsFunc(agreed, func(w verdict) bool { return w.same(v.reading) }) {
			agreed = append(agreed, v)
		}
	}
	if len(agreed) == 1 {
		if agreed[0].remark == "" {
			agreed[0].remark = "its policies differ"
		}
		return agreed[0]
	}
	if len(agreed) > 1 && !slices.ContainsFunc(agreed, func(v verdict) bool { return v.strategy != registry.Real }) {
		return verdict{reading: reading{strategy: registry.Real}, certain: true, remark: "its policies differ, so that no limit is registered"}
	}
	open := verdict{remark: "its policies differ"}
	for _, v := range found {
		for _, r := range append([]reading{v.reading}, v.others...) {
			if r.strategy != "" && !slices.ContainsFunc(open.others, r.same) {
				open.others = append(open.others, r)
			}
		}
	}
	return open
}

func sure(r reading, remark string) verdict {
	return verdict{reading: r, certain: true, remark: remark}
}

func open(remark string, others ...reading) verdict { return verdict{remark: remark, others: others} }

// limits returns the age and the number of versions by which a policy
// deletes, and whether it does so by both together.
func limits(p *gcpolicy.Policy) (age time.Duration, versions int, both bool) {
	p.Normal().Walk(func(q *gcpolicy.Policy, _ bool) {
		switch q.Op {
		case gcpolicy.MaxAge:
			age = q.Age
		case gcpolicy.MaxVersions:
			versions = q.N
		case gcpolicy.Intersection:
			both = true
		}
	})
	return age, versions, both
}

// withPolicy drafts a family whose policy is known.
func withPolicy(t *tally, p *gcpolicy.Policy) verdict {
	age, versions, both := limits(p)
	oneSecond := reading{strategy: registry.OneSecond, ttl: only(t.lifetimes), why: "its writers set the time of expiry"}
	number := reading{strategy: registry.Sequence, versions: max(versions, 1), why: "its writers set numbers"}
	zero := reading{strategy: registry.Zero, why: "its writers set 0"}
	real := reading{strategy: registry.Real, maxAge: age, versions: versions, why: "its writers set the time of writing"}
	byAge := reading{strategy: registry.Default, ttl: age, why: "the policy deletes by age"}
	expires := t.n(evidence.Future)
	clock := t.n(evidence.Clock)
	switch {
	case age > 0 && age <= time.Second && !both:
		if age < time.Second {
			oneSecond.maxAge = age
		}
		switch {
		case expires > 0 || t.n(evidence.Moved) > 0 || t.live:
			remark := ""
			if clock > 0 {
				remark = "writes with the current time are deleted at once"
			}
			if versions > 0 {
				remark = "the limit of versions is a mistake"
			}
			return sure(oneSecond, remark)
		case t.n(evidence.Number) > 0 || t.n(evidence.ZeroWrite) > 0:
			return open("the policy deletes what the writers write", oneSecond, pick(t, number, zero))
		case clock > 0:
			return open("the policy deletes what the writers write: either they mean something else, or it shall be gone at once", oneSecond)
		}
		return sure(oneSecond, "no write with a known timestamp was seen")
	case age > 0 && !both && versions == 0:
		return byAgeAlone(t, age, byAge, real, number, zero)
	case age > 0 && !both:
		switch {
		case t.n(evidence.Number) > 0 || t.n(evidence.ZeroWrite) > 0:
			return open("the age in the policy deletes what the writers write", pick(t, number, zero), real)
		case expires > 0:
			return open("the writers set a time of expiry, which the policy does not fit", oneSecond, byAge, real)
		}
		return sure(real, "")
	case age > 0:
		if t.n(evidence.Number) > 0 && t.n(evidence.Number) >= clock {
			return sure(number, "the age in the policy has no effect")
		}
		if t.n(evidence.ZeroWrite) > 0 || expires > 0 {
			return open("the writers and the policy do not fit", pick(t, oneSecond, zero), real)
		}
		return sure(real, "")
	case versions > 0:
		return byVersions(t, real, number, zero, oneSecond)
	}
	return withoutPolicy(t, false)
}

// pick returns zero where zeros are written, else the first.
func pick(t *tally, first, zero reading) reading {
	if t.n(evidence.ZeroWrite) > 0 {
		return zero
	}
	return first
}

func byAgeAlone(t *tally, age time.Duration, byAge, real, number, zero reading) verdict {
	artificial := t.n(evidence.Number) > 0 || t.n(evidence.ZeroWrite) > 0
	switch {
	case artificial:
		return open("the age in the policy deletes what the writers write", pick(t, number, zero), real)
	case t.ages[age]:
		remark := ""
		if t.n(evidence.Future) > 0 {
			remark = "writes that lie after now live longer than the default"
		}
		return sure(byAge, remark)
	case t.n(evidence.Future) > 0:
		one := reading{strategy: registry.OneSecond, ttl: only(t.lifetimes), why: "its writers set the time of expiry; the policy would have to be 1s"}
		return open("the writers set a time of expiry, and the policy keeps the cells for "+registry.FormatDuration(age)+" after it", one, byAge)
	case t.n(evidence.Shifted) > 0 || t.n(evidence.Moved) > 0:
		return open("the writers shift the time of writing, and no read asks for what is younger than the policy's age", byAge, real)
	case t.n(evidence.UnknownWrite) > 0 && t.n(evidence.Clock) == 0 && t.live:
		return open("the reads ask for what expires after now, which the policy does not fit", byAge, real)
	}
	return sure(real, "")
}

func byVersions(t *tally, real, number, zero, oneSecond reading) verdict {
	clock := t.n(evidence.Clock)
	n, z := t.n(evidence.Number), t.n(evidence.ZeroWrite)
	switch {
	case n > 0 && z > 0:
		return open("the writers do not agree", number, zero)
	case t.n(evidence.Future) > 0:
		return open("the writers set a time of expiry, and the policy deletes nothing by age", oneSecond, real)
	case n > 0 && n >= clock:
		return sure(number, "")
	case z > 0 && z >= clock:
		return sure(zero, "")
	case n > 0 || z > 0:
		return open("the writers do not agree", real, pick(t, number, zero))
	case t.live:
		return open("the reads ask for what expires after now, and the policy deletes nothing by age", oneSecond, real)
	case clock == 0 && t.n(evidence.UnknownWrite) > 0 && t.latest[real.versions]:
		return open("the timestamps of its writers are not known", real, number)
	case clock == 0 && t.n(evidence.UnknownWrite) > 0:
		return sure(real, "the timestamps of its writers are not known")
	}
	return sure(real, "")
}

// withoutPolicy drafts a family of which no policy is known, or that has
// none.
func withoutPolicy(t *tally, unknown bool) verdict {
	where := "no source gives it a policy"
	if unknown {
		where = "its policy is not known"
	}
	clock, n, z, expires := t.n(evidence.Clock), t.n(evidence.Number), t.n(evidence.ZeroWrite), t.n(evidence.Future)
	oneSecond := reading{strategy: registry.OneSecond, ttl: only(t.lifetimes), why: "its writers set the time of expiry"}
	number := reading{strategy: registry.Sequence, versions: max(1, onlyInt(t.latest)), why: "its writers set numbers"}
	zero := reading{strategy: registry.Zero, why: "its writers set 0"}
	real := reading{strategy: registry.Real, why: "its writers set the time of writing"}
	byAge := reading{strategy: registry.Default, ttl: only(t.ages), why: "its reads ask for what is younger"}
	deliberate := 0
	for _, k := range []int{n, z, expires} {
		if k > 0 {
			deliberate++
		}
	}
	switch {
	case deliberate > 1:
		var all []reading
		for _, c := range []struct {
			n int
			r reading
		}{{expires, oneSecond}, {n, number}, {z, zero}} {
			if c.n > 0 {
				all = append(all, c.r)
			}
		}
		return open("the writers do not agree; "+where, all...)
	case z > 0 && z >= clock:
		return sure(zero, where)
	case n > 0:
		return open(where+", and how many numbers it keeps is not known", number)
	case expires > 0 && t.live:
		return sure(oneSecond, where)
	case expires > 0:
		return open(where, oneSecond)
	case byAge.ttl > 0 && !t.live && (clock > 0 || t.n(evidence.Shifted) > 0):
		return sure(byAge, where)
	case t.live:
		return open(where+", and its reads ask for what expires after now", oneSecond)
	case clock > 0 && z == 0:
		return sure(real, "")
	case t.n(evidence.ServerSet) > 0:
		return sure(real, "it is only counted")
	case z > 0:
		return open("the writers do not agree; "+where, real, zero)
	}
	if t.n(evidence.Shifted)+t.n(evidence.Moved) > 0 {
		return open(where + ", and what its writers and readers do fits no strategy")
	}
	return open(where + ", and nothing is known of its writers")
}

// only returns the one duration of a set, 0 if there are several.
func only(set map[time.Duration]bool) time.Duration {
	if len(set) == 1 {
		for d := range set {
			return d
		}
	}
	return 0
}

func onlyInt(set map[int]bool) int {
	if len(set) == 1 {
		for n := range set {
			return n
		}
	}
	return 0
}
