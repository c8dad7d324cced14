package repos

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/dto"
	"example.com/chirpnest/internal/tables"
)

func setup(t *testing.T, clock func() time.Time) Deps {
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
	for _, c := range []bigtable.TableConf{
		{TableID: tables.Sessions, ColumnFamilies: map[string]bigtable.Family{
			tables.FamSess:    {GCPolicy: bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
			tables.FamRefresh: {GCPolicy: bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
			tables.FamMeta:    {},                                             // ok ttlgc/no-policy
		}},
		{TableID: tables.Stories, ColumnFamilies: map[string]bigtable.Family{
			tables.FamFrame: {GCPolicy: bigtable.MaxAgePolicy(time.Hour)}, // want ttlgc/age-mismatch
			tables.FamRev:   {GCPolicy: bigtable.MaxVersionsPolicy(1)},    // ok ttlgc/policy-mismatch
		}},
	} {
		if err := admin.CreateTableFromConf(ctx, &c); err != nil {
			t.Fatal(err)
		}
	}
	client, err := bigtable.NewClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	return Deps{Client: client, Tables: OpenTables(client), Clock: clock, Log: slog.Default(), Seq: NewSequencer(), Env: "test"}
}

func TestSessionLives(t *testing.T) {
	ctx := context.Background()
	repo := NewSessionRepo(setup(t, time.Now))
	s := dto.Session{ID: "1", UserID: "ada", JWT: "x", ExpiresAt: time.Now().Add(time.Minute)}
	if err := repo.Upsert(ctx, s); err != nil { // ok ttlwrite/write-time
		t.Fatal(err)
	}
	o, err := repo.FindOne(ctx, "ada", "1").Unpack()
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := o.Get(); !ok || got.JWT != "x" {
		t.Errorf("got %+v, %v", got, ok)
	}
}

func TestRevokedSessionIsGone(t *testing.T) {
	ctx := context.Background()
	deps := setup(t, func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }) // ok ttlwrite/already-expired
	repo := NewSessionRepo(deps)
	if err := repo.Extend(ctx, "ada", "1", "x"); err != nil {
		t.Fatal(err)
	}
	row, err := deps.Client.Open(tables.Sessions).ReadRow(ctx, sessionKey("ada", "1")) // want ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if bt.Text(row, tables.FamSess, "jwt") != "x" {
		t.Errorf("row %v", row)
	}
	row, err = deps.Client.Open(tables.Sessions).ReadRow(ctx, sessionKey("ada", "1"), bt.Where(bt.InFamily(tables.FamSess, bt.LiveNow()))) // ok ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if len(row) > 0 {
		t.Errorf("row %v", row)
	}
}

func TestStoryCaption(t *testing.T) {
	ctx := context.Background()
	repo := NewStoryRepo(setup(t, time.Now))
	if err := repo.Publish(ctx, dto.Story{ID: "1", UserID: "ada", Frames: []string{"f"}}); err != nil {
		t.Fatal(err)
	}
	s, err := repo.FindOne(ctx, "ada", "1")
	if err != nil || len(s.Frames) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}
