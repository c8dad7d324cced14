package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/internal/baseline"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/fingerprint"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/rule"
)

// checkFlags returns an error for reports and baselines that exclude each
// other or what else was asked for.
func (c *config) checkFlags() error {
	switch mending := c.fix || c.diff; {
	case c.sarif == "-" && c.codeQuality == "-", c.json && (c.sarif == "-" || c.codeQuality == "-"):
		return errors.New("only one of -json, -sarif and -code-quality can go to standard output")
	case mending && (c.sarif != "" || c.codeQuality != ""):
		return errors.New("-sarif and -code-quality show fixes and do not go with -fix or -diff")
	case c.writeBaseline != "" && (mending || c.json || c.sarif != "" || c.codeQuality != "" || c.newFrom != "" || c.pruneBaseline || c.baseline != ""):
		return errors.New("-write-baseline writes all findings to its file and goes with no other output, -baseline or -new-from")
	case c.pruneBaseline && (mending || !c.test || len(c.options.Enable)+len(c.options.Disable) > 0):
		return errors.New("-prune-baseline needs to see what all others see: it does not go with -fix, -diff, -test=false, -enable or -disable")
	}
	return nil
}

// judged is what an analysis saw that entries of baselines can be held
// against.
type judged struct {
	matched map[string]bool // the packages that the patterns match
	on      map[string][]check.Details
	used    baseline.Usage
}

// start notes the packages that are looked at.
func (j *judged) start(matched []*packages.Package) {
	*j = judged{matched: map[string]bool{}, on: map[string][]check.Details{}, used: baseline.Usage{}}
	for _, p := range matched {
		j.matched[p.PkgPath] = true
	}
}

// note notes what an analyzer made of a package.
func (j *judged) note(pkg string, d check.Details) {
	j.on[pkg] = append(j.on[pkg], d)
	for _, k := range d.Baselined {
		j.used[k]++
	}
}

// saw reports whether a finding that an entry knows would have been found
// again if the code still had it.
func (j *judged) saw(c *config, k fingerprint.Key) bool {
	if !j.matched[k.Package] {
		return !c.packageExists(k.Package)
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
func (c *config) packageExists(path string) bool {
	for _, root := range registry.Modules(c.wd) {
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

// openBaseline tells the analyzers which baseline to use.
func (c *config) openBaseline() error {
	switch {
	case c.writeBaseline != "":
		c.options.NoBaseline = true
	case c.baseline != "":
		path, err := filepath.Abs(c.baseline)
		if err != nil {
			return err
		}
		if _, err := baseline.Load(path); err != nil {
			var malformed baseline.Errors
			if errors.As(err, &malformed) {
				return buildErrors(strings.Split(err.Error(), "\n"))
			}
			return err
		}
		c.options.Baseline = path
	case c.pruneBaseline && len(registry.Baselines(registry.Readable(c.wd))) == 0:
		return errors.New("-prune-baseline: no baseline is named, neither by -baseline nor in " + registryName)
	}
	return nil
}

const registryName = "ttlvet.yaml"

// saveBaseline writes the findings to the new baseline.
func (c *config) saveBaseline(findings []*finding) int {
	var keys []fingerprint.Key
	for _, f := range findings {
		keys = append(keys, f.fingerprint.Key)
	}
	if err := os.WriteFile(c.writeBaseline, baseline.New(keys).Format(), 0o666); err != nil {
		return c.fail(err)
	}
	fmt.Fprintf(c.stderr, "ttlvet: wrote %s to %s\n", plural(len(findings), "finding"), c.writeBaseline)
	path, err := filepath.Abs(c.writeBaseline)
	if err == nil && !slices.Contains(registry.Baselines(registry.Readable(c.wd)), path) {
		registries := registry.Readable(c.wd)
		for _, root := range registry.Modules(c.wd) {
			registries = append(registries, filepath.Join(root, registryName)) // where there is none yet
		}
		for _, registry := range registries {
			if rel, ok := relative(filepath.Dir(registry), path); ok {
				fmt.Fprintf(c.stderr, "ttlvet: every driver leaves them out with \"baseline: %s\" in %s\n", rel, c.path(registry))
				break
			}
		}
	}
	return exitClean
}

// closeBaseline says what in the baselines is gone from the code, or takes it
// out of them.
func (c *config) closeBaseline() error {
	paths := registry.Baselines(registry.Readable(c.wd))
	slices.Sort(paths)
	paths = slices.Compact(paths) // modules may share one
	if c.baseline != "" {
		paths = []string{c.options.Baseline}
	}
	for _, path := range paths {
		file, err := baseline.Load(path)
		if err != nil {
			return err
		}
		sees := func(k fingerprint.Key) bool { return c.test && c.judged.saw(c, k) }
		n := file.Stale(c.judged.used, sees)
		switch {
		case n == 0:
		case !c.pruneBaseline:
			flag := ""
			if c.baseline != "" {
				flag = "-baseline " + c.baseline + " "
			}
			fmt.Fprintf(c.stderr, "ttlvet: %s of %s no longer in the code: ttlvet %s-prune-baseline ./... takes %s out\n",
				plural(n, "finding"), c.path(path)+isAre(n), flag, itThem(n))
		default:
			if err := os.WriteFile(path, file.Prune(c.judged.used, sees).Format(), 0o666); err != nil {
				return err
			}
			fmt.Fprintf(c.stderr, "ttlvet: took %s out of %s\n", plural(n, "finding"), c.path(path))
		}
	}
	return nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func isAre(n int) string {
	if n == 1 {
		return " is"
	}
	return " are"
}

func itThem(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}
