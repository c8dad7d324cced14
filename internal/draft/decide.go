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
	n       int       // what is stated of policies that fit it
}

func sure(r reading, remark string) verdict {
	return verdict{reading: r, certain: true, remark: remark}
}

func open(remark string, others ...reading) verdict { return verdict{remark: remark, others: others} }

// decide drafts a family. What it decides, most of the evidence says: policies,
// writes and reads together.
func decide(f *agreement.Family) verdict {
	t, p := count(f), policies(f)
	if p.n == 0 {
		return withoutPolicy(t, p)
	}
	var found []verdict
	for _, q := range p.list {
		v := withPolicy(t, q, p)
		v.n = q.n
		if v.certain && q.n*3 > p.n*2 {
			return among(v, p)
		}
		found = append(found, v)
	}
	if len(found) == 1 {
		return found[0]
	}
	// Several policies: those with which writes and reads agree decide, if
	// they decide alike.
	agreed, several := verdict{}, false
	for _, v := range found {
		switch {
		case !v.certain, v.remark == unseen: // which of them is meant, nothing says
		case !agreed.certain:
			agreed = v
		case agreed.strategy == v.strategy:
			agreed.n += v.n
			several = several || !agreed.same(v.reading)
		default:
			return differing(found)
		}
	}
	switch {
	case !agreed.certain || agreed.n*3 < p.n:
	case agreed.strategy == registry.Real:
		if t.n(evidence.Clock) > 2 && t.live+len(t.ages) == 0 {
			return among(agreed, p)
		}
	case !several || agreed.strategy == registry.OneSecond:
		if several {
			agreed.maxAge = 0
		}
		return among(agreed, p)
	}
	return differing(found)
}

// among is what one of several policies decides.
func among(v verdict, p statedPolicies) verdict {
	switch {
	case len(p.list) == 1:
	case v.strategy == registry.Real:
		v = sure(reading{strategy: registry.Real}, "its policies differ, so that no limit is registered")
	case v.remark == "":
		v.remark = "its policies differ"
	}
	return v
}

