package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ttlvet/ttlvet/internal/codequality"
	"github.com/ttlvet/ttlvet/internal/rule"
)

// writeReports writes the files that -sarif and -code-quality ask for. stdout
// says that one of them went to standard output.
func (c *config) writeReports(findings []*finding) (stdout bool, err error) {
	for _, report := range []struct {
		file  string
		write func(io.Writer, []*finding) error
	}{{c.sarif, c.writeSARIF}, {c.codeQuality, c.writeCodeQuality}} {
		if report.file == "" {
			continue
		}
		var b bytes.Buffer
		if err := report.write(&b, findings); err != nil {
			return false, err
		}
		if report.file == "-" {
			stdout = true
			if _, err := c.stdout.Write(b.Bytes()); err != nil {
				return false, err
			}
			continue
		}
		if err := os.WriteFile(report.file, b.Bytes(), 0o666); err != nil {
			return false, err
		}
	}
	return stdout, nil
}

// writeCodeQuality writes the findings to w as GitLab reads them.
func (c *config) writeCodeQuality(w io.Writer, findings []*finding) error {
	root := repositoryRoot(c.wd)
	var issues []codequality.Issue
	for _, f := range findings {
		path, ok := relative(root, f.pos.Filename)
		if !ok {
			path = filepath.ToSlash(f.pos.Filename)
		}
		severity := "major"
		if rule, _ := rule.Lookup(f.analyzer, f.Category); rule.Strict {
			severity = "minor"
		}
		issues = append(issues, codequality.Issue{
			Description: f.text(),
			CheckName:   f.rule(),
			Fingerprint: f.fingerprint.String(),
			Severity:    severity,
			Location:    codequality.Location{Path: path, Lines: codequality.Lines{Begin: f.pos.Line, End: max(f.end.Line, f.pos.Line)}},
		})
	}
	return codequality.Write(w, issues)
}

// repositoryRoot is the directory that holds the repository of dir, relative
// to which the services name files; dir itself outside of one.
func repositoryRoot(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if filepath.Dir(d) == d {
			return dir
		}
	}
}

// relative returns the path of a file in a directory, with slashes.
func relative(dir, file string) (string, bool) {
	rel, err := filepath.Rel(dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// printAll prints the findings in the form that was asked for.
func (c *config) printAll(findings []*finding) int {
	taken, err := c.writeReports(findings)
	switch {
	case err != nil:
		return c.fail(fmt.Errorf("the report cannot be written: %v", err))
	case c.json:
		return c.printJSON(findings)
	case !taken:
		return c.print(findings)
	case len(findings) > 0:
		return exitFindings
	}
	return exitClean
}
