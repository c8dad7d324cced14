package draft

import (
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/registry"
)

// A draft is tried before it is shown: code is analysed with it. What does not
// stand the trial is taken back.

// Open leaves a family open that was decided, because of what a trial showed,
// wherever it is of a table that may be the one of that name, "" for any. It
// reports whether there was one.
func (d *Draft) Open(table, family, why string) (opened bool) {
	for _, t := range d.Tables {
		if table != "" && !registry.Overlaps(t.Name, table) {
			continue
		}
		for _, f := range t.Families {
			if f.Name != family || f.Entry == "" {
				continue
			}
			f.Others = append([]string{f.Entry + " # what its policies, writes and reads say"}, f.Others...)
			f.Entry, f.Remark, opened = "", why, true
			if !t.Foreign {
				d.Counts.Certain--
				d.Counts.Open++
			}
		}
	}
	return opened
}

// Drop takes back the handles that a message names, and reports whether there
// were any.
func (d *Draft) Drop(message string) (dropped bool) {
	for _, t := range d.Tables {
		n := len(t.Handles)
		t.Handles = slices.DeleteFunc(slices.Clone(t.Handles), func(h string) bool { return strings.Contains(message, `"`+h+`"`) })
		dropped = dropped || len(t.Handles) < n
	}
	return dropped
}
