package analyze

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/analysis/checker"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/shown"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// An undeclared module reaches Bigtable, and nothing declares a table for it.
type undeclared struct {
	calls    map[evidence.Place]bool
	packages map[string]bool
	empty    bool // there is a registry file
	declares bool // for one of its packages, Go code does
	names    bool // one of its calls is of a table or a family that it names
}

// noteRegistries says of the modules that reach Bigtable, to be printed after the
// findings, when nothing declares a table for them: what ttlvet then checks is
// little, and looks like success. Helpers that are given their tables need no registry
// beside one of the module that opens them.
func (j *Job) noteRegistries(actions []*checker.Action) {
	modules := map[string]*undeclared{}
	for _, act := range actions {
		out, ok := act.Result.(*check.Outcome)
		if !ok || !out.Reaches {
			continue
		}
		module := ""
		if m := act.Package.Module; m != nil {
			module = m.Path
		}
		u := modules[module]
		if u == nil {
			u = &undeclared{calls: map[evidence.Place]bool{}, packages: map[string]bool{}}
			modules[module] = u
		}
		u.declares = u.declares || out.Declares
		u.empty = u.empty || out.Registry
		for _, c := range out.Calls {
			if c.Reaches == "" && !c.OnlyTable {
				u.calls[c.Place], u.packages[c.Package] = true, true
				u.names = u.names || len(c.Families) > 0 || slices.ContainsFunc(c.Tables, func(ref registry.Ref) bool { return strings.ContainsFunc(ref.Name, unicode.IsLetter) })
			}
		}
	}
	registered := slices.ContainsFunc(slices.Collect(maps.Values(modules)), func(u *undeclared) bool { return u.declares })
	j.Notes = nil
	for _, module := range slices.Sorted(maps.Keys(modules)) {
		u := modules[module]
		if u.declares || len(u.calls) == 0 || registered && !u.names {
			continue
		}
		note := fmt.Sprintf("%s of Bigtable in %s; ", shown.Plural(len(u.calls), "call"), shown.Plural(len(u.packages), "package"))
		if u.empty {
			note += "ttlvet.yaml declares no table: declare what is commented out, or run ttlvet init -update"
		} else {
			note += "no registry: run ttlvet init"
		}
		if len(modules) > 1 {
			note = module + ": " + note
		}
		j.Notes = append(j.Notes, note)
	}
}
