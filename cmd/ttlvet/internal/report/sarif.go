package report

import (
	"cmp"
	"fmt"
	"go/token"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/self"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/shown"
	"github.com/ttlvet/ttlvet/docs"
	"github.com/ttlvet/ttlvet/internal/markdown"
	"github.com/ttlvet/ttlvet/internal/rule"
	"github.com/ttlvet/ttlvet/internal/sarif"
	"github.com/ttlvet/ttlvet/internal/trace"
)

// srcRoot names what the paths in a SARIF file are relative to.
const srcRoot = "%SRCROOT%"

// SARIF writes the findings of a command to w as SARIF, with paths relative to root.
func SARIF(w io.Writer, root, command, module string, findings []*finding.Finding) error {
	s := NewSARIFRun(root, command, module)
	run := &s.Run
	for _, f := range findings {
		run.Results = append(run.Results, s.result(f))
	}
	return sarif.New(*run).Write(w)
}

// A SARIFRun is a run whose results are being written.
type SARIFRun struct {
	sarif.Run
	root    string
	columns sarif.Columns
	index   map[string]int // of rules
}

// NewSARIFRun returns the run of a command, such as "ttlvet audit", on the module in a
// directory, without results and with paths relative to root.
func NewSARIFRun(root, command, module string) *SARIFRun {
	s := &SARIFRun{root: root, index: map[string]int{}}
	s.Run = sarif.Run{
		Tool: sarif.Tool{Driver: sarif.Component{
			Name:            "ttlvet",
			FullName:        self.Line(),
			Version:         self.Release(),
			SemanticVersion: strings.TrimPrefix(self.Release(), "v"),
			InformationURI:  "https://" + self.Path,
			Rules:           s.rules(),
		}},
		Automation:  &sarif.Automation{ID: automation(root, command, module)},
		Invocations: []sarif.Invocation{{ExecutionSuccessful: trace.Failures() == 0}},
		ColumnKind:  sarif.UTF16,
		OriginalURIBaseIDs: map[string]sarif.ArtifactLocation{
			srcRoot: {Description: &sarif.Message{Text: "the root of the repository"}},
		},
		Results: []sarif.Result{},
	}
	return s
}

// automation is by what services tell the runs of one repository apart: the command,
// and the module in it.
func automation(root, command, module string) string {
	id := strings.ReplaceAll(command, " ", "-") + "/"
	if rel, ok := shown.Below(root, module); ok && rel != "." {
		id += rel + "/"
	}
	return id
}

// Rule returns the index of a rule in the run, and its level.
func (s *SARIFRun) Rule(r rule.Rule) (index int, level string) {
	return s.index[r.Name()], string(r.Severity)
}

// rules describes all rules, so that what a viewer knows of them does not
// depend on what was found.
func (s *SARIFRun) rules() []sarif.Rule {
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
			Default: sarif.Configuration{Enabled: !r.Strict, Level: string(r.Severity)},
			// As GitHub reads them.
			Properties: map[string]any{"precision": "very-high", "problem.severity": string(r.Severity), "tags": []string{"bigtable", "correctness"}},
		})
	}
	return list
}

// camelCase writes a category as SARIF wants names.
func camelCase(category string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(category, "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

func (s *SARIFRun) result(f *finding.Finding) sarif.Result {
	rule, _ := rule.Lookup(f.Analyzer, f.Category)
	id := f.Fingerprint.String()
	first := f.Fingerprint
	first.Ordinal = 0
	result := sarif.Result{
		RuleID:    f.Rule(),
		RuleIndex: s.index[f.Rule()],
		Level:     string(rule.Severity),
		Message:   sarif.Message{Text: strings.TrimSuffix(f.Text(), " ("+f.Rule()+")")},
		Locations: []sarif.Location{s.Location(f.From, f.To)},
		PartialFingerprints: map[string]string{
			"ttlvet/v1": id,
			// The one by which GitHub knows alerts again; without it GitHub
			// takes a hash of the lines around.
			"primaryLocationLineHash": fmt.Sprintf("%s:%d", first.String()[:16], f.Fingerprint.Ordinal+1),
		},
	}
	if in := f.Fingerprint.In; in != "" {
		result.Locations[0].LogicalLocations = []sarif.LogicalLocation{{Name: in, FullyQualifiedName: f.Fingerprint.Package + "." + in}}
	}
	fset := f.Pkg.Fset
	for i, r := range f.Related {
		l := s.Location(fset.Position(r.Pos), fset.Position(cmp.Or(r.End, r.Pos)))
		l.ID, l.Message = i+1, &sarif.Message{Text: r.Message}
		result.RelatedLocations = append(result.RelatedLocations, l)
	}
	for _, fix := range f.SuggestedFixes {
		if edits, ok := f.Placed(fix); ok {
			result.Fixes = append(result.Fixes, s.fix(fix.Message, edits))
		}
	}
	return result
}

func (s *SARIFRun) fix(message string, edits []finding.Placed) sarif.Fix {
	out := sarif.Fix{Description: sarif.Message{Text: message}}
	byFile := map[string][]sarif.Replacement{}
	for _, e := range edits {
		r := sarif.Replacement{DeletedRegion: s.region(e.From, e.To)}
		if e.Text != "" {
			r.InsertedContent = &sarif.Content{Text: e.Text}
		}
		byFile[e.From.Filename] = append(byFile[e.From.Filename], r)
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		slices.SortStableFunc(byFile[file], func(a, b sarif.Replacement) int {
			return cmp.Or(a.DeletedRegion.StartLine-b.DeletedRegion.StartLine, a.DeletedRegion.StartColumn-b.DeletedRegion.StartColumn)
		})
		out.ArtifactChanges = append(out.ArtifactChanges, sarif.ArtifactChange{ArtifactLocation: s.artifact(file), Replacements: byFile[file]})
	}
	return out
}

// Location returns a place as SARIF has it.
func (s *SARIFRun) Location(pos, end token.Position) sarif.Location {
	return sarif.Location{PhysicalLocation: sarif.PhysicalLocation{ArtifactLocation: s.artifact(pos.Filename), Region: s.region(pos, end)}}
}

func (s *SARIFRun) region(pos, end token.Position) sarif.Region {
	if end.Filename != pos.Filename || end.Line < pos.Line {
		end = pos
	}
	return sarif.Region{
		StartLine: pos.Line, StartColumn: s.columns.Column(pos.Filename, pos.Line, pos.Column),
		EndLine: end.Line, EndColumn: s.columns.Column(end.Filename, end.Line, end.Column),
	}
}

func (s *SARIFRun) artifact(file string) sarif.ArtifactLocation {
	if rel, ok := shown.Below(s.root, file); ok {
		return sarif.ArtifactLocation{URI: (&url.URL{Path: rel}).String(), URIBaseID: srcRoot}
	}
	return sarif.ArtifactLocation{URI: (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()}
}
