package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ttlvet/ttlvet/docs"
	"github.com/ttlvet/ttlvet/internal/rule"
	"github.com/ttlvet/ttlvet/internal/sarif"
)

// sarifSchema is the standard's own, with errata 01, as published by OASIS.
const sarifSchema = "../../internal/sarif/testdata/sarif-schema-2.1.0.json"

// checkSARIF holds a file against the standard's schema, and against what the
// schema does not say: sarif FILE.
func checkSARIF(ts *testscript.TestScript, neg bool, args []string) {
	data := []byte(ts.ReadFile(args[0]))
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	ts.Check(err)
	ts.Check(sarifError(value))
	var log sarif.Log
	ts.Check(json.Unmarshal(data, &log))
	run := log.Runs[0]
	if len(run.Tool.Driver.Rules) != len(rule.All) {
		ts.Fatalf("%d rules are described, not %d", len(run.Tool.Driver.Rules), len(rule.All))
	}
	for _, r := range run.Tool.Driver.Rules {
		if _, ok := docs.Section(r.ID); !ok {
			continue // the catalogue's own test says so
		}
		if r.ShortDescription.Text == "" || len(r.FullDescription.Text) < 40 || len(r.Help.Text) < 100 || strings.Contains(r.Help.Markdown, ".md)") && !strings.Contains(r.Help.Markdown, "https://") {
			ts.Fatalf("rule %s is not described: %+v", r.ID, r)
		}
	}
	seen := map[string]bool{}
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			ts.Fatalf("rule %d is not %s", r.RuleIndex, r.RuleID)
		}
		analyzer, category, _ := strings.Cut(r.RuleID, "/")
		if known, _ := rule.Lookup(analyzer, category); r.Level != string(known.Severity) {
			ts.Fatalf("%s has the level %s", r.RuleID, r.Level)
		}
		id := r.PartialFingerprints["ttlvet/v1"]
		if id == "" || seen[id] {
			ts.Fatalf("fingerprint %q of %+v is not its own", id, r)
		}
		seen[id] = true
	}
}

func sarifError(value any) error {
	path, err := filepath.Abs(sarifSchema)
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(path)
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// applySARIF makes the changes that a SARIF file has as fixes, as an editor
// would: sarifapply FILE.
func applySARIF(ts *testscript.TestScript, neg bool, args []string) {
	var log sarif.Log
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &log))
	byFile := map[string]map[sarif.Replacement]bool{}
	edits := map[string][]sarif.Replacement{}
	for _, r := range log.Runs[0].Results {
		for _, fix := range r.Fixes {
			for _, change := range fix.ArtifactChanges {
				u, err := url.Parse(change.ArtifactLocation.URI)
				ts.Check(err)
				file := ts.MkAbs(filepath.FromSlash(u.Path))
				if byFile[file] == nil {
					byFile[file] = map[sarif.Replacement]bool{}
				}
				for _, e := range change.Replacements {
					key := sarif.Replacement{DeletedRegion: e.DeletedRegion} // one import for all
					if !byFile[file][key] {
						byFile[file][key] = true
						edits[file] = append(edits[file], e)
					}
				}
			}
		}
	}
	for file, list := range edits {
		data, err := os.ReadFile(file)
		ts.Check(err)
		data, err = replaceUTF16(data, list)
		ts.Check(err)
		data, err = format.Source(data) // as -fix does
		ts.Check(err)
		ts.Check(os.WriteFile(file, data, 0o666))
	}
}

// replaceUTF16 makes replacements whose columns count UTF-16 code units.
func replaceUTF16(data []byte, list []sarif.Replacement) ([]byte, error) {
	text := utf16.Encode([]rune(string(data)))
	var starts []int // of lines
	for i := range text {
		if i == 0 || text[i-1] == '\n' {
			starts = append(starts, i)
		}
	}
	// The last ones first, so that the places of the others stay.
	for len(list) > 0 {
		last := 0
		for i, e := range list {
			r, l := e.DeletedRegion, list[last].DeletedRegion
			if r.StartLine > l.StartLine || r.StartLine == l.StartLine && r.StartColumn > l.StartColumn {
				last = i
			}
		}
		e := list[last]
		list = append(list[:last:last], list[last+1:]...)
		r := e.DeletedRegion
		if r.StartLine < 1 || r.EndLine > len(starts) {
			return nil, errors.New(fmt.Sprint("no such region: ", r))
		}
		from, to := starts[r.StartLine-1]+r.StartColumn-1, starts[r.EndLine-1]+r.EndColumn-1
		var inserted []uint16
		if e.InsertedContent != nil {
			inserted = utf16.Encode([]rune(e.InsertedContent.Text))
		}
		text = append(text[:from:from], append(inserted, text[to:]...)...)
	}
	return []byte(string(utf16.Decode(text))), nil
}
