package analyze

import (
	"fmt"
	"io"
	"slices"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
	"github.com/ttlvet/ttlvet/internal/changes"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// selected returns the findings in the files that were named, and those that
// are new, where that was asked for.
func (j *Job) selected(findings []*finding.Finding, notes io.Writer) ([]*finding.Finding, error) {
	if j.Only != nil {
		findings = slices.DeleteFunc(findings, func(f *finding.Finding) bool { return !j.Only[f.From.Filename] })
	}
	if j.NewFrom == "" {
		return findings, nil
	}
	since, err := changes.Since(j.Dir, j.NewFrom)
	if err != nil {
		return nil, fmt.Errorf("-new-from: %w", err)
	}
	findings = slices.DeleteFunc(findings, func(f *finding.Finding) bool { return !isNew(since, f) })
	for _, registry := range registry.Readable(j.Dir) {
		if since.Has(registry) {
			fmt.Fprintf(notes, "ttlvet: %s has changed since %s: what that makes of older code is found without -new-from\n", j.Load.Shown.Path(registry), j.NewFrom)
		}
	}
	return findings, nil
}

// isNew reports whether a line of the finding, or of what its call reaches,
// has changed.
func isNew(since *changes.Set, f *finding.Finding) bool {
	if since.Touches(f.From.Filename, f.From.Line, max(f.From.Line, f.To.Line)) {
		return true
	}
	for _, r := range f.Related {
		at := f.Pkg.Fset.Position(r.Pos)
		end := at
		if r.End.IsValid() {
			end = f.Pkg.Fset.Position(r.End)
		}
		if since.Touches(at.Filename, at.Line, max(at.Line, end.Line)) {
			return true
		}
	}
	return false
}
