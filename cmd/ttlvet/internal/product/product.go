// Package product builds other programs with ttlvet in them.
package product

import _ "embed"

// A Product is another program that can be built with ttlvet in it.
type Product struct {
	Name    string
	About   string
	module  string // the program's module
	Version string // the newest that is known to work with this ttlvet
	main    string // template of the main package
	// path is the path of the generated main module.
	path string
}

//go:embed template/gopls.go.tmpl
var goplsMain string

//go:embed template/golangci.go.tmpl
var golangciMain string

// Gopls is the language server.
var Gopls = Product{
	Name: "gopls",
	About: `builds a gopls that has ttlvet in it. Editors use it when their Go plugin is
pointed at the file: in VS Code, "go.alternateTools": {"gopls": "/path/to/gopls"}.`,
	module:  "golang.org/x/tools/gopls",
	Version: "v0.23.0",
	main:    goplsMain,
	// gopls' packages are internal. Only a module below its path may import
	// them.
	path: "golang.org/x/tools/gopls/ttlvet",
}

// GolangciLint is the linter of linters.
var GolangciLint = Product{
	Name: "golangci-lint",
	About: `builds a golangci-lint that has ttlvet in it. Switch ttlvet on in .golangci.yml:
version: "2"
linters:
  enable: [ttlvet]
  settings:
    custom:
      ttlvet: {type: module}`,
	module:  "github.com/golangci/golangci-lint/v2",
	Version: "v2.15.0",
	main:    golangciMain,
	path:    "ttlvet.invalid/golangci-lint",
}
