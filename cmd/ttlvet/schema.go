package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/internal/agreement"
	"github.com/ttlvet/ttlvet/internal/baseline"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/code"
	"github.com/ttlvet/ttlvet/internal/fingerprint"
	"github.com/ttlvet/ttlvet/internal/live"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/rule"
	"github.com/ttlvet/ttlvet/internal/schema"
)

// schemaPackage stands for the package of findings outside Go.
const schemaPackage = "schema"

// wantsSchema reports whether schemas outside Go are looked at.
func (c *config) wantsSchema() bool {
	return c.sources != nil || slices.ContainsFunc(registry.Modules(c.wd), registry.HasSchema)
}

// addSchema adds what is wrong with schemas outside Go to the findings in Go.
// What is broken in them is printed, and hides nothing else.
func (c *config) addSchema(findings []*finding, code []any) ([]*finding, error) {
	if !c.wantsSchema() {
		return c.sorted(findings)
	}
	pkg := &packages.Package{ID: schemaPackage, PkgPath: schemaPackage, Fset: token.NewFileSet()}
	known, err := c.knownSchema()
	if err != nil {
		return nil, err
	}
	number := fingerprint.Counter{}
	for i, root := range c.schemaRoots() {
		a, err := c.agreement(root, code)
		if err != nil {
			return nil, err
		}
		var samples []*schema.Sample
		if i == 0 {
			samples = c.samples
		}
		for _, s := range a.Findings(check.Layers(&c.options, a.File).On, samples) {
			rule, _ := rule.Lookup(s.Analyzer, s.Category)
			in := a.Rel(s.Place.File)
			if s.Place.Address != "" && s.Place.Line == 0 {
				in = strings.TrimPrefix(in+" "+s.Place.Address, " ")
			}
			f := &finding{pkg: pkg, analyzer: s.Analyzer, fingerprint: number.Next(fingerprint.NewKey(rule.Name(), schemaPackage, in, s.Table, s.Family)),
				Diagnostic: analysis.Diagnostic{Category: s.Category, Message: s.Message, URL: rule.URL()}}
			f.pos = token.Position{Filename: s.Place.File, Line: s.Place.Line, Column: s.Place.Column}
			f.end = f.pos
			if e := s.Place.End; e.Line > 0 {
				f.end = token.Position{Filename: e.File, Line: e.Line, Column: e.Column}
			}
			if in != a.Rel(s.Place.File) { // it has an address and no line
				f.pos = token.Position{Filename: strings.TrimPrefix(s.Place.File+": "+s.Place.Address, ": ")}
				f.end = f.pos
			}
			c.suggest(f, s)
			if entry, ok := known.Take(f.fingerprint.Key); ok {
				c.judged.used[entry]++
				continue
			}
			findings = append(findings, f)
		}
	}
	return c.sorted(findings)
}

// knownSchema returns what the baseline knows of schemas.
func (c *config) knownSchema() (*baseline.Budget, error) {
	var file *baseline.File
	paths := registry.Baselines(registry.Readable(c.wd))
	if c.options.Baseline != "" {
		paths = []string{c.options.Baseline}
	}
	if c.judged.used == nil {
		c.judged.used = baseline.Usage{}
	}
	if len(paths) > 0 && !c.options.NoBaseline {
		var err error
		if file, err = baseline.Load(paths[0]); err != nil {
			return nil, err
		}
	}
	return file.Budget(schemaPackage), nil
}

// schemaRoots lists the modules whose schemas are looked at: the one at hand
// where sources are named.
func (c *config) schemaRoots() []string {
	roots := registry.Modules(c.wd)
	if c.sources != nil {
		return roots[:min(1, len(roots))]
	}
	return slices.DeleteFunc(roots, func(r string) bool { return !registry.HasSchema(r) })
}

// agreement puts together what is known of a module.
func (c *config) agreement(root string, code []any) (*agreement.Agreement, error) {
	sources := agreement.Sources{Dir: c.wd}
	if c.sources != nil {
		sources = *c.sources
	}
	a, err := agreement.New(root, sources, code)
	if err != nil {
		return nil, buildErrors(strings.Split(err.Error(), "\n"))
	}
	if err := a.Broken(); err != nil {
		c.broken = true
		for _, line := range strings.Split(err.Error(), "\n") {
			if file, rest, ok := strings.Cut(line, ":"); ok {
				line = c.path(file) + ":" + rest
			}
			fmt.Fprintln(c.stderr, line)
		}
	}
	return a, nil
}

// code gathers what the Go code that the patterns match does; nothing where
// no package reaches Bigtable.
func (c *config) code() ([]any, error) {
	results, err := c.results(code.Analyzer)
	if errors.Is(err, errUnreached) || errors.As(err, new(noPackages)) {
		return nil, nil
	}
	return results, err
}

// A sourceFlags are the flags of the commands that read schemas.
type sourceFlags struct {
	from, varFiles repeated
	instances      repeated
	sample         int
	profile        string
}

