package ttlguard

import (
	"maps"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"

	"github.com/ttlvet/ttlvet/runtime/strategy"
	"github.com/ttlvet/ttlvet/runtime/strategy/gcpolicy"
)

// How many rules a policy may join, and how deep, to be looked into. The service
// allows 500 bytes.
const (
	maxRules  = 10
	maxNested = 5
)

// createTable judges the policies with which a table is created. A family
// without one may get it in a moment.
func (c *checker) createTable(t *adminpb.Table) {
	for _, name := range slices.Sorted(maps.Keys(t.GetColumnFamilies())) {
		if rule := t.GetColumnFamilies()[name].GetGcRule(); rule.GetRule() != nil {
			c.policy(name, rule, false)
		}
	}
}

// modify judges changes of column families.
func (c *checker) modify(r *adminpb.ModifyColumnFamiliesRequest) {
	for _, m := range r.GetModifications() {
		if created := m.GetCreate(); created.GetGcRule().GetRule() != nil {
			c.policy(m.GetId(), created.GetGcRule(), false)
		}
		if m.GetMod() == nil && len(m.ProtoReflect().GetUnknown()) > 0 {
			c.notJudged("where a modification is of a kind that is not known")
		}
		updated := m.GetUpdate()
		if updated == nil {
			continue
		}
		f := c.familyOf(m.GetId())
		paths := m.GetUpdateMask().GetPaths()
		switch {
		case f == nil || len(paths) > 0 && !slices.ContainsFunc(paths, setsPolicy): // the policy stays
		case updated.GetGcRule() == nil && len(paths) == 0:
			c.add("ttlgc/empty-mask", f, "update of "+c.name(f)+" has no update mask and no policy: the policy is cleared, and nothing is ever collected; set the mask to what changes")
		default:
			c.policy(m.GetId(), updated.GetGcRule(), r.GetIgnoreWarnings())
			if c.g.strict && f.Strategy == strategy.OneSecond && policyOf(updated.GetGcRule(), 0).OneSecond() {
				c.add("ttlgc/existing-data", f, "sets an age of at most a second on "+c.name(f)+", which exists: cells with real timestamps are deleted; migrate the family first, or use a new one")
			}
		}
	}
}

// setsPolicy reports whether a path of an update's mask takes in the policy.
func setsPolicy(path string) bool {
	return path == "*" || path == "gc_rule" || strings.HasPrefix(path, "gc_rule.")
}

// policy judges the policy of a family.
func (c *checker) policy(family string, rule *adminpb.GcRule, relaxes bool) {
	f := c.familyOf(family)
	if f == nil {
		return
	}
	p := policyOf(rule, 0)
	slip := false
	p.Walk(func(q *gcpolicy.Policy, _ bool) {
		slip = slip || q.Op == gcpolicy.MaxAge && q.AgeKnown && gcpolicy.Slip(q.Age)
	})
	if !p.Known() {
		c.notJudged("where a policy is of a kind that is not known, or too large")
	}
	if slip {
		c.add("ttlunit/age-unit", f, "sets an age on "+c.name(f)+" that looks like a number whose unit was forgotten: the service rejects less than 1ms; set "+gcpolicy.Needed(f).String())
		return
	}
	setting := &gcpolicy.Setting{Family: f, Name: c.name(f), Policy: p, Relaxes: relaxes,
		Write: func(p *gcpolicy.Policy) string { return p.String() }}
	if v := setting.Judge(); v != nil {
		c.add("ttlgc/"+v.Category, f, v.Message)
	}
}

// policyOf reads a policy. A rule that is not there deletes nothing.
func policyOf(r *adminpb.GcRule, depth int) *gcpolicy.Policy {
	switch rule := r.GetRule().(type) {
	case nil:
		if choice(r.ProtoReflect()) != 0 {
			return &gcpolicy.Policy{}
		}
		return &gcpolicy.Policy{Op: gcpolicy.None}
	case *adminpb.GcRule_MaxAge:
		// AsDuration stops at the longest that Go can hold.
		return &gcpolicy.Policy{Op: gcpolicy.MaxAge, Age: max(rule.MaxAge.AsDuration(), time.Duration(0)), AgeKnown: rule.MaxAge != nil}
	case *adminpb.GcRule_MaxNumVersions:
		return &gcpolicy.Policy{Op: gcpolicy.MaxVersions, N: int(rule.MaxNumVersions)}
	case *adminpb.GcRule_Union_:
		return policies(gcpolicy.Union, rule.Union.GetRules(), depth)
	case *adminpb.GcRule_Intersection_:
		return policies(gcpolicy.Intersection, rule.Intersection.GetRules(), depth)
	}
	return &gcpolicy.Policy{}
}

func policies(op gcpolicy.Op, rules []*adminpb.GcRule, depth int) *gcpolicy.Policy {
	p := &gcpolicy.Policy{Op: op}
	if len(rules) > maxRules || depth > maxNested {
		return &gcpolicy.Policy{}
	}
	for _, r := range rules {
		p.Sub = append(p.Sub, policyOf(r, depth+1))
	}
	return p
}
