// Package docs holds ttlvet's pages: one per analyzer with a section per
// category, the reference of the registry file, and their index.
package docs

import (
	"embed"
	"path"
	"strings"
)

//go:embed *.md
var files embed.FS

// Pages returns the names of the pages in the order of the alphabet, without
// their extension: "README", "registry", "ttlage" and so on.
func Pages() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	return names
}

// Section returns a page, such as "ttlwrite", or one section of it with its
// heading, such as "ttlwrite/server-timestamp".
func Section(name string) (text string, ok bool) {
	page, section, within := strings.Cut(name, "/")
	data, err := files.ReadFile(page + ".md")
	if err != nil {
		return "", false
	}
	if !within {
		return string(data), true
	}
	for _, s := range Sections(string(data)) {
		if s.Name == section {
			return s.Text, true
		}
	}
	return "", false
}

// A Part is a section of a page: what stands under a heading of the second
// level, together with it.
type Part struct {
	Name string // the heading
	Text string // the heading and what follows it, up to the next one
}

// Sections divides a page. What stands before the first heading of the second
// level is left out.
func Sections(page string) []Part {
	var parts []Part
	fenced := false
	for line := range strings.Lines(page) {
		// In an example a line may begin like a heading.
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if heading, ok := strings.CutPrefix(line, "## "); ok && !fenced {
			parts = append(parts, Part{Name: strings.TrimSpace(heading)})
		}
		if len(parts) > 0 {
			parts[len(parts)-1].Text += line
		}
	}
	for i := range parts {
		parts[i].Text = strings.TrimRight(parts[i].Text, "\n") + "\n"
	}
	return parts
}

// An Example is a piece of Go code in a section: statements that use the
// tables of the index page.
type Example struct {
	Bad  bool // what the section's category reports
	Code string
}

// Examples returns the Go code of a section. A block is a bad or a good
// example by the paragraph before it, "Bad:" or "Good:"; other blocks are no
// examples.
func Examples(section string) []Example {
	var list []Example
	kind, inside := "", false
	for line := range strings.Lines(section) {
		text := strings.TrimRight(line, "\n")
		switch {
		case inside && text == "```":
			inside, kind = false, ""
		case inside:
			list[len(list)-1].Code += line
		case text == "```go" && kind != "":
			list, inside = append(list, Example{Bad: kind == "Bad:"}), true
		case text == "Bad:" || text == "Good:":
			kind = text
		case text != "":
			kind = ""
		}
	}
	return list
}
