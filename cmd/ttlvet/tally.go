package main

import (
	"fmt"
	"strings"

	"github.com/ttlvet/ttlvet/internal/adopt"
)

// A tally counts what has been mended, by file and rule.
type tally struct {
	config *config
	files  map[string]map[string]int
}

func (t *tally) add(f *fixedFile) {
	if t.files[f.name] == nil {
		t.files[f.name] = map[string]int{}
	}
	for _, rule := range f.mended {
		t.files[f.name][rule]++
	}
}

// print says what has been mended, and of what is left what could be.
func (t *tally) print(left []*finding) {
	total, adopted := 0, 0
	var b strings.Builder
	for _, name := range sortedKeys(t.files) {
		var parts []string
		for _, rule := range sortedKeys(t.files[name]) {
			n := t.files[name][rule]
			if rule == adopt.Rule {
				adopted += n
				rule = "adopted"
			} else {
				total += n
			}
			parts = append(parts, fmt.Sprintf("%d %s", n, rule))
		}
		fmt.Fprintf(&b, "\t%s: %s\n", t.config.path(name), strings.Join(parts, ", "))
	}
	var did []string
	if total > 0 {
		did = append(did, "mended "+plural(total, "finding"))
	}
	if adopted > 0 {
		did = append(did, "rewrote "+plural(adopted, "call")+" to the runtime package")
	}
	if did != nil {
		fmt.Fprintf(t.config.stderr, "%s in %s:\n%s", strings.Join(did, " and "), plural(len(t.files), "file"), b.String())
	}
	unsafe := 0
	for _, f := range left {
		if f.unsafe {
			unsafe++
		}
	}
	if unsafe > 0 {
		verb := "have"
		if unsafe == 1 {
			verb = "has"
		}
		fmt.Fprintf(t.config.stderr, "%s left %s a fix that a person should look at: see -diff -unsafe-fixes\n", plural(unsafe, "finding"), verb)
	}
}
