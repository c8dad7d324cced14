// Package inventory arranges an agreement for people: by table and family
// the strategy, the policies with their sources, the writers with their
// timestamps, the readers with their filters and what those do.
package inventory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ttlvet/ttlvet/internal/agreement"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/plain"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/schema"
)

// An Inventory is what is known, ready to be printed.
type Inventory struct {
	Module   string   `json:"module"` // its path
	Tables   []*Table `json:"tables"`
	Findings []*Item  `json:"findings"` // those that are about no one family
	Unknown  []*Item  `json:"unknown"`  // what could not be evaluated
}

// A Table is one table, or the tables of one pattern.
type Table struct {
	Name     string    `json:"name"`
	Declared bool      `json:"declared"`
	Families []*Family `json:"families"`
}

// A Family is one family of a table.
type Family struct {
	Name     string  `json:"name"`
	Strategy string  `json:"strategy,omitempty"` // "" where none is declared
	Limits   string  `json:"limits,omitempty"`   // ttl, max-age and versions, in words
	Origin   string  `json:"origin,omitempty"`   // where it is declared, or inferred from
	Policies []*Item `json:"policies"`
	Writers  []*Item `json:"writers"`
	Readers  []*Item `json:"readers"`
	Findings []*Item `json:"findings,omitempty"`
	Known    int     `json:"known,omitempty"` // findings that a baseline knows, and that are not among these
}

// An Item is something that stands at a place.
type Item struct {
	Place   string `json:"place"`
	Source  string `json:"source,omitempty"`  // of a policy: the kind of source
	Text    string `json:"text"`              // the policy, the timestamp, the filter, the message
	Verdict string `json:"verdict,omitempty"` // what it means for the family
	Rule    string `json:"rule,omitempty"`    // of a finding
	Where   string `json:"environment,omitempty"`
	Unknown bool   `json:"-"` // the timestamp, or the filter, is not known
	Creates bool   `json:"-"` // the statement gives the family no policy
}

// New arranges an agreement, with what is wrong and what of that a baseline knows.
func New(a *agreement.Agreement, findings, known []*schema.Finding) *Inventory {
	inv := &Inventory{Module: a.Module(), Tables: []*Table{}, Findings: []*Item{}, Unknown: []*Item{}}
	tables := a.Tables()
	of, before := assign(a, tables, findings), assign(a, tables, known)
	for _, d := range of[nil] {
		inv.Findings = append(inv.Findings, finding(a, d))
	}
	inv.Findings = sorted(inv.Findings)
	for _, t := range tables {
		row := &Table{Name: t.Name, Declared: t.Declared != nil, Families: []*Family{}}
		if row.Name == "" {
			row.Name = "(a table that is not known)"
		}
		for _, f := range t.Families {
			one := family(a, f, of[f])
			one.Known = len(before[f])
			row.Families = append(row.Families, one)
		}
		inv.Tables = append(inv.Tables, row)
	}
	for _, n := range a.Schema.Notes {
		inv.Unknown = append(inv.Unknown, &Item{Place: a.Where(n.Place), Text: n.Message})
	}
	for _, w := range a.Code.Writes {
		if w.Family == "" {
			inv.Unknown = append(inv.Unknown, &Item{Place: a.Where(w.Place), Text: "a write whose column family is not known"})
		}
	}
	for _, r := range a.Code.Reads {
		if !r.Known {
			inv.Unknown = append(inv.Unknown, &Item{Place: a.Where(r.Place), Text: "a read whose filter is not known: " + r.Reason})
		}
	}
	inv.Unknown = sorted(inv.Unknown)
	return inv
}

func family(a *agreement.Agreement, f *agreement.Family, findings []*schema.Finding) *Family {
	out := &Family{Name: f.Name, Policies: []*Item{}, Writers: []*Item{}, Readers: []*Item{}}
	if d := f.Declared; d != nil {
		out.Strategy = string(d.Strategy)
		out.Limits = limits(d)
		switch {
		case d.Source == registry.FromGuess:
			out.Origin = "inferred from the policy at " + d.Evidence
		case d.Pos.File != "":
			out.Origin = a.Where(evidence.Place{Position: d.Pos})
		default:
			out.Origin = d.Evidence
		}
	}
	out.Policies = policies(a, f)
	for _, w := range f.Writes {
		item := &Item{Place: a.Where(w.Place), Text: w.Text, Verdict: string(w.Kind)}
		switch {
		case w.Lifetime > 0 && w.Kind == evidence.Future:
			item.Verdict = "expires in " + registry.FormatDuration(w.Lifetime)
		case w.Lifetime > 0:
			item.Verdict = registry.FormatDuration(w.Lifetime) + " before now"
		case w.Kind == evidence.UnknownWrite:
			item.Verdict, item.Unknown = "unknown: "+w.Reason, true
		}
		out.Writers = append(out.Writers, item)
	}
	for _, r := range f.Reads {
		out.Readers = append(out.Readers, &Item{Place: a.Where(r.Place), Text: r.Text, Verdict: agreement.Verdict(r, f.Declared), Unknown: !r.Known})
	}
	for _, d := range findings {
		out.Findings = append(out.Findings, finding(a, d))
	}
	for _, list := range []*[]*Item{&out.Policies, &out.Writers, &out.Readers, &out.Findings} {
		*list = sorted(*list)
	}
	return out
}

