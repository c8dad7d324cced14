package terraform

import (
	"math"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/gcrule"
)

// A nested block of a resource, written out or made by a dynamic block.
type nested struct {
	block
	env  environ
	each hcl.Expression // of a dynamic block: what it is made for
}

// blocks lists the nested blocks of a type.
func (s *scope) blocks(bodies []hcl.Body, name string, env environ) []nested {
	var out []nested
	for i := len(bodies) - 1; i >= 0 && len(out) == 0; i-- { // those of an override replace all
		content, _, _ := bodies[i].PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: name}, {Type: "dynamic", LabelNames: []string{"type"}}}})
		if content == nil {
			continue
		}
		for _, b := range content.Blocks {
			if b.Type == name {
				out = append(out, nested{block{bodies: []hcl.Body{b.Body}, at: b.DefRange}, env, nil})
			} else if b.Labels[0] == name {
				out = append(out, s.dynamic(b, name, env)...)
			}
		}
	}
	return out
}

func (s *scope) dynamic(b *hcl.Block, name string, env environ) []nested {
	content, _, _ := b.Body.PartialContent(&hcl.BodySchema{
		Attributes: []hcl.AttributeSchema{{Name: "for_each"}, {Name: "iterator"}},
		Blocks:     []hcl.BlockHeaderSchema{{Type: "content"}},
	})
	if content == nil || content.Attributes["for_each"] == nil || len(content.Blocks) == 0 {
		return nil
	}
	iterator := name
	if a := content.Attributes["iterator"]; a != nil {
		if word := hcl.ExprAsKeyword(a.Expr); word != "" {
			iterator = word
		}
	}
	a := content.Attributes["for_each"]
	var out []nested
	for _, i := range s.each(s.eval(a.Expr, env), iterator, env, func() { s.note(a.Range, "for_each of the %s blocks is not known", name) }) {
		out = append(out, nested{block{bodies: []hcl.Body{content.Blocks[0].Body}, at: b.DefRange}, i.env, a.Expr})
	}
	return out
}

// settings reads the resources of a module and of those that it calls.
func (s *scope) settings() {
	for _, b := range s.resources {
		for _, i := range s.expand(b) {
			address := join(s.address, b.kind+"."+b.name) + keyString(i.key)
			if strings.HasSuffix(b.kind, "_table") {
				s.table(b, i.env, address)
			} else {
				s.policy(b, i.env, address)
			}
		}
	}
	for _, c := range s.calls() {
		for _, k := range s.children(c) {
			k.scope.settings()
		}
	}
}

// common reads what tables and policies have in common.
func (s *scope) common(b *block, env environ, address, table string) evidence.Setting {
	set := evidence.Setting{Kind: evidence.Terraform, Table: "*", Place: place(b.at)}
	set.Place.Address = address
	for _, name := range []string{table, "column_family"} {
		if a := b.attr(name); a != nil {
			if at := s.origin(b, a.Expr); at != nil && set.Call == nil {
				call := place(*at)
				set.Call = &call
			}
		}
	}
	if a := b.attr(table); a != nil {
		set.Table = s.glob(a.Expr, env, 0)
	}
	for _, name := range []string{"instance_name", "instance"} {
		if a := b.attr(name); a != nil {
			set.Instance = s.glob(a.Expr, env, 0)
		}
	}
	if a := b.attr("project"); a != nil {
		set.Project = s.glob(a.Expr, env, 0)
	}
	if p, i := evidence.Environment(set.Table); i != "" {
		set.Project, set.Instance = p, i
	}
	if p, i := evidence.Environment(set.Instance); i != "" {
		set.Project, set.Instance = p, i
	}
	set.Table = evidence.TableID(set.Table)
	if strings.Contains(set.Instance, "*") || set.Instance == "" {
		set.Instance = ""
		set.Variant = s.variant
	}
	if strings.Contains(set.Project, "*") {
		set.Project = ""
	}
	return set
}

