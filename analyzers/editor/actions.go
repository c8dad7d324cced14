package editor

import (
	"bytes"
	"encoding/json"
	"go/scanner"
	"go/token"
	"os"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/ttlvet/ttlvet/internal/rule"
)

// What a server cannot be told by an analyzer is added on the way to the client: how
// severe a rule is, and the quick fix that ignores a finding. An analyzer has one fix
// for each finding, since other drivers apply all that it offers.

// A diagnostic is what is read of one.
type diagnostic struct {
	Range        struct{ Start struct{ Line int } }
	Source, Code string
}

// rule returns the rule of a diagnostic.
func (d diagnostic) rule() (rule.Rule, bool) { return rule.Lookup(d.Source, d.Code) }

// severities are those of the protocol.
var severities = map[rule.Severity]int{rule.Error: 1, rule.Warning: 2, rule.Note: 3}

// graded gives the diagnostics of a message from the server the severity of their rules.
func graded(body []byte) []byte {
	if !bytes.Contains(body, []byte(`"textDocument/publishDiagnostics"`)) {
		return body
	}
	return edited(body, "params", func(params json.RawMessage) any { return grade(params, "diagnostics") })
}

// grade returns an object in which the diagnostics of a field have the severity of their
// rules; nil where there are none of ttlvet's.
func grade(text json.RawMessage, field string) any {
	var object map[string]json.RawMessage
	var list []map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil || json.Unmarshal(object[field], &list) != nil {
		return nil
	}
	found := false
	for _, fields := range list {
		var d diagnostic
		encoded, _ := json.Marshal(fields)
		if json.Unmarshal(encoded, &d) != nil {
			continue
		}
		if r, ok := d.rule(); ok {
			found = true
			fields["severity"], _ = json.Marshal(severities[r.Severity])
		}
	}
	if !found {
		return nil
	}
	object[field], _ = json.Marshal(list)
	return object
}

// edited returns a message with another value of a field; as it is where change
// returns nil.
func edited(body []byte, field string, change func(json.RawMessage) any) []byte {
	var m map[string]json.RawMessage
	if json.Unmarshal(body, &m) != nil {
		return body
	}
	value := change(m[field])
	if value == nil {
		return body
	}
	m[field], _ = json.Marshal(value)
	out, err := json.Marshal(m)
	if err != nil {
		return body
	}
	return out
}

// A request is what is read of a client's for code actions or diagnostics.
type request struct {
	ID     json.RawMessage
	Method string
	Params struct {
		TextDocument struct{ URI string }
		Context      struct {
			Diagnostics []json.RawMessage
			Only        []string
		}
	}
}

// asked notes how the answer to a request for code actions or diagnostics is changed.
func (p *proxy) asked(body []byte) {
	var r request
	if !bytes.Contains(body, []byte(`"textDocument/codeAction"`)) && !bytes.Contains(body, []byte(`"textDocument/diagnostic"`)) || json.Unmarshal(body, &r) != nil {
		return
	}
	switch r.Method {
	case "textDocument/diagnostic":
		p.pending[string(r.ID)] = func(report json.RawMessage) any { return grade(report, "items") }
	case "textDocument/codeAction":
		only := r.Params.Context.Only
		if p.unsaved[r.Params.TextDocument.URI] || len(only) > 0 && !slices.Contains(only, "quickfix") && !slices.Contains(only, "") {
			return
		}
		actions := ignoring(r.Params.TextDocument.URI, r.Params.Context.Diagnostics)
		if actions == nil {
			return
		}
		p.pending[string(r.ID)] = func(text json.RawMessage) any {
			var list []any
			if json.Unmarshal(text, &list) != nil {
				return nil
			}
			return append(list, actions...)
		}
	}
}

// ignoring returns the actions that ignore findings in a file, whose text is that on disk.
func ignoring(uri string, diagnostics []json.RawMessage) (actions []any) {
	for _, text := range diagnostics {
		var d diagnostic
		if json.Unmarshal(text, &d) != nil {
			continue
		}
		r, ok := d.rule()
		if !ok || r.Analyzer == "ttlvet" {
			continue
		}
		column, ok := endOfLine(pathOf(uri), d.Range.Start.Line)
		if !ok {
			continue
		}
		at := map[string]int{"line": d.Range.Start.Line, "character": column}
		actions = append(actions, map[string]any{
			"title": "Ignore " + r.Name() + " here (write the reason)", "kind": "quickfix", "diagnostics": []json.RawMessage{text},
			"edit": map[string]any{"changes": map[string]any{uri: []any{map[string]any{
				"range": map[string]any{"start": at, "end": at}, "newText": " //ttlvet:ignore " + r.Name() + " TODO: why",
			}}}},
		})
	}
	return actions
}

// endOfLine returns where a line of a file ends, in the protocol's characters; false
// where no comment can be put there: there is one, or a text of several lines.
func endOfLine(path string, line int) (column int, ok bool) {
	text, err := os.ReadFile(path)
	lines := strings.Split(string(text), "\n")
	if err != nil || line >= len(lines) {
		return 0, false
	}
	files := token.NewFileSet()
	file := files.AddFile(path, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		from := file.Line(pos) - 1
		to := from
		if tok == token.STRING || tok == token.COMMENT {
			to += strings.Count(lit, "\n")
		}
		if from <= line && line < to || tok == token.COMMENT && from <= line && line <= to {
			return 0, false
		}
	}
	return len(utf16.Encode([]rune(strings.TrimSuffix(lines[line], "\r")))), true
}

// answered changes the answer to a request as was noted.
func (p *proxy) answered(body []byte) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.pending) == 0 {
		return body
	}
	var m struct {
		ID     json.RawMessage
		Method string
		Error  json.RawMessage
	}
	if json.Unmarshal(body, &m) != nil || m.Method != "" || m.ID == nil {
		return body
	}
	change := p.pending[string(m.ID)]
	delete(p.pending, string(m.ID))
	if change == nil || m.Error != nil {
		return body
	}
	return edited(body, "result", change)
}
