package inventory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// TimestampRows are the writers, one for each place: a call may reach many writes.
func (f *Family) TimestampRows() []*Item { return rows(f.Writers, "timestamps") }

// FilterRows are the readers, one for each place.
func (f *Family) FilterRows() []*Item { return rows(f.Readers, "filters") }

// rows makes one item of those that stand at one place: how many things there are, and
// what they mean, the most frequent first.
func rows(items []*Item, things string) []*Item {
	var places []string
	at := map[string][]*Item{}
	for _, i := range items {
		if at[i.Place] == nil {
			places = append(places, i.Place)
		}
		at[i.Place] = append(at[i.Place], i)
	}
	var out []*Item
	for _, place := range places {
		out = append(out, row(at[place], things))
	}
	return out
}

func row(items []*Item, things string) *Item {
	one := *items[0]
	texts, verdicts := map[string]bool{}, map[string]int{}
	var order []string
	for _, i := range items {
		texts[i.Text] = true
		if verdicts[i.Verdict]++; verdicts[i.Verdict] == 1 {
			order = append(order, i.Verdict)
		}
		one.Unknown = one.Unknown && i.Unknown
	}
	if len(texts) > 1 {
		one.Text = fmt.Sprintf("%d %s", len(texts), things)
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(verdicts[b], verdicts[a]) })
	one.Verdict = strings.Join(order, ", ")
	return &one
}
