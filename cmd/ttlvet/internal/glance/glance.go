// Package glance looks at files of packages that are not analysed.
package glance

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"

	"github.com/ttlvet/ttlvet/internal/lazy"
)

// directive is the text of a silencing directive, well formed or not.
var directive = lazy.Regexp(`//\s*ttlvet:|/\*\s*ttlvet:|//[/ ]*nolint:[^/\n]*\bttl`)

// A Glance is what is known of a file of a package that does not reach
// Bigtable, and so is not analysed for its own sake.
type Glance struct {
	// Directive reports whether the file holds the text of a silencing
	// directive. One that silences nothing is a finding, also where nothing
	// else could be.
	Directive bool
	// Err is why it does not parse. What a file imports is not known then,
	// nor whether it reaches Bigtable.
	Err error
}

// At looks at a file.
func At(file string) Glance {
	data, err := os.ReadFile(file)
	if err != nil {
		return Glance{Err: err}
	}
	_, err = parser.ParseFile(token.NewFileSet(), file, data, parser.SkipObjectResolution)
	return Glance{bytes.Contains(data, []byte("ttlvet")) && directive().Match(data), err}
}
