package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/tools/go/packages"
)

// maxRounds bounds the rounds of -fix. Each mends what the one before had to
// leave because fixes overlapped.
const maxRounds = 10

// applyFixes mends what can be mended and reports what is left.
func (c *config) applyFixes() int {
	for round := range maxRounds {
		findings, err := c.analyze()
		if err != nil {
			if round > 0 {
				fmt.Fprintln(c.stderr, "ttlvet: after the fixes the code does not build:")
			}
			return c.fail(err)
		}
		files, err := c.fixedFiles(findings)
		if err != nil {
			return c.fail(err)
		}
		if len(files) == 0 || round == maxRounds-1 {
			c.noteUnfixable(findings)
			return c.print(findings)
		}
		for _, f := range files {
			if err := rewrite(f.name, f.new); err != nil {
				return c.fail(err)
			}
		}
	}
	panic("unreachable")
}

// showFixes prints as a diff what -fix would do at first.
func (c *config) showFixes() int {
	findings, err := c.analyze()
	if err != nil {
		return c.fail(err)
	}
	files, err := c.fixedFiles(findings)
	if err != nil {
		return c.fail(err)
	}
	for _, f := range files {
		name := filepath.ToSlash(c.path(f.name))
		if !filepath.IsAbs(f.name) || c.path(f.name) != f.name {
			c.stdout.Write(diff.Diff("a/"+name, f.old, "b/"+name, f.new))
		} else {
			c.stdout.Write(diff.Diff(name, f.old, name, f.new))
		}
	}
	c.noteUnfixable(findings)
	if len(files) > 0 {
		return exitFindings
	}
	return exitClean
}

// noteUnfixable says of which findings the fix was not made, and why.
func (c *config) noteUnfixable(findings []*finding) {
	for _, f := range findings {
		if f.unfixable != nil {
			fmt.Fprintf(c.stderr, "ttlvet: %s: the fix of %s is left out, because the code would not compile: %v\n",
				c.position(f.pos), f.rule(), f.unfixable)
		}
	}
}

// rewrite replaces the content of a file and keeps its mode.
func rewrite(name string, content []byte) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	return os.WriteFile(name, content, info.Mode().Perm())
}

// mendable reports whether -fix would mend the finding, other fixes that are
// in the way apart: it comes with a fix that compiles, as far as that has been
// tried, and all that the fix edits are the main module's files, written by
// people.
func (c *config) mendable(f *finding) bool {
	if len(f.SuggestedFixes) == 0 || f.unfixable != nil || f.pkg.Module != nil && !f.pkg.Module.Main {
		return false
	}
	for _, e := range f.SuggestedFixes[0].TextEdits {
		file := f.pkg.Fset.File(e.Pos)
		// What cgo made of a file is not the file.
		if file == nil || !slices.Contains(f.pkg.GoFiles, file.Name()) {
			return false
		}
		if syntax := syntaxOf(f, file.Name()); syntax == nil || ast.IsGenerated(syntax) {
			return false
		}
	}
	return true
}

// syntaxOf returns the syntax of a file of the finding's package.
func syntaxOf(f *finding, name string) *ast.File {
	for _, s := range f.pkg.Syntax {
		if file := f.pkg.Fset.File(s.FileStart); file != nil && file.Name() == name {
			return s
		}
	}
	return nil
}

// A fix is what the fix of a finding does to files.
type fix struct {
	finding *finding
	patch   patch
}

// fixedFiles returns, by name, the files that change when the findings are
// mended. Of fixes that overlap the first is made. A fix after which its
// package would not compile is not made, and its finding says why.
func (c *config) fixedFiles(findings []*finding) ([]*fixedFile, error) {
	files := map[string]*fixedFile{}
	fixes := map[*packages.Package][]fix{}
	for _, f := range findings {
		if !c.mendable(f) {
			continue
		}
		p := patch{}
		for _, e := range f.SuggestedFixes[0].TextEdits {
			file := f.pkg.Fset.File(e.Pos)
			name := file.Name()
			if files[name] == nil {
				old, err := os.ReadFile(name)
				if err != nil {
					return nil, err
				}
				if len(old) != file.Size() {
					return nil, fmt.Errorf("%s changed meanwhile; run ttlvet again", c.path(name))
				}
				files[name] = &fixedFile{name: name, old: old, syntax: syntaxOf(f, name), info: f.pkg.TypesInfo}
			}
			end := cmp.Or(e.End, e.Pos)
			p[name] = append(p[name], edit{file.Offset(e.Pos), file.Offset(end), string(e.NewText)})
		}
		fixes[f.pkg] = append(fixes[f.pkg], fix{f, p})
	}
	for _, list := range fixes {
		for name, content := range mend(list, files) {
			files[name].new = content
		}
	}
	var changed []*fixedFile
	for _, name := range sortedKeys(files) {
		if f := files[name]; f.new != nil && !bytes.Equal(f.old, f.new) {
			changed = append(changed, f)
		}
	}
	return changed, nil
}

// mend returns the contents of a package's files after those fixes that can
// be made together.
func mend(fixes []fix, files map[string]*fixedFile) map[string][]byte {
	try := func(p patch) (map[string][]byte, error) {
		contents := map[string][]byte{}
		for name, edits := range p {
			content, err := files[name].edited(edits)
			if err != nil {
				return nil, message(err)
			}
			contents[name] = content
		}
		return contents, fixes[0].finding.unit.compiles(contents)
	}
	all := patch{}
	for _, f := range fixes {
		if next := all.with(f.patch); next != nil {
			all = next
		}
	}
	contents, err := try(all)
	if err == nil {
		return contents
	}
	// One of them is wrong, or two do not go together.
	made := patch{}
	contents = nil
	for _, f := range fixes {
		next := made.with(f.patch)
		if next == nil {
			continue
		}
		result, err := try(next)
		if err != nil {
			f.finding.unfixable = err
			continue
		}
		made, contents = next, result
	}
	return contents
}
