package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/ttlvet/ttlvet/internal/agreement"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/inventory"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// A Gap is something that is not known of calls, for one reason.
type Gap struct {
	What   string   `json:"what"` // "table", "family", "timestamp", "filter", "policy" or "statement"
	Reason string   `json:"reason"`
	Help   string   `json:"help"`
	Places []string `json:"places"`
}

// kinds are what may not be known, in the order in which it is listed.
var kinds = []string{"table", "family", "timestamp", "filter", "policy", "statement"}

// gaps lists what is not known, with what helps against the same beside each other.
func gaps(a *agreement.Agreement) []*Gap {
	g := &gapper{a: a, supplied: a.Supplied(), by: map[[2]string]*Gap{}, list: []*Gap{}, names: map[string][]string{}}
	for _, c := range a.Code.Calls {
		for _, ref := range c.Tables {
			for _, h := range ref.Handles {
				if ref.Name != "" && !slices.Contains(g.names[h], ref.Name) {
					g.names[h] = append(g.names[h], ref.Name)
				}
			}
		}
	}
	for _, c := range a.Code.Calls {
		if c.OnlyTable {
			continue
		}
		g.tables(c)
		for _, gap := range c.Gaps {
			if !gap.Supplied && !(gap.Open && g.supplied[a.Where(c.Place)]) {
				g.add(c, gap.What, reason(gap), help(gap))
			}
		}
	}
	for _, one := range g.list {
		slices.SortFunc(one.Places, inventory.ComparePlaces)
	}
	slices.SortFunc(g.list, func(x, y *Gap) int {
		return cmp.Or(slices.Index(kinds, x.What)-slices.Index(kinds, y.What), strings.Compare(x.Help, y.Help),
			len(y.Places)-len(x.Places), strings.Compare(x.Reason, y.Reason))
	})
	return g.list
}

type gapper struct {
	a        *agreement.Agreement
	supplied agreement.Supply
	by       map[[2]string]*Gap
	list     []*Gap
	names    map[string][]string // by handles: the names of the tables that flow through it
}

func (g *gapper) add(c *evidence.Call, what, reason, help string) {
	key := [2]string{what, reason}
	if g.by[key] == nil {
		g.by[key] = &Gap{What: what, Reason: reason, Help: help}
		g.list = append(g.list, g.by[key])
	}
	if place := g.a.Where(c.Place); !slices.Contains(g.by[key].Places, place) {
		g.by[key].Places = append(g.by[key].Places, place)
	}
}

// tables adds the tables of which something is known, and not enough to say which
// of the registry's they are. That of an Apply is said at the calls that fill its mutation.
func (g *gapper) tables(c *evidence.Call) {
	if c.Told || len(c.Tables) == 0 || g.supplied.Table(c, g.a.Where(c.Place)) || len(g.a.Model.Tables) == 0 {
		return
	}
	for _, ref := range c.Tables {
		t, known := g.a.Table(ref)
		switch {
		case t != nil || known || !ref.Says():
		case ref.Name != "":
			does := "a pattern in the registry that covers all of it: " + ref.Name
			if !strings.ContainsFunc(ref.Name, unicode.IsLetter) {
				does = "handles: at the tables in ttlvet.yaml, or the packages that give the name, in one run"
			}
			g.add(c, "table", fmt.Sprintf("its name is %q, of which * is not known", ref.Name), does)
		default:
			h := ref.Handles[0]
			does := "handles: [" + h + "] at the table in ttlvet.yaml"
			if len(g.names[h]) > 1 {
				does = "nothing but its name: tables with different names come through " + registry.ShortHandle(h)
			}
			g.add(c, "table", "its name is not known, only what holds it: "+registry.ShortHandle(h), does)
		}
	}
}

func reason(g evidence.Gap) string {
	if g.Open {
		return "a parameter of an exported function that no analysed call supplies"
	}
	return g.Reason
}

// help says what would let it be known.
func help(g evidence.Gap) string {
	switch {
	case g.Open:
		return "the packages that call it, in one run: those of the module, or of its workspace"
	case g.What == "table":
		return "its name as a constant, or handles: at the table in ttlvet.yaml; wrappers: where code applies it that is not traced"
	case g.What == "statement":
		return "a constant SELECT of one table"
	case g.What == "timestamp":
		return "a timestamp made of the clock, a constant or a number; ttlvet trace shows what stopped it"
	}
	return "a " + g.What + " made of constants, or wrappers: for a function that is not traced; ttlvet trace shows what stopped it"
}
