package rule_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/docs"
	"github.com/ttlvet/ttlvet/internal/rule"
)

var update = flag.Bool("update", false, "write the table of rules into the page that shows it")

// TestSections checks that the pages have a section for every rule, in the
// catalogue's order, and none besides: Rule.URL links to it.
func TestSections(t *testing.T) {
	for _, analyzer := range rule.Analyzers() {
		page, ok := docs.Section(analyzer)
		if !ok {
			t.Errorf("%s has no page", analyzer)
			continue
		}
		var want, got []string
		for _, r := range rule.All {
			if r.Analyzer == analyzer {
				want = append(want, r.Category)
			}
		}
		for _, s := range docs.Sections(page) {
			got = append(got, s.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("sections of %s:\n got %q\nwant %q", analyzer, got, want)
		}
	}
}

// ignore is how a rule is silenced: in Go, or in files of other kinds.
func ignore(r rule.Rule) string {
	if r.Analyzer == "ttlschema" {
		return "# ttlvet:ignore "
	}
	return "//ttlvet:ignore "
}

// TestSectionContents checks that every section says what a user asks for.
func TestSectionContents(t *testing.T) {
	for _, r := range rule.All {
		section, ok := docs.Section(r.Name())
		if !ok {
			continue // TestSections says so
		}
		for _, part := range []string{
			"\nBad:\n", "\nGood:\n", "\nNot reported: ", "\nTo ignore it: ", ignore(r) + r.Name() + " ",
			"\nSource: ", "(https://cloud.google.com/bigtable/docs/",
		} {
			if !strings.Contains(section, part) {
				t.Errorf("%s: no %q", r.Name(), part)
			}
		}
		if off := strings.Contains(section, "Strict: off unless asked for"); off != r.Strict {
			t.Errorf("%s: the page says strict %v, the catalogue %v", r.Name(), off, r.Strict)
		}
	}
}

// TestTable checks the table of rules on its page.
func TestTable(t *testing.T) {
	const file, begin, end = "../../docs/rules.md", "-update -->\n", "<!-- end of rules -->"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok1 := strings.Cut(string(data), begin)
	old, tail, ok2 := strings.Cut(rest, end)
	want := table()
	switch {
	case !ok1 || !ok2:
		t.Errorf("%s has no place for the rules, between %q and %q", file, begin, end)
	case old == want:
	case !*update:
		t.Errorf("the rules in %s are not the catalogue's: run go test ./internal/rule -update", file)
	default:
		if err := os.WriteFile(file, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// table is the catalogue in Markdown.
func table() string {
	var b strings.Builder
	b.WriteString("| rule | severity | families | reports |\n|---|---|---|---|\n")
	for _, r := range rule.All {
		name := fmt.Sprintf("[%s](%s.md#%s)", r.Name(), r.Analyzer, r.Category)
		if r.Strict {
			name += " *strict*"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, r.Severity, r.Strategy, r.Summary)
	}
	return b.String()
}
