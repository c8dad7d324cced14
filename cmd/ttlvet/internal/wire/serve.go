package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"time"

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

// lingers is how long what a command has started and left behind may go on writing.
const lingers = 2 * time.Second

// Run serves until the context ends, or the command, which is interrupted with the
// context and killed with kill; and reports. It returns the command's exit code, and
// whether there were violations.
func (p *Service) Run(ctx, kill context.Context) (code int, violations bool, err error) {
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
		code, err = p.runCommand(ctx, kill, addr)
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
// name: that of another interface, where all are listened on, or that of none, which
// is this machine.
func isSelf(listening net.Addr, to string) bool {
	l, ok := listening.(*net.TCPAddr)
	host, port, err := net.SplitHostPort(to)
	if !ok || err != nil {
		return false
	}
	if n, err := net.LookupPort("tcp", port); err != nil || n != l.Port {
		return false
	}
	ips := []net.IP{net.IPv6unspecified}
	if host != "" {
		if ips, err = net.LookupIP(host); err != nil {
			return false
		}
	}
	return slices.ContainsFunc(ips, func(ip net.IP) bool {
		switch {
		case ip.Equal(l.IP):
			return true
		case ip.IsUnspecified():
			return l.IP.IsLoopback() || l.IP.IsUnspecified()
		}
		return l.IP.IsUnspecified() && isLocal(ip)
	})
}

// isLocal reports whether an address is one of this machine's.
func isLocal(ip net.IP) bool {
	addrs, _ := net.InterfaceAddrs()
	return ip.IsLoopback() || slices.ContainsFunc(addrs, func(a net.Addr) bool {
		own, ok := a.(*net.IPNet)
		return ok && own.IP.Equal(ip)
	})
}

// runCommand runs the command with the proxy as its emulator, and returns its
// exit code, also when it is interrupted: it may have failed before.
func (p *Service) runCommand(ctx, kill context.Context, addr string) (int, error) {
	cmd := exec.Command(p.Command[0], p.Command[1:]...)
	cmd.Env = append(cmd.Environ(), "BIGTABLE_EMULATOR_HOST="+addr)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, p.Output.Stdout, p.Output.Stderr
	if p.Output.JSON || p.Output.SARIF == "-" {
		cmd.Stdout = p.Output.Stderr // standard output is the summary's
	}
	cmd.WaitDelay = lingers
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer context.AfterFunc(ctx, func() {
		if cmd.Process.Signal(os.Interrupt) != nil {
			cmd.Process.Kill() // Windows has no such signal
		}
	})()
	defer context.AfterFunc(kill, func() { cmd.Process.Kill() })()
	err := cmd.Wait()
	switch code := cmd.ProcessState.ExitCode(); {
	case errors.As(err, new(*exec.ExitError)) && code < 0:
		return failed, nil // ended by a signal
	case errors.As(err, new(*exec.ExitError)), errors.Is(err, exec.ErrWaitDelay):
		return code, nil
	}
	return 0, err
}
