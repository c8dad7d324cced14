package ttlguard_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

// An emulator counts the requests that reach it, and fails those that it is
// told to.
type emulator struct {
	*bttest.Server
	requests atomic.Int64
	fail     atomic.Int64 // how many of the next requests fail
	failed   func()       // called when one does
}

func newEmulator(t testing.TB) *emulator {
	t.Helper()
	e := &emulator{failed: func() {}}
	arrive := func() error {
		e.requests.Add(1)
		if e.fail.Add(-1) >= 0 {
			e.failed()
			return status.Error(codes.Unavailable, "try again")
		}
		return nil
	}
	srv, err := bttest.NewServer("localhost:0",
		grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
			if err := arrive(); err != nil {
				return nil, err
			}
			return handle(ctx, req)
		}),
		grpc.StreamInterceptor(func(srv any, s grpc.ServerStream, _ *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
			if err := arrive(); err != nil {
				return err
			}
			return handle(srv, s)
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	e.Server = srv
	return e
}

// clients returns clients of the emulator, guarded if there is a guard, with
// the table of sessions.
func (e *emulator) clients(t testing.TB, guard *ttlguard.Guard) (*bigtable.Client, *bigtable.AdminClient) {
	t.Helper()
	if guard == nil {
		return e.dial(t)
	}
	return e.dial(t, guard.DialOptions()...)
}

// dial is clients with options of the connection.
func (e *emulator) dial(t testing.TB, options ...grpc.DialOption) (*bigtable.Client, *bigtable.AdminClient) {
	t.Helper()
	conn, err := grpc.NewClient(e.Addr, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	client, err := bigtable.NewClientWithConfig(t.Context(), "p", "i", bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}}, option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	admin, err := bigtable.NewAdminClient(t.Context(), "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); admin.Close() })
	return client, admin
}

func mustGuard(t testing.TB, options ...ttlguard.Option) *ttlguard.Guard {
	t.Helper()
	guard, err := ttlguard.New(append([]ttlguard.Option{ttlguard.Tables(sessions, clicks, catalog), ledger}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return guard
}

func serverTime(column string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("token", column, bigtable.ServerTime, []byte("secret"))
	return m
}

// TestReject: a request that violates an agreement fails with the rule and the
// remedy, and nothing of it reaches the server.
func TestReject(t *testing.T) {
	e := newEmulator(t)
	guard := mustGuard(t, ttlguard.Reject(), ttlguard.WithLogger(nil))
	client, admin := e.clients(t, guard)
	ctx := t.Context()
	if err := admin.CreateTableFromConf(ctx, sessions.Conf()); err != nil {
		t.Fatal(err)
	}
	tbl := client.Open("sessions")
	good := bigtable.NewMutation()
	if err := token.Set(good, "jwt", []byte("x")); err != nil {
		t.Fatal(err)
	}
	before := e.requests.Load()
	conditional := bigtable.NewCondMutation(bigtable.ColumnFilter("jwt"), good, nil)
	increment := bigtable.NewReadModifyWrite()
	increment.Increment("token", "n", 1)
	for rule, call := range map[string]func() error{
		"ttlwrite/server-timestamp": func() error { return tbl.Apply(ctx, "k", serverTime("jwt")) },
		"ttlwrite/server-timestamp (bulk)": func() error {
			_, err := tbl.ApplyBulk(ctx, []string{"a", "b"}, []*bigtable.Mutation{good, serverTime("jwt")})
			return err
		},
		"ttlread/conditional-mutation": func() error { return tbl.Apply(ctx, "k", conditional) },
		"ttlwrite/read-modify-write":   func() error { _, err := tbl.ApplyReadModifyWrite(ctx, "k", increment); return err },
		"ttlread/missing-filter":       func() error { _, err := tbl.ReadRow(ctx, "k"); return err },
		"ttlgc/age-mismatch":           func() error { return admin.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgePolicy(time.Hour)) },
		"ttlread/sql": func() error {
			_, err := client.PrepareStatement(ctx, "SELECT token FROM sessions", nil)
			return err
		},
	} {
		err := call()
		rule, _, _ = strings.Cut(rule, " ")
		if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), rule) || !strings.Contains(err.Error(), "; ") {
			t.Errorf("%s: %v", rule, err)
		}
	}
	if n := e.requests.Load() - before; n != 0 {
		t.Errorf("%d requests reached the server", n)
	}
	if err := tbl.Apply(ctx, "k", good); err != nil {
		t.Error(err)
	}
	row, err := tbl.ReadRow(ctx, "k", sessions.Live())
	if err != nil || len(row["token"]) != 1 {
		t.Error(row, err)
	}
	if _, err := tbl.ReadRow(ttlguard.Allow(ctx, "the report has expired sessions too", "ttlread/missing-filter"), "k"); err != nil {
		t.Error(err)
	}
	if _, err := tbl.ReadRow(ttlguard.Allow(ctx, ""), "k"); err == nil {
		t.Error("allowed without a reason")
	}
}

// TestReport: each distinct violation is reported once per interval with its
// count, without values, and counted by rule.
func TestReport(t *testing.T) {
	e := newEmulator(t)
	var log bytes.Buffer
	clock := time.Now()
	guard := mustGuard(t, ttlguard.WithClock(func() time.Time { return clock }),
		ttlguard.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	client, admin := e.clients(t, guard)
	ctx := t.Context()
	if err := admin.CreateTableFromConf(ctx, sessions.Conf()); err != nil {
		t.Fatal(err)
	}
	tbl := client.Open("sessions")
	write := func(n int) {
		for range n {
			if err := tbl.Apply(ctx, "secret", serverTime("secret")); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(5)
	if _, err := tbl.ReadRow(ctx, "secret"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(log.String(), "\n"); n != 2 || !strings.Contains(log.String(), "count=1 ") {
		t.Errorf("%d lines:\n%s", n, &log)
	}
	log.Reset()
	clock = clock.Add(time.Minute)
	write(1)
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "count=5 ") {
		t.Errorf("after the interval, %d lines:\n%s", n, &log)
	}
	log.Reset()
	write(2)
	guard.Flush(ctx)
	guard.Flush(ctx)
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "count=2 ") {
		t.Errorf("flushed, %d lines:\n%s", n, &log)
	}
	if strings.Contains(log.String(), "secret") {
		t.Error("the log has a value, a key or a column")
	}
	if c := guard.Counts(); c["ttlwrite/server-timestamp"] != 8 || c["ttlread/missing-filter"] != 1 || len(c) != 2 {
		t.Errorf("counts %v", c)
	}
}

// A failing is a test that fails.
type failing struct{ messages []string }

func (*failing) Helper() {}

func (f *failing) Errorf(_ string, args ...any) {
	f.messages = append(f.messages, args[0].(ttlguard.Violation).String())
}

func TestFailTest(t *testing.T) {
	e := newEmulator(t)
	f := &failing{}
	client, admin := e.clients(t, mustGuard(t, ttlguard.FailTest(f)))
	if err := admin.CreateTableFromConf(t.Context(), sessions.Conf()); err != nil {
		t.Fatal(err)
	}
	if err := client.Open("sessions").Apply(t.Context(), "k", serverTime("jwt")); err != nil {
		t.Fatal(err)
	}
	const want = `MutateRow: write to one-second-expiration family "token" of table "sessions" uses the server timestamp: the next compaction deletes it; set its expiry (ttlwrite/server-timestamp)`
	if len(f.messages) != 1 || f.messages[0] != want {
		t.Errorf("%q", f.messages)
	}
}

// TestRetries: what the client sends again counts once, and is not judged by
// the clock of the retry.
func TestRetries(t *testing.T) {
	e := newEmulator(t)
	var skew atomic.Int64
	guard := mustGuard(t, ttlguard.WithLogger(nil), ttlguard.WithClock(func() time.Time { return time.Now().Add(time.Duration(skew.Load())) }))
	client, admin := e.clients(t, guard)
	ctx := t.Context()
	if err := admin.CreateTableFromConf(ctx, sessions.Conf()); err != nil {
		t.Fatal(err)
	}
	tbl := client.Open("sessions")
	past := bigtable.NewMutation()
	past.Set("token", "jwt", bigtable.Time(time.Now().Add(-time.Hour)), nil)
	for _, call := range []struct {
		rule string
		do   func() error
	}{
		{"ttlwrite/already-expired", func() error { return tbl.Apply(ctx, "k", past) }},
		{"ttlwrite/already-expired", func() error { _, err := tbl.ApplyBulk(ctx, []string{"a"}, []*bigtable.Mutation{past}); return err }},
		{"ttlread/missing-filter", func() error { _, err := tbl.ReadRow(ctx, "k"); return err }},
		{"ttlread/missing-filter", func() error {
			return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { return true })
		}},
	} {
		counted, requests := guard.Counts()[call.rule], e.requests.Load()
		e.fail.Store(3)
		if err := call.do(); err != nil {
			t.Fatal(err)
		}
		if n := e.requests.Load() - requests; n != 4 {
			t.Errorf("%d requests", n)
		}
		if n := guard.Counts()[call.rule] - counted; n != 1 {
			t.Errorf("%s counts %d times", call.rule, n)
		}
	}
	soon := bigtable.NewMutation()
	if err := token.SetFor(soon, "jwt", nil, time.Second); err != nil {
		t.Fatal(err)
	}
	counted := guard.Counts()["ttlwrite/already-expired"]
	e.failed = func() { skew.Store(int64(time.Hour)) } // the first attempt took that long
	e.fail.Store(1)
	if err := tbl.Apply(ctx, "k", soon); err != nil {
		t.Fatal(err)
	}
	if n := guard.Counts()["ttlwrite/already-expired"] - counted; n != 0 {
		t.Error("a retry is judged")
	}
}

// TestEmulatorHost: the client library dials the emulator itself when the
// environment names one, and its options would not count.
func TestEmulatorHost(t *testing.T) {
	e := newEmulator(t)
	t.Setenv("BIGTABLE_EMULATOR_HOST", e.Addr)
	guard := mustGuard(t, ttlguard.Reject(), ttlguard.WithLogger(nil))
	client, err := bigtable.NewClientWithConfig(t.Context(), "p", "i", bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}}, guard.ClientOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.Open("sessions").Apply(t.Context(), "k", serverTime("jwt")); status.Code(err) != codes.FailedPrecondition {
		t.Error(err)
	}
	admin, err := bigtable.NewAdminClient(t.Context(), "p", "i", guard.ClientOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if err := admin.CreateTableFromConf(t.Context(), &bigtable.TableConf{TableID: "sessions", ColumnFamilies: map[string]bigtable.Family{"token": {GCPolicy: bigtable.MaxAgePolicy(time.Hour)}}}); status.Code(err) != codes.FailedPrecondition {
		t.Error(err)
	}
}

// TestDialOptions: without an emulator, the options reach the connection that
// the client library dials.
func TestDialOptions(t *testing.T) {
	e := newEmulator(t)
	t.Setenv("BIGTABLE_EMULATOR_HOST", "")
	guard := mustGuard(t, ttlguard.Reject(), ttlguard.WithLogger(nil))
	options := append(guard.ClientOptions(), option.WithEndpoint(e.Addr), option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	client, err := bigtable.NewClientWithConfig(t.Context(), "p", "i", bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}}, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.Open("sessions").Apply(t.Context(), "k", serverTime("jwt")); status.Code(err) != codes.FailedPrecondition {
		t.Error(err)
	}
	if _, err := client.Open("sessions").ReadRow(t.Context(), "k"); status.Code(err) != codes.FailedPrecondition {
		t.Error(err)
	}
}

// TestConcurrent: one guard serves many clients (with -race).
func TestConcurrent(t *testing.T) {
	e := newEmulator(t)
	var reports atomic.Int64
	guard := mustGuard(t, ttlguard.WithLogger(nil), ttlguard.Interval(0), ttlguard.OnViolation(func(context.Context, ttlguard.Violation) { reports.Add(1) }))
	_, admin := e.clients(t, nil)
	if err := admin.CreateTableFromConf(t.Context(), sessions.Conf()); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	const clients, each = 8, 20
	for range clients {
		client, _ := e.clients(t, guard)
		wg.Add(1)
		go func() {
			defer wg.Done()
			tbl := client.Open("sessions")
			for range each {
				if err := tbl.Apply(t.Context(), "k", serverTime("jwt")); err != nil {
					t.Error(err)
				}
				if _, err := tbl.ReadRow(t.Context(), "k"); err != nil {
					t.Error(err)
				}
				if _, err := tbl.ReadRow(t.Context(), "k", sessions.Live()); err != nil {
					t.Error(err)
				}
				guard.Counts()
				guard.Flush(t.Context())
			}
		}()
	}
	wg.Wait()
	for rule, n := range guard.Counts() {
		if n != clients*each {
			t.Errorf("%s counts %d", rule, n)
		}
	}
	if n := reports.Load(); n != 2*clients*each {
		t.Errorf("%d reports", n)
	}
}
