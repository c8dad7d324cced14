package main

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/shown"
	"github.com/ttlvet/ttlvet/internal/agreement"
	"github.com/ttlvet/ttlvet/internal/baseline"
	"github.com/ttlvet/ttlvet/internal/doctor"
	"github.com/ttlvet/ttlvet/internal/inventory"
	"github.com/ttlvet/ttlvet/internal/plain"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
)

const doctorUsage = `usage: ttlvet doctor [-json] [flags] [packages]

Doctor says what ttlvet checks, and why it is silent about the rest: which
registry, schema files and baseline it found, and by what rule; how many writes,
reads and policies each family of the registry matches; entries that no call
uses; tables and families in code that are not registered; calls of which the
table, the family, the timestamp or the filter is not known, by reason, and what
would help.

	-C dir          change to dir first
	-from source    read this instead of the schema files that are found; may be
	                repeated
	-json           print JSON
	-tags tags      build tags, separated by commas
	-test           look at tests too
	-v              list every write, read and policy with its verdict, and all
	                places
	-var-file file  Terraform variables; may be repeated

Exit codes are 1 where something is certainly wrong, 2 for errors, 0 otherwise.
Certainly wrong are ttlvet/registry findings, such as a slip in a name or a
handle that names nothing, and a registry of which no table is used. What other
rules find is counted only.
`

// examine is the command doctor.
func examine(args []string, stdout, stderr io.Writer) int {
	c, s, help, err := schemaArgs(args, stdout, stderr, func(flags *flag.FlagSet, c *config, _ *sourceFlags) {
		flags.BoolVar(&c.json, "json", false, "")
		flags.BoolVar(&c.verbose, "v", false, "")
	})
	if help {
		fmt.Fprint(stdout, doctorUsage)
		return exitClean
	}
	if err != nil {
		fmt.Fprintf(stderr, "ttlvet doctor: %v\nRun ttlvet help doctor for usage.\n", err)
		return exitFailure
	}
	return c.eachModule("", s.examine)
}

// examine examines one module.
func (s *sourceFlags) examine(c *config) int {
	root, err := c.moduleRoot()
	if err != nil {
		return c.fail(err)
	}
	if err := s.open(c); err != nil {
		return c.fail(err)
	}
	a, found, known, err := c.Survey()
	if err != nil {
		return c.fail(err)
	}
	r := doctor.New(a, inventory.New(a, found, known))
	if dir := c.Load.Shown.Path(root); dir != root && dir != "." {
		r.Dir = filepath.ToSlash(dir)
	}
	r.Registry, r.Schema = c.registryFound(root, a), c.schemaFound(a)
	if r.Baseline, err = c.baselineFound(a, len(c.Held)); err != nil {
		return c.fail(err)
	}
	if c.json {
		if err := r.JSON(c.stdout); err != nil {
			return c.fail(err)
		}
	} else {
		r.Text(plain.Writer(c.stdout), c.verbose)
	}
	switch {
	case c.Broken || trace.Failures() > 0:
		return exitFailure
	case len(r.Wrong) > 0:
		return exitFindings
	}
	return exitClean
}

// registryFound says where the registry is.
func (c *config) registryFound(root string, a *agreement.Agreement) *doctor.Found {
	above := "in this directory"
	if rel, err := filepath.Rel(root, c.Dir); err == nil && rel != "." {
		above = fmt.Sprintf("%s above this directory", shown.Plural(strings.Count(filepath.ToSlash(rel), "/")+1, "level"))
	}
	f := &doctor.Found{Files: []string{}, Rule: "it would be beside the nearest go.mod, which is " + above}
	if work := registry.Workspace(root); work != "" {
		f.Rule += ", or beside " + c.Load.Shown.Path(work)
	}
	if a.File == nil {
		if len(a.Model.Tables) > 0 {
			f.Holds = "tables are declared in Go, or inferred from policies"
		} else {
			f.Holds = "run ttlvet init"
		}
		return f
	}
	f.Files = []string{c.Load.Shown.Path(a.File.Path)}
	f.Rule = "beside the nearest go.mod, which is " + above
	if filepath.Dir(a.File.Path) != root {
		f.Rule = "beside the go.work that uses the module; there is none beside the nearest go.mod, which is " + above
	}
	families := 0
	for _, t := range a.File.Tables {
		families += len(t.Families)
	}
	f.Holds = fmt.Sprintf("%s, %s", shown.Plural(len(a.File.Tables), "table"), familyCount(families))
	return f
}

func familyCount(n int) string {
	if n == 1 {
		return "1 family"
	}
	return fmt.Sprintf("%d families", n)
}

// schemaFound says which files outside Go were read.
func (c *config) schemaFound(a *agreement.Agreement) *doctor.Found {
	f := &doctor.Found{Files: []string{}, Holds: shown.Plural(len(a.Schema.Settings), "statement")}
	for _, name := range a.Schema.Files {
		f.Files = append(f.Files, c.Load.Shown.Path(name))
	}
	slices.Sort(f.Files)
	switch {
	case len(c.Sources.From) > 0:
		f.Rule = "named by -from"
	case a.Found:
		f.Rule = "schema: names none; audit, inventory and doctor look below the module and its repository, other commands read none"
	default:
		f.Rule = "named by schema: in " + c.Load.Shown.Path(a.File.Path)
	}
	return f
}

// baselineFound says which baseline is used, and how many findings it knows.
func (c *config) baselineFound(a *agreement.Agreement, known int) (*doctor.Found, error) {
	f := &doctor.Found{Files: []string{}, Rule: "baseline: names none in ttlvet.yaml"}
	if a.File == nil || a.File.Baseline == "" {
		return f, nil
	}
	file, err := baseline.Load(a.File.Baseline)
	if err != nil {
		return nil, err
	}
	f.Files, f.Rule = []string{c.Load.Shown.Path(a.File.Baseline)}, "named by baseline: in "+c.Load.Shown.Path(a.File.Path)
	f.Holds = fmt.Sprintf("%s, of which these packages have %d", shown.Plural(file.Len(), "finding"), known)
	return f, nil
}
