package agreement

import (
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/registry"
)

// Handles are the fields, variables and functions through which Go code holds
// tables. One that holds several tables tells none of them: a helper by which
// every table is opened, the field of a type that is made for each. Those that
// are left say which references are of one table, and which of those has a name.

// holders says which table a handle holds.
type holders struct {
	name  map[string]string   // the row of a handle that holds one table
	of    map[string][]string // the handles of a row
	alone map[string]bool     // handles that nothing goes together with
}

// nameless begins the row of what only has handles: no table's name has it.
const nameless = "\x00"

// hold looks at all references: each is a row, "" where no name is known, and
// handles. What is no part of the module, where its path is known, is nothing that
// its registry could name.
func hold(refs []registry.Ref, row func(registry.Ref) string, module string) *holders {
	var links [][]string // what goes together: handles, and rows behind "="
	seen := map[string]bool{}
	for _, ref := range refs {
		var link []string
		for _, h := range ref.Handles {
			if rest, ok := strings.CutPrefix(h, module); ok && (module == "" || rest != "" && (rest[0] == '.' || rest[0] == '/')) {
				link = append(link, h)
			}
		}
		if name := row(ref); name != "" {
			link = append(link, "="+name)
		}
		slices.Sort(link)
		link = slices.Compact(link)
		if key := strings.Join(link, "\x00"); key != "" && !seen[key] {
			seen[key] = true
			links = append(links, link)
		}
	}
	h := &holders{map[string]string{}, map[string][]string{}, map[string]bool{}}
	for _, link := range links {
		for _, node := range link {
			if was, seen := h.alone[node]; !seen || was {
				h.alone[node] = len(link) == 1
			}
		}
	}
	// What several tables flow through may hide that others are so, too.
	for out := shared(links); len(out) > 0; out = shared(links) {
		links = without(links, out)
	}
	groups := connected(links, "")
	members := map[string][]string{}
	for node, group := range groups {
		members[group] = append(members[group], node)
	}
	for _, list := range members {
		slices.Sort(list) // a row comes first
		var rows, handles []string
		for _, node := range list {
			if name, ok := strings.CutPrefix(node, "="); ok {
				rows = append(rows, name)
			} else {
				handles = append(handles, node)
			}
		}
		if len(rows) > 1 || len(handles) == 0 {
			continue
		}
		name := nameless + handles[0]
		if len(rows) == 1 {
			name = rows[0]
		}
		for _, handle := range handles {
			h.name[handle] = name
		}
		h.of[name] = handles
	}
	return h
}

// shared lists the handles that tie together what nothing else does: several
// tables, as far as can be seen, flow through each.
func shared(links [][]string) map[string]bool {
	found := map[string]bool{}
	handles := map[string]bool{}
	for _, link := range links {
		for _, node := range link {
			handles[node] = !strings.HasPrefix(node, "=")
		}
	}
	for handle, is := range handles {
		if !is {
			continue
		}
		groups := connected(links, handle)
		apart := map[string]bool{}
		for _, link := range links {
			if !slices.Contains(link, handle) {
				continue
			}
			for _, node := range link {
				if node != handle {
					apart[groups[node]] = true
				}
			}
		}
		if len(apart) > 1 {
			found[handle] = true
		}
	}
	return found
}

// without takes nodes out of links.
func without(links [][]string, out map[string]bool) [][]string {
	var left [][]string
	for _, link := range links {
		left = append(left, slices.DeleteFunc(slices.Clone(link), func(n string) bool { return out[n] }))
	}
	return left
}

// connected groups the nodes that links tie together, without one of them. A
// group bears the name of one of its nodes.
func connected(links [][]string, without string) map[string]string {
	parent := map[string]string{}
	var find func(string) string
	find = func(n string) string {
		if parent[n] == "" || parent[n] == n {
			parent[n] = n
			return n
		}
		parent[n] = find(parent[n])
		return parent[n]
	}
	for _, link := range links {
		first := ""
		for _, node := range link {
			switch {
			case node == without:
			case first == "":
				first = find(node)
			default:
				parent[find(node)] = first
			}
		}
	}
	groups := map[string]string{}
	for node := range parent {
		groups[node] = find(node)
	}
	return groups
}
