package main

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/ruleflag"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/shown"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/plain"
	"github.com/ttlvet/ttlvet/internal/trace"
)

const auditUsage = `usage: ttlvet audit [flags] [packages]

Audit compares the registry, Go code, schemas outside Go and live instances. It
reports policies that contradict a strategy or each other, and families that one
of them has and another lacks. It reads the sources that schema: in ttlvet.yaml
names, or else what ttlvet init would find. It never writes.

	-C dir            change to dir first
	-app-profile id   the app profile for -sample
	-baseline file    do not report the findings in this baseline
	-disable rules    do not report these rules
	-enable rules     report these although they are strict or disabled
	-from source      read this instead: a file, a directory, a pattern, or an
	                  instance; may be repeated
	-instance name    ask projects/PROJECT/instances/INSTANCE too; may be
	                  repeated; it takes roles/bigtable.viewer
	-json             print findings as go vet -json does
	-no-baseline      report what baselines know, too
	-sample n         read timestamps in n rows of each live table; it takes
	                  roles/bigtable.reader
	-sarif file       write findings as SARIF 2.1.0; - is standard output
	-tags tags        build tags, separated by commas
	-test             analyse tests too
	-v                list what could not be evaluated
	-var-file file    Terraform variables; may be repeated

Credentials for an instance are Application Default Credentials or
GOOGLE_OAUTH_ACCESS_TOKEN; BIGTABLE_EMULATOR_HOST names an emulator.

Packages are ./... unless others are named. Exit codes are 0 for no findings, 1
for findings, 2 when a source could not be read.
`

// audit is the command audit.
func audit(args []string, stdout, stderr io.Writer) int {
	c, s, help, err := schemaArgs(args, stdout, stderr, func(flags *flag.FlagSet, c *config, s *sourceFlags) {
		flags.Var(&s.instances, "instance", "")
		flags.IntVar(&s.sample, "sample", 0, "")
		flags.StringVar(&s.profile, "app-profile", "", "")
		flags.BoolVar(&c.json, "json", false, "")
		flags.Var((*written)(&c.sarif), "sarif", "")
		flags.StringVar(&c.baseline.File, "baseline", "", "")
		flags.BoolVar(&c.baseline.None, "no-baseline", false, "")
		flags.StringVar(&c.color, "color", "auto", "")
		flags.BoolVar(&c.verbose, "v", false, "")
		ruleflag.Add(flags, &c.Options)
	})
	if help {
		fmt.Fprint(stdout, auditUsage)
		return exitClean
	}
	if err == nil {
		err = c.baseline.Check()
	}
	if err != nil {
		fmt.Fprintf(stderr, "ttlvet audit: %v\nRun ttlvet help audit for usage.\n", err)
		return exitFailure
	}
	c.command, c.joined = "ttlvet audit", true
	var all []*finding.Finding
	audited := false // a module at least
	code := c.eachModule("", func(c *config) int {
		if file := c.baseline.File; file != "" && !filepath.IsAbs(file) {
			c.baseline.File = filepath.Join(string(c.Load.Shown), file) // as it was written
		}
		verbose := c.verbose
		c.verbose = false // values are not what is explained here
		findings, err := s.audit(c)
		if err != nil {
			return c.fail(err)
		}
		all, audited = append(all, findings...), true
		code := c.print(findings)
		c.auditNotes(verbose)
		if c.Broken || trace.Failures() > 0 {
			return exitFailure
		}
		return code
	})
	if !audited {
		return code
	}
	if err := c.writeReports(all); err != nil {
		return c.fail(err)
	}
	return code
}

// audit returns what an audit of one module finds.
func (s *sourceFlags) audit(c *config) ([]*finding.Finding, error) {
	if err := c.baseline.Open(&c.Job); err != nil {
		return nil, err
	}
	if err := s.open(c); err != nil {
		return nil, err
	}
	findings, err := c.Findings()
	return slices.DeleteFunc(findings, func(f *finding.Finding) bool {
		return f.Pkg.PkgPath != finding.Outside && f.Analyzer != "ttlgc"
	}), err
}

// auditNotes says on standard error what was read, and what of it is neither
// right nor wrong.
func (c *config) auditNotes(verbose bool) {
	a := c.Agreed
	if a == nil {
		return // in no module
	}
	in := ""
	if c.several {
		in = c.Load.Shown.Path(c.Dir) + ": "
	}
	fmt.Fprintf(c.Stderr, "ttlvet: %sread %s from %s%s\n", in, shown.Plural(len(a.Schema.Settings), "statement"), shown.Plural(len(a.Schema.Files), "file"), liveText(len(c.Sources.Live)))
	if list := a.Unregistered(); len(list) > 0 {
		fmt.Fprintf(c.Stderr, "ttlvet: not in the registry, and not looked at: %s\n", enumerate(list, verbose))
	}
	var names []string
	for _, e := range a.Unused() {
		if e.Maybe == nil {
			names = append(names, fmt.Sprintf("%s (%s)", e, a.Where(evidence.Place{Position: e.Pos()})))
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(c.Stderr, "ttlvet: in the registry, and used by no analysed Go code: %s\n", enumerate(names, verbose))
	}
	if n := len(a.Schema.Notes); n > 0 && !verbose {
		fmt.Fprintf(c.Stderr, "ttlvet: %s could not be evaluated; -v lists them\n", shown.Plural(n, "place"))
	}
	for _, n := range a.Schema.Notes {
		if verbose {
			fmt.Fprintf(c.Stderr, "%s: %s\n", c.Load.Shown.Path(n.Place.String()), n.Message)
		}
	}
}

func liveText(tables int) string {
	if tables == 0 {
		return ""
	}
	return " and " + shown.Plural(tables, "live table")
}

// enumerate joins names, the first few unless all are wanted.
func enumerate(list []string, all bool) string {
	text := ""
	for i, s := range list {
		if i == 10 && !all {
			return fmt.Sprintf("%s and %d more", text, len(list)-i)
		}
		if i > 0 {
			text += ", "
		}
		text += plain.String(s)
	}
	return text
}
