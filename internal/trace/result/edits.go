package result

import (
	"maps"
	"slices"
)

// maxEdits bounds how many edits run others, one in the other.
const maxEdits = 4

// ofEdits adds the tables of what edits are given.
func (p *finder) ofEdits(set *tableSet) {
	edits := slices.Sorted(maps.Keys(p.callers.Edits))
	for range maxEdits {
		added := false
		for _, id := range edits {
			for _, mut := range p.callers.Edits[id] {
				for _, table := range set.tables[mut] {
					added = set.add(id, table) || added
				}
			}
		}
		if !added {
			return
		}
	}
}

// editsOf returns the edits that each mutation is given to.
func (p *finder) editsOf() map[string][]string {
	out := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(p.callers.Edits)) {
		for _, mut := range p.callers.Edits[id] {
			out[mut] = append(out[mut], id)
		}
	}
	return out
}
