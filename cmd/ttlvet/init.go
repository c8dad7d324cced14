package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/atomicfile"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/shown"
	"github.com/ttlvet/ttlvet/internal/agreement"
	"github.com/ttlvet/ttlvet/internal/draft"
	"github.com/ttlvet/ttlvet/internal/registry"
)

const initUsage = `usage: ttlvet init [flags] [packages]

Init drafts ttlvet.yaml: for each column family the strategy that policies,
writes and reads support, with a comment that names them. What is open, or would
hide a finding, is a comment with every reading. Sources are Go code and, below
the module and the root of its repository, Terraform, scripts and Makefiles with
cbt or gcloud, Kubernetes manifests, and what gcloud bigtable tables describe
printed.

	-C dir          change to dir first
	-check          write nothing, print what would change, and exit 1 if
	                anything would
	-from source    read this instead: a file, a directory, a pattern, or an
	                instance; may be repeated
	-o file         write to this file; - is standard output
	-tags tags      build tags, separated by commas
	-test           look at tests too
	-update         add what is new to a file that is there, and change no line
	-v              list what could not be evaluated
	-var-file file  Terraform variables; may be repeated

An instance is projects/PROJECT/instances/INSTANCE. Packages are ./... unless
others are named. A file that is there is never overwritten.
`

// initRegistry is the command init.
func initRegistry(args []string, stdout, stderr io.Writer) int {
	var update, check bool
	var output string
	c, s, help, err := schemaArgs(args, stdout, stderr, func(flags *flag.FlagSet, c *config, _ *sourceFlags) {
		flags.BoolVar(&update, "update", false, "")
		flags.BoolVar(&check, "check", false, "")
		flags.Var((*written)(&output), "o", "")
		flags.BoolVar(&c.verbose, "v", false, "")
	})
	switch {
	case help:
		fmt.Fprint(stdout, initUsage)
		return exitClean
	case err == nil && output != "" && (update || check):
		err = errors.New("-o does not go with -update or -check")
	}
	if err != nil {
		fmt.Fprintf(stderr, "ttlvet init: %v\nRun ttlvet help init for usage.\n", err)
		return exitFailure
	}
	c.joined = !check
	alone := ""
	if output != "" {
		alone = "-o"
	}
	known := false // something, of a module
	code := c.eachModule(alone, func(c *config) int {
		return s.init(c, output, update, check, &known)
	})
	if code == exitClean && !known && !check {
		fmt.Fprintln(stderr, "ttlvet: no table is declared: the code here opens no table that a source or the code itself says something of; name Terraform, scripts or an instance with -from")
		return exitFailure
	}
	return code
}

// init drafts the registry of one module, or of those that share one. It sets known
// where there is a registry or something to write into one.
func (s *sourceFlags) init(c *config, output string, update, check bool, known *bool) int {
	stderr := c.Stderr
	root, err := c.moduleRoot()
	if err != nil {
		return c.fail(err)
	}
	path := c.registryOf(root)
	if c.several {
		fmt.Fprintf(stderr, "ttlvet: %s:\n", c.Load.Shown.Path(path))
	}
	switch {
	case output == "-" || filepath.IsAbs(output):
		path = output
	case output != "":
		path = filepath.Join(string(c.Load.Shown), output)
	}
	old, err := os.ReadFile(path)
	there := err == nil
	*known = *known || there
	if there && output != "-" && !update && !check {
		fmt.Fprintf(stderr, "ttlvet: %s is there, and is not overwritten: -update adds what is new, -check says what that is, -o - prints a draft\n", c.Load.Shown.Path(path))
		return exitFailure
	}
	if err := s.open(c); err != nil {
		return c.fail(err)
	}
	before, code, err := c.analysed()
	if err != nil {
		return c.fail(err)
	}
	a, err := c.Agreement(root, code)
	if err != nil {
		return c.fail(err)
	}
	a.Base = filepath.Dir(c.registryOf(root)) // where who reads the comments is
	d := draft.New(a)
	*known = *known || d.Counts.Certain+d.Counts.Open > 0 || a.File != nil
	if c.several && d.Empty() && a.File == nil && !there && !c.Broken {
		fmt.Fprintln(stderr, "ttlvet: nothing is known of any column family; nothing is written")
		return exitClean
	}
	if tried := registry.Find(root); !d.Empty() {
		if err := c.try(a, d, cmp.Or(tried, filepath.Join(root, registry.FileName)), before); err != nil {
			return c.fail(err)
		}
	}
	text, left := d.File(), []string(nil)
	if there && output == "" {
		if text, left, err = d.Update(path, old); err != nil {
			return c.fail(err)
		}
	}
	c.initSummary(a, d)
	for _, l := range left {
		fmt.Fprintf(stderr, "ttlvet: to be added by hand: %s\n", l)
	}
	switch {
	case c.Broken && !check:
		fmt.Fprintln(stderr, "ttlvet: nothing is written while a source cannot be read: repair it, or name others with -from")
		return exitFailure
	case d.Empty() && a.File != nil && !there:
		fmt.Fprintf(stderr, "ttlvet: %s has all of it; nothing is written\n", c.Load.Shown.Path(a.File.Path))
		return exitClean
	case d.Empty() && !there:
		fmt.Fprintf(stderr, "ttlvet: %s; nothing is written\n", nothingKnown(a))
		if check {
			return exitClean
		}
		return exitFailure
	case c.several && !there && d.Counts.Certain+d.Counts.Open == 0:
		fmt.Fprintln(stderr, "ttlvet: this module names none of these tables; nothing is written")
		return exitClean
	case check:
		return c.initCheck(path, old, text)
	case output == "-":
		c.exact([]byte(text))
		return exitClean
	case there && text == string(old):
		fmt.Fprintf(stderr, "ttlvet: %s has all of it\n", c.Load.Shown.Path(path))
		return exitClean
	}
	if err := atomicfile.Write(path, []byte(text)); err != nil {
		return c.fail(err)
	}
	verb := "wrote"
	if there {
		verb = "updated"
	}
	fmt.Fprintf(stderr, "ttlvet: %s %s; read it, decide what is open, and run ttlvet ./...\n", verb, c.Load.Shown.Path(path))
	return exitClean
}

