package registry

import (
	"fmt"
	"strings"
)

// A ParseError is one mistake in a registry file.
type ParseError struct {
	Pos Position
	Msg string
}

func (e *ParseError) Error() string { return e.Pos.String() + ": " + e.Msg }

// Errors are all mistakes of a registry file in file order. A file with any
// is not used at all: half a registry would report nonsense.
type Errors []*ParseError

func (e Errors) Error() string {
	lines := make([]string, 0, len(e))
	for _, err := range e {
		lines = append(lines, err.Error())
	}
	return strings.Join(lines, "\n")
}

// didYouMean words the suggestion that ends an error message.
func didYouMean(s string) string {
	if s == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", s)
}
