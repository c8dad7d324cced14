package store

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/beacon/internal/clock"
	"example.com/beacon/internal/config"
	"example.com/beacon/internal/keys"
	"example.com/beacon/internal/layout"
)

type env struct {
	client *bigtable.Client
	admin  *bigtable.AdminClient
	names  layout.Names
	tables *Tables
}

func setup(t *testing.T) *env {
	t.Helper()
	srv, err := bttest.NewServer("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	conn, err := grpc.NewClient(srv.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	ctx := t.Context()
	e := &env{names: layout.For("test", "acme")}
	if e.client, err = bigtable.NewClient(ctx, "p", "i", option.WithGRPCConn(conn)); err != nil {
		t.Fatal(err)
	}
	if e.admin, err = bigtable.NewAdminClient(ctx, "p", "i", option.WithGRPCConn(conn)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*bigtable.TableConf{
		{TableID: e.names.Sessions(), Families: map[string]bigtable.GCPolicy{
			"token":   bigtable.MaxAgePolicy(time.Second), // ok ttlgc/age-mismatch
			"mfa":     bigtable.MaxAgePolicy(time.Second), // ok ttlgc/age-mismatch
			"profile": bigtable.MaxVersionsPolicy(1),      // ok ttlgc/versions-with-expiry
		}},
		{TableID: e.names.State(), Families: map[string]bigtable.GCPolicy{
			"cursor": bigtable.MaxVersionsPolicy(1),      // ok ttlgc/policy-mismatch
			"lease":  bigtable.MaxAgePolicy(time.Minute), // want ttlgc/age-mismatch
			"pref":   bigtable.MaxVersionsPolicy(1),      // ok ttlgc/age-on-zero
			"meta":   bigtable.MaxVersionsPolicy(1),      // ok ttlgc/age-on-zero
		}},
		{TableID: e.names.Audit(), Families: map[string]bigtable.GCPolicy{
			"event": bigtable.MaxAgePolicy(90 * 24 * time.Hour), // ok ttlgc/age-mismatch
			"grant": bigtable.MaxAgePolicy(time.Second),         // ok ttlgc/age-mismatch
			"actor": bigtable.MaxVersionsPolicy(1),              // ok ttlgc/versions-with-expiry
		}},
	} {
		if err := e.admin.CreateTableFromConf(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	e.tables = Open(e.client, e.names)
	return e
}

// fakeTable records what is applied; it is not Bigtable.
type fakeTable struct {
	bigtable.TableAPI
	rows []string
	row  bigtable.Row
}

func (f *fakeTable) Apply(_ context.Context, row string, _ *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	f.rows = append(f.rows, row)
	return nil
}

func (f *fakeTable) ReadRow(context.Context, string, ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.row, nil
}

func TestCreateAndGet(t *testing.T) {
	e := setup(t)
	s := NewSessionStore(e.tables.Sessions, layout.DefaultSessions())
	want := Session{User: "ann", Device: "phone", JWT: "j", Refresh: "r", Email: "ann@example.com"}
	if err := s.Create(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	got, err := s.Get(t.Context(), "ann", "phone")
	if err != nil {
		t.Fatal(err)
	}
	if got.JWT != want.JWT || got.Email != want.Email {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if d := time.Until(got.Expires); d < 29*time.Minute || d > 31*time.Minute {
		t.Errorf("expires in %v", d)
	}
}

func TestExpired(t *testing.T) {
	e := setup(t)
	clk := clock.NewFake(time.Now().Add(-48 * time.Hour))
	s := NewSessionStore(e.tables.Sessions, layout.DefaultSessions(), WithClock(clk.Now))
	if err := s.Create(t.Context(), Session{User: "bob", Device: "tv", JWT: "old"}); err != nil { // ok ttlwrite/already-expired
		t.Fatal(err)
	}
	clk.Advance(48 * time.Hour)
	if ok, err := s.Live(t.Context(), "bob", "tv"); err != nil || ok {
		t.Errorf("live: %v, %v", ok, err)
	}
	if ok, err := s.Exists(t.Context(), "bob", "tv"); err != nil || !ok {
		t.Errorf("exists: %v, %v", ok, err)
	}
}

func TestTouch(t *testing.T) {
	at := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	f := &fakeTable{}
	s := NewSessionStore(f, layout.DefaultSessions(), WithClock(func() time.Time { return at })) // ok ttlwrite/already-expired
	if err := s.Touch(t.Context(), "ann", "phone"); err != nil {
		t.Fatal(err)
	}
	if len(f.rows) != 1 || f.rows[0] != keys.Session("ann", "phone") {
		t.Errorf("applied to %q", f.rows)
	}
}

func TestVerify(t *testing.T) {
	e := setup(t)
	s := NewSessionStore(e.tables.Sessions, layout.DefaultSessions())
	if err := s.Challenge(t.Context(), "ann", "123456"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code string
		want bool
	}{{"000000", false}, {"123456", true}, {"123456", false}} {
		got, err := s.Verify(t.Context(), "ann", c.code)
		if err != nil || got != c.want {
			t.Errorf("verify %s: got %v, %v; want %v", c.code, got, err, c.want)
		}
	}
}

func TestAuditWindow(t *testing.T) {
	e := setup(t)
	ctx := t.Context()
	mut := bigtable.NewMutation()
	mut.Set("event", "old", bigtable.Time(time.Now().Add(-100*24*time.Hour)), []byte("x")) // want ttlwrite/already-expired
	mut.Set("event", "new", bigtable.Time(time.Now().Add(-10*24*time.Hour)), []byte("x"))  // ok ttlwrite/already-expired
	mut.Set("grant", "read", bigtable.Now(), []byte("x"))                                  // want ttlwrite/write-time
	mut.Set("actor", "name", bigtable.Now(), []byte("x"))                                  // ok ttlwrite/write-time
	if err := e.tables.Audit.Apply(ctx, "k", mut); err != nil {
		t.Fatal(err)
	}
	a := NewAuditStore(e.tables.Audit, layout.DefaultAudit(), time.Now)
	got, err := a.Fields(ctx, "k")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got["event:new"] != "x" {
		t.Errorf("got %v", got)
	}
	row, err := e.tables.Audit.ReadRow(ctx, "k") // want ttlread/missing-filter
	if err != nil || len(row["event"]) != 2 {
		t.Errorf("row %v, %v", row, err)
	}
	row, err = e.tables.Audit.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("actor"))) // ok ttlread/missing-filter
	if err != nil || len(row["actor"]) != 1 {
		t.Errorf("row %v, %v", row, err)
	}
}

func TestCursor(t *testing.T) {
	e := setup(t)
	s := NewStateStore(e.tables.State, config.DefaultLayout().State)
	for _, n := range []int64{1, 5, 3} {
		if err := s.Commit(t.Context(), "g", 0, n); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Cursor(t.Context(), "g", 0)
	if err != nil || got != 5 {
		t.Errorf("cursor %d, %v", got, err)
	}
	row, err := e.tables.State.ReadRow(t.Context(), keys.Consumer("g", 0), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("cursor"), bigtable.LatestNFilter(2)))) // want ttlread/version-limit
	if err != nil || len(row["cursor"]) == 0 {
		t.Errorf("row %v, %v", row, err)
	}
}

func TestCursorVersions(t *testing.T) {
	e := setup(t)
	for i, c := range []struct {
		name string
		ts   bigtable.Timestamp
	}{
		{"first", 1000},           // ok ttlwrite/unscaled-sequence
		{"second", clock.Seq(2)},  // ok ttlwrite/unscaled-sequence
		{"half", 2500},            // want ttlwrite/unscaled-sequence[cv]
		{"clock", bigtable.Now()}, // maybe ttlwrite/clock-in-sequence
	} {
		t.Run(c.name, func(t *testing.T) {
			mut := bigtable.NewMutation()
			mut.Set("cursor", "offset", c.ts, []byte{byte(i)}) // want ttlwrite/unscaled-sequence[cv] // maybe ttlwrite/clock-in-sequence
			if err := e.tables.State.Apply(t.Context(), c.name, mut); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestLease(t *testing.T) {
	e := setup(t)
	s := NewStateStore(e.tables.State, layout.StateLayout)
	if err := s.Acquire(t.Context(), "compaction", "a"); err != nil {
		t.Fatal(err)
	}
	if err := s.Acquire(t.Context(), "compaction", "b"); err != ErrHeld {
		t.Errorf("second acquire: %v", err)
	}
	if err := s.Release(t.Context(), "compaction", "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Owner(t.Context(), "compaction"); err != ErrNotFound {
		t.Errorf("owner: %v", err)
	}
}

func TestDecode(t *testing.T) {
	s := NewSessionStore(&fakeTable{}, layout.DefaultSessions())
	row := bigtable.Row{"token": {{Row: "k", Column: "token:jwt", Timestamp: 1000, Value: []byte("j")}}} // ok ttlwrite/already-expired
	if got := s.decode("u", "d", row); got.JWT != "j" || !got.Expires.Equal(time.Unix(0, 1e6)) {
		t.Errorf("got %+v", got)
	}
}
