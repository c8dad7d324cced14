package handlers

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/gridwatch/internal/store"
)

// emulator starts a server with the session table.
func emulator(t *testing.T) *store.Tables {
	t.Helper()
	ctx := context.Background()
	srv, err := bttest.NewServer("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	conn, err := grpc.NewClient(srv.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	admin, err := bigtable.NewAdminClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	err = admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: store.TableSessions,
		ColumnFamilies: map[string]bigtable.Family{
			store.FamToken:    {GCPolicy: bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
			store.FamPresence: {GCPolicy: bigtable.MaxAgePolicy(time.Hour)},   // want ttlgc/age-mismatch
			store.FamProfile:  {GCPolicy: bigtable.MaxVersionsPolicy(1)},      // ok ttlgc/no-policy
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	client, err := bigtable.NewClientWithConfig(ctx, "p", "i", bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}}, option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	return store.FromClient(client)
}

func TestBearer(t *testing.T) {
	ctx := context.Background()
	tables := emulator(t)
	l := New(tables)
	mut := bigtable.NewMutation()
	mut.Set(store.FamToken, "jwt", store.ExpiresIn(time.Hour), []byte("abc")) // ok ttlwrite/write-time
	mut.Set(store.FamToken, "by", bigtable.Now(), []byte("test"))             // want ttlwrite/write-time
	mut.Set(store.FamProfile, "site", bigtable.Now(), []byte("lyon"))         // ok ttlwrite/write-time
	if err := tables.Sessions.Apply(ctx, "d1", mut); err != nil {
		t.Fatal(err)
	}
	if got, err := l.Bearer(ctx, "d1"); err != nil || got != "abc" {
		t.Errorf("bearer %q, %v", got, err)
	}
	if got, err := l.BearerLive(ctx, "d1"); err != nil || got != "abc" {
		t.Errorf("live bearer %q, %v", got, err)
	}
	if got, err := l.Site(ctx, "d1"); err != nil || got != "lyon" {
		t.Errorf("site %q, %v", got, err)
	}
	row, err := tables.Sessions.ReadRow(ctx, "d1", bigtable.RowFilter(bigtable.FamilyFilter(store.FamToken))) // want ttlread/missing-filter
	if err != nil || len(row[store.FamToken]) != 2 {
		t.Errorf("row %v, %v", row, err)
	}
}

func TestLookupIsReplaced(t *testing.T) {
	l := &Loop{lookup: func(context.Context, string, ...bigtable.ReadOption) (bigtable.Row, error) {
		return bigtable.Row{store.FamToken: {{Column: "token:jwt", Value: []byte("fake"), Timestamp: bigtable.Now()}}}, nil // ok ttlwrite/write-time
	}}
	if got, err := l.BearerFunc(context.Background(), "x"); err != nil || got != "fake" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestAlive(t *testing.T) {
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name string
		ts   bigtable.Timestamp
		want bool
	}{
		{"dead", bigtable.Time(now.Add(-time.Second)), false}, // ok ttlwrite/already-expired
		{"alive", bigtable.Time(now.Add(time.Second)), true},
	} {
		if got := alive(bigtable.ReadItem{Timestamp: tc.ts}, now); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}
