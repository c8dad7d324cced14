package mend

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/shown"
	"github.com/ttlvet/ttlvet/internal/adopt"
)

// A Tally counts what has been mended, by file and rule.
type Tally map[string]map[string]int

// Add counts what has been mended in a file.
func (t Tally) Add(f *File) {
	if t[f.Name] == nil {
		t[f.Name] = map[string]int{}
	}
	for _, rule := range f.Mended {
		t[f.Name][rule]++
	}
}

// Print says what has been mended, and of what is left what could be.
func (t Tally) Print(w io.Writer, dir shown.Dir, left []*finding.Finding) {
	total, adopted := 0, 0
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(t)) {
		var parts []string
		for _, rule := range slices.Sorted(maps.Keys(t[name])) {
			n := t[name][rule]
			if rule == adopt.Rule {
				adopted += n
				rule = "adopted"
			} else {
				total += n
			}
			parts = append(parts, fmt.Sprintf("%d %s", n, rule))
		}
		fmt.Fprintf(&b, "\t%s: %s\n", dir.Path(name), strings.Join(parts, ", "))
	}
	var did []string
	if total > 0 {
		did = append(did, "fixed "+shown.Plural(total, "finding"))
	}
	if adopted > 0 {
		did = append(did, "rewrote "+shown.Plural(adopted, "call")+" to the runtime package")
	}
	if did != nil {
		fmt.Fprintf(w, "%s in %s:\n%s", strings.Join(did, " and "), shown.Plural(len(t), "file"), b.String())
	}
	unsafe := 0
	for _, f := range left {
		if f.Unsafe {
			unsafe++
		}
	}
	if unsafe > 0 {
		verb := "have"
		if unsafe == 1 {
			verb = "has"
		}
		fmt.Fprintf(w, "%s left %s a fix that a person should look at: see -diff -unsafe-fixes\n", shown.Plural(unsafe, "finding"), verb)
	}
}
