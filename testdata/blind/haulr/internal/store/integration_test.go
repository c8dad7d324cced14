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

	"haulr.dev/backend/internal/clock"
	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

type env struct {
	client *bigtable.Client
	admin  *bigtable.AdminClient
	clk    *clock.Fake
	stores *Stores
}

func setup(t *testing.T) *env {
	t.Helper()
	srv, err := bttest.NewServer("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	ctx := context.Background()
	conn, err := grpc.NewClient(srv.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	client, err := bigtable.NewClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	admin, err := bigtable.NewAdminClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	e := &env{client: client, admin: admin, clk: clock.NewFake(time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC))}
	e.stores = New(client, "eu", "de", e.clk)
	return e
}

// create makes a table with families, all of one policy.
func (e *env) create(t *testing.T, table string, policy bigtable.GCPolicy, fams ...string) {
	t.Helper()
	ctx := context.Background()
	if err := e.admin.CreateTable(ctx, table); err != nil {
		t.Fatal(err)
	}
	for _, f := range fams {
		if err := e.admin.CreateColumnFamily(ctx, table, f); err != nil { // ok ttlgc/no-policy
			t.Fatal(err)
		}
		if policy != nil {
			if err := e.admin.SetGCPolicy(ctx, table, f, policy); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestSessions(t *testing.T) {
	e := setup(t)
	ctx := context.Background()
	e.create(t, tables.Sessions, bigtable.MaxAgePolicy(time.Second), tables.FamToken, tables.FamRefresh) // ok ttlgc/age-mismatch
	if err := e.admin.CreateColumnFamily(ctx, tables.Sessions, tables.FamMeta); err != nil {             // ok ttlgc/no-policy
		t.Fatal(err)
	}
	s := e.stores.Sessions
	if err := s.Create(ctx, &Session{ID: "1", UserID: "u", Token: "t", Refresh: "r", Device: "d"}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Get(ctx, "u", "1")
	if err != nil {
		t.Fatal(err)
	}
	if got.Token != "t" || got.Refresh != "r" || got.Device != "d" {
		t.Errorf("got %+v", got)
	}
	if d := time.Until(got.ExpiresAt); d <= 0 || d > tables.SessionTTL { // ok ttlage/not-write-time
		t.Errorf("expires in %v", d)
	}
	if err := s.Revoke(ctx, "u", "1", "test"); err != nil {
		t.Fatal(err)
	}
	if got, err = s.Get(ctx, "u", "1"); err != nil || got.Token != "" {
		t.Errorf("after revoke: %+v, %v", got, err)
	}
}

func TestSessionExpires(t *testing.T) {
	e := setup(t)
	ctx := context.Background()
	e.create(t, tables.Sessions, nil, tables.FamToken, tables.FamRefresh, tables.FamMeta)
	tbl := e.client.Open(tables.Sessions)

	mut := bigtable.NewMutation()
	mut.Set(tables.FamToken, "jwt", bigtable.Time(time.Now().Add(-time.Minute)), []byte("old")) // want ttlwrite/already-expired
	mut.Set(tables.FamMeta, "device", bigtable.Now(), []byte("d"))                              // ok ttlwrite/write-time
	if err := tbl.Apply(ctx, "s#u#1", mut); err != nil {
		t.Fatal(err)
	}
	got, err := e.stores.Sessions.Get(ctx, "u", "1")
	if err != nil || got.Token != "" {
		t.Errorf("dead token %q, %v", got.Token, err)
	}
	row, err := tbl.ReadRow(ctx, "s#u#1") // want ttlread/missing-filter
	if err != nil || len(row[tables.FamToken]) != 1 {
		t.Errorf("the cell is gone: %v, %v", row, err)
	}
}

func TestSessionsList(t *testing.T) {
	e := setup(t)
	ctx := context.Background()
	e.create(t, tables.Sessions, nil, tables.FamToken, tables.FamRefresh, tables.FamMeta)
	tbl := e.client.Open(tables.Sessions)
	for _, id := range []string{"1", "2", "3"} {
		mut := bigtable.NewMutation()
		mut.Set(tables.FamToken, "jwt", bigtable.Now(), []byte(id)) // want ttlwrite/write-time
		mut.Set(tables.FamMeta, "device", bigtable.Now(), []byte(id))
		if err := tbl.Apply(ctx, sessionKey("u", id), mut); err != nil {
			t.Fatal(err)
		}
	}
	ids, err := e.stores.Sessions.ListIDs(ctx, "u")
	if err != nil || len(ids) != 3 {
		t.Errorf("%v, %v", ids, err)
	}
}

func TestInboxOrder(t *testing.T) {
	e := setup(t)
	ctx := context.Background()
	e.create(t, tables.Inbox, bigtable.MaxVersionsPolicy(tables.InboxVersions), tables.FamMessage) // ok ttlgc/policy-mismatch
	for _, f := range []string{tables.FamDraft, tables.FamState} {
		if err := e.admin.CreateColumnFamilyWithConfig(ctx, tables.Inbox, f, bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)}); err != nil { // want ttlgc/no-policy
			t.Fatal(err)
		}
	}
	s := e.stores.Inbox
	for i := int64(1); i <= 5; i++ {
		if err := s.Append(ctx, Message{Chat: "c", Seq: i, Text: "hi", SentAt: e.clk.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	ms, err := s.Messages(ctx, "c", 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(ms) != 3 || ms[0].Seq != 5 || ms[2].Seq != 3 {
		t.Errorf("got %v", ms)
	}
}

func TestOrderBook(t *testing.T) {
	e := setup(t)
	ctx := context.Background()
	e.create(t, tables.OrderBook, bigtable.MaxVersionsPolicy(5), tables.FamEvent) // ok ttlgc/policy-mismatch
	for fam, n := range map[string]int{tables.FamSnapshot: 1, tables.FamInfo: 10} {
		if err := e.admin.CreateColumnFamily(ctx, tables.OrderBook, fam); err != nil { // ok ttlgc/no-policy
			t.Fatal(err)
		}
		if err := e.admin.SetGCPolicy(ctx, tables.OrderBook, fam, bigtable.MaxVersionsPolicy(n)); err != nil { // ok ttlgc/policy-mismatch
			t.Fatal(err)
		}
	}
	b := e.stores.Orders
	for i := uint64(1); i <= 7; i++ {
		if err := b.Record(ctx, OrderEvent{Order: "o", Seq: i, Kind: "price", Price: int64(i), At: e.clk.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Snapshot(ctx, "o", 7, []byte("state")); err != nil {
		t.Fatal(err)
	}
	state, evs, err := b.Load(ctx, "o")
	if err != nil {
		t.Fatal(err)
	}
	if string(state) != "state" || len(evs) != 5 || evs[0].Seq != 7 {
		t.Errorf("state %q, events %v", state, evs)
	}
}

func TestOrderBookSeeded(t *testing.T) {
	e := setup(t)
	ctx := context.Background()
	e.create(t, tables.OrderBook, nil, tables.FamEvent, tables.FamSnapshot, tables.FamInfo)
	tbl := e.client.Open(tables.OrderBook)
	tests := []struct {
		name string
		ts   bigtable.Timestamp
		seq  uint64
	}{
		{"first", 1000, 1},                  // ok ttlwrite/unscaled-sequence
		{"second", bigtablex.Seq(2), 2},     // ok ttlwrite/unscaled-sequence
		{"third", bigtable.Timestamp(3), 3}, // want ttlwrite/unscaled-sequence[seed]
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			mut := bigtable.NewMutation()
			mut.Set(tables.FamEvent, "open", tt.ts, marshal(OrderEvent{Order: tt.name})) // want ttlwrite/unscaled-sequence[seed]
			if err := tbl.Apply(ctx, tt.name, mut); err != nil {
				t.Fatal(err)
			}
			_, evs, err := e.stores.Orders.Load(ctx, tt.name)
			if err != nil || len(evs) != 1 {
				t.Errorf("%v, %v", evs, err)
			}
		})
	}
}

func TestDrivers(t *testing.T) {
	e := setup(t)
	ctx := context.Background()
	e.create(t, tables.Drivers, bigtable.MaxAgePolicy(24*time.Hour), tables.FamLocation) // ok ttlgc/age-mismatch
	if err := e.admin.CreateColumnFamilyWithConfig(ctx, tables.Drivers, tables.FamPresence,
		bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Minute)}); err != nil { // want ttlgc/age-mismatch
		t.Fatal(err)
	}
	if err := e.admin.CreateColumnFamily(ctx, tables.Drivers, tables.FamProfile); err != nil {
		t.Fatal(err)
	}
	s := e.stores.Drivers
	if err := s.Ping(ctx, Position{Driver: "1", Lat: 52.5, Lon: 13.4, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if p, err := s.Where(ctx, "1"); err != nil || p.Lat != 52.5 {
		t.Errorf("%+v, %v", p, err)
	}
	if on, err := s.Present(ctx, "1"); err != nil || !on {
		t.Errorf("present: %v, %v", on, err)
	}
	if err := s.GoOfflineDelete(ctx, "1"); err != nil {
		t.Fatal(err)
	}
	if on, err := s.Present(ctx, "1"); err != nil || on {
		t.Errorf("present: %v, %v", on, err)
	}
}

func TestSettingsMerge(t *testing.T) {
	e := setup(t)
	ctx := context.Background()
	e.create(t, tables.Settings, nil, tables.FamPreference, tables.FamOverride)
	s := e.stores.Settings
	if err := s.Put(ctx, "u", map[string]string{"theme": "light"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Override(ctx, "u", "theme", "dark", time.Hour); err != nil { // ok ttlwrite/write-time
		t.Fatal(err)
	}
	kv, err := s.Effective(ctx, "u")
	if err != nil || kv["theme"] != "dark" {
		t.Errorf("%v, %v", kv, err)
	}
}

func TestQuotesClock(t *testing.T) {
	e := setup(t)
	ctx := context.Background()
	e.create(t, "de-quotes", nil, tables.FamQuote)
	q := e.stores.Quotes
	if err := q.Save(ctx, Quote{ID: "q", Cents: 1200}); err != nil {
		t.Fatal(err)
	}
	e.clk.Advance(14 * time.Minute)
	if _, err := q.Get(ctx, "q"); err != nil {
		t.Error(err)
	}
	e.clk.Advance(2 * time.Minute)
	if _, err := q.Get(ctx, "q"); err != ErrNotFound {
		t.Error(err)
	}
}

func TestDevices(t *testing.T) {
	e := setup(t)
	ctx := context.Background()
	e.create(t, tables.Devices, nil, tables.FamPush, tables.FamTrust)
	d := e.stores.Devices
	if err := d.SetPush(ctx, "u", "phone", "tok"); err != nil {
		t.Fatal(err)
	}
	if err := d.TrustUntil(ctx, "u", "phone", e.clk.Now().Add(time.Hour)); err != nil { // ok ttlwrite/write-time
		t.Fatal(err)
	}
	if ok, err := d.Trusted(ctx, "u", "phone"); err != nil || !ok {
		t.Errorf("trusted: %v, %v", ok, err)
	}
	e.clk.Advance(2 * time.Hour)
	if ok, err := d.Trusted(ctx, "u", "phone"); err != nil || ok {
		t.Errorf("trusted: %v, %v", ok, err)
	}
}
