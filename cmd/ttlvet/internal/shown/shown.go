// Package shown says how files are named to users.
package shown

import (
	"fmt"
	"go/token"
	"path/filepath"
	"strings"
)

// A Dir is the directory that paths are shown relative to.
type Dir string

// Path returns the path of a file as it is shown: relative to the directory when
// it lies below it.
func (d Dir) Path(file string) string {
	if !filepath.IsAbs(file) {
		return file
	}
	rel, err := filepath.Rel(string(d), file)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return file
	}
	return rel
}

// Position returns a position with its file as it is shown.
func (d Dir) Position(pos token.Position) string {
	pos.Filename = d.Path(pos.Filename)
	return pos.String()
}

// Plural returns a number of things.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Below returns the path of a file in a directory, with slashes.
func Below(dir, file string) (string, bool) {
	rel, err := filepath.Rel(dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
