package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const adoptionFile = "../../docs/adoption.md"

// adoptionBlock is a file, or commands with what they print.
var adoptionBlock = regexp.MustCompile("(?s)<!-- (?:file: (\\S+)|run) -->\n```\\w+\n(.*?)```\n")

// TestAdoption goes the way of docs/adoption.md: it writes its files and runs
// its commands in order, on the demo without a registry, and holds what they
// print against what the page shows. -update writes that.
func TestAdoption(t *testing.T) {
	slow(t, "runs all commands of a page")
	w := newWorkplace(t)
	if err := os.Remove(filepath.Join(w.dir, "ttlvet.yaml")); err != nil {
		t.Fatal(err)
	}
	if out, code := w.bash(t, "", "git init -q -b main . && git add -A && git commit -q -m old"); code != 0 {
		t.Fatal(out)
	}
	showsOutput(t, w, adoptionFile, "Adoption")
}

// showsOutput writes the files of a page and runs its commands, in order, and
// holds what they print against what the page shows. None of them may fail,
// which -update would show as what they print.
func showsOutput(t *testing.T, w *workplace, file, test string) {
	t.Helper()
	page := read(t, file)
	text := adoptionBlock.ReplaceAllStringFunc(page, func(block string) string {
		m := adoptionBlock.FindStringSubmatch(block)
		if m[1] != "" {
			writeFile(t, filepath.Join(w.dir, m[1]), m[2], 0o666)
			return block
		}
		var b strings.Builder
		b.WriteString("<!-- run -->\n```console\n")
		for line := range strings.Lines(m[2]) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				out, code := w.bash(t, "", command)
				if code > 1 { // findings are no failure
					t.Errorf("%s: %s fails with %d: %s", file, strings.TrimSpace(command), code, out)
				}
				b.WriteString(line + strings.ReplaceAll(out, w.dir+"/", ""))
			}
		}
		return b.String() + "```\n"
	})
	switch {
	case text == page:
	case *update:
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not show what its commands print: run go test ./cmd/ttlvet -run %s -update\n%s", file, test, text)
	}
}
