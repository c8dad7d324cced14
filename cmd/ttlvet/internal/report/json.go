package report

import (
	"io"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/jsontree"
)

// JSON prints the findings as go vet -json does, but all packages in one tree, and
// with fingerprints.
func JSON(w io.Writer, findings []*finding.Finding) error {
	tree := jsontree.Tree{}
	for _, f := range findings {
		tree.Add(f.Pkg.ID, f.Analyzer, jsonOf(f))
	}
	data, err := tree.Bytes()
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

func jsonOf(f *finding.Finding) jsontree.Diagnostic {
	d := jsontree.Of(f.Pkg.Fset, f.Diagnostic)
	d.Posn, d.End = f.From.String(), f.To.String()
	d.Fingerprint = f.Fingerprint.String()
	for _, fix := range f.SuggestedFixes {
		if edits, ok := f.Placed(fix); ok {
			d.SuggestedFixes = append(d.SuggestedFixes, jsontree.Fix{Message: fix.Message, Edits: jsonEdits(edits)})
		}
	}
	return d
}

func jsonEdits(placed []finding.Placed) []jsontree.Edit {
	var edits []jsontree.Edit
	for _, e := range placed {
		edits = append(edits, jsontree.Edit{Filename: e.From.Filename, Start: e.From.Offset, End: e.To.Offset, New: e.Text})
	}
	return edits
}
