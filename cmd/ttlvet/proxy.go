package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/report"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/ruleflag"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/shown"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/wire"
)

const proxyUsage = `usage: ttlvet proxy [flags] [-- command [arguments]]

Proxy runs between the Bigtable emulator and clients in any language. It checks
their requests against ttlvet.yaml: writes whose timestamps lose data, reads that
return expired cells, garbage collection policies. It passes everything on as it is.

	-C dir          change to dir first
	-disable rules  do not report these rules
	-enable rules   report these although they are disabled
	-json           print the summary as JSON on standard output
	-listen addr    serve clients there; localhost:8087 unless given, and with port
	                0 any that is free
	-registry file  the ttlvet.yaml, in place of that beside go.mod or, without a
	                go.mod, the nearest above
	-reject         reject requests that violate a rule; they fail with
	                FAILED_PRECONDITION and the rule
	-sarif file     write the summary as SARIF 2.1.0; - is standard output
	-strict         report the strict rules too; what is not understood is a
	                violation
	-to addr        the emulator; BIGTABLE_EMULATOR_HOST unless given

Set BIGTABLE_EMULATOR_HOST of the clients to the proxy's address. Each violation is
printed once on standard error when it happens, and again with its count when an
interrupt or SIGTERM ends the proxy. With a command, the proxy sets the variable,
runs the command, and ends with it:

	ttlvet proxy -to localhost:8086 -- npm test

The proxy passes an interrupt on to the command; a second one kills it. It passes on
requests that it does not understand, and says so.

Exit codes are 0 for no violations, 1 for violations, 2 when the proxy could not
run; with a command that fails, its own.
`

// proxyFlags are the flags of the command proxy.
type proxyFlags struct {
	wire.Service
	options       analyzers.Options
	dir, registry string
}

func proxyArgs(args []string, stdout, stderr io.Writer) (p *proxyFlags, help bool, err error) {
	p = &proxyFlags{Service: wire.Service{Output: wire.Output{Stdout: stdout, Stderr: stderr}}}
	flags := flag.NewFlagSet("ttlvet proxy", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&p.dir, "C", "", "")
	flags.StringVar(&p.Listen, "listen", "localhost:8087", "")
	flags.StringVar(&p.To, "to", os.Getenv("BIGTABLE_EMULATOR_HOST"), "")
	flags.StringVar(&p.registry, "registry", "", "")
	flags.BoolVar(&p.Output.Rejected, "reject", false, "")
	flags.BoolVar(&p.Output.JSON, "json", false, "")
	flags.Var((*written)(&p.Output.SARIF), "sarif", "")
	ruleflag.Add(flags, &p.options)
	if err := flags.Parse(args); err != nil {
		return p, errors.Is(err, flag.ErrHelp), flagError(flags, err)
	}
	p.Command = flags.Args()
	switch {
	case len(p.Command) > 0 && args[len(args)-len(p.Command)-1] != "--":
		err = fmt.Errorf("unknown argument %q: write a command behind --", p.Command[0])
	case p.To == "":
		err = errors.New("where is the emulator? Give -to or set BIGTABLE_EMULATOR_HOST")
	case p.Output.JSON && p.Output.SARIF == "-":
		err = errors.New("only one of -json and -sarif - can be on standard output")
	case strings.Contains(p.To, "googleapis.com"):
		err = fmt.Errorf("-to %s: the proxy speaks to emulators only", p.To)
	}
	return p, false, err
}

// runProxy is the command proxy.
func runProxy(args []string, stdout, stderr io.Writer) int {
	if o, ok := stdout.(*output); ok {
		stdout = o.file // the command's, which may look whether it is a terminal
	}
	p, help, err := proxyArgs(args, stdout, stderr)
	if help {
		fmt.Fprint(stdout, proxyUsage)
		return exitClean
	}
	if err != nil {
		fmt.Fprintf(stderr, "ttlvet proxy: %v\nRun ttlvet help proxy for usage.\n", err)
		return exitFailure
	}
	ctx, kill := interrupts()
	code, violations, err := p.serve(ctx, kill)
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "ttlvet proxy: %v\n", err)
		return exitFailure
	case code == exitClean && violations:
		return exitFindings
	}
	return code
}

// interrupts returns a context that ends with the first interrupt or SIGTERM,
// and one that ends with the second. A third does what it does to any program.
func interrupts() (first, second context.Context) {
	first, end := context.WithCancel(context.Background())
	second, kill := context.WithCancel(context.Background())
	came := make(chan os.Signal, 2)
	signal.Notify(came, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-came
		end()
		<-came
		signal.Stop(came)
		kill()
	}()
	return first, second
}

func (p *proxyFlags) serve(ctx, kill context.Context) (code int, violations bool, err error) {
	wd, err := change(p.dir)
	if err != nil {
		return 0, false, err
	}
	if p.Declared, err = wire.Read(wd, p.registry, &p.options); err != nil {
		return 0, false, err
	}
	p.Output.Shown, p.Output.Root = shown.Dir(wd), report.Root(wd)
	return p.Run(ctx, kill)
}
