package main

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// TestProxyInterrupted: a command that is interrupted ends the proxy by its own
// exit code, and a second interrupt ends one that goes on.
func TestProxyInterrupted(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "ttlvet.yaml"), proxyRegistry, 0o666)
	for _, test := range []struct {
		script     string
		interrupts int
		code       int
	}{
		{`trap 'exit 7' INT; echo up >&2; while :; do sleep 0.05; done`, 1, 7},
		{`trap 'exit 0' INT; echo up >&2; while :; do sleep 0.05; done`, 1, exitClean},
		{`echo up >&2; while :; do sleep 0.05; done`, 1, 128 + int(syscall.SIGINT)},
		{`trap 'echo more >&2' INT; echo up >&2; while :; do sleep 0.05; done`, 2, 128 + int(syscall.SIGKILL)},
	} {
		errout := &syncBuffer{}
		cmd := exec.CommandContext(t.Context(), "ttlvet", "proxy", "-C", dir, "-to", "localhost:1", "-listen", "localhost:0", "--", "sh", "-c", test.script)
		cmd.Stderr = errout
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the command runs", func() bool { return strings.Contains(errout.String(), "up\n") })
		for i := range test.interrupts {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if i == 0 && test.interrupts > 1 {
				eventually(t, "the command has the first", func() bool { return strings.Contains(errout.String(), "more\n") })
			}
		}
		cmd.Wait() // the code says it
		if code := cmd.ProcessState.ExitCode(); code != test.code || !strings.Contains(errout.String(), "0 violations in 0 requests") {
			t.Errorf("%s: exit code %d, want %d:\n%s", test.script, code, test.code, errout)
		}
	}
}

// TestProxyNotJudged: what is not understood is said, and is a violation with
// strict rules only.
func TestProxyNotJudged(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "ttlvet.yaml"), proxyRegistry, 0o666)
	for flags, want := range map[string]int{"": exitClean, "-strict": exitFindings} {
		errout := &syncBuffer{}
		var out bytes.Buffer
		cmd := exec.CommandContext(t.Context(), "ttlvet", append([]string{"proxy", "-C", dir, "-json", "-to", emulator(t), "-listen", "localhost:0"}, strings.Fields(flags)...)...)
		cmd.Stdout, cmd.Stderr = &out, errout
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		started := regexp.MustCompile(`(?m)^export BIGTABLE_EMULATOR_HOST=(.*)$`)
		eventually(t, "it has started", func() bool { return started.MatchString(errout.String()) })
		conn, err := grpc.NewClient(started.FindStringSubmatch(errout.String())[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		for range 2 { // the emulator does not know it either
			if err := conn.Invoke(t.Context(), "/google.bigtable.v2.Bigtable/Invented", &bigtablepb.ReadRowsRequest{}, &bigtablepb.ReadRowsResponse{}); status.Code(err) != codes.Unimplemented {
				t.Error(err)
			}
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		cmd.Wait() // the code says it
		const line = "requests of method Invented are not judged"
		if code := cmd.ProcessState.ExitCode(); code != want || strings.Count(errout.String(), line+"\n") != 2 || strings.Count(out.String(), `"`+line+`"`) != 1 {
			t.Errorf("%s: exit code %d:\n%s%s", flags, code, errout, &out)
		}
	}
}

// TestProxyCircle: of two proxies that lead to each other the one that a request comes
// back to says so and ends, alone or with a command; the other has passed on one request.
func TestProxyCircle(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "ttlvet.yaml"), proxyRegistry, 0o666)
	for _, command := range [][]string{nil, {"--", "sh", "-c", "while :; do sleep 0.05; done"}} {
		l, err := net.Listen("tcp", "localhost:0")
		if err != nil {
			t.Fatal(err)
		}
		first := l.Addr().String()
		other, _, _ := startProxy(t, dir, "-to", first, "-listen", "localhost:0")
		l.Close()
		_, cmd, errout := startProxy(t, dir, append([]string{"-to", other, "-listen", first}, command...)...)
		conn, err := grpc.NewClient(first, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		const want = "ttlvet proxy: -to leads back to this proxy: give the emulator's address"
		_, err = bigtablepb.NewBigtableClient(conn).MutateRow(t.Context(), &bigtablepb.MutateRowRequest{}, grpc.WaitForReady(true))
		if s := status.Convert(err); s.Code() != codes.FailedPrecondition || s.Message() != want {
			t.Error(err)
		}
		cmd.Wait() // the code says it
		if code := cmd.ProcessState.ExitCode(); code != exitFailure || strings.Count(errout.String(), want+"\n") != 1 {
			t.Errorf("exit code %d:\n%s", code, errout)
		}
	}
}

// startProxy starts the command and returns where it listens, if it says so, and what
// it prints.
func startProxy(t *testing.T, dir string, args ...string) (addr string, cmd *exec.Cmd, errout *syncBuffer) {
	t.Helper()
	errout = &syncBuffer{}
	cmd = exec.CommandContext(t.Context(), "ttlvet", append([]string{"proxy", "-C", dir}, args...)...)
	cmd.Stderr = errout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(args, "--") {
		return "", cmd, errout
	}
	started := regexp.MustCompile(`(?m)^export BIGTABLE_EMULATOR_HOST=(.*)$`)
	eventually(t, "it has started", func() bool { return started.MatchString(errout.String()) })
	return started.FindStringSubmatch(errout.String())[1], cmd, errout
}
