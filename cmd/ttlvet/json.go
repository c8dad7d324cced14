package main

import (
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/jsontree"
)

// printJSON prints the findings as go vet -json does, but all packages in
// one tree, and with fingerprints. Like go vet it exits with 0 when there are findings.
func (c *config) printJSON(findings []*finding) int {
	tree := jsontree.Tree{}
	for _, f := range findings {
		tree.Add(f.pkg.ID, f.analyzer, jsonOf(f))
	}
	data, err := tree.Bytes()
	if err == nil {
		_, err = c.stdout.Write(data)
	}
	if err != nil {
		return c.fail(err)
	}
	return exitClean
}

func jsonOf(f *finding) jsontree.Diagnostic {
	d := jsontree.Of(f.pkg.Fset, f.Diagnostic)
	d.Posn, d.End = f.pos.String(), f.end.String()
	d.Fingerprint = f.fingerprint.String()
	for _, fix := range f.SuggestedFixes {
		if edits, ok := f.placed(fix); ok {
			d.SuggestedFixes = append(d.SuggestedFixes, jsontree.Fix{Message: fix.Message, Edits: jsonEdits(edits)})
		}
	}
	return d
}

func jsonEdits(placed []placedEdit) []jsontree.Edit {
	var edits []jsontree.Edit
	for _, e := range placed {
		edits = append(edits, jsontree.Edit{Filename: e.from.Filename, Start: e.from.Offset, End: e.to.Offset, New: e.text})
	}
	return edits
}
