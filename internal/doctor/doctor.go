// Package doctor says how much of a module ttlvet checks, and why it is silent
// about the rest: what of the registry matches which calls, what matches nothing,
// and what is not known of calls.
package doctor

import (
	"slices"

	"github.com/ttlvet/ttlvet/internal/agreement"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/inventory"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// A Report is all of it, ready to be printed.
type Report struct {
	Module       string   `json:"module"`        // its path
	Dir          string   `json:"dir,omitempty"` // that the places are relative to, where it is not the one at hand
	Registry     *Found   `json:"registry"`      // what was found, and by what rule
	Schema       *Found   `json:"schema"`
	Baseline     *Found   `json:"baseline"`
	Calls        int      `json:"calls"` // the client's calls in Go code
	Packages     int      `json:"packages"`
	Tables       []*Table `json:"tables"`
	Unused       []*Entry `json:"unused"`       // what of the registry nothing in Go code is about
	Unregistered []*Entry `json:"unregistered"` // tables and families in Go code that the registry does not have
	Unknown      []*Gap   `json:"unknown"`
	Unread       []*Entry `json:"unread"` // what in sources could not be evaluated
	Wrong        []*Entry `json:"wrong"`  // what is certainly wrong with all this
}

// A Found is a file, or several, and the rule by which it was looked for.
type Found struct {
	Files []string `json:"files"` // none where there is none
	Rule  string   `json:"rule"`
	Holds string   `json:"holds,omitempty"` // what is in it
}

// A Table is a table of the registry, with what matches it.
type Table struct {
	Name     string    `json:"name"`
	Place    string    `json:"place"`
	Families []*Family `json:"families"`
}

// A Family is one of its families. A call that may be about several families
// counts for each.
type Family struct {
	Name     string  `json:"name"`
	Strategy string  `json:"strategy"`
	Writes   int     `json:"writes"`
	Reads    int     `json:"reads"`
	Policies int     `json:"policies"`
	Findings int     `json:"findings"`
	Known    int     `json:"known"` // findings that the baseline knows
	Lines    []*Line `json:"lines"`
}

// A Line is what a line of source was taken for.
type Line struct {
	Place   string `json:"place"`
	What    string `json:"what"` // "write", "read" or "policy"
	Text    string `json:"text"`
	Verdict string `json:"verdict"` // why it is right, or wrong, or not judged
}

// An Entry is something at a place, or at several.
type Entry struct {
	Place string `json:"place"`
	Text  string `json:"text"`
	Calls int    `json:"calls,omitempty"`
}

// New makes a report, but for where files were looked for. inv is the inventory of the
// agreement.
func New(a *agreement.Agreement, inv *inventory.Inventory) *Report {
	r := &Report{Module: inv.Module, Tables: []*Table{}, Unused: []*Entry{}, Unregistered: []*Entry{}, Unread: []*Entry{}, Wrong: []*Entry{}}
	r.count(a)
	r.tables(a, inv)
	for _, e := range a.Unused() {
		text := e.String()
		switch {
		case e.Maybe != nil && e.Family == nil && r.matches(e.Table):
			continue // by the names of its families
		case e.Maybe != nil:
			text += "; a call may be about it, of which too little is known: " + a.Where(e.Maybe.Place)
		case e.Source != nil:
			text += "; it is created outside Go: " + a.Where(*e.Source)
		}
		r.Unused = append(r.Unused, &Entry{Place: a.Where(evidence.Place{Position: e.Pos()}), Text: text})
	}
	r.unregistered(a)
	r.Unknown = gaps(a)
	for _, n := range a.Schema.Notes {
		r.Unread = append(r.Unread, &Entry{Place: a.Where(n.Place), Text: n.Message})
	}
	r.wrong(a, inv)
	return r
}

// count counts the client's calls.
func (r *Report) count(a *agreement.Agreement) {
	places, files := map[evidence.Place]bool{}, map[string]bool{}
	for _, c := range a.Code.Calls {
		if c.Reaches == "" && !c.OnlyTable {
			places[c.Place], files[c.Package] = true, true
		}
	}
	r.Calls, r.Packages = len(places), len(files)
}

func (r *Report) tables(a *agreement.Agreement, inv *inventory.Inventory) {
	supplied := a.Supplied()
	for _, t := range a.Model.Tables {
		if t.Source == registry.FromGuess {
			continue
		}
		row := &Table{Name: t.Pattern, Families: []*Family{}}
		if t.Pos.File != "" {
			row.Place = a.Where(evidence.Place{Position: t.Pos})
		}
		i := slices.IndexFunc(inv.Tables, func(have *inventory.Table) bool { return have.Name == t.Pattern })
		for _, f := range t.Families {
			one := &Family{Name: f.Name, Strategy: string(f.Strategy), Lines: []*Line{}}
			if i >= 0 {
				one.fill(inv.Tables[i], inv.Findings, supplied)
			}
			row.Families = append(row.Families, one)
		}
		r.Tables = append(r.Tables, row)
	}
}

// matches reports whether calls match a family of a table.
func (r *Report) matches(t *registry.Table) bool {
	return slices.ContainsFunc(r.Tables, func(row *Table) bool {
		return row.Name == t.Pattern && slices.ContainsFunc(row.Families, func(f *Family) bool { return f.Writes+f.Reads > 0 })
	})
}

// fill takes what is known of the family from the inventory.
func (f *Family) fill(t *inventory.Table, others []*inventory.Item, supplied agreement.Supply) {
	i := slices.IndexFunc(t.Families, func(have *inventory.Family) bool { return have.Name == f.Name })
	if i < 0 {
		return
	}
	have := t.Families[i]
	f.Writes, f.Reads = len(have.TimestampRows()), len(have.FilterRows())
	for _, p := range have.Policies {
		if !p.Creates {
			f.Policies++
		}
	}
	f.Findings, f.Known = len(have.Findings), have.Known
	bad := map[string]string{}
	for _, d := range slices.Concat(others, have.Findings) {
		bad[d.Place] = d.Rule
	}
	add := func(what string, items []*inventory.Item) {
		for _, i := range items {
			l := &Line{Place: i.Place, What: what, Text: i.Text, Verdict: i.Verdict}
			switch {
			case bad[i.Place] != "":
				l.Verdict = "wrong: " + bad[i.Place]
			case supplied[i.Place] && i.Unknown:
				l.Verdict = "judged at the calls that lead here"
			case what == "policy":
				l.Verdict = "nothing is wrong with it, as far as it is known"
			}
			f.Lines = append(f.Lines, l)
		}
	}
	add("write", have.Writers)
	add("read", have.Readers)
	add("policy", have.Policies)
}

// unregistered lists the tables that Go code names and the registry does not have,
// and the families of those that it has.
func (r *Report) unregistered(a *agreement.Agreement) {
	byName := map[string]*Entry{}
	seen := map[string]bool{}
	note := func(c *evidence.Call, text string) {
		place := a.Where(c.Place)
		if seen[place+text] {
			return
		}
		seen[place+text] = true
		if byName[text] == nil {
			byName[text] = &Entry{Place: place, Text: text}
			r.Unregistered = append(r.Unregistered, byName[text])
		}
		byName[text].Calls++
	}
	for _, c := range a.Own {
		for _, ref := range c.Tables {
			t, known := a.Table(ref)
			switch {
			case t == nil && known && ref.Name != "":
				note(c, "table "+registry.TableID(ref.Name))
			case t != nil && !c.Loose:
				for _, f := range c.Families {
					if t.Family(f) == nil {
						note(c, "family "+f+" of table "+t.Pattern)
					}
				}
			}
		}
	}
	slices.SortFunc(r.Unregistered, func(x, y *Entry) int { return inventory.ComparePlaces(x.Place, y.Place) })
}

// wrong lists what is certain: the findings about the registry itself, and one of
// which nothing is used.
func (r *Report) wrong(a *agreement.Agreement, inv *inventory.Inventory) {
	for _, f := range inv.Findings {
		if f.Rule == "ttlvet/registry" {
			r.Wrong = append(r.Wrong, &Entry{Place: f.Place, Text: f.Text})
		}
	}
	if a.File == nil || r.Calls == 0 || len(a.File.Tables) == 0 {
		return
	}
	idle := 0
	for _, e := range a.Unused() {
		if e.Family == nil && e.Maybe == nil {
			idle++
		}
	}
	if idle == len(a.File.Tables) {
		r.Wrong = append(r.Wrong, &Entry{Place: a.Where(evidence.At(a.File.Path, 1, 1)), Text: "no call is about any table of the registry: it checks nothing"})
	}
}
