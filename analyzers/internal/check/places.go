package check

// places are the families of which something is found, with their tables. Of
// one name in several tables, each counts.
type places map[string][]string

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
