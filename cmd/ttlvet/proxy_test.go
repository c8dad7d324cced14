package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// emulator starts the client's emulator and returns its address.
func emulator(t *testing.T) string {
	t.Helper()
	srv, err := bttest.NewServer("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	return srv.Addr
}

// demoDriver is a program that does what the demo's functions do, of each pair
// the one with the mistake or its twin.
const demoDriver = `package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/shop/handler"
	"example.com/shop/schema"
	"example.com/shop/store"
)

func main() {
	bad := os.Args[1] == "bad"
	ctx := context.Background()
	must := func(_ any, err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	admin, err := bigtable.NewAdminClient(ctx, "p", "i")
	must(nil, err)
	must(nil, schema.Create(ctx, admin))
	must(nil, admin.DeleteColumnFamily(ctx, schema.Sessions, schema.Token))
	if bad {
		must(nil, schema.CreateLedger(ctx, admin, "eu"))
		must(nil, schema.RestoreTokens(ctx, admin))
		must(nil, schema.ForgetProfiles(ctx, admin))
	} else {
		must(nil, schema.CreateLedgerFixed(ctx, admin, "eu"))
		must(nil, schema.RestoreTokensFixed(ctx, admin))
		must(nil, schema.ForgetProfilesFixed(ctx, admin))
	}
	client, err := bigtable.NewClientWithConfig(ctx, "p", "i", bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}})
	must(nil, err)
	s := store.New(client, "eu")
	h := handler.New(s)
	do := func(method, path, body string) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK && w.Code != http.StatusNoContent {
			fmt.Fprintln(os.Stderr, method, path, w.Code, w.Body)
		}
	}
	both := func(method, path, body string) {
		if !bad {
			path = strings.Replace(path+"?", "?", "/fixed?", 1)
		}
		do(method, path, body)
	}
	do("POST", "/login/renewing/fixed", "jwt")
	both("POST", "/login/user", "jwt")
	both("POST", "/renew/renewing", "")
	both("GET", "/whoami/user", "")
	do("GET", "/profile/user", "")
	both("POST", "/accounts/1", "10\n20\n30")
	both("POST", "/accounts/1/cancel?number=7", "")
	both("PUT", "/articles/1", "5")
	both("POST", "/preview/v?page=x", "")
	if bad {
		must(nil, s.Sessions.Rotate(ctx, "user", nil))
		must(s.Sessions.CountFailure(ctx, "user"))
		must(s.Sessions.Token(ctx, "user"))
		must(s.Sessions.TokenOnly(ctx, "user"))
		must(s.Sessions.Active(ctx))
		must(s.Sessions.Age(ctx, "user"))
		must(nil, s.Sessions.PutProfile(ctx, "user", "name", nil, time.Now()))
		must(s.Clicks.Pages(ctx, "v"))
		must(s.Ledger.Recent(ctx, "1"))
		return
	}
	must(nil, s.Sessions.RotateFixed(ctx, "user", nil))
	must(s.Sessions.CountFailureFixed(ctx, "user"))
	must(s.Sessions.TokenFixed(ctx, "user"))
	must(s.Sessions.TokenOnlyFixed(ctx, "user"))
	must(s.Sessions.ActiveFixed(ctx))
	must(s.Sessions.AgeFixed(ctx, "user"))
	must(nil, s.Sessions.PutProfileFixed(ctx, "user", "name", nil, time.Now()))
	must(s.Clicks.PagesFixed(ctx, "v"))
	must(s.Ledger.RecentFixed(ctx, "1"))
	must(s.Catalog.Get(ctx, "1", "price"))
}
`

// offTheWire are the demo's mistakes that no request shows.
var offTheWire = map[string]string{
	"ttlage/not-write-time":     "is what a program makes of a cell that it has read",
	"ttlread/overridden-filter": "only the last filter is sent: ttlread/missing-filter",
}

// TestProxyDemo runs the demo against the emulator: what the analyzers report
// is reported of its requests too, where requests show it, and of the twins
// nothing.
func TestProxyDemo(t *testing.T) {
	alongside(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/demo")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "drive", "main.go"), demoDriver, 0o666)
	build := exec.CommandContext(t.Context(), "go", "build", "-o", "driver", "./drive")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	out, errout, code := ttlvet(t, dir, nil, "proxy", "-json", "-sarif", "wire.sarif", "-listen", "localhost:0", "-to", emulator(t), "--", "./driver", "bad")
	if code != exitFindings {
		t.Fatalf("exit code %d:\n%s", code, errout)
	}
	var report struct {
		Requests   int
		Violations []struct {
			Rule, URL, Table, Family, Posn, Message string
			Count                                   int
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	if report.Requests < 30 {
		t.Errorf("%d requests", report.Requests)
	}
	reported := map[string]bool{}
	for _, v := range report.Violations {
		reported[v.Rule] = true
		if !strings.HasPrefix(v.Posn, "ttlvet.yaml:") || !strings.Contains(v.URL, "#") || v.Count < 1 {
			t.Errorf("%+v", v)
		}
		if !strings.Contains(errout, v.Message+" ("+v.Rule+")\n") {
			t.Errorf("not on standard error: %s", v.Message)
		}
	}
	want := map[string]bool{}
	for _, m := range regexp.MustCompile(`// BAD: (\S+)`).FindAllStringSubmatch(allGo(t, dir), -1) {
		if offTheWire[m[1]] == "" {
			want[m[1]] = true
		}
	}
	if len(want) < 14 {
		t.Errorf("the demo has %d mistakes", len(want))
	}
	if got, want := slices.Sorted(maps.Keys(reported)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
		t.Errorf("reported are\n%v, want\n%v\n%s", got, want, errout)
	}
	var log struct {
		Runs []struct{ Results []struct{ RuleID string } }
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, "wire.sarif"))), &log); err != nil || len(log.Runs) != 1 || len(log.Runs[0].Results) != len(report.Violations) {
		t.Errorf("SARIF has %+v, %v", log, err)
	}

	_, errout, code = ttlvet(t, dir, nil, "proxy", "-strict", "-listen", "localhost:0", "-to", emulator(t), "--", "./driver", "fixed")
	// Strict is about policies for families that have data, as these may.
	others := regexp.MustCompile(`(?m)^.*\(ttlgc/existing-data\)\n`).ReplaceAllString(errout, "")
	if strings.Contains(others, "(ttl") {
		t.Errorf("exit code %d:\n%s", code, errout)
	}
	if _, errout, code = ttlvet(t, dir, nil, "proxy", "-listen", "localhost:0", "-to", emulator(t), "--", "./driver", "fixed"); code != exitClean {
		t.Errorf("exit code %d:\n%s", code, errout)
	}
}

// allGo returns the Go code below a directory.
func allGo(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	for _, pattern := range []string{"*.go", "*/*.go"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b.WriteString(read(t, f))
		}
	}
	return b.String()
}

