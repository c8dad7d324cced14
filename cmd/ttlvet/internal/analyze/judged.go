package analyze

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/internal/baseline"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/fingerprint"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/rule"
)

// Judged is what an analysis saw that entries of baselines can be held
// against.
type Judged struct {
	matched map[string]bool // the packages that the patterns match
	on      map[string][]check.Details
	Used    baseline.Usage
}

// start notes the packages that are looked at.
func (j *Judged) start(matched []*packages.Package) {
	*j = Judged{matched: map[string]bool{}, on: map[string][]check.Details{}, Used: baseline.Usage{}}
	for _, p := range matched {
		j.matched[p.PkgPath] = true
	}
}

// note notes what an analyzer made of a package.
func (j *Judged) note(pkg string, d check.Details) {
	j.on[pkg] = append(j.on[pkg], d)
	for _, k := range d.Baselined {
		j.Used[k]++
	}
}

// Saw reports whether a finding that an entry knows would have been found
// again if the code still had it.
func (j *Judged) Saw(dir string, k fingerprint.Key) bool {
	if !j.matched[k.Package] {
		return !packageExists(dir, k.Package)
	}
	analyzer, category, _ := strings.Cut(k.Rule, "/")
	rule, ok := rule.Lookup(analyzer, category)
	for _, d := range j.on[k.Package] {
		if ok && d.On != nil {
			return d.On.On(rule)
		}
	}
	return true // it has nothing to do with Bigtable any more, or nothing has this name
}

// packageExists reports whether there are Go files where a package that no
// pattern matched would lie in a module that is at hand.
func packageExists(dir, path string) bool {
	for _, root := range registry.Modules(dir) {
		data, err := os.ReadFile(filepath.Join(root, "go.mod"))
		if err != nil {
			continue
		}
		module := modfile.ModulePath(data)
		for _, path := range []string{path, strings.TrimSuffix(path, "_test")} {
			rel, ok := strings.CutPrefix(path+"/", module+"/")
			if !ok {
				continue
			}
			if files, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(rel), "*.go")); len(files) > 0 {
				return true
			}
		}
	}
	return false
}
