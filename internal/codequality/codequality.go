// Package codequality writes findings as GitLab's code quality reports:
// https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format.
package codequality

import (
	"encoding/json"
	"io"
)

// An Issue is a finding.
type Issue struct {
	Description string   `json:"description"`
	CheckName   string   `json:"check_name"`
	Fingerprint string   `json:"fingerprint"` // unique in the report
	Severity    string   `json:"severity"`    // info, minor, major, critical or blocker
	Location    Location `json:"location"`
}

// A Location is a place in a file, whose path is relative to the repository.
type Location struct {
	Path  string `json:"path"`
	Lines Lines  `json:"lines"`
}

// Lines are the lines of a finding.
type Lines struct {
	Begin int `json:"begin"`
	End   int `json:"end"`
}

// Write writes a report, which is empty and not absent without issues.
func Write(w io.Writer, issues []Issue) error {
	if issues == nil {
		issues = []Issue{}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	return enc.Encode(issues)
}