const proxyRegistry = `version: 1
tables:
  sessions:
    families:
      token: {strategy: one-second-expiration, ttl: 30m}
  "*-ledger":
    families:
      entry: {strategy: sequential-numbers, versions: 3}
`

// A syncBuffer is written and read at the same time.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// TestProxy: without a command, the proxy serves until it is interrupted.
// Violations are printed as they happen, each once, and summed up.
func TestProxy(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "ttlvet.yaml"), proxyRegistry, 0o666)
	writeFile(t, filepath.Join(dir, "web", "package.json"), "{}", 0o666)
	writeFile(t, filepath.Join(dir, ".git", "HEAD"), "", 0o666)
	var out bytes.Buffer
	errout := &syncBuffer{}
	cmd := exec.CommandContext(t.Context(), "ttlvet", "proxy", "-C", filepath.Join(dir, "web"), "-reject", "-sarif", "-", "-listen", "localhost:0")
	cmd.Env = append(os.Environ(), "BIGTABLE_EMULATOR_HOST="+emulator(t))
	cmd.Stdout, cmd.Stderr = &out, errout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(errout)
		}
	})
	ctx := t.Context()
	started := regexp.MustCompile(`(?m)^export BIGTABLE_EMULATOR_HOST=(.*)$`)
	eventually(t, "it has started", func() bool { return started.MatchString(errout.String()) })
	conn, err := grpc.NewClient(started.FindStringSubmatch(errout.String())[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	client, err := bigtable.NewClientWithConfig(ctx, "p", "i", bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}}, option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		m := bigtable.NewMutation()
		m.Set("entry", "c", bigtable.Now(), []byte("secret"))
		if err := client.Open("eu-ledger").Apply(ctx, "secret", m); err == nil || !strings.Contains(err.Error(), "ttlwrite/clock-in-sequence") {
			t.Error(err)
		}
	}
	client.Close()
	const line = `eu-ledger: MutateRow: write to sequential-numbers family "entry" of table "*-ledger" uses what looks like a clock reading: it hides all later numbers; set the number * 1000 (ttlwrite/clock-in-sequence)` + "\n"
	eventually(t, "a violation is printed", func() bool { return strings.Contains(errout.String(), line) })
	if got := errout.String(); strings.Count(got, line) != 1 {
		t.Errorf("as it happens:\n%s", got)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitFindings {
		t.Errorf("%v:\n%s", err, errout)
	}
	if got, want := errout.String(), "ttlvet proxy: 3 violations in 3 requests\n       3  "+line; !strings.HasSuffix(got, want) {
		t.Errorf("summary:\n%s\nwant\n%s", got, want)
	}
	if !strings.Contains(out.String(), `"uri": "ttlvet.yaml"`) || !strings.Contains(out.String(), `"startLine": 8`) {
		t.Errorf("SARIF:\n%s", out.String())
	}
}

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

