// Package rule is the catalogue of what ttlvet reports: the one place where
// the name, the standing and the one-line summary of every category are
// written down. Reporting, the command's help, the table of docs/rules.md and the
// pages below docs/ are made from it.
package rule

import (
	"fmt"
	"sort"
	"strings"

	"github.com/ttlvet/ttlvet/internal/suggest"
)

// A Rule is one category of one analyzer.
type Rule struct {
	Analyzer string // the analyzer's name, such as "ttlwrite"
	Category string // the category of its diagnostics, such as "server-timestamp"
	Severity Severity
	Strict   bool   // reported only when asked for
	Strategy string // the strategies of the families that it speaks of, in words
	Summary  string // what it reports, in one line
}

// A Severity is how bad what a rule reports is, by SARIF's words for it.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // data is lost, or not written
	Warning Severity = "warning" // data is read, or kept, that should not be, or is not found
	Note    Severity = "note"    // nothing happens to data because of it alone
)

// Name is the name by which users enable, disable, silence and look up the
// rule: "analyzer/category".
func (r Rule) Name() string { return r.Analyzer + "/" + r.Category }

// URL is the address of the rule's section in the documentation.
func (r Rule) URL() string { return PageURL(r.Analyzer) + "#" + r.Category }

// PageURL is the address of an analyzer's page in the documentation.
func PageURL(analyzer string) string {
	return "https://github.com/ttlvet/ttlvet/blob/main/docs/" + analyzer + ".md"
}

// Lookup returns the rule of that analyzer and category.
func Lookup(analyzer, category string) (Rule, bool) {
	for _, r := range All {
		if r.Analyzer == analyzer && r.Category == category {
			return r, true
		}
	}
	return Rule{}, false
}

// Known reports whether name is an analyzer's name or a rule's, as
// directives, flags and registries write it.
func Known(name string) bool {
	for _, r := range All {
		if r.Name() == name || r.Analyzer == name {
			return true
		}
	}
	return false
}

// Check returns an error that suggests the nearest name unless name is an
// analyzer's or a rule's.
func Check(name string) error {
	if Known(name) {
		return nil
	}
	if s := Suggest(name); s != "" {
		return fmt.Errorf("unknown rule %q; did you mean %q?", name, s)
	}
	return fmt.Errorf("unknown rule %q; the rules are listed by ttlvet help rules", name)
}

// Analyzers returns the analyzers' names in the catalogue's order.
func Analyzers() []string {
	var names []string
	for _, r := range All {
		if len(names) == 0 || names[len(names)-1] != r.Analyzer {
			names = append(names, r.Analyzer)
		}
	}
	return names
}

// Names returns the names of all rules, sorted.
func Names() []string {
	var names []string
	for _, r := range All {
		names = append(names, r.Name())
	}
	sort.Strings(names)
	return names
}

// Suggest returns the known rule or analyzer name that is nearest to name,
// or "" when none is near. A bare category finds its full name, and so does
// one behind the name of another analyzer.
func Suggest(name string) string {
	_, category, _ := strings.Cut(name, "/")
	for _, r := range All {
		if r.Category == name || r.Category == category {
			return r.Name()
		}
	}
	return Nearest(name, append(Names(), Analyzers()...))
}

// Nearest returns the candidate that a writer of word most likely meant, or
// "" when none is near.
func Nearest(word string, candidates []string) string { return suggest.Nearest(word, candidates) }

// A Selection says which rules are reported.
type Selection struct {
	Strict  bool     // report the strict rules too
	Enable  []string // analyzers and rules to report although they are strict or disabled
	Disable []string // analyzers and rules not to report
}

// Over returns the selection with the one below it, which it overrules:
// flags over the registry file.
func (s Selection) Over(below Selection) Layers { return Layers{below, s} }

// Layers are selections of which later ones overrule earlier ones.
type Layers []Selection

// On reports whether the rule is to be reported. The last layer that names
// the rule decides; within a layer a rule's name overrules its analyzer's,
// and enabling overrules disabling.
func (l Layers) On(r Rule) bool {
	on := !r.Strict
	for _, s := range l {
		if s.Strict && r.Strict {
			on = true
		}
		for _, name := range []string{r.Analyzer, r.Name()} {
			switch {
			case contains(s.Enable, name):
				// Enabling an analyzer does not reach its strict rules:
				// they are asked for by name.
				on = on || !r.Strict || name == r.Name()
			case contains(s.Disable, name):
				on = false
			}
		}
	}
	return on
}

// Strict reports whether strict rules are asked for as such.
func (l Layers) Strict() bool {
	for _, s := range l {
		if s.Strict {
			return true
		}
	}
	return false
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}
