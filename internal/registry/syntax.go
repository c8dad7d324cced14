package registry

import (
	"errors"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/ttlvet/ttlvet/internal/lazy"
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
func (p *fileParser) syntaxErrors(data []byte, err error) Errors {
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
	e := &ParseError{Position{p.file.Path, 1, 1}, err.Error()}
	var yerr yaml.Error
	if errors.As(err, &yerr) {
		msg := yerr.GetMessage()
		if tk := yerr.GetToken(); tk != nil && tk.Position != nil {
			e.Pos.Line, e.Pos.Column = tk.Position.Line, tk.Position.Column
		}
		if e.Pos.Line <= len(lines) {
			line := lines[e.Pos.Line-1]
			indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
			if i := strings.IndexByte(indent, '\t'); i >= 0 {
				e.Pos.Column = i + 1
				msg = "a tab: YAML is indented with spaces"
			} else if strings.Contains(msg, "tab character") || strings.Contains(msg, "character '\t'") {
				msg = "a tab: write spaces"
			}
		}
		if plain := plainer[msg]; plain != "" {
			msg = plain
		}
		e.Msg = "not YAML: " + msg
	}
	return Errors{e}
}
