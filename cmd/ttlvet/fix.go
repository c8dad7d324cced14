package main

import (
	"bytes"
	"cmp"
	"errors"
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

// applyFixes mends what can be mended, reports what is left, and says what it
// mended. A file that cannot be written is left as it is.
func (c *config) applyFixes() int {
	done := &tally{config: c, files: map[string]map[string]int{}}
	failed := map[string]bool{}
	for round := range maxRounds {
		findings, err := c.analyze()
		if err != nil {
			if round > 0 {
				fmt.Fprintln(c.stderr, "ttlvet: after the fixes the code does not build:")
			}
			return c.fail(err)
		}
		files, err := c.fixedFiles(slices.Concat(findings, c.adoptions))
		if err != nil {
			return c.fail(err)
		}
		files = slices.DeleteFunc(files, func(f *fixedFile) bool { return failed[f.name] })
		if len(files) == 0 || round == maxRounds-1 {
			c.noteUnfixable(findings)
			code := c.print(findings)
			done.print(findings)
			if len(failed) > 0 {
				return exitFailure
			}
			return code
		}
		for _, f := range files {
			if err := rewrite(f.name, f.new); err != nil {
				failed[f.name] = true
				fmt.Fprintf(c.stderr, "ttlvet: %s is not mended: %v\n", c.path(f.name), cause(err))
				continue
			}
			done.add(f)
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
	files, err := c.fixedFiles(slices.Concat(findings, c.adoptions))
	if err != nil {
		return c.fail(err)
	}
	for _, f := range files {
		name := filepath.ToSlash(c.path(f.name))
		if !filepath.IsAbs(f.name) || c.path(f.name) != f.name {
			c.stdout.Write(diff.Diff("a/"+name, f.original, "b/"+name, f.new))
		} else {
			c.stdout.Write(diff.Diff(name, f.original, name, f.new))
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

// rewrite replaces the content of a file and keeps its mode. What its owner
// may not write is not written for root either.
func rewrite(name string, content []byte) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return &os.PathError{Op: "write", Path: name, Err: errors.New("the file is read-only")}
	}
	return os.WriteFile(name, content, info.Mode().Perm())
}

// cause returns an error without the path of the file, which is named.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// mendable reports whether -fix would mend the finding, other fixes that are
// in the way apart: it comes with a fix that compiles, as far as that has been
// tried, and all that the fix edits are the main module's files, written by
// people.
func (c *config) mendable(f *finding) bool {
	if len(f.SuggestedFixes) == 0 || f.unfixable != nil || f.pkg.Module != nil && !f.pkg.Module.Main {
		return false
	}
	if f.pkg.PkgPath == schemaPackage {
		return true
	}
	for _, e := range f.SuggestedFixes[0].TextEdits {
		file := f.pkg.Fset.File(e.Pos)
		if file == nil {
			return false
		}
		syntax := syntaxOf(f, file.Name())
		if syntax == nil {
			return false
		}
		if slices.Contains(f.pkg.GoFiles, file.Name()) {
			if ast.IsGenerated(syntax) {
				return false
			}
			continue
		}
		// What cgo made of a file is not the file.
		t := translationOf(f, file)
		if t == nil {
			return false
		}
		if _, ok := t.edit(edit{file.Offset(e.Pos), file.Offset(cmp.Or(e.End, e.Pos)), ""}); !ok {
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

// A proposal is what the fix of a finding does to files.
type proposal struct {
	finding *finding
	patch   patch
}

// fixedFiles returns, by name, the files that change when the findings are
// mended. Of fixes that overlap the first is made. A fix after which its
// package would not compile is not made, and its finding says why.
func (c *config) fixedFiles(findings []*finding) ([]*fixedFile, error) {
	files := map[string]*fixedFile{}
	fixes := map[*packages.Package][]proposal{}
	for _, f := range findings {
		if !c.mendable(f) {
			continue
		}
		p := patch{}
		for _, e := range f.SuggestedFixes[0].TextEdits {
			file := f.pkg.Fset.File(e.Pos)
			name := file.Name()
			if files[name] == nil {
				fixed, err := newFixedFile(f, file)
				if err != nil {
					return nil, err
				}
				if fixed == nil {
					return nil, fmt.Errorf("%s changed meanwhile; run ttlvet again", c.path(name))
				}
				files[name] = fixed
			}
			end := cmp.Or(e.End, e.Pos)
			p[name] = append(p[name], edit{file.Offset(e.Pos), file.Offset(end), string(e.NewText)})
		}
		fixes[f.pkg] = append(fixes[f.pkg], proposal{f, p})
	}
	for _, list := range fixes {
		mend(list, files)
	}
	var changed []*fixedFile
	for _, name := range sortedKeys(files) {
		if f := files[name]; f.new != nil && !bytes.Equal(f.original, f.new) {
			changed = append(changed, f)
		}
	}
	return changed, nil
}

// mend makes those of a package's fixes that can be made together.
func mend(fixes []proposal, files map[string]*fixedFile) {
	try := func(p patch) error {
		contents := map[string][]byte{}
		for name, edits := range p {
			content, err := files[name].compiled(edits)
			if err != nil {
				return message(err)
			}
			contents[name] = content
		}
		if u := fixes[0].finding.unit; u != nil {
			return u.compiles(contents)
		}
		return nil // not Go
	}
	all := patch{}
	made := all
	var mended []*finding
	for _, f := range fixes {
		if next := all.with(f.patch); next != nil {
			all = next
			mended = append(mended, f.finding)
		}
	}
	if err := try(all); err == nil {
		made = all
	} else {
		// One of them is wrong, or two do not go together.
		mended = nil
		for _, f := range fixes {
			next := made.with(f.patch)
			if next == nil {
				continue
			}
			if err := try(next); err != nil {
				f.finding.unfixable = err
				continue
			}
			made = next
			mended = append(mended, f.finding)
		}
	}
	for name, edits := range made {
		f := files[name]
		content, err := f.edited(edits)
		if err != nil {
			continue // it compiled
		}
		f.new = content
	}
	for _, finding := range mended {
		name := finding.pkg.Fset.File(finding.SuggestedFixes[0].TextEdits[0].Pos).Name()
		files[name].mended = append(files[name].mended, finding.rule())
	}
}
