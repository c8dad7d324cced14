// Package page writes an inventory as a page for browsers.
//
// It is not one of the analyzers' packages since templates are initialised late,
// and what imports them later still: see package unit.
package page

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/ttlvet/ttlvet/internal/inventory"
)

//go:embed page.html.tmpl
var page string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"id": func(parts ...string) string {
		return strings.NewReplacer("*", "any", " ", "-", "(", "", ")", "").Replace(strings.Join(parts, "."))
	},
	"rule": func(name string) string {
		page, section, _ := strings.Cut(name, "/")
		return "https://github.com/ttlvet/ttlvet/blob/main/docs/" + page + ".md#" + section
	},
	"mood": func(verdict string) string {
		switch {
		case strings.HasPrefix(verdict, "lets"), strings.HasPrefix(verdict, "hides"), strings.HasPrefix(verdict, "has the bound"), strings.HasPrefix(verdict, "dead"), verdict == "reads dead cells only":
			return "bad"
		case strings.HasPrefix(verdict, "unknown"):
			return "open"
		case verdict == "keeps dead cells out":
			return "good"
		}
		return ""
	},
}).Parse(page))

// A Stamp says of what state of the code a page is.
type Stamp struct {
	Day    string // on which it was made
	Commit string // the newest one, "" outside of repositories
}

// Write writes the inventory as a page that needs nothing else.
func Write(w io.Writer, inv *inventory.Inventory, made Stamp) error {
	return pageTemplate.Execute(w, struct {
		*inventory.Inventory
		Made Stamp
	}{inv, made})
}