// differing is what is open because policies differ.
func differing(found []verdict) verdict {
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

// withPolicy drafts a family for one of its policies.
func withPolicy(t *tally, q *stated, p statedPolicies) verdict {
	age, versions, both := limits(q.Policy)
	r := readings(t, p)
	r.real.maxAge, r.real.versions = age, versions
	r.number.versions = max(versions, 1)
	r.byAge = reading{strategy: registry.Default, ttl: age, why: "the policy deletes by age"}
	switch {
	case age > 0 && age <= time.Second && !both:
		if age < time.Second {
			r.oneSecond.maxAge = age
		}
		return byOneSecond(t, r, versions)
	case t.mostly(evidence.Number):
		return r.numbers(t, p, age > 0 && !both && versions == 0)
	case t.zeros():
		if age > 0 {
			return open("the age in the policy deletes what the writers write", r.zero, r.real)
		}
		return sure(r.zero, "")
	case age > 0 && !both && versions == 0:
		return byAgeAlone(t, age, r, r.limited(q, p))
	case t.n(evidence.Future) > 0 && !t.mostly(evidence.Clock):
		return open("the writers set a time of expiry, which the policy does not fit", r.written(t, r.oneSecond, r.real)...)
	case t.live > 0 && !t.mostly(evidence.Clock):
		return open("the reads ask for what expires after now, and the policy deletes nothing by age alone", r.written(t, r.oneSecond, r.real)...)
	case t.onlyClock():
		return sure(r.limited(q, p), "")
	case t.n(evidence.Number, evidence.ZeroWrite, evidence.Clock, evidence.Shifted, evidence.Moved, evidence.Sloppy) > 0:
		return open("the writers do not agree", r.written(t, r.real)...)
	}
	return open("the timestamps of its writers are not known", r.real, r.number)
}

// candidates are the readings of a family.
type candidates struct{ oneSecond, byAge, number, zero, real reading }

func readings(t *tally, p statedPolicies) candidates {
	versions := p.versions()
	if versions == 0 && len(t.latest) == 1 {
		for versions = range t.latest {
		}
	}
	return candidates{
		oneSecond: reading{strategy: registry.OneSecond, ttl: t.lifetime(false), why: "its writers set the time of expiry"},
		byAge:     reading{strategy: registry.Default, ttl: t.age(), why: "its reads ask for what is younger"},
		number:    reading{strategy: registry.Sequence, versions: max(1, versions), why: "its writers set numbers"},
		zero:      reading{strategy: registry.Zero, why: "its writers set 0"},
		real:      reading{strategy: registry.Real, why: "its writers set the time of writing"},
	}
}

// written lists the readings that some writer supports, and those that are
// given.
func (r candidates) written(t *tally, others ...reading) (list []reading) {
	for _, c := range []struct {
		n int
		reading
	}{{t.n(evidence.Future), r.oneSecond}, {t.n(evidence.Number), r.number}, {t.n(evidence.ZeroWrite), r.zero}} {
		if c.n > 0 {
			list = append(list, c.reading)
		}
	}
	for _, o := range others {
		if !slices.ContainsFunc(list, o.same) {
			list = append(list, o)
		}
	}
	return list
}

// limited is a real-timestamps family with the limits of its policy, as far as
// these are more than what one line of code says.
func (r candidates) limited(q *stated, p statedPolicies) reading {
	if p.unknown || q.n < 2 {
		return reading{strategy: registry.Real, why: r.real.why}
	}
	return r.real
}

// numbers drafts a family whose writers set numbers.
func (r candidates) numbers(t *tally, p statedPolicies, aged bool) verdict {
	n := p.versions()
	switch {
	case aged:
		return open("the age in the policy deletes what the writers write", r.number, r.real)
	case n == 0 || p.unknown:
		return open("how many versions it keeps is not certain", r.number)
	}
	r.number.versions = n
	for _, q := range p.list {
		if age, _, _ := limits(q.Policy); age > 0 {
			return sure(r.number, "a policy has an age, too, by which numbers are no time")
		}
	}
	return sure(r.number, "")
}

// unseen is the remark on a family of which nothing but its policy is known.
const unseen = "no write with a known timestamp was seen"

// byOneSecond drafts a family with a policy of at most a second.
func byOneSecond(t *tally, r candidates, versions int) verdict {
	expiry, others := t.n(evidence.Future, evidence.Moved), t.n(evidence.Clock, evidence.Shifted)
	older := 0
	for _, n := range t.ages {
		older += n
	}
	switch {
	case t.mostly(evidence.Number) || t.mostly(evidence.ZeroWrite):
		return open("the policy deletes what the writers write", r.written(t, r.oneSecond)...)
	case expiry > 0 && expiry*2 >= others && t.live >= older, expiry == 0 && others == 0 && t.live > older:
		remark := ""
		switch {
		case versions > 0:
			remark = "the limit of versions is a mistake"
		case t.n(evidence.Clock) > 0:
			remark = "writes with the current time are deleted at once"
		}
		r.oneSecond.ttl = t.lifetime(true)
		return sure(r.oneSecond, remark)
	case expiry+others+t.live+older+t.n(evidence.Number, evidence.ZeroWrite, evidence.Sloppy) == 0:
		return sure(r.oneSecond, unseen)
	}
	return open("the policy deletes what the writers write: either they mean something else, or the data is meant to expire at once", r.written(t, r.oneSecond)...)
}

// byAgeAlone drafts a family whose policy is an age.
func byAgeAlone(t *tally, age time.Duration, r candidates, limited reading) verdict {
	timed := t.mostly(evidence.Clock, evidence.Shifted, evidence.Moved, evidence.Future)
	switch {
	case (t.age() == age || t.ages[age] > 0 && t.mostly(evidence.Shifted, evidence.Moved)) && timed && !t.mostly(evidence.Future):
		remark := ""
		if t.n(evidence.Future) > 0 {
			remark = "writes that lie after now live longer than the default"
		}
		return sure(r.byAge, remark)
	case t.onlyClock() && t.live == 0 && t.ages[age] == 0 && (len(t.ages) == 0 || t.n(evidence.Shifted, evidence.Moved) == 0):
		return sure(limited, "")
	case t.n(evidence.Future) > 0:
		r.oneSecond.why = "its writers set the time of expiry; the policy would have to be 1s"
		return open("the writers set a time of expiry, and the policy keeps the cells for "+registry.FormatDuration(age)+" after it", r.written(t, r.byAge)...)
	case t.n(evidence.Number, evidence.ZeroWrite) > 0:
		return open("the age in the policy deletes what the writers write", r.written(t, r.real)...)
	case t.n(evidence.Shifted, evidence.Moved) > 0:
		return open("the writers shift the time of writing, and few reads ask for what is younger than the policy's age", r.byAge, r.real)
	case t.live > 0:
		return open("the reads ask for what expires after now, which the policy does not fit", r.byAge, r.real)
	}
	return open("nothing tells whether its timestamps are moved, and the reads do not", r.real, r.byAge)
}

// withoutPolicy drafts a family of which no policy is known.
func withoutPolicy(t *tally, p statedPolicies) verdict {
	where := "no source gives it a policy"
	switch {
	case p.unknown:
		where = "its policy is not known"
	case p.spoilt:
		where = "no source gives it a policy that deletes anything and is no slip"
	}
	r := readings(t, p)
	switch {
	case t.mostly(evidence.ZeroWrite):
		return sure(r.zero, where)
	case t.mostly(evidence.Number):
		return open(where+", and how many numbers it keeps is not known", r.number)
	case t.mostly(evidence.Future) && t.live > 0 && r.byAge.ttl == 0 && !p.spoilt:
		r.oneSecond.ttl = t.lifetime(true)
		return sure(r.oneSecond, where)
	case t.onlyClock() && t.live+len(t.ages) == 0 && !p.spoilt:
		return sure(r.real, where)
	}
	list := r.written(t)
	if t.live > 0 && !slices.ContainsFunc(list, r.oneSecond.same) {
		list = append(list, r.oneSecond)
	}
	if r.byAge.ttl > 0 {
		list = append(list, r.byAge)
	}
	if t.n(evidence.Clock, evidence.Shifted) > 0 {
		list = append(list, r.real)
	}
	if len(list) > 1 {
		where = "its writers and reads do not agree; " + where
	}
	return open(where, list...)
}
