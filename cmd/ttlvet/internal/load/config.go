// Package load loads the packages that are analysed, with types, at little cost:
// what cannot reach Bigtable is only listed, and what is imported comes from where
// that costs least. Nothing is compiled.
package load

import (
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/progress"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/shown"
)

// A Config says what is loaded.
type Config struct {
	Patterns []string
	Tests    bool           // whether tests are too
	Tags     string         // build tags, separated by commas
	Shown    shown.Dir      // where paths are shown relative to
	Line     *progress.Line // nil for none

	platform *platform // known once packages are listed
}

// buildFlags are the flags for the go command.
func (c *Config) buildFlags() []string {
	if c.Tags == "" {
		return nil
	}
	return []string{"-tags=" + c.Tags}
}
