// Package mend makes the fixes of findings: those that go together, and after which
// the code compiles.
package mend

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/atomicfile"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/load"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/shown"
	"github.com/ttlvet/ttlvet/internal/input"
)

// A proposal is what the fix of a finding does to files.
type proposal struct {
	finding *finding.Finding
	patch   patch
}

// Files returns, by name, the files that change when the findings are
// mended. Of fixes that overlap the first is made. A fix after which its
// package would not compile is not made, and its finding says why.
func Files(findings []*finding.Finding, dir shown.Dir) ([]*File, error) {
	files := map[string]*File{}
	fixes := map[*packages.Package][]proposal{}
	for _, f := range findings {
		if !f.Mendable() {
			continue
		}
		p := patch{}
		for _, e := range f.SuggestedFixes[0].TextEdits {
			file := f.Pkg.Fset.File(e.Pos)
			name := file.Name()
			if files[name] == nil {
				fixed, err := newFile(f, file)
				if err != nil {
					return nil, err
				}
				if fixed == nil {
					return nil, fmt.Errorf("%s changed meanwhile; run ttlvet again", dir.Path(name))
				}
				files[name] = fixed
			}
			end := cmp.Or(e.End, e.Pos)
			p[name] = append(p[name], finding.Edit{Start: file.Offset(e.Pos), End: file.Offset(end), Text: string(e.NewText)})
		}
		fixes[f.Pkg] = append(fixes[f.Pkg], proposal{f, p})
	}
	for _, list := range fixes {
		mend(list, files)
	}
	var changed []*File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if f := files[name]; f.New != nil && !bytes.Equal(f.Original, f.New) {
			changed = append(changed, f)
		}
	}
	return changed, nil
}

// mend makes those of a package's fixes that can be made together.
func mend(fixes []proposal, files map[string]*File) {
	try := func(p patch) error {
		contents := map[string][]byte{}
		for name, edits := range p {
			content, err := files[name].compiled(edits)
			if err != nil {
				return load.Message(err)
			}
			contents[name] = content
		}
		if u := fixes[0].finding.Unit; u != nil {
			return u.Compiles(contents)
		}
		return nil // not Go
	}
	all := patch{}
	made := all
	var mended []*finding.Finding
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
				f.finding.Unfixable = err
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
		f.New = content
	}
	for _, finding := range mended {
		name := finding.Pkg.Fset.File(finding.SuggestedFixes[0].TextEdits[0].Pos).Name()
		files[name].Mended = append(files[name].Mended, finding.Rule())
	}
}

// Note says of which findings the fix was not made, and why.
func Note(w io.Writer, dir shown.Dir, findings []*finding.Finding) {
	for _, f := range findings {
		if f.Unfixable != nil {
			fmt.Fprintf(w, "ttlvet: %s: the fix of %s is left out, because the code would not compile: %v\n",
				dir.Position(f.From), f.Rule(), f.Unfixable)
		}
	}
}

// Write replaces the content of the file, or leaves the file as it was. No link on
// the way to it may lead out of the tree with that root.
func (f *File) Write(tree string) error {
	if err := input.Stays(tree, f.Name); err != nil {
		return err
	}
	return atomicfile.Write(f.Name, f.New)
}
