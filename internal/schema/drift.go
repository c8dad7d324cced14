package schema

import (
	"fmt"
	"sort"

	"github.com/ttlvet/ttlvet/internal/evidence"
)

// A group is what one source says of one family.
type group struct {
	source   string
	settings []*evidence.Setting
}

// drift reports sources that give a family of one table different policies.
func (j *Judge) drift() {
	families := map[string][]*group{}
	var order []string
	for _, list := range [][]*evidence.Setting{j.Schema.Settings, j.Code.Settings} {
		for _, s := range list {
			if !s.Known() || !s.States() || s.Test || s.Aggregate {
				continue
			}
			key := s.Table + "\x00" + s.Family
			if families[key] == nil {
				order = append(order, key)
			}
			file := s.Place.File
			if s.Kind == evidence.Go {
				file = s.Kind.String() // one program, in however many files
			}
			source := file + "\x00" + s.Project + "\x00" + s.Instance + "\x00" + s.Variant
			var g *group
			for _, have := range families[key] {
				if have.source == source {
					g = have
				}
			}
			if g == nil {
				g = &group{source: source}
				families[key] = append(families[key], g)
			}
			g.settings = append(g.settings, s)
		}
	}
	for _, key := range order {
		groups := families[key]
		sort.SliceStable(groups, func(a, b int) bool { return groups[a].settings[0].Kind < groups[b].settings[0].Kind })
		environments := map[string]bool{}
		for _, g := range groups {
			if s := g.settings[0]; s.Instance != "" {
				environments[j.environment(s)] = true
			}
		}
		// One finding for each environment, however many sources differ, at a
		// source rather than at a plan of it or where only an instance differs.
		told := map[string]*drifting{}
		var found []*drifting
		for _, last := range []bool{false, true} {
			for i, g := range groups {
				for _, h := range groups[:i] {
					at, other := j.differ(h, g, len(environments) <= 1)
					if at == nil || (copied(at.Place) || other.Place.File == "") != last {
						continue
					}
					env := ""
					if len(environments) > 1 {
						env = j.environment(at)
					}
					if told[env] == nil {
						told[env] = &drifting{at: at, named: map[string]bool{at.Policy.Normal().String(): true}}
						found = append(found, told[env])
					}
					told[env].add(j, other)
					told[env].add(j, at)
				}
			}
		}
		for _, d := range found {
			j.add("ttlschema", "drift", d.at.Place, d.at.Table, d.at.Family, "family %q of table %q has the policy %s here%s: the one that is applied last holds; make them the same",
				d.at.Family, d.at.Table, d.at.Policy, d.others)
		}
	}
}

// A drifting is a family whose policies differ in one environment.
type drifting struct {
	at     *evidence.Setting
	named  map[string]bool // the policies
	others string          // those of other sources, with one source each
}

// add names the policy of a source, unless it is named.
func (d *drifting) add(j *Judge, s *evidence.Setting) {
	if policy := s.Policy.Normal().String(); !d.named[policy] {
		d.named[policy] = true
		d.others += fmt.Sprintf(" and %s in %s", s.Policy, j.where(s.Place))
	}
}

// environment names the project and instance of a setting. A source that
// names no project means the only one in which others have the instance.
func (j *Judge) environment(s *evidence.Setting) string {
	project := s.Project
	if list := j.projects[s.Instance]; project == "" && len(list) == 1 {
		project = list[0]
	}
	return project + "/" + s.Instance
}

// differ returns where two sources, of which the first is trusted more, drift
// apart, and the other's setting; nil where they do not. One program may set
// two policies, for two environments or one after the other.
func (j *Judge) differ(trusted, g *group, oneEnvironment bool) (at, other *evidence.Setting) {
	a, b := trusted.settings[0], g.settings[0]
	same, certain := a.SameEnvironment(b)
	certain = certain || a.Instance != "" && b.Instance != "" && j.environment(a) == j.environment(b)
	one := a.Kind == b.Kind && (a.Kind == evidence.Go || a.Place.File == b.Place.File && a.Place.File != "")
	if !same || !certain && !oneEnvironment || one {
		return nil, nil
	}
	for _, x := range trusted.settings {
		for _, y := range g.settings {
			if x.Policy.Equal(y.Policy) {
				return nil, nil
			}
		}
	}
	if b.Place.File == "" {
		return a, b
	}
	return b, a
}
