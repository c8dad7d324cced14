package main

import (
	"errors"
	"flag"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/progress"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/ruleflag"
	"github.com/ttlvet/ttlvet/internal/agreement"
	"github.com/ttlvet/ttlvet/internal/registries"
	"github.com/ttlvet/ttlvet/internal/schema"
)

// Exit codes.
const (
	exitClean    = 0
	exitFindings = 1
	exitFailure  = 2
)

// A config is what the command line asks for.
type config struct {
	fix, diff, json, test bool
	unsafeFixes           bool // apply, or show, unsafe fixes too
	adopt                 bool // rewrite correct code to the runtime package, too
	verbose               bool
	tags, dir, color      string
	options               analyzers.Options
	patterns              []string

	sarif, codeQuality      string // files to write, "-" for standard output
	baseline, writeBaseline string // files
	pruneBaseline           bool
	newFrom                 string          // a revision
	only                    map[string]bool // the absolute paths of the files whose findings are reported; nil for all
	judged                  judged          // what the analysis saw, for the baseline
	adoptions               []*finding      // what -adopt can rewrite: nothing that is wrong

	sources *agreement.Sources // schemas outside Go, nil for those that registries name
	samples []*schema.Sample   // of stored cells
	broken  bool               // a source could not be read

	platform       *platform // known once packages are listed
	line           *progress.Line
	wd             string // the directory of the run, in the module that it is about
	shown          string // the directory that paths are shown relative to
	stdout, stderr io.Writer
}

// parseArgs reads the command line. Flags may follow packages. help and
// version report that these were asked for instead.
func parseArgs(args []string, stdout, stderr io.Writer) (c *config, help, version bool, err error) {
	c = &config{stdout: stdout, stderr: stderr}
	flags := flag.NewFlagSet("ttlvet", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&c.fix, "fix", false, "")
	flags.BoolVar(&c.diff, "diff", false, "")
	flags.BoolVar(&c.unsafeFixes, "unsafe-fixes", false, "")
	flags.BoolVar(&c.adopt, "adopt", false, "")
	flags.BoolVar(&c.json, "json", false, "")
	flags.BoolVar(&c.verbose, "v", false, "")
	flags.BoolVar(&c.test, "test", true, "")
	flags.StringVar(&c.tags, "tags", "", "")
	flags.StringVar(&c.dir, "C", "", "")
	flags.StringVar(&c.color, "color", "auto", "")
	flags.BoolVar(&version, "version", false, "")
	flags.StringVar(&c.sarif, "sarif", "", "")
	flags.StringVar(&c.codeQuality, "code-quality", "", "")
	flags.StringVar(&c.baseline, "baseline", "", "")
	flags.StringVar(&c.writeBaseline, "write-baseline", "", "")
	flags.BoolVar(&c.pruneBaseline, "prune-baseline", false, "")
	flags.StringVar(&c.newFrom, "new-from", "", "")
	ruleflag.Add(flags, &c.options)

	for rest := args; ; rest = flags.Args()[1:] {
		if err := flags.Parse(rest); err != nil {
			return c, errors.Is(err, flag.ErrHelp), false, flagError(flags, err)
		}
		if flags.NArg() == 0 {
			break
		}
		c.patterns = append(c.patterns, flags.Arg(0))
	}
	switch {
	case c.color != "auto" && c.color != "always" && c.color != "never":
		return c, false, false, fmt.Errorf("invalid value %q for flag -color: it is auto, always or never", c.color)
	case c.json && (c.fix || c.diff):
		return c, false, false, errors.New("-json shows fixes and does not go with -fix or -diff")
	case c.adopt && !c.fix && !c.diff:
		return c, false, false, errors.New("-adopt rewrites code: give it with -fix, or with -diff to see what it would change")
	}
	c.fix = c.fix || c.unsafeFixes && !c.diff && !c.json && c.sarif == ""
	if err := c.checkFlags(); err != nil {
		return c, false, false, err
	}
	if c.patterns == nil {
		c.patterns = []string{"."}
	}
	// They are told apart, and what cgo makes of files from the files.
	c.options.UnsafeFixes, c.options.TranslatedFixes = true, true
	return c, false, version, nil
}

// change changes to the directory that -C names and notes where that is.
func (c *config) change() (err error) {
	if c.dir != "" {
		if err := changeTo(c.dir); err != nil {
			return err
		}
	}
	c.wd, err = os.Getwd()
	c.shown = c.wd
	return err
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
	if err := changeTo(c.shown); err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	return changeTo(c.wd)
}

// check returns an error outside of modules, and refuses malformed registries:
// with half of one, whatever is said of the code would be nonsense.
func (c *config) check() error {
	if err := c.inModule(); err != nil {
		return err
	}
	check := registries.Parse
	if c.writeBaseline != "" || c.baseline != "" {
		check = registries.ParseWithoutBaselines
	}
	if _, err := check(c.wd); err != nil {
		return buildErrors(strings.Split(err.Error(), "\n"))
	}
	return nil
}

// buildFlags are the flags for the go command.
func (c *config) buildFlags() []string {
	if c.tags == "" {
		return nil
	}
	return []string{"-tags=" + c.tags}
}

// path returns the path of a file as it is shown: relative to the current
// directory when it lies below it.
func (c *config) path(file string) string {
	if !filepath.IsAbs(file) {
		return file
	}
	rel, err := filepath.Rel(c.shown, file)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return file
	}
	return rel
}

func (c *config) position(pos token.Position) string {
	pos.Filename = c.path(pos.Filename)
	return pos.String()
}

// errorLine words an error of the go command's.
func (c *config) errorLine(e packages.Error) string {
	msg := strings.TrimSpace(e.Msg)
	if strings.HasPrefix(msg, "# ") {
		// The compiler's own output, with its positions and a heading.
		return msg
	}
	if strings.HasPrefix(msg, "no Go files in ") && slices.Equal(c.patterns, []string{"."}) {
		return msg + ": ./... stands for the packages below"
	}
	if e.Pos == "" || e.Pos == "-" {
		return msg
	}
	file, rest := e.Pos, ""
	for range 2 {
		// Cut line and column from the end: a drive letter has a colon too.
		i := strings.LastIndexByte(file, ':')
		if i < 0 {
			break
		}
		if _, err := strconv.Atoi(file[i+1:]); err != nil {
			break
		}
		file, rest = file[:i], file[i:]+rest
	}
	return c.path(file) + rest + ": " + msg
}

// errorsOf returns the errors of the packages as one, or nil.
func (c *config) errorsOf(list []*packages.Package) error {
	var lines buildErrors
	seen := map[string]bool{}
	for _, p := range list {
		for _, e := range p.Errors {
			if line := c.errorLine(e); !seen[line] {
				seen[line] = true
				lines = append(lines, line)
			}
		}
	}
	if lines == nil {
		return nil
	}
	return lines
}
