package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const contributingFile = "../../docs/contributing.md"

// TestContributing runs the commands of docs/contributing.md on the demo, and
// checks that what the page names and shows of the source is there.
func TestContributing(t *testing.T) {
	alongside(t)
	showsOutput(t, newWorkplace(t), contributingFile, "Contributing")
	page := read(t, contributingFile)
	for _, m := range regexp.MustCompile(`\]\(\.\./([^)#]+)`).FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(filepath.Join("..", "..", m[1])); err != nil {
			t.Error(err)
		}
	}
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
