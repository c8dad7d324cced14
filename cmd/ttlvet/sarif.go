package main

import (
	"cmp"
	"fmt"
	"go/token"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/docs"
	"github.com/ttlvet/ttlvet/internal/markdown"
	"github.com/ttlvet/ttlvet/internal/rule"
	"github.com/ttlvet/ttlvet/internal/sarif"
	"github.com/ttlvet/ttlvet/internal/trace"
)

// srcRoot names what the paths in a SARIF file are relative to.
const srcRoot = "%SRCROOT%"

// writeSARIF writes the findings to w as SARIF.
func (c *config) writeSARIF(w io.Writer, findings []*finding) error {
	s := &sarifWriter{root: repositoryRoot(c.wd), index: map[string]int{}}
	run := s.run()
	for _, f := range findings {
		run.Results = append(run.Results, s.result(f))
	}
	return sarif.New(run).Write(w)
}

type sarifWriter struct {
	root    string
	columns sarif.Columns
	index   map[string]int // of rules
}

// run is a run without results.
func (s *sarifWriter) run() sarif.Run {
	return sarif.Run{
		Tool: sarif.Tool{Driver: sarif.Component{
			Name:           "ttlvet",
			Version:        ownVersion(),
			InformationURI: "https://" + modulePath,
			Rules:          s.rules(),
		}},
		Invocations: []sarif.Invocation{{ExecutionSuccessful: trace.Failures() == 0}},
		ColumnKind:  sarif.UTF16,
		OriginalURIBaseIDs: map[string]sarif.ArtifactLocation{
			srcRoot: {Description: &sarif.Message{Text: "the root of the repository"}},
		},
		Results: []sarif.Result{},
	}
}

// rules describes all rules, so that what a viewer knows of them does not
// depend on what was found.
func (s *sarifWriter) rules() []sarif.Rule {
	var list []sarif.Rule
	for i, r := range rule.All {
		s.index[r.Name()] = i
		section, ok := docs.Section(r.Name())
		if !ok {
			section = "\n" + r.Summary
		}
		_, text, _ := strings.Cut(section, "\n") // without the heading
		full, _, _ := strings.Cut(strings.TrimSpace(text), "\n\nBad:")
		plain := func(text string) string {
			return strings.TrimSpace(markdown.Render(text, markdown.Options{Link: func(to string) string { return "" }}))
		}
		list = append(list, sarif.Rule{
			ID:               r.Name(),
			Name:             camelCase(r.Category),
			ShortDescription: sarif.Message{Text: r.Summary},
			FullDescription:  sarif.Message{Text: plain(full)},
			HelpURI:          r.URL(),
			Help: sarif.Message{
				Text:     plain(text),
				Markdown: strings.TrimSpace(docs.Absolute(r.Analyzer, text)),
			},
			Default: sarif.Configuration{Enabled: !r.Strict, Level: level(r)},
			// As GitHub reads them.
			Properties: map[string]any{"precision": "very-high", "problem.severity": level(r), "tags": []string{"bigtable", "correctness"}},
		})
	}
	return list
}

// level is how bad what a rule reports is: strict rules are of what may be
// meant.
func level(r rule.Rule) string {
	if r.Strict {
		return "warning"
	}
	return "error"
}

// camelCase writes a category as SARIF wants names.
func camelCase(category string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(category, "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

func (s *sarifWriter) result(f *finding) sarif.Result {
	rule, _ := rule.Lookup(f.analyzer, f.Category)
	id := f.fingerprint.String()
	first := f.fingerprint
	first.Ordinal = 0
	result := sarif.Result{
		RuleID:    f.rule(),
		RuleIndex: s.index[f.rule()],
		Level:     level(rule),
		Message:   sarif.Message{Text: strings.TrimSuffix(f.text(), " ("+f.rule()+")")},
		Locations: []sarif.Location{s.location(f.pos, f.end)},
		PartialFingerprints: map[string]string{
			"ttlvet/v1": id,
			// The one by which GitHub knows alerts again; without it GitHub
			// takes a hash of the lines around.
			"primaryLocationLineHash": fmt.Sprintf("%s:%d", first.String()[:16], f.fingerprint.Ordinal+1),
		},
	}
	if in := f.fingerprint.In; in != "" {
		result.Locations[0].LogicalLocations = []sarif.LogicalLocation{{Name: in, FullyQualifiedName: f.fingerprint.Package + "." + in}}
	}
	fset := f.pkg.Fset
	for i, r := range f.Related {
		l := s.location(fset.Position(r.Pos), fset.Position(cmp.Or(r.End, r.Pos)))
		l.ID, l.Message = i+1, &sarif.Message{Text: r.Message}
		result.RelatedLocations = append(result.RelatedLocations, l)
	}
	for _, fix := range f.SuggestedFixes {
		if edits, ok := f.placed(fix); ok {
			result.Fixes = append(result.Fixes, s.fix(fix.Message, edits))
		}
	}
	return result
}

func (s *sarifWriter) fix(message string, edits []placedEdit) sarif.Fix {
	out := sarif.Fix{Description: sarif.Message{Text: message}}
	byFile := map[string][]sarif.Replacement{}
	for _, e := range edits {
		r := sarif.Replacement{DeletedRegion: s.region(e.from, e.to)}
		if e.text != "" {
			r.InsertedContent = &sarif.Content{Text: e.text}
		}
		byFile[e.from.Filename] = append(byFile[e.from.Filename], r)
	}
	for _, file := range sortedKeys(byFile) {
		slices.SortStableFunc(byFile[file], func(a, b sarif.Replacement) int {
			return cmp.Or(a.DeletedRegion.StartLine-b.DeletedRegion.StartLine, a.DeletedRegion.StartColumn-b.DeletedRegion.StartColumn)
		})
		out.ArtifactChanges = append(out.ArtifactChanges, sarif.ArtifactChange{ArtifactLocation: s.artifact(file), Replacements: byFile[file]})
	}
	return out
}

func (s *sarifWriter) location(pos, end token.Position) sarif.Location {
	return sarif.Location{PhysicalLocation: sarif.PhysicalLocation{ArtifactLocation: s.artifact(pos.Filename), Region: s.region(pos, end)}}
}

func (s *sarifWriter) region(pos, end token.Position) sarif.Region {
	if end.Filename != pos.Filename || end.Line < pos.Line {
		end = pos
	}
	return sarif.Region{
		StartLine: pos.Line, StartColumn: s.columns.Column(pos.Filename, pos.Line, pos.Column),
		EndLine: end.Line, EndColumn: s.columns.Column(end.Filename, end.Line, end.Column),
	}
}

func (s *sarifWriter) artifact(file string) sarif.ArtifactLocation {
	if rel, ok := relative(s.root, file); ok {
		return sarif.ArtifactLocation{URI: (&url.URL{Path: rel}).String(), URIBaseID: srcRoot}
	}
	return sarif.ArtifactLocation{URI: (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()}
}
