package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// strategies are what families are declared as, in the registry's words.
var strategies = []string{
	"one-second-expiration, ttl: 30m",
	"default-expiration, ttl: 720h",
	"sequential-numbers, versions: 3",
	"timestamp-zero",
	"real-timestamps, max-age: 24h, versions: 2",
}

// invented returns a registry in which every table has all families under one
// strategy.
func invented(families []string, strategy string) string {
	var b strings.Builder
	b.WriteString("version: 1\ntables:\n  \"*\":\n    families:\n")
	for _, f := range families {
		fmt.Fprintf(&b, "      %q: {strategy: %s}\n", f, strategy)
	}
	return b.String()
}

var familyName = regexp.MustCompile(`^[-_.a-zA-Z0-9]{1,64}$`)

// words returns the strings in Go files that can name a column family.
func words(files []string) []string {
	var list []string
	for _, name := range files {
		f, _ := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if f == nil {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if _, isImport := n.(*ast.ImportSpec); isImport {
				return false
			}
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil && familyName.MatchString(s) {
					list = append(list, s)
				}
			}
			return true
		})
	}
	slices.Sort(list)
	return slices.Compact(list)
}
