package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/proxy"
)

// A Service stands between clients and the emulator.
type Service struct {
	Declared *Declaration
	Listen   string   // the address for clients
	To       string   // that of the emulator
	Command  []string // run with the service as its emulator, which ends with it; nil for none
	Output   Output
}

// failed is the exit code of a command that a signal has ended.
const failed = 2

// Run serves until the context or the command ends, and reports. It returns the
// command's exit code, and whether there were violations.
func (p *Service) Run(ctx context.Context) (code int, violations bool, err error) {
	log := newLog(p.Declared, p.Output)
	guard, err := p.Declared.guard(log, p.Output.Rejected)
	if err != nil {
		return 0, false, err
	}
	listener, err := net.Listen("tcp", p.Listen)
	if err != nil {
		return 0, false, err
	}
	if isSelf(listener.Addr(), p.To) {
		listener.Close()
		return 0, false, fmt.Errorf("-to %s is the proxy itself: give the emulator's address", p.To)
	}
	server, err := proxy.New(p.To, guard)
	if err != nil {
		return 0, false, err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	addr := listener.Addr().String()
	if len(p.Command) > 0 {
		code, err = p.runCommand(ctx, addr)
	} else {
		fmt.Fprintf(p.Output.Stderr, "ttlvet proxy: holding requests to %s\nexport BIGTABLE_EMULATOR_HOST=%s\n", p.Output.Shown.Path(p.Declared.File), addr)
		select {
		case <-ctx.Done():
		case err = <-ended:
		}
	}
	server.Stop()
	if err != nil {
		return 0, false, err
	}
	return code, log.any(), log.summary(server.Requests())
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

// runCommand runs the command with the proxy as its emulator, and returns its
// exit code.
func (p *Service) runCommand(ctx context.Context, addr string) (int, error) {
	cmd := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Env = append(cmd.Environ(), "BIGTABLE_EMULATOR_HOST="+addr)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, p.Output.Stdout, p.Output.Stderr
	if p.Output.JSON || p.Output.SARIF == "-" {
		cmd.Stdout = p.Output.Stderr // standard output is the summary's
	}
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return 0, nil
	case errors.As(err, &exit):
		if exit.ExitCode() > 0 {
			return exit.ExitCode(), nil
		}
		return failed, nil // ended by a signal
	}
	return 0, err
}
