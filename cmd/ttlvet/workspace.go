package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/registry"
)

// expand makes patterns that stand for all below a directory between the modules of a
// workspace, such as ./... at its root, stand for its modules below that, and work
// for all its modules, as it does for newer go commands.
func (c *config) expand() {
	var out []string
	for _, p := range c.Load.Patterns {
		base, all := strings.CutSuffix(p, "/...")
		var below []string
		if all && isRelative(base) {
			below = registry.Between(filepath.Join(c.Dir, filepath.FromSlash(base)))
		}
		if p == "work" && registry.Workspace(c.Dir) != "" {
			below = registry.Modules(c.Dir)
		}
		for _, root := range below {
			if rel, err := filepath.Rel(c.Dir, root); err == nil && !slices.Contains(out, pattern(rel)) {
				out = append(out, pattern(rel))
			}
		}
		if below == nil {
			out = append(out, p)
		}
	}
	c.Load.Patterns = out
}

func isRelative(pattern string) bool {
	return pattern == "." || pattern == ".." || strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, "../")
}

// eachModule runs a command that is about one module, or about those that share a
// registry: between the modules of a workspace, once for each of these that the
// patterns name: then several is set. alone is a flag that asks for what can be said
// once only, "" where none is given.
func (c *config) eachModule(alone string, run func(*config) int) int {
	if err := c.change(); err != nil {
		return c.fail(err)
	}
	runs := c.byRegistry()
	if len(runs) > 1 && alone != "" {
		return c.fail(fmt.Errorf("%s is about one module, and these packages are of %d: name one with -C, such as -C %s", alone, len(runs), c.Load.Shown.Path(runs[0].Dir)))
	}
	code := exitClean
	for i, r := range runs {
		r.several = len(runs) > 1
		if i > 0 && !r.json && !r.joined {
			fmt.Fprintln(r.stdout)
		}
		if err := r.enter(); err != nil {
			code = max(code, r.fail(err))
			continue
		}
		code = max(code, run(r))
	}
	// What is written for all is relative to the directory at hand.
	if err := changeTo(string(c.Load.Shown)); err != nil {
		return c.fail(err)
	}
	return code
}

// byRegistry returns what is to be run: between the modules of a workspace, a run in
// a module for each registry file, and for each module that has none.
func (c *config) byRegistry() []*config {
	var runs []*config
	of := map[string]*config{}
	for _, root := range registry.Between(c.Dir) {
		key := registry.Find(root)
		if key == "" {
			key = root
		}
		r := of[key]
		if r == nil {
			one := *c
			one.Dir, one.Load.Patterns = root, nil
			r = &one
		}
		for _, p := range c.Load.Patterns {
			path := filepath.Join(c.Dir, filepath.FromSlash(p))
			rel, err := filepath.Rel(r.Dir, path)
			if in, err2 := filepath.Rel(root, path); isRelative(p) && err == nil && err2 == nil && filepath.IsLocal(in) {
				r.Load.Patterns = append(r.Load.Patterns, local(rel))
			}
		}
		if of[key] == nil && r.Load.Patterns != nil {
			of[key], runs = r, append(runs, r)
		}
	}
	if runs == nil {
		return []*config{c}
	}
	return runs
}

// pattern writes the directory of a module as the pattern of its packages.
func pattern(rel string) string { return local(filepath.Join(rel, "...")) }

// local writes a relative path as a pattern.
func local(rel string) string {
	if rel = filepath.ToSlash(rel); strings.HasPrefix(rel, "../") {
		return rel
	}
	return "./" + rel
}
