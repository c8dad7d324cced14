package draft

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/ttlvet/ttlvet/internal/agreement"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// because writes the evidence for a family in a line: its policies, writes
// and reads with their places.
func because(a *agreement.Agreement, f *agreement.Family) string {
	var parts []string
	add := func(what string, places []string) {
		sort.Strings(places)
		places = slices.Compact(places)
		more := ""
		if len(places) > 3 {
			more = fmt.Sprintf(" and %d more", len(places)-3)
			places = places[:3]
		}
		parts = append(parts, what+": "+strings.Join(places, ", ")+more)
	}
	type row struct {
		what   string
		places []string
	}
	var rows []*row
	note := func(what, place string) {
		for _, r := range rows {
			if r.what == what {
				if !slices.Contains(r.places, place) {
					r.places = append(r.places, place)
				}
				return
			}
		}
		rows = append(rows, &row{what, []string{place}})
	}
	for _, s := range f.Settings {
		if s.Policy != nil {
			note(s.Policy.Normal().String(), a.Where(s.Place))
		}
	}
	writes := len(rows)
	for _, w := range f.Writes {
		if w.Open {
			continue
		}
		note("set "+describeWrite(w), a.Where(w.Place))
	}
	for i, r := range rows {
		what := r.what
		if i >= writes {
			n := len(r.places)
			what = fmt.Sprintf("%d writes %s", n, r.what)
			if n == 1 {
				what = "1 write " + r.what
			}
		}
		add(what, r.places)
	}
	rows = nil
	for _, r := range f.Reads {
		switch b := agreement.BoundOf(r, f.Name); {
		case b.Live:
			note("from now on", a.Where(r.Place))
		case b.Age > 0:
			note("the last "+registry.FormatDuration(b.Age), a.Where(r.Place))
		case b.Latest > 0:
			note(fmt.Sprintf("the latest %d", b.Latest), a.Where(r.Place))
		}
	}
	for _, r := range rows {
		add("read "+r.what, r.places)
	}
	if parts == nil {
		rows = nil
		for _, s := range f.Settings {
			note("created", a.Where(s.Place))
		}
		for _, r := range rows {
			add(r.what, r.places)
		}
	}
	return strings.Join(parts, "; ")
}

// describeWrite says what a write sets.
func describeWrite(w *evidence.Write) string {
	switch w.Kind {
	case evidence.Future:
		if w.Lifetime >= never {
			return "a time many years after now"
		}
		if w.Lifetime > 0 {
			return "now + " + registry.FormatDuration(w.Lifetime)
		}
		return "a time after now"
	case evidence.Shifted:
		if w.Lifetime > 0 {
			return "now − " + registry.FormatDuration(w.Lifetime)
		}
		return "a time before now"
	case evidence.Moved:
		return "now and something that is not known"
	case evidence.Clock:
		return "the current time"
	case evidence.ZeroWrite:
		return "0"
	case evidence.Number:
		return "a number"
	case evidence.Sloppy:
		return "a time in a wrong unit"
	case evidence.ServerSet:
		return "the server's time, by counting"
	}
	return "what is not known"
}
