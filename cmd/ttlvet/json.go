package main

import (
	"encoding/json"
	"fmt"
)

// The types below are the schema of go vet -json, with the fingerprint added.

type jsonEdit struct {
	Filename string `json:"filename"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
	New      string `json:"new"`
}

type jsonFix struct {
	Message string     `json:"message"`
	Edits   []jsonEdit `json:"edits"`
}

type jsonRelated struct {
	Posn    string `json:"posn"`
	End     string `json:"end"`
	Message string `json:"message"`
}

type jsonDiagnostic struct {
	Category       string        `json:"category,omitempty"`
	Fingerprint    string        `json:"fingerprint"`
	Posn           string        `json:"posn"`
	End            string        `json:"end"`
	Message        string        `json:"message"`
	SuggestedFixes []jsonFix     `json:"suggested_fixes,omitempty"`
	Related        []jsonRelated `json:"related,omitempty"`
}

// printJSON prints the findings as go vet -json does, but all packages in
// one tree, and with fingerprints. Like go vet it exits with 0 when there are findings.
func (c *config) printJSON(findings []*finding) int {
	tree := map[string]map[string][]jsonDiagnostic{}
	for _, f := range findings {
		byAnalyzer := tree[f.pkg.ID]
		if byAnalyzer == nil {
			byAnalyzer = map[string][]jsonDiagnostic{}
			tree[f.pkg.ID] = byAnalyzer
		}
		byAnalyzer[f.analyzer] = append(byAnalyzer[f.analyzer], jsonOf(f))
	}
	data, err := json.MarshalIndent(tree, "", "\t")
	if err != nil {
		return c.fail(err)
	}
	fmt.Fprintf(c.stdout, "%s\n", data)
	return exitClean
}

func jsonOf(f *finding) jsonDiagnostic {
	fset := f.pkg.Fset
	d := jsonDiagnostic{
		Category:    f.Category,
		Posn:        f.pos.String(),
		End:         f.end.String(),
		Message:     f.Message,
		Fingerprint: f.fingerprint.String(),
	}
	for _, fix := range f.SuggestedFixes {
		if edits, ok := f.placed(fix); ok {
			d.SuggestedFixes = append(d.SuggestedFixes, jsonFix{fix.Message, jsonEdits(edits)})
		}
	}
	for _, r := range f.Related {
		end := r.End
		if !end.IsValid() {
			end = r.Pos
		}
		d.Related = append(d.Related, jsonRelated{fset.Position(r.Pos).String(), fset.Position(end).String(), r.Message})
	}
	return d
}

func jsonEdits(placed []placedEdit) []jsonEdit {
	var edits []jsonEdit
	for _, e := range placed {
		edits = append(edits, jsonEdit{e.from.Filename, e.from.Offset, e.to.Offset, e.text})
	}
	return edits
}
