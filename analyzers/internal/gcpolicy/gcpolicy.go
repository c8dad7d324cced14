// Package gcpolicy reads garbage collection policies, written with the
// client's constructors, types or raw messages, as trees.
//
// Semantics: https://cloud.google.com/bigtable/docs/garbage-collection.
package gcpolicy

import (
	"time"

	"github.com/ttlvet/ttlvet/analyzers/internal/instant"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

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
	Value    *value.Value // what the policy was made of
}

// Of reads a value of type bigtable.GCPolicy, or a raw GcRule. It returns nil
// for a nil policy.
func Of(v *value.Value) *Policy {
	b := v.Base()
	p := &Policy{Value: v}
	switch b.Kind {
	case value.Nil:
		return nil
	case value.Struct:
		return ofStruct(b, p)
	case value.Call:
	default:
		return p
	}
	switch b.Name {
	case value.Zero:
		return nil
	case "bigtable.NoGcPolicy":
		p.Op = None
	case "bigtable.MaxAgePolicy":
		p.Op = MaxAge
		p.Age, p.AgeKnown = instant.OfDuration(b.Args[0])
	case "bigtable.MaxVersionsPolicy":
		n, ok := b.Args[0].IsInt()
		p.N = -1
		if ok {
			p.N = int(n)
		}
		p.Op = MaxVersions
	case "bigtable.UnionPolicy":
		return group(p, Union, b.Args[0])
	case "bigtable.IntersectionPolicy":
		return group(p, Intersection, b.Args[0])
	}
	return p
}

func ofStruct(b *value.Value, p *Policy) *Policy {
	switch b.Name {
	case "bigtable.UnionGCPolicy":
		return group(p, Union, b.Get("Children"))
	case "bigtable.IntersectionGCPolicy":
		return group(p, Intersection, b.Get("Children"))
	case "bigtable.noGCPolicy":
		p.Op = None
		return p
	case "adminpb.GcRule":
		rule := b.Get("Rule")
		if rule == nil {
			p.Op = None
			return p
		}
		return ofRule(rule.Base(), p)
	}
	return p
}

// ofRule reads the oneof of a google.bigtable.admin.v2.GcRule.
func ofRule(r *value.Value, p *Policy) *Policy {
	switch r.Name {
	case "adminpb.GcRule_MaxAge":
		p.Op = MaxAge
		if d := r.Get("MaxAge"); d != nil {
			p.Age, p.AgeKnown = age(d.Base())
		}
	case "adminpb.GcRule_MaxNumVersions":
		p.Op, p.N = MaxVersions, -1
		if n := r.Get("MaxNumVersions"); n != nil {
			if n, ok := n.IsInt(); ok {
				p.N = int(n)
			}
		}
	case "adminpb.GcRule_Union_":
		if u := r.Get("Union"); u != nil {
			return group(p, Union, u.Base().Get("Rules"))
		}
	case "adminpb.GcRule_Intersection_":
		if u := r.Get("Intersection"); u != nil {
			return group(p, Intersection, u.Base().Get("Rules"))
		}
	}
	return p
}

// age reads a google.protobuf.Duration.
func age(d *value.Value) (time.Duration, bool) {
	if d.Kind != value.Struct {
		return instant.OfDuration(d)
	}
	var total time.Duration
	for name, unit := range map[string]time.Duration{"Seconds": time.Second, "Nanos": 1} {
		if f := d.Get(name); f != nil {
			n, ok := f.IsInt()
			if !ok {
				return 0, false
			}
			total += time.Duration(n) * unit
		}
	}
	return total, true
}

func group(p *Policy, op Op, list *value.Value) *Policy {
	p.Op = op
	if list == nil {
		return p
	}
	list = list.Base()
	if list.Kind == value.Nil || list.Is(value.Zero) {
		return p
	}
	if list.Kind != value.List {
		p.Op = Unknown
		return p
	}
	for _, e := range list.Args {
		if e.Is(value.Spread) {
			p.Sub = append(p.Sub, &Policy{Value: e})
			continue
		}
		if s := Of(e); s != nil {
			p.Sub = append(p.Sub, s)
		}
	}
	return p
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
