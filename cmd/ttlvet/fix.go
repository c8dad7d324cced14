package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/mend"
	"github.com/ttlvet/ttlvet/internal/input"
)

// maxRounds bounds the rounds of -fix. Each mends what the one before had to
// leave because fixes overlapped.
const maxRounds = 10

// applyFixes mends what can be mended, reports what is left, and says what it
// mended. A file that cannot be written is left as it is.
func (c *config) applyFixes() int {
	done := mend.Tally{}
	failed := map[string]bool{}
	tree := input.Tree(c.Dir)
	for round := range maxRounds {
		findings, err := c.Findings()
		if err != nil {
			if round > 0 {
				fmt.Fprintln(c.Stderr, "ttlvet: after the fixes the code does not build:")
			}
			return c.fail(err)
		}
		files, err := mend.Files(slices.Concat(findings, c.Adoptions), c.Load.Shown)
		if err != nil {
			return c.fail(err)
		}
		files = slices.DeleteFunc(files, func(f *mend.File) bool { return failed[f.Name] })
		if len(files) == 0 || round == maxRounds-1 {
			mend.Note(c.Stderr, c.Load.Shown, findings)
			c.text().Print(findings)
			done.Print(c.Stderr, c.Load.Shown, findings)
			c.notes()
			if len(failed) > 0 {
				return exitFailure
			}
			return exitOf(findings)
		}
		for _, f := range files {
			if err := f.Write(tree); err != nil {
				failed[f.Name] = true
				fmt.Fprintf(c.Stderr, "ttlvet: %s is not fixed: %s\n", c.Load.Shown.Path(f.Name), input.Reason(err))
				continue
			}
			done.Add(f)
		}
	}
	panic("unreachable")
}

// showFixes prints as a diff what -fix would do at first.
func (c *config) showFixes() int {
	findings, err := c.Findings()
	if err != nil {
		return c.fail(err)
	}
	files, err := mend.Files(slices.Concat(findings, c.Adoptions), c.Load.Shown)
	if err != nil {
		return c.fail(err)
	}
	for _, f := range files {
		name := filepath.ToSlash(c.Load.Shown.Path(f.Name))
		if !filepath.IsAbs(f.Name) || c.Load.Shown.Path(f.Name) != f.Name {
			c.exact(diff.Diff("a/"+name, f.Original, "b/"+name, f.New))
		} else {
			c.exact(diff.Diff(name, f.Original, name, f.New))
		}
	}
	mend.Note(c.Stderr, c.Load.Shown, findings)
	c.notes()
	if len(files) > 0 {
		return exitFindings
	}
	return exitClean
}
