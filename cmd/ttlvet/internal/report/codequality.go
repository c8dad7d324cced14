package report

import (
	"io"
	"os"
	"path/filepath"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/shown"
	"github.com/ttlvet/ttlvet/internal/codequality"
	"github.com/ttlvet/ttlvet/internal/rule"
)

// severities are GitLab's words for those of rules.
var severities = map[rule.Severity]string{rule.Error: "critical", rule.Warning: "major", rule.Note: "minor"}

// CodeQuality writes the findings to w as GitLab reads them, with paths relative
// to root.
func CodeQuality(w io.Writer, root string, findings []*finding.Finding) error {
	var issues []codequality.Issue
	for _, f := range findings {
		path, ok := shown.Below(root, f.From.Filename)
		if !ok {
			path = filepath.ToSlash(f.From.Filename)
		}
		r, _ := rule.Lookup(f.Analyzer, f.Category)
		issues = append(issues, codequality.Issue{
			Description: f.Text(),
			CheckName:   f.Rule(),
			Fingerprint: f.Fingerprint.String(),
			Severity:    severities[r.Severity],
			Location:    codequality.Location{Path: path, Lines: codequality.Lines{Begin: f.From.Line, End: max(f.To.Line, f.From.Line)}},
		})
	}
	return codequality.Write(w, issues)
}

// Root is the directory that holds the repository of dir, relative
// to which the services name files; dir itself outside of one.
func Root(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if filepath.Dir(d) == d {
			return dir
		}
	}
}
