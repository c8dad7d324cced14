// Package golangci is ttlvet as a module plugin of golangci-lint. A
// golangci-lint that has it is built by ttlvet build-golangci-lint, or by
// golangci-lint custom with
//
//	# .custom-gcl.yml
//	version: v2.15.0
//	plugins:
//	  - module: github.com/ttlvet/ttlvet
//	    import: github.com/ttlvet/ttlvet/golangci
//	    version: latest
//
// and used with
//
//	version: "2"
//	linters:
//	  enable: [ttlvet]
//	  settings:
//	    custom:
//	      ttlvet:
//	        type: module
//	        settings:
//	          strict: false
//	          enable: []
//	          disable: []
package golangci

import (
	"fmt"
	"os"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/registries"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/rule"
)

func init() { register.Plugin("ttlvet", New) }

// Settings choose rules, as the flags of the same names do.
type Settings struct {
	Strict  bool     `json:"strict"`
	Enable  []string `json:"enable"`
	Disable []string `json:"disable"`
}

type plugin struct{ settings Settings }

// New returns the plugin. Unknown settings and unknown rules are errors.
func New(conf any) (register.LinterPlugin, error) {
	settings, err := register.DecodeSettings[Settings](conf)
	if err != nil {
		return nil, err
	}
	for _, names := range [][]string{settings.Enable, settings.Disable} {
		for _, name := range names {
			if err := rule.Check(name); err != nil {
				return nil, err
			}
		}
	}
	return &plugin{settings}, nil
}

// BuildAnalyzers returns the analyzers. A malformed registry is an error.
func (p *plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	wd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if _, err := registries.Parse(wd); err != nil {
		return nil, err
	}
	if registry.None(wd) {
		fmt.Fprintln(os.Stderr, "ttlvet: "+check.NoRegistry)
	}
	suite := analyzers.New(&analyzers.Options{
		Strict:  p.settings.Strict,
		Enable:  p.settings.Enable,
		Disable: p.settings.Disable,
		// golangci-lint makes an issue of its own of each.
		NoRelated:   true,
		NoLintHides: true,
	})
	// golangci-lint keeps results by the names of the analyzers.
	return append(suite, registries.Key(wd)), nil
}

// GetLoadMode asks for types.
func (p *plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
