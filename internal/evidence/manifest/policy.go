package manifest

import (
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/gcrule"
)

// finish reads the settings of all objects.
func (r *reader) finish() {
	for _, o := range r.objects {
		set := evidence.Setting{Kind: evidence.Manifest, Place: evidence.At(o.path, o.root.line, o.root.column)}
		set.Instance = known(r.reference(o, "instance"))
		set.Project = o.root.get("metadata").get("annotations").get("cnrm.cloud.google.com/project-id").str()
		if p := o.spec.get("project").str(); p != "" {
			set.Project = p
		}
		if p, i := evidence.Environment(set.Instance); i != "" {
			set.Project, set.Instance = p, i
		}
		if set.Instance == "" {
			set.Variant = filepath.Dir(o.path) + " " + o.namespace
		}
		if o.kind == "table" {
			r.table(o, set)
		} else {
			r.policy(o, set)
		}
	}
}

func known(s string) string {
	if s == "*" {
		return ""
	}
	return s
}

// id returns the name that an object has in Bigtable.
func (o *object) id() string {
	if id := o.spec.get("resourceID").str(); id != "" {
		return id
	}
	if id := o.spec.get("name").str(); id != "" {
		return id
	}
	if id := o.root.get("metadata").get("annotations").get("crossplane.io/external-name").str(); id != "" {
		return id
	}
	return o.name
}

// reference returns the name of the table or instance that an object refers
// to, "*" when that is not among the manifests.
func (r *reader) reference(o *object, what string) string {
	for _, key := range []string{what, what + "Name"} {
		if v := o.spec.get(key); v != nil && v.isScalar {
			return v.str()
		}
	}
	for _, key := range []string{what + "Ref", what + "NameRef"} {
		ref := o.spec.get(key)
		if ref == nil {
			continue
		}
		if ext := ref.get("external").str(); ext != "" {
			return ext
		}
		name := ref.get("name").str()
		for _, t := range r.objects {
			if t.kind == what && t.name == name {
				return t.id()
			}
		}
		if name != "" {
			return name
		}
	}
	for _, key := range []string{what + "Selector", what + "NameSelector"} {
		labels := o.spec.get(key).get("matchLabels").entries()
		for _, t := range r.objects {
			if t.kind == what && len(labels) > 0 && selects(labels, t) {
				return t.id()
			}
		}
	}
	return "*"
}

func selects(labels []pair, t *object) bool {
	for _, l := range labels {
		if t.labels[l.key] != l.value.str() {
			return false
		}
	}
	return true
}

func (r *reader) table(o *object, set evidence.Setting) {
	set.Table, set.Created = o.id(), true
	table := set
	r.schema.Settings = append(r.schema.Settings, &table)
	for _, f := range o.spec.get("columnFamily").items() {
		family := set
		family.Family = f.get("family").str()
		family.Place = evidence.At(o.path, f.line, f.column)
		if family.Family != "" {
			r.schema.Settings = append(r.schema.Settings, &family)
		}
	}
}

func (r *reader) policy(o *object, set evidence.Setting) {
	set.Table = evidence.TableID(r.reference(o, "table"))
	set.Family = o.spec.get("columnFamily").str()
	if set.Family == "" {
		set.Family = "*"
	}
	set.Relaxes = o.spec.get("ignoreWarnings").str() == "true"
	at := func(n *node) evidence.Place { return evidence.At(o.path, n.line, n.column) }
	if rules := o.spec.get("gcRules"); rules != nil && rules.isScalar {
		set.Place = at(rules)
		if strings.Contains(rules.str(), "{{") || strings.Contains(rules.str(), "${") {
			r.schema.Note(at(rules), "the policy of family %q is not known", set.Family)
			set.Policy = &gcpolicy.Policy{}
			r.schema.Settings = append(r.schema.Settings, &set)
			return
		}
		p, err := gcrule.OfProvider(rules.str())
		if err != nil {
			r.schema.Fault(at(rules), set.Table, set.Family, "the provider refuses this policy: %v", err)
			return
		}
		if p.Inert != "" {
			f := r.schema.Fault(at(rules), set.Table, set.Family, "%s", p.Inert)
			if meant := p.Meant(rules.str()); meant != nil {
				f.Mend = &evidence.Mend{Was: p.Policy, Is: meant, Edits: o.mended(rules, p.Mode, p.RightMode)}
			}
		}
		set.Policy, set.Written = p.Policy, o.writtenRules(rules)
		r.schema.Settings = append(r.schema.Settings, &set)
		return
	}
	set.Written = o.written()
	var sub []*gcpolicy.Policy
	if ages := o.spec.get("maxAge").items(); len(ages) > 0 {
		set.Place = at(ages[0])
		days, hasDays := ages[0].get("days").integer()
		duration := ages[0].get("duration").str()
		switch {
		case hasDays && duration == "" && days >= 0 && int64(days) < math.MaxInt64/int64(24*time.Hour):
			sub = append(sub, gcrule.Age(time.Duration(days)*24*time.Hour))
		default:
			d, err := time.ParseDuration(duration)
			if err != nil || d < 0 || hasDays {
				r.schema.Fault(set.Place, set.Table, set.Family, "the provider cannot read the duration %q: its units are ms, s, m and h", duration)
				return
			}
			sub = append(sub, gcrule.Age(d))
		}
	}
	if limits := o.spec.get("maxVersion").items(); len(limits) > 0 {
		if len(sub) == 0 {
			set.Place = at(limits[0])
		}
		n, ok := limits[0].get("number").integer()
		if !ok {
			n = -1
		}
		sub = append(sub, gcrule.Versions(n))
		if len(limits) > 1 {
			r.schema.Fault(at(limits[1]), set.Table, set.Family, "is the second maxVersion of family %q, and only the first is applied; keep one", set.Family)
		}
	}
	switch mode := o.spec.get("mode").str(); {
	case len(sub) == 0:
		set.Policy = gcrule.Never()
	case mode == "UNION":
		set.Policy = &gcpolicy.Policy{Op: gcpolicy.Union, Sub: sub}
	case mode == "INTERSECTION":
		set.Policy = &gcpolicy.Policy{Op: gcpolicy.Intersection, Sub: sub}
	case mode != "" || len(sub) == 2:
		r.schema.Fault(set.Place, set.Table, set.Family, "has the mode %q, with which the provider refuses the policy: it is UNION or INTERSECTION", mode)
		return
	default:
		set.Policy = sub[0]
	}
	r.schema.Settings = append(r.schema.Settings, &set)
}

// items returns the items of a list, or an object as the only one:
// providers changed from one to the other.
func (n *node) items() []*node {
	switch {
	case n == nil:
		return nil
	case n.list != nil:
		return n.list
	case len(n.keys) > 0:
		return []*node{n}
	}
	return nil
}
