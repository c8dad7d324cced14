package gcpolicy

import "time"

// Keeps reports whether the policy certainly keeps every cell that another
// keeps.
func (p *Policy) Keeps(other *Policy) bool {
	if !p.Exact() || !other.Exact() {
		return false
	}
	// What is collected changes at the limits alone: a cell on each side of
	// each stands for all.
	ages, versions := []time.Duration{0}, []int{1}
	for _, q := range []*Policy{p, other} {
		q.Walk(func(q *Policy, _ bool) {
			switch q.Op {
			case MaxAge:
				ages = append(ages, q.Age, q.Age+1)
			case MaxVersions:
				versions = append(versions, q.N, q.N+1)
			}
		})
	}
	for _, age := range ages {
		for _, n := range versions {
			if p.collects(age, n) && !other.collects(age, n) {
				return false
			}
		}
	}
	return true
}

// collects reports whether an exact policy collects a cell of an age that is
// the n-th newest of its column.
func (p *Policy) collects(age time.Duration, n int) bool {
	switch p.Op {
	case MaxAge:
		return age > p.Age
	case MaxVersions:
		return n > p.N
	case Union:
		for _, s := range p.Sub {
			if s.collects(age, n) {
				return true
			}
		}
	case Intersection:
		for _, s := range p.Sub {
			if !s.collects(age, n) {
				return false
			}
		}
		return len(p.Sub) > 0
	}
	return false
}
