package tenant

import (
	"context"
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/schema"
)

// emulator starts one with the tables of tenant "t".
func emulator(t *testing.T) *bigtable.Client {
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
	ctx := context.Background()
	admin, err := bigtable.NewAdminClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	for _, conf := range []*bigtable.TableConf{
		{TableID: LedgerName("dev", "t"), Families: map[string]bigtable.GCPolicy{
			"entry": bigtable.MaxVersionsPolicy(5), // ok ttlgc/policy-mismatch
			"total": bigtable.MaxVersionsPolicy(1), // ok ttlgc/age-on-zero
		}},
		{TableID: PassesName("t"), Families: map[string]bigtable.GCPolicy{
			"pass":   bigtable.MaxAgePolicy(time.Second),    // ok ttlgc/age-mismatch
			"usage":  bigtable.MaxAgePolicy(24 * time.Hour), // want ttlgc/age-mismatch
			"holder": bigtable.MaxVersionsPolicy(1),         // ok ttlgc/policy-mismatch
		}},
		{TableID: "gates", Families: map[string]bigtable.GCPolicy{
			"state": bigtable.MaxAgePolicy(time.Second), // ok ttlgc/age-mismatch
		}},
	} {
		if err := admin.CreateTableFromConf(ctx, conf); err != nil {
			t.Fatal(err)
		}
	}
	client, err := bigtable.NewClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func testConfig(t *testing.T) *Config {
	t.Helper()
	cfg, err := Parse([]byte(`{"env": "dev", "tenants": [{"id": "t", "name": "Test"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestTableName(t *testing.T) {
	cfg := testConfig(t)
	for _, c := range []struct {
		tenant Tenant
		kind   string
		want   string
	}{
		{Tenant{ID: "t"}, "ledger", "dev-t-ledger"},
		{Tenant{ID: "t"}, "passes", "t-passes"},
		{Tenant{ID: "t", Tables: map[string]string{"ledger": "old-ledger"}}, "ledger", "old-ledger"},
	} {
		if got := cfg.TableName(c.tenant, c.kind); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.kind, c.tenant.ID, got, c.want)
		}
	}
}

func TestPasses(t *testing.T) {
	ctx := context.Background()
	client, cfg := emulator(t), testConfig(t)
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	s := Open(client, cfg, cfg.Tenants[0], WithClock(func() time.Time { return now })) // ok ttlwrite/already-expired ttlread/stale-bound
	if err := s.PutPass(ctx, Pass{Rider: "a", Kind: "week", Expires: now.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	ps, err := s.LivePasses(ctx, "a")
	if err != nil || len(ps) != 1 {
		t.Fatalf("%v, %v", ps, err)
	}
	now = now.Add(2 * time.Hour)
	if ps, err = s.LivePasses(ctx, "a"); err != nil || len(ps) != 0 {
		t.Fatalf("after two hours: %v, %v", ps, err)
	}
	if err := s.PutPass(ctx, Pass{Rider: "a", Kind: "day", Expires: now.Add(-time.Hour)}); err == nil {
		t.Error("a pass of the past was taken")
	}
	// As the ticket machine writes them.
	m := bigtable.NewMutation()
	m.Set("pass", "machine", bigtable.Time(time.Now().Add(time.Hour)), []byte("{}")) // ok ttlwrite/write-time
	m.Set("pass", "broken", bigtable.ServerTime, []byte("{}"))                       // want ttlwrite/server-timestamp
	m.Set("holder", "machine", bigtable.ServerTime, []byte("17"))                    // ok ttlwrite/server-timestamp
	if err := s.passes.Apply(ctx, passKey("b"), m); err != nil {
		t.Fatal(err)
	}
	row, err := s.passes.ReadRow(ctx, passKey("b"), bigtable.RowFilter(bigtable.FamilyFilter("pass"))) // want ttlread/missing-filter
	if err != nil || len(row["pass"]) != 2 {
		t.Errorf("%v, %v", row, err)
	}
	row, err = s.passes.ReadRow(ctx, passKey("b"), bigtable.RowFilter(bigtable.FamilyFilter("holder"))) // ok ttlread/missing-filter
	if err != nil || len(row["holder"]) != 1 {
		t.Errorf("%v, %v", row, err)
	}
}

func TestLedger(t *testing.T) {
	ctx := context.Background()
	client, cfg := emulator(t), testConfig(t)
	s := Open(client, cfg, cfg.Tenants[0])
	if _, err := s.Last(ctx, "1"); !errors.Is(err, ErrNotFound) {
		t.Errorf("empty ledger: %v", err)
	}
	for i := range 7 {
		n, err := s.Append(ctx, "1", Entry{Cents: int64(i) * 100, Reason: "test"})
		if err != nil || n != int64(i)+1 {
			t.Fatalf("entry %d got number %d: %v", i, n, err)
		}
	}
	es, err := s.Recent(ctx, "1")
	if err != nil || len(es) != 5 || es[0].Seq != 7 {
		t.Errorf("%v, %v", es, err)
	}
	// What an old dump has.
	for i := range 3 {
		m := bigtable.NewMutation()
		m.Set("entry", "old", bigtable.Timestamp(i), []byte("{}"))     // want ttlwrite/unscaled-sequence
		m.Set("entry", "new", btx.Seq(int64(i)), []byte("{}"))         // ok ttlwrite/unscaled-sequence
		m.Set("entry", "new2", bigtable.Timestamp(i*1000), []byte("")) // ok ttlwrite/unscaled-sequence
		if err := s.ledger.Apply(ctx, "a#2", m); err != nil {
			t.Fatal(err)
		}
	}
	m := bigtable.NewMutation()
	m.Set(schema.Entry, "e", bigtable.Now(), []byte("{}")) // want ttlwrite/clock-in-sequence
	m.Set(schema.Total, "e", 0, []byte("{}"))              // ok ttlwrite/clock-in-zero
	if err := s.ledger.Apply(ctx, "a#3", m); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Append(ctx, "3", Entry{}); err != nil || n < 1000 {
		t.Errorf("%d, %v", n, err)
	}
}

func TestGate(t *testing.T) {
	ctx := context.Background()
	client, cfg := emulator(t), testConfig(t)
	s := Open(client, cfg, cfg.Tenants[0])
	if err := s.Use(ctx, "r", "g1"); err != nil {
		t.Fatal(err)
	}
	who, open, err := s.GateOpen(ctx, "g1")
	if err != nil || !open || who != "r" {
		t.Errorf("%q, %v, %v", who, open, err)
	}
	d, err := s.GateHeld(ctx, "g1")
	if err != nil || d <= 0 || d > 2*time.Minute {
		t.Errorf("%v, %v", d, err)
	}
}
