package inventory

import "strings"

// Join puts the inventories of several modules into one. A table that two of them name,
// of two registries, has the name of its module with it.
func Join(list []*Inventory) *Inventory {
	if len(list) == 1 {
		return list[0]
	}
	named := map[string]int{}
	for _, inv := range list {
		for _, t := range inv.Tables {
			named[t.Name]++
		}
	}
	out := &Inventory{Tables: []*Table{}, Findings: []*Item{}, Unknown: []*Item{}}
	var modules []string
	for _, inv := range list {
		modules = append(modules, inv.Module)
		for _, t := range inv.Tables {
			one := *t
			if named[t.Name] > 1 {
				one.Name += " in " + inv.Module
			}
			out.Tables = append(out.Tables, &one)
		}
		out.Findings = append(out.Findings, inv.Findings...)
		out.Unknown = append(out.Unknown, inv.Unknown...)
	}
	out.Module = strings.Join(modules, ", ")
	return out
}
