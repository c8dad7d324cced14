package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/proxy"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/ruleflag"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/wire"
	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

const proxyUsage = `usage: ttlvet proxy [flags] [-- command [arguments]]

Proxy stands between the Bigtable emulator and clients in any language, and holds
their requests to ttlvet.yaml: writes whose timestamps lose data, reads that let
dead cells pass, garbage collection policies. Everything is passed on as it comes.

	-C dir          change to dir first
	-disable rules  do not report these rules
	-enable rules   report these although they are disabled
	-json           print the summary as JSON on standard output
	-listen addr    serve clients there; localhost:8087 unless given, and with port
	                0 any that is free
	-registry file  the ttlvet.yaml, in place of that beside go.mod or, without a
	                go.mod, the nearest above
	-reject         do not pass on requests that violate a rule: they fail with
	                FAILED_PRECONDITION, rule and remedy
	-sarif file     write the summary as SARIF 2.1.0; - is standard output
	-strict         report the strict rules too
	-to addr        the emulator; BIGTABLE_EMULATOR_HOST unless given

Point BIGTABLE_EMULATOR_HOST of the clients at the proxy. What they violate is
printed on standard error as it happens, each once, and with counts when the proxy
is ended by an interrupt or SIGTERM. With a command, that is run with the variable
set, and the proxy ends with it:

	ttlvet proxy -to localhost:8086 -- npm test

Exit codes are 0 for no violations, 1 for violations, 2 when the proxy could not
run; with a command that fails, its own.
`

// proxyFlags are the flags of the command proxy.
type proxyFlags struct {
	config
	listen, to, registry string
	reject               bool
	command              []string
}

func proxyArgs(args []string, stdout, stderr io.Writer) (p *proxyFlags, help bool, err error) {
	p = &proxyFlags{config: config{stdout: stdout, stderr: stderr}}
	flags := flag.NewFlagSet("ttlvet proxy", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&p.dir, "C", "", "")
	flags.StringVar(&p.listen, "listen", "localhost:8087", "")
	flags.StringVar(&p.to, "to", os.Getenv("BIGTABLE_EMULATOR_HOST"), "")
	flags.StringVar(&p.registry, "registry", "", "")
	flags.BoolVar(&p.reject, "reject", false, "")
	flags.BoolVar(&p.json, "json", false, "")
	flags.StringVar(&p.sarif, "sarif", "", "")
	ruleflag.Add(flags, &p.options)
	if err := flags.Parse(args); err != nil {
		return p, errors.Is(err, flag.ErrHelp), flagError(flags, err)
	}
	p.command = flags.Args()
	switch {
	case len(p.command) > 0 && args[len(args)-len(p.command)-1] != "--":
		err = fmt.Errorf("unknown argument %q: a command stands behind --", p.command[0])
	case p.to == "":
		err = errors.New("where is the emulator? Give -to or set BIGTABLE_EMULATOR_HOST")
	case p.json && p.sarif == "-":
		err = errors.New("only one of -json and -sarif - can be on standard output")
	case strings.Contains(p.to, "googleapis.com"):
		err = fmt.Errorf("-to %s: the proxy speaks to emulators only", p.to)
	}
	return p, false, err
}

// runProxy is the command proxy.
func runProxy(args []string, stdout, stderr io.Writer) int {
	p, help, err := proxyArgs(args, stdout, stderr)
	if help {
		fmt.Fprint(stdout, proxyUsage)
		return exitClean
	}
	if err != nil {
		fmt.Fprintf(stderr, "ttlvet proxy: %v\nRun ttlvet help proxy for usage.\n", err)
		return exitFailure
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := p.run(ctx)
	if err != nil {
		fmt.Fprintf(stderr, "ttlvet proxy: %v\n", err)
		return exitFailure
	}
	return code
}

// run serves until the context or the command ends, and reports.
func (p *proxyFlags) run(ctx context.Context) (code int, err error) {
	if err := p.change(); err != nil {
		return 0, err
	}
	declared, err := wire.Read(p.wd, p.registry, &p.options)
	if err != nil {
		return 0, err
	}
	log := newViolationLog(p, declared)
	guard, err := p.guard(declared, log)
	if err != nil {
		return 0, err
	}
	listener, err := net.Listen("tcp", p.listen)
	if err != nil {
		return 0, err
	}
	if isSelf(listener.Addr(), p.to) {
		listener.Close()
		return 0, fmt.Errorf("-to %s is the proxy itself: give the emulator's address", p.to)
	}
	server, err := proxy.New(p.to, guard)
	if err != nil {
		return 0, err
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	addr := listener.Addr().String()
	code = exitClean
	if len(p.command) > 0 {
		code, err = p.runCommand(ctx, addr)
	} else {
		fmt.Fprintf(p.stderr, "ttlvet proxy: holding requests to %s\nexport BIGTABLE_EMULATOR_HOST=%s\n", p.path(declared.File), addr)
		select {
		case <-ctx.Done():
		case err = <-failed:
		}
	}
	server.Stop()
	if err != nil {
		return 0, err
	}
	if err := log.summary(server.Requests()); err != nil {
		return 0, err
	}
	if code == exitClean && len(log.order) > 0 {
		code = exitFindings
	}
	return code, nil
}

// isSelf reports whether an address is the one that is listened on, by whatever
// name.
func isSelf(listening net.Addr, to string) bool {
	l, ok := listening.(*net.TCPAddr)
	addr, err := net.ResolveTCPAddr("tcp", to)
	if !ok || err != nil || addr.Port != l.Port {
		return false
	}
	return addr.IP.Equal(l.IP) || l.IP.IsUnspecified() && (addr.IP.IsLoopback() || addr.IP.IsUnspecified())
}

// guard holds requests to what is declared.
func (p *proxyFlags) guard(declared *wire.Declaration, log *violationLog) (*ttlguard.Guard, error) {
	options := []ttlguard.Option{ttlguard.Logger(nil), ttlguard.Interval(0), ttlguard.OnViolation(log.add)}
	for _, f := range declared.Families {
		options = append(options, ttlguard.Declare(f.Table, f.Agreement))
	}
	for _, rule := range ttlguard.Rules() {
		if !declared.On(rule) {
			options = append(options, ttlguard.Disable(rule))
		}
	}
	if declared.Strict {
		options = append(options, ttlguard.Strict())
	}
	if p.reject {
		options = append(options, ttlguard.Reject())
	}
	return ttlguard.New(options...)
}

// runCommand runs the command with the proxy as its emulator, and returns its
// exit code.
func (p *proxyFlags) runCommand(ctx context.Context, addr string) (int, error) {
	cmd := exec.CommandContext(ctx, p.command[0], p.command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Env = append(cmd.Environ(), "BIGTABLE_EMULATOR_HOST="+addr)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, p.stdout, p.stderr
	if p.json || p.sarif == "-" {
		cmd.Stdout = p.stderr // standard output is the summary's
	}
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return exitClean, nil
	case errors.As(err, &exit):
		if exit.ExitCode() > 0 {
			return exit.ExitCode(), nil
		}
		return exitFailure, nil // ended by a signal
	}
	return exitClean, err
}
