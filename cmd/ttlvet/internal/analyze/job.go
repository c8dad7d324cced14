// Package analyze runs the analyzers over packages, and holds schemas outside Go
// to what is declared.
package analyze

import (
	"io"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/load"
	"github.com/ttlvet/ttlvet/internal/agreement"
	"github.com/ttlvet/ttlvet/internal/schema"
)

// A Job is what is analysed, and how.
type Job struct {
	Load        load.Config
	Options     analyzers.Options
	Dir         string             // in the module that it is about
	UnsafeFixes bool               // offer unsafe fixes too
	Gather      bool               // note what code does, too
	Adopt       bool               // look for what the runtime package can do, too
	Only        map[string]bool    // the absolute paths of the files whose findings are reported; nil for all
	NewFrom     string             // a revision, since which code is looked at
	Sources     *agreement.Sources // schemas outside Go, nil for those that registries name
	Samples     []*schema.Sample   // of stored cells
	Stderr      io.Writer

	// What came of it.
	Judged    Judged             // what was seen, for the baseline
	Adoptions []*finding.Finding // what can be rewritten: nothing that is wrong
	Gathered  []any              // what code does: results of package code
	Broken    bool               // a source could not be read
	Held      []*finding.Finding // what is wrong and a baseline knows
	Notes     []string           // what is said after the findings
	// Agreed is what is known of the first module of which more than Go was
	// looked at; nil where there is none.
	Agreed *agreement.Agreement
}
