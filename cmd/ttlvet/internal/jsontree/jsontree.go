// Package jsontree has the schema in which go vet -json prints findings, with a
// fingerprint added.
package jsontree

import (
	"cmp"
	"encoding/json"
	"go/token"

	"golang.org/x/tools/go/analysis"
)

// A Tree holds diagnostics by the package's ID and the analyzer's name.
type Tree map[string]map[string][]Diagnostic

// A Diagnostic is a finding. Positions are "file:line:column".
type Diagnostic struct {
	Category       string    `json:"category,omitempty"`
	Fingerprint    string    `json:"fingerprint,omitempty"`
	Posn           string    `json:"posn"`
	End            string    `json:"end"`
	Message        string    `json:"message"`
	SuggestedFixes []Fix     `json:"suggested_fixes,omitempty"`
	Related        []Related `json:"related,omitempty"`
}

// A Fix is a suggested fix.
type Fix struct {
	Message string `json:"message"`
	Edits   []Edit `json:"edits"`
}

// An Edit replaces the bytes from Start up to End.
type Edit struct {
	Filename string `json:"filename"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
	New      string `json:"new"`
}

// Related is what is related to a finding.
type Related struct {
	Posn    string `json:"posn"`
	End     string `json:"end"`
	Message string `json:"message"`
}

// Of returns a diagnostic, without its fixes.
func Of(fset *token.FileSet, d analysis.Diagnostic) Diagnostic {
	out := Diagnostic{
		Category: d.Category,
		Posn:     fset.Position(d.Pos).String(),
		End:      fset.Position(cmp.Or(d.End, d.Pos)).String(),
		Message:  d.Message,
	}
	for _, r := range d.Related {
		out.Related = append(out.Related, Related{fset.Position(r.Pos).String(), fset.Position(cmp.Or(r.End, r.Pos)).String(), r.Message})
	}
	return out
}

// Add adds a diagnostic.
func (t Tree) Add(pkg, analyzer string, d Diagnostic) {
	byAnalyzer := t[pkg]
	if byAnalyzer == nil {
		byAnalyzer = map[string][]Diagnostic{}
		t[pkg] = byAnalyzer
	}
	byAnalyzer[analyzer] = append(byAnalyzer[analyzer], d)
}

// Bytes returns the tree as it is printed.
func (t Tree) Bytes() ([]byte, error) {
	data, err := json.MarshalIndent(t, "", "\t")
	return append(data, '\n'), err
}
