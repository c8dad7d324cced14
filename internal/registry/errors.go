package registry

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// A Mistake is what is wrong at a place of a registry file.
type Mistake struct {
	File         string // its absolute path
	Line, Column int    // counted from 1
	Message      string
}

// Mistakes returns what is wrong with the registries of the modules of
// dir.
func Mistakes(dir string) []Mistake {
	var list []Mistake
	for _, path := range Places(dir) {
		if _, err := os.Lstat(path); err != nil || !IsName(filepath.Base(path)) {
			continue
		}
		f, err := Load(path)
		if err == nil {
			err = f.CheckBaseline()
		}
		var errs Errors
		switch {
		case errors.As(err, &errs):
			for _, e := range errs {
				list = append(list, Mistake{path, e.Pos.Line, e.Pos.Column, e.Msg})
			}
		case err != nil:
			list = append(list, Mistake{path, 1, 1, err.Error()})
		}
	}
	return list
}