// registryOf returns the registry file of a module: beside its go.mod, or the one that
// its workspace shares where init was started there.
func (c *config) registryOf(root string) string {
	path := filepath.Join(root, registry.FileName)
	if shared := registry.Find(root); shared != "" && registry.Between(string(c.Load.Shown)) != nil {
		path = shared
	}
	return path
}

// nothingKnown says that there is no evidence, and what could be named.
func nothingKnown(a *agreement.Agreement) string {
	if len(a.Schema.Files)+len(a.Code.Writes)+len(a.Code.Reads) > 0 {
		return "nothing is known of any column family"
	}
	return "nothing is known of any column family: no call in this code names one, and no source is below the module or its repository; name one with -from"
}

// initCheck prints what would change.
func (c *config) initCheck(path string, old []byte, text string) int {
	if c.Broken {
		return exitFailure
	}
	if text == string(old) {
		fmt.Fprintf(c.Stderr, "ttlvet: %s has all of it\n", c.Load.Shown.Path(path))
		return exitClean
	}
	name := filepath.ToSlash(c.Load.Shown.Path(path))
	c.exact(diff.Diff(name, old, name+" (drafted)", []byte(text)))
	return exitFindings
}

// initSummary says what was found and what to do next.
func (c *config) initSummary(a *agreement.Agreement, d *draft.Draft) {
	n := d.Counts
	fmt.Fprintf(c.Stderr, "ttlvet: found %s, %s and %s of column families in Go and in %s\n",
		shown.Plural(n.Policies, "policy statement"), shown.Plural(n.Writes, "write"), shown.Plural(n.Reads, "read"), shown.Plural(len(a.Schema.Files), "other file"))
	parts := []string{shown.Plural(n.Certain, "new family entry")}
	if n.Certain != 1 {
		parts[0] = fmt.Sprintf("%d new family entries", n.Certain)
	}
	if n.Open > 0 {
		parts = append(parts, fmt.Sprintf("%d open, commented out", n.Open))
	}
	if n.Elsewhere > 0 {
		parts = append(parts, fmt.Sprintf("%d of tables that this code does not name, commented out", n.Elsewhere))
	}
	fmt.Fprintf(c.Stderr, "ttlvet: %s\n", strings.Join(parts, ", "))
	if k := len(a.Schema.Notes); k > 0 && !c.verbose {
		fmt.Fprintf(c.Stderr, "ttlvet: %s could not be evaluated; -v lists them\n", shown.Plural(k, "place"))
	}
	if c.verbose {
		for _, note := range a.Schema.Notes {
			p := note.Place
			p.File = c.Load.Shown.Path(p.File)
			fmt.Fprintf(c.Stderr, "%s: %s\n", p, note.Message)
		}
	}
}
