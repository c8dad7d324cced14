package schema

import (
	"sort"
	"strings"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// missing reports registered families that no source creates, although the
// sources create their table.
func (j *Judge) missing() {
	type made struct {
		at       *evidence.Setting
		families map[string]bool
		open     bool
	}
	tables := map[string]*made{}
	var order []string
	for _, s := range j.Schema.Settings {
		if s.Created && s.Family == "" && !strings.Contains(s.Table, "*") && !s.Test {
			key := s.Table + "\x00" + s.Project + "\x00" + s.Instance
			if tables[key] == nil {
				tables[key] = &made{at: s, families: map[string]bool{}}
				order = append(order, key)
			}
		}
	}
	for _, m := range tables {
		for _, s := range j.of(m.at.Table) {
			if same, _ := s.SameEnvironment(m.at); !same && s.Instance != "" {
				continue
			}
			if m.at.Kind == evidence.Live && s.Kind != evidence.Live {
				continue // what is there is what is there
			}
			if strings.Contains(s.Family, "*") || s.Kind == evidence.Go && s.Family == "" && s.Policy != nil {
				m.open = true
			}
			// A policy is set on a family that is there.
			m.families[s.Family] = m.families[s.Family] || s.Created || s.Policy != nil
		}
	}
	// One finding for each family, at a source rather than at a plan of it.
	sort.SliceStable(order, func(a, b int) bool { return !copied(tables[order[a]].at.Place) && copied(tables[order[b]].at.Place) })
	told := map[[2]string]bool{}
	for _, key := range order {
		m := tables[key]
		t, _ := j.Model.Table(registry.Ref{Name: m.at.Table})
		if t == nil || m.open || t.Source == registry.FromGuess {
			continue
		}
		for _, f := range t.Families {
			if about := [2]string{m.at.Table, f.Name}; f.Source != registry.FromGuess && !m.families[f.Name] && !told[about] {
				told[about] = true
				j.add("ttlschema", "missing", m.at.Place, m.at.Table, f.Name, "creates table %q without family %q, which the registry has%s: writes to it fail; create it, or take it out of the registry",
					m.at.Table, f.Name, at(&registry.Table{Pos: f.Pos}))
			}
		}
	}
}
