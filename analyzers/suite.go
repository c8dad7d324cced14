// Package analyzers is the suite of ttlvet's analyzers.
//
// Drivers take [Suite], or [New] with options; each analyzer is also a
// package of its own that exports Analyzer.
package analyzers

import (
	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/analyzers/ttlage"
	"github.com/ttlvet/ttlvet/analyzers/ttlgc"
	"github.com/ttlvet/ttlvet/analyzers/ttlread"
	"github.com/ttlvet/ttlvet/analyzers/ttlunit"
	"github.com/ttlvet/ttlvet/analyzers/ttlvet"
	"github.com/ttlvet/ttlvet/analyzers/ttlwrite"
	"github.com/ttlvet/ttlvet/internal/check"
)

// Options choose rules, over what the registry file chooses. They are read
// when an analyzer runs, so that flags may be parsed after New.
type Options = check.Config

// Suite returns the analyzers with the default rules.
func Suite() []*analysis.Analyzer { return New(&Options{}) }

// New returns the analyzers with options.
func New(o *Options) []*analysis.Analyzer {
	// In this order fixes have precedence.
	writes := ttlwrite.New(o)
	reads := ttlread.New(o, writes)
	policies := ttlgc.New(o, reads)
	rules := []*analysis.Analyzer{writes, reads, policies, ttlunit.New(o, writes, policies), ttlage.New(o)}
	return append(rules, ttlvet.New(o, rules...))
}
