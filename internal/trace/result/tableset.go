package result

import (
	"maps"
	"slices"

	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// tableSet lists tables by the sites that made what goes to them.
type tableSet struct {
	parent map[string]string
	tables map[string][]*pickedTable
	seen   map[string]map[string]*pickedTable // the same by their text
	direct map[string][]*value.Value          // those that are known without the calls that lead to the sites
	tests  map[string]bool                    // by the table: whether tests alone give it
	inTest bool                               // what is added now
}

// pickedTable is a table, with the choices by which it was found.
type pickedTable struct {
	*value.Value
	picks summary.Picks
}

// anyOf returns tables, whatever was chosen.
func anyOf(tables []*pickedTable) (out []*value.Value) {
	for _, t := range tables {
		out = append(out, t.Value)
	}
	return out
}

// beside returns those tables that may be found by the choices by which a case arrives; one
// of which nothing is known where there are others only.
func beside(tables []*pickedTable, c summary.Case) (out []*value.Value) {
	for _, t := range tables {
		if t.picks.Agree(c.Picks()) {
			out = append(out, t.Value)
		}
	}
	if len(out) == 0 && len(tables) > 0 {
		return []*value.Value{value.UnknownFor("a table of another row or branch")}
	}
	return out
}

func (p *finder) newTableSet() *tableSet {
	return &tableSet{p.prog.Sites.Parent, map[string][]*pickedTable{}, map[string]map[string]*pickedTable{}, map[string][]*value.Value{}, map[string]bool{}, false}
}

// add records a table of what was made at a site, and at those of its callees, and
// reports whether that says anything new. One that options may replace is what it is
// without them.
func (s *tableSet) add(id string, table *value.Value, picks summary.Picks) (added bool) {
	table, _ = value.WithoutOptions(table)
	s.direct[id] = append(s.direct[id], table)
	if tested, seen := s.tests[table.String()]; tested || !seen {
		s.tests[table.String()] = s.inTest
	}
	for ; id != ""; id = s.parent[id] {
		if s.seen[id] == nil {
			s.seen[id] = map[string]*pickedTable{}
		}
		key := table.String()
		if met := s.seen[id][key]; met == nil {
			s.seen[id][key], added = &pickedTable{table, picks}, true
			s.tables[id] = append(s.tables[id], s.seen[id][key])
		} else if either := met.picks.Or(picks); !maps.EqualFunc(either, met.picks, slices.Equal) {
			met.picks, added = either, true
		}
	}
	return added
}
