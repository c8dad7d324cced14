package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/analyze"
	"github.com/ttlvet/ttlvet/internal/agreement"
	"github.com/ttlvet/ttlvet/internal/live"
	"github.com/ttlvet/ttlvet/internal/registry"
)

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
	c = &config{stdout: stdout, color: "auto", Job: analyze.Job{Stderr: stderr}}
	s = &sourceFlags{}
	flags := flag.NewFlagSet("ttlvet", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&c.dir, "C", "", "")
	flags.StringVar(&c.Load.Tags, "tags", "", "")
	flags.BoolVar(&c.Load.Tests, "test", false, "")
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
		c.Load.Patterns = append(c.Load.Patterns, flags.Arg(0))
	}
	if c.Load.Patterns == nil {
		c.Load.Patterns = []string{"./..."}
	}
	return c, s, false, nil
}

// open sets the configuration's sources, and asks the instances that are
// named among them. One that cannot be asked is a broken source.
func (s *sourceFlags) open(c *config) error {
	c.Sources = &agreement.Sources{VarFiles: s.varFiles, Search: true, Dir: string(c.Load.Shown)}
	instances := s.instances
	for _, f := range s.from {
		if live.IsInstance(f) {
			instances = append(instances, f)
		} else {
			c.Sources.From = append(c.Sources.From, f)
		}
	}
	if s.sample < 0 {
		return errors.New("-sample: it is a number of rows of each table")
	}
	if s.sample > 0 && len(instances) == 0 {
		return errors.New("-sample reads cells of an instance: name it with -instance")
	}
	if len(instances) > 0 && len(s.from) > 0 && len(c.Sources.From) == 0 && len(s.instances) == 0 {
		c.Sources.Search = false // only the instance was asked for
	}
	for _, name := range instances {
		if !live.IsInstance(name) {
			return fmt.Errorf("%q is not an instance: write projects/PROJECT/instances/INSTANCE", name)
		}
	}
	for _, name := range instances {
		// What cannot be asked hides nothing else.
		if err := c.Ask(name, s.sample, s.profile); err != nil {
			c.Broken = true
			fmt.Fprintf(c.Stderr, "ttlvet: %v\n", err)
		}
	}
	return nil
}

// moduleRoot is the directory of the module at hand.
func (c *config) moduleRoot() (string, error) {
	roots := registry.Modules(c.Dir)
	switch modules := registry.Between(c.Dir); {
	case len(modules) > 0:
		return "", fmt.Errorf("%s is in no module of its workspace: name one with -C, such as %s", c.Dir, c.Load.Shown.Path(modules[0]))
	case len(roots) == 0:
		return "", fmt.Errorf("%s is in no Go module: a registry is beside its go.mod", c.Dir)
	}
	return roots[0], nil
}
