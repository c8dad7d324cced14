//go:build unix

package wire

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// TestCommand holds that the exit code is the command's, whether it is interrupted
// or not, and that a command that takes no notice of that can be killed, with what it
// has left behind.
func TestCommand(t *testing.T) {
	const killed = 128 + 9
	const wait = "echo ready; while :; do sleep 0.1; done"
	for name, test := range map[string]struct {
		script string
		want   int
	}{
		"ends":                      {"echo ready; exit 0", 0},
		"fails":                     {"echo ready; exit 7", 7},
		"is interrupted":            {"trap 'exit 7' INT; " + wait, 7},
		"is interrupted, and right": {"trap 'exit 0' INT; " + wait, 0},
		"ends by the interrupt":     {wait, 128 + 2},
		"has to be killed":          {"trap '' INT; " + wait, killed},
		"leaves something behind":   {"trap '' INT; sleep 6 & " + wait, killed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, w := io.Pipe()
			first, interrupt := context.WithCancel(t.Context())
			second, kill := context.WithCancel(t.Context())
			p := &Service{Command: []string{"sh", "-c", test.script}, Output: Output{Stdout: w, Stderr: io.Discard}}
			go func() {
				bufio.NewReader(r).ReadString('\n')
				if !strings.Contains(test.script, wait) {
					return
				}
				interrupt()
				if test.want == killed {
					time.Sleep(300 * time.Millisecond)
					kill()
				}
			}()
			start := time.Now()
			code, err := p.runCommand(first, second, "localhost:1")
			if code != test.want || err != nil {
				t.Errorf("%d, %v, want %d", code, err, test.want)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
	p := &Service{Command: []string{"no such program"}}
	if _, err := p.runCommand(t.Context(), t.Context(), "localhost:1"); err == nil {
		t.Error("a command that cannot be started runs")
	}
}

// TestIsSelfInterface holds that the address of each interface is the proxy's, which
// listens on all.
func TestIsSelfInterface(t *testing.T) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Skip(err)
	}
	for _, a := range addrs {
		own, ok := a.(*net.IPNet)
		if !ok {
			continue
		}
		to := net.JoinHostPort(own.IP.String(), "8087")
		v4 := own.IP.To4() != nil // 0.0.0.0 is no address of the other kind
		if isSelf(&net.TCPAddr{IP: net.IPv4zero, Port: 8087}, to) != v4 || !isSelf(&net.TCPAddr{IP: net.IPv6unspecified, Port: 8087}, to) {
			t.Errorf("%s is taken for another", to)
		}
	}
}
