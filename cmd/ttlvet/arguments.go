package main

import (
	"errors"
	"flag"
	"fmt"
	"go/build"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/baselines"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/load"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/suggest"
)

// flagError adds to an error of the flags' what was probably meant.
func flagError(flags *flag.FlagSet, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return err
	}
	var known []string
	flags.VisitAll(func(f *flag.Flag) { known = append(known, "-"+f.Name) })
	return fmt.Errorf("unknown flag -%s%s", name, suggest.DidYouMean(suggest.Nearest("-"+name, known)))
}

// A written is the flag of a file that is written. Packages, Go files and flags are none:
// who left out the file's name would find a file that is called "...", or lose one.
type written string

func (f *written) String() string { return string(*f) }

func (f *written) Set(s string) error {
	switch {
	case strings.HasSuffix(s, "..."), strings.HasSuffix(s, ".go"):
		return errors.New("that is packages, and a file is written: name it before them")
	case strings.HasPrefix(s, "-") && s != "-":
		return errors.New("that is a flag, and a file is written: name it before")
	}
	*f = written(s)
	return nil
}

// unknownCommand returns a better error than the go command's for a first
// argument that is neither a command nor a package.
func (c *config) unknownCommand(err error) error {
	word := c.Load.Patterns[0]
	if strings.ContainsAny(word, "./") || !strings.Contains(err.Error(), "package "+word+" is not in std") {
		return err
	}
	meant := suggest.Nearest(word, slices.Sorted(maps.Keys(commands)))
	if meant == "" {
		return fmt.Errorf("%q is neither a command nor a package of the standard library: a directory is written ./%s", word, word)
	}
	return fmt.Errorf("unknown command %q; did you mean \"ttlvet %s\"?", word, meant)
}

var errNoModule = errors.New("no go.mod here or in a directory above: start ttlvet in a module, or name its directory with -C")

// inModule returns an error outside of modules and workspaces.
func (c *config) inModule() error {
	switch {
	case os.Getenv("GO111MODULE") == "off":
		return load.ErrGOPATH
	case len(registry.Modules(c.Dir)) == 0:
		return errNoModule
	}
	return nil
}

// runs returns what is to be run: the one at hand or, where the patterns are Go
// files, as a pre-commit hook hands them over, one for each module that has
// some. They are about the directories that hold them; findings in other files
// are left out later.
func (c *config) runs() ([]*config, error) {
	isFile := func(p string) bool {
		info, err := os.Stat(p)
		return strings.HasSuffix(p, ".go") && !strings.HasSuffix(p, "...") && (err != nil || !info.IsDir())
	}
	if !slices.ContainsFunc(c.Load.Patterns, isFile) {
		for _, p := range c.Load.Patterns {
			if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
				return nil, fmt.Errorf("%s is no Go file", p)
			}
		}
		return []*config{c}, nil
	}
	own := registry.Modules(c.Dir)
	var runs []*config
	for _, p := range c.Load.Patterns {
		if !isFile(p) {
			return nil, fmt.Errorf("files and packages do not go together: %s is no Go file", p)
		}
		path, err := filepath.Abs(p)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("%s: no such file", p)
		}
		dir := filepath.Dir(path)
		if c.excluded(path) {
			fmt.Fprintf(c.Stderr, "ttlvet: %s is left out: its build constraints exclude it\n", p)
			continue
		}
		wd := c.Dir
		if roots := registry.Modules(dir); len(roots) > 0 && !slices.Contains(own, roots[0]) {
			wd = roots[0]
			if c.json || c.sarif != "" || c.codeQuality != "" || c.baseline != (baselines.Use{}) {
				return nil, fmt.Errorf("%s is of another module: for reports and baselines start ttlvet there, with -C %s", p, c.Load.Shown.Path(wd))
			}
		}
		i := slices.IndexFunc(runs, func(r *config) bool { return r.Dir == wd })
		if i < 0 {
			r := *c
			r.Dir, r.Load.Patterns, r.Only = wd, nil, map[string]bool{}
			i, runs = len(runs), append(runs, &r)
		}
		runs[i].Only[path] = true
		if !slices.Contains(runs[i].Load.Patterns, dir) {
			runs[i].Load.Patterns = append(runs[i].Load.Patterns, dir)
		}
	}
	return runs, nil
}

// excluded reports whether build constraints exclude a Go file.
func (c *config) excluded(path string) bool {
	context := build.Default
	context.BuildTags = strings.FieldsFunc(c.Load.Tags, func(r rune) bool { return r == ',' || r == ' ' })
	match, err := context.MatchFile(filepath.Dir(path), filepath.Base(path))
	return err == nil && !match
}
