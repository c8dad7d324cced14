package gcpolicy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// Normal returns the policy without what does not change its effect: groups
// of one, groups within a group of their kind, the order of children and
// children that are there twice.
func (p *Policy) Normal() *Policy {
	if p.Op != Union && p.Op != Intersection {
		return p
	}
	var sub []*Policy
	for _, s := range p.Sub {
		s = s.Normal()
		if s.Op == p.Op {
			sub = append(sub, s.Sub...)
		} else {
			sub = append(sub, s)
		}
	}
	slices.SortFunc(sub, func(a, b *Policy) int { return cmp.Compare(a.String(), b.String()) })
	sub = slices.CompactFunc(sub, func(a, b *Policy) bool { return a.Exact() && a.String() == b.String() })
	if len(sub) == 1 {
		return sub[0]
	}
	if len(sub) == 0 {
		return &Policy{Op: None, From: p.From}
	}
	return &Policy{Op: p.Op, Sub: sub, From: p.From}
}

// Exact reports whether everything in the policy is known.
func (p *Policy) Exact() bool { return p.Known() && p.numbersKnown() }

// Equal reports whether two policies collect the same. One of which
// something is not known equals none.
func (p *Policy) Equal(q *Policy) bool {
	return p.Exact() && q.Exact() && p.Normal().String() == q.Normal().String()
}

// String writes the policy for people: "1s", "3 versions", "7d or 1 version".
func (p *Policy) String() string {
	switch p.Op {
	case None:
		return "never"
	case MaxAge:
		if !p.AgeKnown {
			return "an unknown age"
		}
		return "max age " + strategy.FormatDuration(p.Age)
	case MaxVersions:
		if p.N < 0 {
			return "an unknown number of versions"
		}
		return counted(p.N)
	case Union, Intersection:
		word := map[Op]string{Union: " or ", Intersection: " and "}[p.Op]
		var parts []string
		for _, s := range p.Sub {
			text := s.String()
			if len(s.Sub) > 1 {
				text = "(" + text + ")"
			}
			parts = append(parts, text)
		}
		if len(parts) == 0 {
			return "never"
		}
		return strings.Join(parts, word)
	}
	return "an unknown policy"
}

// Go writes the policy with the client's constructors.
func (p *Policy) Go() string {
	switch p.Op {
	case MaxAge:
		return "MaxAgePolicy(" + strategy.GoDuration(p.Age) + ")"
	case MaxVersions:
		return fmt.Sprintf("MaxVersionsPolicy(%d)", p.N)
	case Union, Intersection:
		var parts []string
		for _, s := range p.Sub {
			parts = append(parts, s.Go())
		}
		name := map[Op]string{Union: "UnionPolicy", Intersection: "IntersectionPolicy"}[p.Op]
		return name + "(" + strings.Join(parts, ", ") + ")"
	}
	return "NoGcPolicy()"
}
