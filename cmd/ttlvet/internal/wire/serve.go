package wire

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/proxy"
	"github.com/ttlvet/ttlvet/internal/plain"
)

// A Service stands between clients and the emulator.
type Service struct {
	Declared *Declaration
	Listen   string   // the address for clients
	To       string   // that of the emulator
	Command  []string // run with the service as its emulator, which ends with it; nil for none
	Output   Output
}

// lingers is how long what a command has started and left behind may go on writing.
const lingers = 2 * time.Second

// Run serves until the context or the command ends, and reports. It returns the
// command's exit code, and whether there were violations. When the context ends
// the command is interrupted, and when kill does it is killed. A request that comes
// back ends the context: what is served reaches no emulator.
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
	ctx, circle := context.WithCancelCause(ctx)
	defer circle(nil)
	server, err := proxy.New(p.To, guard, func() { circle(proxy.ErrCircle) })
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
	if cause := context.Cause(ctx); err == nil && cause == proxy.ErrCircle {
		err = cause
	}
	if err != nil {
		return 0, false, err
	}
	return code, log.any(), log.summary(server.Requests())
}

// isSelf reports whether an address is the one that is listened on, by whatever
// name. Where nobody can tell by names, the proxy knows its own requests.
func isSelf(listening net.Addr, to string) bool {
	l, ok := listening.(*net.TCPAddr)
	host, port, err := net.SplitHostPort(to)
	if !ok || err != nil || port != strconv.Itoa(l.Port) {
		return false
	}
	ips := []net.IP{net.IPv4zero} // as for dialers
	if host != "" {
		if ips, err = net.LookupIP(host); err != nil {
			return false
		}
	}
	return slices.ContainsFunc(ips, func(ip net.IP) bool {
		switch {
		case ip.IsUnspecified(): // dialers take it for the loopback address
			return l.IP.IsUnspecified() || l.IP.IsLoopback()
		case l.IP.IsUnspecified():
			return isLocal(ip) && (l.IP.To4() == nil || ip.To4() != nil)
		}
		return ip.Equal(l.IP)
	})
}

// isLocal reports whether an address is one of this machine.
func isLocal(ip net.IP) bool {
	addrs, _ := net.InterfaceAddrs() // without them, the loopback addresses
	return ip.IsLoopback() || slices.ContainsFunc(addrs, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.Equal(ip)
	})
}

// runCommand runs the command with the proxy as its emulator, and returns its
// exit code: of one that a signal has ended 128 and the signal, as in shells.
func (p *Service) runCommand(ctx, kill context.Context, addr string) (int, error) {
	cmd := exec.Command(p.Command[0], p.Command[1:]...)
	cmd.WaitDelay = lingers
	cmd.Env = append(cmd.Environ(), "BIGTABLE_EMULATOR_HOST="+addr)
	stderr := plain.Raw(p.Output.Stderr) // what the command writes is its own
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, p.Output.Stdout, stderr
	if p.Output.JSON || p.Output.SARIF == "-" {
		cmd.Stdout = stderr // standard output is the summary's
	}
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
	if state := cmd.ProcessState; state != nil {
		if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return 128 + int(status.Signal()), nil
		}
		return state.ExitCode(), nil
	}
	return 0, err
}
