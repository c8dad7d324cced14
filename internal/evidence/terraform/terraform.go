// Package terraform reads policies from configurations of Terraform and
// OpenTofu, and from their plans and states in JSON.
//
// A configuration is evaluated as far as it stands in files: locals, defaults
// and files of variables, for_each and count, dynamic blocks, modules in the
// repository. What providers, data sources and the environment supply is not
// known. Nothing is run.
package terraform

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/lazy"
)

// Reader reads configurations, plans and states.
var Reader = &evidence.Reader{Name: "terraform", Claims: claims, Found: found, Read: read}

func claims(path string, head []byte) bool {
	return isConfiguration(path) || isShow(path, head)
}

func isConfiguration(path string) bool {
	for _, ext := range []string{".tf", ".tf.json", ".tofu", ".tofu.json"} {
		if strings.HasSuffix(path, ext) {
			return true
		}
	}
	return false
}

var resourceName = lazy.Regexp(`bigtable_(gc_policy|table)\b`)

// found reports whether a file names a resource of Bigtable's. A file of
// modules alone is found by the module that it calls.
func found(path string, data []byte) bool {
	return isConfiguration(path) && (resourceName().Match(data) || moduleCall().Match(data)) || !isConfiguration(path) && resourceName().Match(data)
}

var moduleCall = lazy.Regexp(`(?m)^\s*module\s+"|"module"\s*:`)

func read(in *evidence.Input) *evidence.Schema {
	all, plans := &evidence.Schema{}, &evidence.Schema{}
	dirs := map[string]map[string]bool{}
	var order []string
	for _, path := range in.Paths {
		if !isConfiguration(path) {
			s := &evidence.Schema{}
			if data, ok := plans.ReadPlan(path); ok {
				show(s, path, data)
			}
			all.Add(s)
			continue
		}
		dir := filepath.Dir(path)
		if dirs[dir] == nil {
			dirs[dir] = map[string]bool{}
			order = append(order, dir)
		}
		dirs[dir][filepath.Clean(path)] = true
	}
	all.Add(plans)
	l := &loader{schema: all, modules: map[string]*module{}, varFiles: in.VarFiles, named: dirs}
	for _, dir := range l.roots(order) {
		before := len(all.Settings)
		l.root(dir)
		// What stands in files of the directory that are not named does not
		// count; what modules say that they call does.
		named := dirs[dir]
		kept := all.Settings[:before:before]
		for _, s := range all.Settings[before:] {
			if strings.HasPrefix(s.Place.Address, "module.") || filepath.Dir(s.Place.File) != dir || named[filepath.Clean(s.Place.File)] {
				kept = append(kept, s)
			}
		}
		all.Settings = kept
	}
	duplicates(all)
	slices.Sort(all.Files)
	all.Files = slices.Compact(all.Files)
	return all
}

// roots lists the directories that are evaluated by themselves: the others
// are evaluated with what their callers give them. Of those that call each
// other in a circle, the first is a root.
func (l *loader) roots(dirs []string) (roots []string) {
	slices.Sort(dirs)
	calls, called := map[string][]string{}, map[string]bool{}
	for _, dir := range dirs {
		for _, c := range l.load(dir).calls() {
			if c.dir != "" && c.dir != dir {
				calls[dir] = append(calls[dir], c.dir)
				called[c.dir] = true
			}
		}
	}
	seen := map[string]bool{}
	var reach func(string)
	reach = func(dir string) {
		if !seen[dir] {
			seen[dir] = true
			for _, c := range calls[dir] {
				reach(c)
			}
		}
	}
	for _, circles := range []bool{false, true} {
		for _, dir := range dirs {
			if !seen[dir] && (circles || !called[dir]) {
				roots = append(roots, dir)
				reach(dir)
			}
		}
	}
	return roots
}

// maxBefore bounds how many resources of a family one is held against.
const maxBefore = 100

// duplicates reports families to which two resources of one configuration
// give different policies: the one that is applied last holds. Each is held against
// a few of those before.
func duplicates(s *evidence.Schema) {
	before := map[string][]*evidence.Setting{}
	for _, a := range s.Settings {
		key := a.Table + "\x00" + a.Family
		before[key] = append(before[key], a)
		for _, b := range before[key][:min(len(before[key])-1, maxBefore)] {
			same, _ := a.SameEnvironment(b)
			if a.Kind == evidence.Terraform && b.Kind == a.Kind && same && a.Variant == b.Variant && a.Known() && a.Table == b.Table && a.Family == b.Family &&
				a.Policy != nil && b.Policy != nil && a.States() && b.States() && !a.Policy.Equal(b.Policy) && a.Place.String() != b.Place.String() {
				s.Fault(a.Place, a.Table, a.Family, "sets the policy %s, and the resource in line %d of %s sets %s: the one that is applied last holds; keep one",
					a.Policy, b.Place.Line, filepath.Base(b.Place.File), b.Policy)
				break
			}
		}
	}
}