// A repeated is a flag that may be repeated.
type repeated []string

func (l *repeated) String() string { return strings.Join(*l, ",") }

func (l *repeated) Set(s string) error {
	if s == "" {
		return errors.New("it is empty")
	}
	*l = append(*l, s)
	return nil
}

// schemaArgs reads the command line of a command that reads schemas. add adds
// the command's own flags.
func schemaArgs(args []string, stdout, stderr io.Writer, add func(*flag.FlagSet, *config, *sourceFlags)) (c *config, s *sourceFlags, help bool, err error) {
	c = &config{stdout: stdout, stderr: stderr, color: "auto"}
	s = &sourceFlags{}
	flags := flag.NewFlagSet("ttlvet", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&c.dir, "C", "", "")
	flags.StringVar(&c.tags, "tags", "", "")
	flags.BoolVar(&c.test, "test", false, "")
	flags.Var(&s.from, "from", "")
	flags.Var(&s.varFiles, "var-file", "")
	add(flags, c, s)
	for rest := args; ; rest = flags.Args()[1:] {
		if err := flags.Parse(rest); err != nil {
			return c, s, errors.Is(err, flag.ErrHelp), flagError(flags, err)
		}
		if flags.NArg() == 0 {
			break
		}
		c.patterns = append(c.patterns, flags.Arg(0))
	}
	if c.patterns == nil {
		c.patterns = []string{"./..."}
	}
	return c, s, false, nil
}

// open sets the configuration's sources, and asks the instances that are
// named among them. One that cannot be asked is a broken source.
func (s *sourceFlags) open(c *config) error {
	c.sources = &agreement.Sources{VarFiles: s.varFiles, Search: true, Dir: c.wd}
	instances := s.instances
	for _, f := range s.from {
		if live.IsInstance(f) {
			instances = append(instances, f)
		} else {
			c.sources.From = append(c.sources.From, f)
		}
	}
	if s.sample < 0 {
		return errors.New("-sample: it is a number of rows of each table")
	}
	if s.sample > 0 && len(instances) == 0 {
		return errors.New("-sample reads cells of an instance: name it with -instance")
	}
	if len(instances) > 0 && len(s.from) > 0 && len(c.sources.From) == 0 && len(s.instances) == 0 {
		c.sources.Search = false // only the instance was asked for
	}
	for _, name := range instances {
		if !live.IsInstance(name) {
			return fmt.Errorf("%q is not an instance: write projects/PROJECT/instances/INSTANCE", name)
		}
	}
	for _, name := range instances {
		// What cannot be asked hides nothing else.
		if err := s.ask(c, name); err != nil {
			c.broken = true
			fmt.Fprintf(c.stderr, "ttlvet: %v\n", err)
		}
	}
	return nil
}

// askTimeout bounds what is asked of one instance.
const askTimeout = 30 * time.Minute

// ask reads the schema of an instance, and samples its cells.
func (s *sourceFlags) ask(c *config, name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	i, err := live.Open(ctx, name)
	if err != nil {
		return err
	}
	defer i.Close()
	if e := live.Emulator(); e != "" {
		fmt.Fprintf(c.stderr, "ttlvet: asking the emulator at %s (BIGTABLE_EMULATOR_HOST) for the schema of %s\n", e, name)
	} else {
		fmt.Fprintf(c.stderr, "ttlvet: asking bigtableadmin.googleapis.com for the schema of %s\n", name)
	}
	tables, err := i.Tables(ctx)
	if err != nil {
		return err
	}
	c.sources.Live = append(c.sources.Live, tables...)
	if len(tables) == 0 {
		fmt.Fprintf(c.stderr, "ttlvet: %s has no tables\n", name)
	}
	if s.sample == 0 {
		return nil
	}
	fmt.Fprintf(c.stderr, "ttlvet: reading the timestamps of at most %d rows of each of %s, up to 3 cells a family, without values\n", s.sample, plural(len(tables), "table"))
	for _, t := range tables {
		table, families, err := live.Families(t)
		if err != nil || len(families) == 0 {
			continue
		}
		samples, err := i.Samples(ctx, table, families, s.sample, s.profile)
		if slow := new(live.SlowError); errors.As(err, &slow) {
			c.broken = true
			fmt.Fprintf(c.stderr, "ttlvet: %v\n", err)
			continue
		}
		if err != nil {
			return err
		}
		for _, sample := range samples {
			c.samples = append(c.samples, &schema.Sample{Table: sample.Table, Family: sample.Family, Taken: sample.Taken, Micros: sample.Micros, Several: sample.Several})
		}
	}
	return nil
}

// moduleRoot is the directory of the module at hand.
func (c *config) moduleRoot() (string, error) {
	roots := registry.Modules(c.wd)
	if len(roots) == 0 {
		return "", fmt.Errorf("%s is in no Go module: a registry stands beside its go.mod", c.wd)
	}
	return roots[0], nil
}
