// Package gcpolicy judges garbage collection policies by the strategy of the
// column family that they are set on.
//
// Semantics: https://cloud.google.com/bigtable/docs/garbage-collection.
package gcpolicy

import "time"

// An Op is a kind of policy.
type Op uint8

// The kinds.
const (
	Unknown      Op = iota
	None            // nothing is ever collected
	MaxAge          // Age
	MaxVersions     // N
	Union           // Sub: what any of them collects
	Intersection    // Sub: what all of them collect
)

// A Policy is a garbage collection policy.
type Policy struct {
	Op       Op
	Age      time.Duration
	AgeKnown bool
	N        int
	Sub      []*Policy
	From     any // what the policy was made of, for whoever made it
}

// Walk calls f for p and everything in it, outermost first. deletes says
// whether the policy collects by itself what it names: it stands in no
// intersection with others.
func (p *Policy) Walk(f func(q *Policy, deletes bool)) { p.walk(true, f) }

func (p *Policy) walk(deletes bool, f func(*Policy, bool)) {
	f(p, deletes)
	for _, s := range p.Sub {
		s.walk(deletes && (p.Op != Intersection || len(p.Sub) == 1), f)
	}
}

// Known reports whether nothing in the policy is unknown but numbers.
func (p *Policy) Known() bool {
	known := true
	p.Walk(func(q *Policy, _ bool) { known = known && q.Op != Unknown })
	return known
}

// Slip reports whether an age is a number whose unit was forgotten: a time
// below a millisecond, or below a second and no whole number of them.
func Slip(age time.Duration) bool {
	return age < time.Millisecond || age < time.Second && age%time.Millisecond != 0
}

// OneSecond reports whether the policy shows that a family's timestamps are
// moments of expiry: it collects by an age of at most a second. Ages whose
// unit was forgotten show nothing.
func (p *Policy) OneSecond() bool {
	found := false
	p.Walk(func(q *Policy, deletes bool) {
		if q.Op == MaxAge && deletes && q.AgeKnown && !Slip(q.Age) && q.Age <= time.Second {
			found = true
		}
	})
	return found
}
