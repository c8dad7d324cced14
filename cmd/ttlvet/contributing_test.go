package main

import (
	"path/filepath"
	"strings"
	"testing"
)

const contributingFile = "../../docs/contributing/README.md"

// TestCommandPages runs the commands of pages about commands on the demo, and holds what
// they print against what the pages show.
func TestCommandPages(t *testing.T) {
	alongside(t)
	for _, page := range []string{"audit", "inventory"} {
		showsOutput(t, newWorkplace(t), "../../docs/"+page+".md", "CommandPages")
	}
}

// TestContributing runs the commands of docs/contributing/README.md on the demo, and
// checks that what the page shows of the source is there.
func TestContributing(t *testing.T) {
	alongside(t)
	showsOutput(t, newWorkplace(t), contributingFile, "Contributing")
	page := read(t, contributingFile)
	// The diff is of the past, but what it added is what a reader goes on from.
	_, diff, _ := strings.Cut(page, "```diff\n")
	diff, _, ok := strings.Cut(diff, "```\n")
	if !ok {
		t.Fatal("the page shows no diff")
	}
	source, n := "", 0
	for line := range strings.Lines(diff) {
		if name, ok := strings.CutPrefix(line, "+++ b/"); ok {
			source = read(t, filepath.Join("..", "..", strings.TrimSpace(name)))
		} else if added, ok := strings.CutPrefix(line, "+"); ok {
			n++
			if !strings.Contains(source, added) {
				t.Errorf("the diff adds a line that is not there: %s", added)
			}
		}
	}
	if n < 20 {
		t.Errorf("the diff has %d lines", n)
	}
}