func (s *scope) table(b *block, env environ, address string) {
	set := s.common(b, env, address, "name")
	set.Created = true
	made := set
	s.loader.schema.Settings = append(s.loader.schema.Settings, &made)
	for _, f := range s.blocks(b.bodies, "column_family", env) {
		family := set
		family.Family = "*"
		at := f.at
		if a := f.attr("family"); a != nil {
			family.Family = s.glob(a.Expr, f.env, 0)
			if from := s.origin(b, a.Expr, f.each); from != nil {
				at = *from
			}
		}
		family.Place = place(at)
		family.Place.Address = address
		if a := f.attr("type"); a != nil {
			t, _ := text(s.eval(a.Expr, f.env))
			family.Aggregate = strings.HasPrefix(t, "int") || strings.Contains(t, "aggregate")
		}
		family.Written = s.added(b, f, family.Family)
		s.loader.schema.Settings = append(s.loader.schema.Settings, &family)
	}
}

func (s *scope) policy(b *block, env environ, address string) {
	set := s.common(b, env, address, "table")
	set.Family = "*"
	if a := b.attr("column_family"); a != nil {
		set.Family = s.glob(a.Expr, env, 0)
	}
	if a := b.attr("ignore_warnings"); a != nil {
		v := s.eval(a.Expr, env)
		set.Relaxes = v.IsKnown() && !v.IsNull() && v.Type() == cty.Bool && v.True()
	}
	p := &policyReader{scope: s, set: &set, block: b, env: env}
	if set.Policy = p.read(); set.Policy == nil {
		return
	}
	s.loader.schema.Settings = append(s.loader.schema.Settings, &set)
}

// A policyReader reads the policy of one resource.
type policyReader struct {
	*scope
	set   *evidence.Setting
	block *block
	env   environ
	from  *hcl.Range // the argument of a module's call that says something of the policy
}

func (p *policyReader) fault(at hcl.Range, format string, args ...any) *evidence.Fault {
	if p.from != nil {
		at = *p.from
	}
	return p.loader.schema.Fault(place(at), p.set.Table, p.set.Family, format, args...)
}

func (p *policyReader) at(r hcl.Range) {
	if p.from != nil {
		r = *p.from
	}
	address := p.set.Place.Address
	p.set.Place = place(r)
	p.set.Place.Address = address
}

var modes = map[string]gcpolicy.Op{"UNION": gcpolicy.Union, "INTERSECTION": gcpolicy.Intersection}

// read returns the policy, unknown if it cannot be evaluated, nil if the
// provider refuses it.
func (p *policyReader) read() *gcpolicy.Policy {
	ages := p.blocks(p.block.bodies, "max_age", p.env)
	limits := p.blocks(p.block.bodies, "max_version", p.env)
	p.from = p.given(append(ages[:len(ages):len(ages)], limits...))
	mode, modeKnown := "", true
	modeAttr := p.block.attr("mode")
	if modeAttr != nil {
		v := p.eval(modeAttr.Expr, p.env)
		switch {
		case v.IsKnown() && v.IsNull():
		default:
			mode, modeKnown = text(v)
		}
	}
	if a := p.block.attr("gc_rules"); a != nil {
		v := p.eval(a.Expr, p.env)
		if !v.IsKnown() || !v.IsNull() {
			return p.rules(a, v)
		}
	}
	var sub []*gcpolicy.Policy
	for i, b := range ages {
		if i == 0 {
			p.at(b.at)
			sub = append(sub, p.age(b))
		}
	}
	for i, b := range limits {
		if i > 0 {
			if known := sub[len(sub)-1]; known.Op == gcpolicy.MaxVersions && known.N >= 0 {
				p.fault(b.at, "is the second max_version of family %q, and only the first, of %s, is applied; keep one", p.set.Family, known)
			}
			break
		}
		if len(ages) == 0 {
			p.at(b.at)
		}
		n := -1
		if a := b.attr("number"); a != nil {
			if v, ok := integer(p.eval(a.Expr, b.env)); ok {
				n = v
			} else {
				p.note(a.Range, "the number of versions of family %q is not known", p.set.Family)
			}
		}
		sub = append(sub, gcrule.Versions(n))
	}
	for _, q := range sub {
		if q == nil {
			return nil
		}
	}
	p.set.Written = p.written(ages, limits, modeAttr)
	switch {
	case len(sub) == 0:
		return gcrule.Never()
	case !modeKnown:
		p.note(modeAttr.Range, "the mode of the policy of family %q is not known", p.set.Family)
		return &gcpolicy.Policy{}
	case mode == "" && len(sub) == 2:
		p.fault(p.block.at, "has max_age and max_version and no mode: applying it fails, and no policy is set; add mode = \"UNION\" or \"INTERSECTION\"")
		return nil
	case mode == "":
		return sub[0]
	case mode == "UNION":
		return &gcpolicy.Policy{Op: gcpolicy.Union, Sub: sub}
	case mode == "INTERSECTION":
		return &gcpolicy.Policy{Op: gcpolicy.Intersection, Sub: sub}
	}
	f := p.fault(modeAttr.Range, "the provider knows no mode %q: it is UNION or INTERSECTION, in upper case outside of gc_rules", mode)
	if op, ok := modes[strings.ToUpper(mode)]; ok {
		f.Mend = &evidence.Mend{Is: &gcpolicy.Policy{Op: op, Sub: sub}, Edits: p.mended(modeAttr, mode, strings.ToUpper(mode))}
	}
	return nil
}

