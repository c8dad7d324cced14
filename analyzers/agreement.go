package analyzers

import (
	"errors"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/agreement"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/code"
	"github.com/ttlvet/ttlvet/internal/draft"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/inventory"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/schema"
)

// An Agreement is all that is known of tables and column families: the
// registry, what Go code does, what schemas outside Go say.
type Agreement = agreement.Agreement

// Sources say where schemas outside Go are read from.
type Sources = agreement.Sources

// A SchemaFinding is what is wrong with a schema outside Go.
type SchemaFinding = schema.Finding

// A Sample is the timestamps of a few cells of one family.
type Sample = schema.Sample

// A Draft is a registry in the making.
type Draft = draft.Draft

// An Inventory is an agreement, arranged for people.
type Inventory = inventory.Inventory

// CodeAnalyzer returns an analyzer whose result is what a package does with
// column families, for [NewAgreement].
func CodeAnalyzer() *analysis.Analyzer { return code.Analyzer }

// NewAgreement puts together what is known of the module in the directory
// root. results are those of [CodeAnalyzer]. The error lists every mistake of
// the registry on a line of its own, or names a source that is not there.
func NewAgreement(root string, from Sources, results []any) (*Agreement, error) {
	return agreement.New(root, from, results)
}

// NewDraft drafts the registry entries that an agreement supports and does
// not have.
func NewDraft(a *Agreement) *Draft { return draft.New(a) }

// NewInventory arranges an agreement. findings are listed with what they are
// about.
func NewInventory(a *Agreement, findings []*SchemaFinding) *Inventory {
	return inventory.New(a, findings)
}

// SchemaFindings returns what is wrong with the schemas of an agreement, and
// with what was sampled of the cells, by the rules that are on and without
// what comments silence.
func SchemaFindings(o *Options, a *Agreement, samples []*Sample) []*SchemaFinding {
	found := append(a.Findings(), schema.Stored(a.Model, samples)...)
	return schema.Silence(found, a.Schema.Files, check.Layers(o, a.File).On)
}

// SchemaErrors lists what is broken in the sources, one to a line as
// "file:line:col: message", or returns nil.
func SchemaErrors(a *Agreement) error {
	var lines []string
	for _, e := range a.Schema.Errors {
		lines = append(lines, e.Place.String()+": "+e.Message)
	}
	if lines == nil {
		return nil
	}
	return errors.New(strings.Join(lines, "\n"))
}

// HasSchema reports whether the registry of the module in the directory root
// names sources outside Go.
func HasSchema(root string) bool {
	path := registry.Find(root)
	if path == "" {
		return false
	}
	f, err := registry.Load(path)
	return err == nil && len(f.Schema) > 0
}

// NewSchemaFinding makes of a finding in Go what [NewInventory] lists.
func NewSchemaFinding(analyzer, category string, at token.Position, table, family, message string) *SchemaFinding {
	return &SchemaFinding{Analyzer: analyzer, Category: category, Table: table, Family: family, Message: message,
		Place: evidence.At(at.Filename, at.Line, at.Column)}
}
