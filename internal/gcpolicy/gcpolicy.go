// Package gcpolicy reads garbage collection policies, written with the
// client's constructors, types or raw messages, as trees, which
// [github.com/ttlvet/ttlvet/runtime/strategy/gcpolicy] judges.
package gcpolicy

import (
	"time"

	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/value"
	"github.com/ttlvet/ttlvet/runtime/strategy/gcpolicy"
)

// What is judged, and what comes of it.
type (
	Op      = gcpolicy.Op
	Policy  = gcpolicy.Policy
	Setting = gcpolicy.Setting
	Verdict = gcpolicy.Verdict
)

// The kinds of policies.
const (
	Unknown      = gcpolicy.Unknown
	None         = gcpolicy.None
	MaxAge       = gcpolicy.MaxAge
	MaxVersions  = gcpolicy.MaxVersions
	Union        = gcpolicy.Union
	Intersection = gcpolicy.Intersection
)

// Needed returns the policy that a family's strategy needs.
func Needed(f *registry.Family) *Policy { return gcpolicy.Needed(f.Agreement()) }

// Slip reports whether an age is a number whose unit was forgotten.
func Slip(age time.Duration) bool { return gcpolicy.Slip(age) }

// ValueOf returns what a policy was made of, nil where that is not known.
func ValueOf(p *Policy) *value.Value {
	if p == nil {
		return nil
	}
	v, _ := p.From.(*value.Value)
	return v
}

// AgeOf returns the age of a raw rule, a message; nil where it has none.
func AgeOf(v *value.Value) *value.Value {
	b := v.Base()
	if b.Kind != value.Struct || b.Name != "adminpb.GcRule" {
		return nil
	}
	if rule := b.Get("Rule"); rule != nil && rule.Base().Name == "adminpb.GcRule_MaxAge" {
		return rule.Base().Get("MaxAge")
	}
	return nil
}

// Of reads a value of type bigtable.GCPolicy, or a raw GcRule. It returns nil
// for a nil policy.
func Of(v *value.Value) *Policy {
	b := v.Base()
	p := &Policy{From: v}
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
			p.Sub = append(p.Sub, &Policy{From: e})
			continue
		}
		if s := Of(e); s != nil {
			p.Sub = append(p.Sub, s)
		}
	}
	return p
}