func (p *policyReader) rules(a *hcl.Attribute, v cty.Value) *gcpolicy.Policy {
	p.at(a.Range)
	t, ok := text(v)
	if !ok {
		p.note(a.Range, "gc_rules of family %q are not known", p.set.Family)
		return &gcpolicy.Policy{}
	}
	rules, err := gcrule.OfProvider(t)
	if err != nil {
		p.fault(a.Range, "the provider refuses this policy: %v", err)
		return nil
	}
	if rules.Inert != "" {
		f := p.fault(a.Range, "%s", rules.Inert)
		if meant := rules.Meant(t); meant != nil {
			f.Mend = &evidence.Mend{Was: rules.Policy, Is: meant, Edits: p.mended(a, rules.Mode, rules.RightMode)}
		}
	}
	p.set.Written = p.writtenRules(a, t)
	return rules.Policy
}

// age reads a max_age block, which has days or a duration.
func (p *policyReader) age(b nested) *gcpolicy.Policy {
	unknown := &gcpolicy.Policy{Op: gcpolicy.MaxAge}
	days, duration := p.unlessNull(b, "days"), p.unlessNull(b, "duration")
	switch {
	case days != nil && duration != nil, days == nil && duration == nil:
		p.fault(b.at, "has not one of days and duration: the provider refuses it")
		return nil
	case days != nil:
		v := p.eval(days.Expr, b.env)
		n, ok := integer(v)
		if !ok {
			p.note(days.Range, "the age of family %q is not known", p.set.Family)
			return unknown
		}
		if n < 0 || int64(n) > math.MaxInt64/int64(24*time.Hour) {
			p.fault(days.Range, "%d days are no age", n)
			return nil
		}
		return gcrule.Age(time.Duration(n) * 24 * time.Hour)
	}
	t, ok := text(p.eval(duration.Expr, b.env))
	if !ok {
		p.note(duration.Range, "the age of family %q is not known", p.set.Family)
		return unknown
	}
	d, err := time.ParseDuration(t)
	if err != nil || d < 0 {
		p.fault(duration.Range, "the provider cannot read the duration %q: its units are ms, s, m and h", t)
		return nil
	}
	return gcrule.Age(d)
}

// given returns the argument of a module's call by which the policy is given,
// or nil.
func (p *policyReader) given(blocks []nested) *hcl.Range {
	for _, name := range []string{"gc_rules", "mode"} {
		if a := p.block.attr(name); a != nil {
			if at := p.origin(p.block, a.Expr); at != nil {
				return at
			}
		}
	}
	for _, b := range blocks {
		for _, name := range []string{"days", "duration", "number"} {
			if a := b.attr(name); a != nil {
				if at := p.origin(p.block, a.Expr, b.each); at != nil {
					return at
				}
			}
		}
	}
	return nil
}

// unlessNull returns an attribute unless it is null.
func (p *policyReader) unlessNull(b nested, name string) *hcl.Attribute {
	a := b.attr(name)
	if a == nil {
		return nil
	}
	if v := p.eval(a.Expr, b.env); v.IsKnown() && v.IsNull() {
		return nil
	}
	return a
}
