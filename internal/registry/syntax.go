package registry

import (
	"strings"

	"github.com/ttlvet/ttlvet/internal/lazy"
	"github.com/ttlvet/ttlvet/internal/yamltext"
)

// unquoted is a table's pattern that stands as a key without quotes, which
// YAML takes for an alias or a list.
var unquoted = lazy.Regexp(`^(?:[^'"#]*\{)?\s*((?:\*|\[[^\]\s]*\])[^\s:'",{}]*)\s*:(?:\s|$)`)

// plainer words what the YAML parser says of common slips.
var plainer = map[string]string{
	"value is not allowed in this context": "this does not fit here: look at the indentation, and at the line above",
	"non-map value is specified":           "this is no key with a value: look at the indentation and the colon",
	"unexpected key name":                  "a colon is missing behind this",
}

// syntaxErrors words the error of a text that is not YAML, by what people are
// known to write.
func (p *fileParser) syntaxErrors(data []byte, bad *yamltext.Error) Errors {
	lines := strings.Split(string(data), "\n")
	var errs Errors
	for i, line := range lines {
		if m := unquoted().FindStringSubmatchIndex(line); m != nil {
			errs = append(errs, &ParseError{Position{p.file.Path, i + 1, m[2] + 1},
				"quote this pattern, which YAML reads otherwise: \"" + line[m[2]:m[3]] + "\""})
		}
	}
	if errs != nil {
		return errs
	}
	e := &ParseError{Position{p.file.Path, bad.Line, bad.Column}, bad.Message}
	if bad.Line <= len(lines) {
		line := lines[bad.Line-1]
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if i := strings.IndexByte(indent, '\t'); i >= 0 {
			e.Pos.Column = i + 1
			e.Msg = "a tab: YAML is indented with spaces"
		} else if strings.Contains(e.Msg, "tab character") || strings.Contains(e.Msg, "character '\t'") {
			e.Msg = "a tab: write spaces"
		}
	}
	if plain := plainer[e.Msg]; plain != "" {
		e.Msg = plain
	}
	e.Msg = "not YAML: " + e.Msg
	return Errors{e}
}
