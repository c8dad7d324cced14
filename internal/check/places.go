package check

import (
	"go/token"
	"strings"
)

// places are the families of which something is found, with their tables. Of
// one name in several tables, each counts.
type places map[string][]string

// addAll records the families of a finding, in one string with commas between
// them. It reports whether one of them is new, and whether one of them is found
// in several tables.
func (p places) addAll(families, table string) (added, several bool) {
	for _, family := range strings.Split(families, ",") {
		added = p.add(family, table) || added
		several = several || len(p[family]) > 1
	}
	return added, several
}

// add records a family and reports whether it is new. The table "" may be any.
func (p places) add(family, table string) bool {
	for _, t := range p[family] {
		if t == table || t == "" || table == "" {
			return false
		}
	}
	p[family] = append(p[family], table)
	return true
}

// positions are the places at each position.
type positions map[token.Pos]places

// addFinding records a finding at a position and reports whether it is of a family that is
// new there, or of none and new. Of several faults of the methods of an object,
// each is found where its constructor is called with its table, and one of each
// category where it is called with what is wrong.
func (p positions) addFinding(pos token.Pos, f Finding) bool {
	at := p[pos]
	if at == nil {
		at = places{}
		p[pos] = at
	}
	if f.Family == "" || f.apart {
		return at.add(f.Category+f.Message+f.from+f.where, f.Table)
	}
	ofKind := at.add(f.Category+" "+f.Family, f.Table)
	added, _ := at.addAll(f.Family, f.Table)
	return added || f.kinds && ofKind
}
