package ttlvet

import (
	"github.com/ttlvet/ttlvet/analyzers/ttlage"
	"github.com/ttlvet/ttlvet/analyzers/ttlgc"
	"github.com/ttlvet/ttlvet/analyzers/ttlread"
	"github.com/ttlvet/ttlvet/analyzers/ttlunit"
	"github.com/ttlvet/ttlvet/analyzers/ttlwrite"
	"github.com/ttlvet/ttlvet/internal/check"
)

// Analyzer checks the registry, and the directives that silence the default
// rules of the other analyzers.
var Analyzer = New(&check.Config{}, ttlwrite.Analyzer, ttlread.Analyzer, ttlgc.Analyzer, ttlunit.Analyzer, ttlage.Analyzer)
