package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/input"
	"github.com/ttlvet/ttlvet/internal/lazy"
	"github.com/ttlvet/ttlvet/internal/plain"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/rule"
)

// directive matches a comment that silences a rule, in the syntax of HCL,
// shells and YAML.
var directive = lazy.Regexp(`(?:#|//)\s*ttlvet:ignore\b[ \t]*(\S*)[ \t]*(.*)$`)

// A silencer is a comment that silences a rule in a file that is not Go.
type silencer struct {
	at           evidence.Place
	name, reason string
	alone        bool // nothing stands before it on its line
	used         bool
}

// Silence drops the findings that comments silence: at the end of their line
// or on the lines above. It adds findings for comments that are malformed,
// lack a reason or silence nothing.
func Silence(findings []*Finding, files []string, on func(rule.Rule) bool) []*Finding {
	byFile := map[string]map[int]*silencer{}
	all := append([]string(nil), files...)
	for _, f := range findings {
		all = append(all, f.Place.File)
	}
	var order []string
	for _, file := range all {
		if file != "" && byFile[file] == nil {
			byFile[file] = silencers(file)
			order = append(order, file)
		}
	}
	var out []*Finding
	for _, f := range findings {
		r, ok := rule.Lookup(f.Analyzer, f.Category)
		if !ok {
			panic("no rule " + f.Analyzer + "/" + f.Category)
		}
		if !on(r) {
			continue
		}
		if d := silencing(byFile[f.Place.File], f.Place.Line, r); d != nil {
			d.used = true
			continue
		}
		f.Message = plain.String(f.Message) + " (" + r.Name() + ")"
		out = append(out, f)
	}
	about, _ := rule.Lookup("ttlvet", "directive")
	for _, file := range order {
		for _, line := range slices.Sorted(maps.Keys(byFile[file])) {
			d := byFile[file][line]
			if msg := d.problem(); msg != "" && on(about) {
				out = append(out, &Finding{Analyzer: "ttlvet", Category: "directive", Place: d.at, Message: msg + " (ttlvet/directive)"})
			}
		}
	}
	return out
}

func silencers(file string) map[int]*silencer {
	list := map[int]*silencer{}
	data, err := input.Read(file, input.Source)
	if err != nil || !strings.Contains(string(data), "ttlvet:ignore") {
		return list
	}
	for i, line := range strings.Split(string(data), "\n") {
		if m := directive().FindStringSubmatchIndex(line); m != nil {
			list[i+1] = &silencer{at: evidence.At(file, i+1, m[0]+1), name: line[m[2]:m[3]], reason: strings.TrimSpace(line[m[4]:m[5]]),
				alone: strings.TrimSpace(line[:m[0]]) == ""}
		}
	}
	return list
}

// Silenced reports whether a comment silences a rule at a place.
func Silenced(at registry.Position, analyzer, category string) bool {
	r, _ := rule.Lookup(analyzer, category)
	return silencing(silencers(at.File), at.Line, r) != nil
}

// silencing returns the comment that silences a rule in a line.
func silencing(list map[int]*silencer, line int, r rule.Rule) *silencer {
	covers := func(d *silencer) bool {
		return d != nil && d.reason != "" && (d.name == r.Name() || d.name == r.Analyzer)
	}
	if d := list[line]; covers(d) && !d.alone {
		return d
	}
	for l := line - 1; list[l] != nil && list[l].alone; l-- {
		if covers(list[l]) {
			return list[l]
		}
	}
	return nil
}

// problem says what is wrong with a comment, or "".
func (d *silencer) problem() string {
	switch {
	case d.name == "":
		return "ttlvet:ignore names no rule; write ttlvet:ignore ttlgc/age-mismatch and why"
	case !rule.Known(d.name):
		if s := rule.Suggest(d.name); s != "" {
			return fmt.Sprintf("unknown rule %q; did you mean %q?", d.name, s)
		}
		return fmt.Sprintf("unknown rule %q", d.name)
	case d.reason == "":
		return fmt.Sprintf("ttlvet:ignore %s lacks a reason; say why after the rule", d.name)
	case !d.used:
		return fmt.Sprintf("ttlvet:ignore %s silences nothing; remove it", d.name)
	}
	return ""
}