func TestProxyArguments(t *testing.T) {
	dir, empty := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(dir, "ttlvet.yaml"), proxyRegistry, 0o666)
	writeFile(t, filepath.Join(dir, "bad", "ttlvet.yaml"), "version: 1\ntable:\n", 0o666)
	busy, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	t.Setenv("BIGTABLE_EMULATOR_HOST", "")
	for _, test := range []struct {
		dir  string
		args string
		code int
		want string
	}{
		{dir, "", exitFailure, "where is the emulator? Give -to or set BIGTABLE_EMULATOR_HOST"},
		{dir, "-to x -nosuch", exitFailure, "-nosuch"},
		{dir, "-to x npm test", exitFailure, `unknown argument "npm": write a command behind --`},
		{dir, "-to x -json -sarif -", exitFailure, "only one of"},
		{dir, "-to bigtable.googleapis.com:443", exitFailure, "emulators only"},
		{dir, "-to x -disable ttlread/nothing", exitFailure, "unknown rule"},
		{dir, "-to x -listen " + busy.Addr().String(), exitFailure, "address already in use"},
		{dir, "-to x -listen localhost:0 -- nosuchcommand", exitFailure, "nosuchcommand"},
		{dir, "-to x -listen localhost:0 -- false", 1, "0 violations in 0 requests"},
		{dir, "-to x -listen localhost:0 -- true", exitClean, "Nothing came"},
		{dir, "-h", exitClean, ""},
		{empty, "-to x", exitFailure, "no ttlvet.yaml in"},
		{empty, "-to x -listen localhost:0 -registry " + filepath.Join(dir, "ttlvet.yaml") + " -- true", exitClean, "0 requests"},
		{filepath.Join(dir, "bad"), "-to x", exitFailure, `ttlvet.yaml:2:1: unknown key "table" in the registry; did you mean "tables"?`},
	} {
		out, errout, code := ttlvet(t, test.dir, nil, append([]string{"proxy"}, strings.Fields(test.args)...)...)
		if code != test.code || !strings.Contains(errout, test.want) {
			t.Errorf("%s: exit code %d:\n%s", test.args, code, errout)
		}
		if test.args == "-h" && !strings.HasPrefix(out, "usage: ttlvet proxy") {
			t.Error(out)
		}
	}
}