// policies lists what is set of a family. That a statement creates it is of
// interest where the same statement gives it no policy.
func policies(a *agreement.Agreement, f *agreement.Family) []*Item {
	out := []*Item{}
	given, at := false, map[string]bool{}
	for _, s := range f.Settings {
		if s.Policy != nil {
			given, at[a.Where(s.Place)] = true, true
		}
	}
	for _, s := range f.Settings {
		item := &Item{Place: a.Where(s.Place), Source: s.Kind.String(), Creates: s.Policy == nil}
		switch {
		case s.Policy != nil:
			item.Text = s.Policy.String()
		case at[item.Place]:
			continue
		case given:
			item.Text = "creates it"
		default:
			item.Text = "creates it without a policy"
		}
		if s.Test {
			item.Source += ", for tests"
		}
		if s.Instance != "" {
			item.Where = strings.TrimPrefix(s.Project+"/"+s.Instance, "/")
		}
		out = append(out, item)
	}
	return out
}

// assign says of which families findings are; under nil are those of no one
// family. A read may be of several tables, so that its finding names none: it
// is of those families of that name that are read or written there, or of the
// only one.
func assign(a *agreement.Agreement, tables []*agreement.Table, findings []*schema.Finding) map[*agreement.Family][]*schema.Finding {
	of := map[*agreement.Family][]*schema.Finding{}
	for _, d := range findings {
		var named, there []*agreement.Family
		for _, t := range tables {
			for _, f := range t.Families {
				if f.Name != d.Family || d.Table != "" && !covers(t.Name, d.Table) {
					continue
				}
				named = append(named, f)
				if stands(f, d.Place.File, d.Place.Line) {
					there = append(there, f)
				}
			}
		}
		switch {
		case d.Table == "" && len(there) > 0:
			named = there
		case d.Table == "" && len(named) != 1:
			named = nil
		}
		if len(named) == 0 {
			of[nil] = append(of[nil], d)
		}
		for _, f := range named {
			of[f] = append(of[f], d)
		}
	}
	return of
}

// stands reports whether a family is written or read in a line.
func stands(f *agreement.Family, file string, line int) bool {
	for _, w := range f.Writes {
		if w.Place.File == file && w.Place.Line == line {
			return true
		}
	}
	for _, r := range f.Reads {
		if r.Place.File == file && r.Place.Line == line {
			return true
		}
	}
	return false
}

// finding lists a finding, with its rule's name apart from its message.
func finding(a *agreement.Agreement, d *schema.Finding) *Item {
	rule := d.Analyzer + "/" + d.Category
	return &Item{Place: a.Where(d.Place), Text: strings.TrimSuffix(d.Message, " ("+rule+")"), Rule: rule}
}

// sorted sorts items by file and line, and drops those that are there twice,
// which the cases of one call are.
func sorted(list []*Item) []*Item {
	slices.SortStableFunc(list, func(x, y *Item) int { return ComparePlaces(x.Place, y.Place) })
	return slices.CompactFunc(list, func(a, b *Item) bool { return *a == *b })
}

// ComparePlaces orders places by file and line.
func ComparePlaces(x, y string) int {
	f, l := line(x)
	g, m := line(y)
	return cmp.Or(strings.Compare(f, g), cmp.Compare(l, m))
}

// line splits a place into its file and its line.
func line(place string) (string, int) {
	if i := strings.LastIndexByte(place, ':'); i >= 0 {
		if n, err := strconv.Atoi(place[i+1:]); err == nil {
			return place[:i], n
		}
	}
	return place, 0
}

func covers(pattern, table string) bool {
	return pattern == table || strings.ContainsAny(pattern, "*?[") && registry.Overlaps(pattern, table)
}

func limits(d *registry.Family) string {
	var parts []string
	if d.TTL > 0 {
		parts = append(parts, "ttl "+registry.FormatDuration(d.TTL))
	}
	g := *d
	if d.Strategy.Expires() {
		g.MaxAge = 0
	}
	if l := registry.Limits(&g); l != "" {
		parts = append(parts, l)
	}
	return strings.Join(parts, ", ")
}

// JSON writes the inventory as JSON.
func (inv *Inventory) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	return e.Encode(inv)
}

// Text writes the inventory for a terminal.
func (inv *Inventory) Text(w io.Writer) {
	for _, t := range inv.Tables {
		fmt.Fprintf(w, "table %s\n", plain.String(t.Name))
		for _, f := range t.Families {
			head := f.Strategy
			if head == "" {
				head = "not declared"
			}
			if f.Limits != "" {
				head += ", " + f.Limits
			}
			if f.Origin != "" {
				head += " (" + f.Origin + ")"
			}
			fmt.Fprintf(w, "  family %s: %s\n", plain.String(f.Name), plain.String(head))
			section(w, "policies", f.Policies)
			section(w, "writers", f.TimestampRows())
			section(w, "readers", f.FilterRows())
			section(w, "findings", f.Findings)
			if f.Known > 0 {
				fmt.Fprintf(w, "    findings that the baseline knows: %d\n", f.Known)
			}
		}
	}
	if len(inv.Findings) > 0 {
		fmt.Fprintln(w, "other findings")
		lines(w, "  ", inv.Findings)
	}
	if len(inv.Unknown) > 0 {
		fmt.Fprintln(w, "not known")
		lines(w, "  ", inv.Unknown)
	}
}

func section(w io.Writer, title string, items []*Item) {
	if len(items) > 0 {
		fmt.Fprintf(w, "    %s\n", title)
		lines(w, "      ", items)
	}
}

func lines(w io.Writer, indent string, items []*Item) {
	width := 0
	for _, i := range items {
		width = max(width, len([]rune(plain.String(i.Place))))
	}
	for _, i := range items {
		text := i.Text
		if i.Source != "" {
			text += " (" + i.Source + ")"
		}
		if i.Where != "" {
			text += " in " + i.Where
		}
		if i.Verdict != "" {
			text += ": " + i.Verdict
		}
		if i.Rule != "" {
			text += " (" + i.Rule + ")"
		}
		fmt.Fprintf(w, "%s%-*s  %s\n", indent, width, plain.String(i.Place), plain.String(text))
	}
}
