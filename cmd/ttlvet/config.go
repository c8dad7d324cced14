package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/analyze"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/baselines"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/load"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/ruleflag"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/shown"
	"github.com/ttlvet/ttlvet/internal/registries"
)

// Exit codes.
const (
	exitClean    = 0
	exitFindings = 1
	exitFailure  = 2
)

// A config is what the command line asks for.
type config struct {
	analyze.Job
	fix, diff, json, verbose, quiet bool
	several                         bool // the command runs for several modules
	joined                          bool // what it says of them is one report
	dir, color                      string
	command                         string // the program with its subcommand, as reports name it
	sarif, codeQuality              string // files to write, "-" for standard output
	baseline                        baselines.Use
	stdout                          io.Writer
}

// parseArgs reads the command line. Flags may follow packages. help and
// version report that these were asked for instead.
func parseArgs(args []string, stdout, stderr io.Writer) (c *config, help, version bool, err error) {
	c = &config{stdout: stdout, command: "ttlvet", Job: analyze.Job{Stderr: stderr}}
	flags := flag.NewFlagSet("ttlvet", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&c.fix, "fix", false, "")
	flags.BoolVar(&c.diff, "diff", false, "")
	flags.BoolVar(&c.UnsafeFixes, "unsafe-fixes", false, "")
	flags.BoolVar(&c.Adopt, "adopt", false, "")
	flags.BoolVar(&c.json, "json", false, "")
	flags.BoolVar(&c.verbose, "v", false, "")
	flags.BoolVar(&c.quiet, "q", false, "")
	flags.BoolVar(&c.Load.Tests, "test", true, "")
	flags.StringVar(&c.Load.Tags, "tags", "", "")
	flags.StringVar(&c.dir, "C", "", "")
	flags.StringVar(&c.color, "color", "auto", "")
	flags.BoolVar(&version, "version", false, "")
	flags.Var((*written)(&c.sarif), "sarif", "")
	flags.Var((*written)(&c.codeQuality), "code-quality", "")
	flags.StringVar(&c.baseline.File, "baseline", "", "")
	flags.Var((*written)(&c.baseline.New), "write-baseline", "")
	flags.BoolVar(&c.baseline.Prune, "prune-baseline", false, "")
	flags.BoolVar(&c.baseline.None, "no-baseline", false, "")
	flags.StringVar(&c.NewFrom, "new-from", "", "")
	ruleflag.Add(flags, &c.Options)

	for rest := args; ; rest = flags.Args()[1:] {
		if err := flags.Parse(rest); err != nil {
			return c, errors.Is(err, flag.ErrHelp), false, flagError(flags, err)
		}
		if flags.NArg() == 0 {
			break
		}
		c.Load.Patterns = append(c.Load.Patterns, flags.Arg(0))
	}
	switch {
	case c.color != "auto" && c.color != "always" && c.color != "never":
		return c, false, false, fmt.Errorf("invalid value %q for flag -color: it is auto, always or never", c.color)
	case c.json && (c.fix || c.diff):
		return c, false, false, errors.New("-json shows fixes and does not go with -fix or -diff")
	case c.Adopt && !c.fix && !c.diff:
		return c, false, false, errors.New("-adopt rewrites code: give it with -fix, or with -diff to see what it would change")
	}
	c.fix = c.fix || c.UnsafeFixes && !c.diff && !c.json && c.sarif == ""
	if err := c.checkFlags(); err != nil {
		return c, false, false, err
	}
	if c.Load.Patterns == nil {
		c.Load.Patterns = []string{"."}
	}
	// They are told apart, and what cgo makes of files from the files.
	c.Options.UnsafeFixes, c.Options.TranslatedFixes = true, true
	return c, false, version, nil
}

// change changes to the directory that -C names, notes where that is, and says by
// which packages patterns stand for modules of a workspace.
func (c *config) change() (err error) {
	c.Dir, err = change(c.dir)
	c.Load.Shown = shown.Dir(c.Dir)
	c.expand()
	return err
}

// change changes to a directory, if one is named, and returns where that is.
func change(dir string) (string, error) {
	if dir != "" {
		if err := changeTo(dir); err != nil {
			return "", err
		}
	}
	return os.Getwd()
}

func changeTo(dir string) error {
	if err := os.Chdir(dir); err != nil {
		return err
	}
	// The go command looks for links to the directory there.
	if abs, err := os.Getwd(); err == nil {
		os.Setenv("PWD", abs)
	}
	return nil
}

// start changes to the directory that -C names, where a run must be possible.
func (c *config) start() error {
	if err := c.change(); err != nil {
		return err
	}
	return c.check()
}

// enter changes to the directory of the run, where it must be possible.
func (c *config) enter() error {
	// Messages about registries are relative to the directory at hand.
	if err := changeTo(string(c.Load.Shown)); err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	return changeTo(c.Dir)
}

// check returns an error outside of modules, and refuses malformed registries:
// with half of one, whatever is said of the code would be nonsense.
func (c *config) check() error {
	if err := c.inModule(); err != nil {
		return err
	}
	check := registries.ParseWithoutBaselines
	if c.baseline.Needs() {
		check = registries.Parse
	}
	if _, err := check(c.Dir); err != nil {
		return load.BuildErrors(strings.Split(err.Error(), "\n"))
	}
	return nil
}

// checkFlags returns an error for reports and baselines that exclude each
// other or what else was asked for.
func (c *config) checkFlags() error {
	switch mending := c.fix || c.diff; {
	case c.sarif == "-" && c.codeQuality == "-", c.json && (c.sarif == "-" || c.codeQuality == "-"):
		return errors.New("only one of -json, -sarif and -code-quality can go to standard output")
	case mending && (c.sarif != "" || c.codeQuality != ""):
		return errors.New("-sarif and -code-quality show fixes and do not go with -fix or -diff")
	case c.baseline.New != "" && (mending || c.json || c.sarif != "" || c.codeQuality != "" || c.NewFrom != "" || c.baseline.Prune || c.baseline.File != ""):
		return errors.New("-write-baseline writes all findings to its file and goes with no other output, -baseline or -new-from")
	case c.baseline.Prune && (mending || !c.Load.Tests || len(c.Options.Enable)+len(c.Options.Disable) > 0):
		return errors.New("-prune-baseline needs to see what all others see: it does not go with -fix, -diff, -test=false, -enable or -disable")
	}
	return c.baseline.Check()
}
