package sessions

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

	"example.com/idp/internal/clock"
	"example.com/idp/internal/ids"
	"example.com/idp/internal/schema"
)

func open(t *testing.T, table string, families ...string) *bigtable.Client {
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
	admin, err := bigtable.NewAdminClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	if err := admin.CreateTable(ctx, table); err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if err := admin.CreateColumnFamily(ctx, table, f); err != nil {
			t.Fatal(err)
		}
	}
	c, err := bigtable.NewClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGet(t *testing.T) {
	c := open(t, schema.TableSessions, schema.FamSession, schema.FamDevice) // want ttlgc/no-policy
	ctx := context.Background()
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r := NewRepo(c, clock.Fixed{T: noon}, slog.Default()) // ok ttlwrite/already-expired
	s := Session{ID: ids.NewSession(), User: "ada", Began: noon}
	if err := r.Create(ctx, s, Device{UserAgent: "go"}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		now  time.Time
		want error
	}{
		{"at once", noon, nil},
		{"later", noon.Add(11 * time.Hour), nil},
		{"ended", noon.Add(13 * time.Hour), ErrExpired},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r.clk = clock.Fixed{T: tc.now}
			if _, err := r.Get(ctx, s.User, s.ID); err != tc.want {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}

func TestExpiredCell(t *testing.T) {
	c := open(t, schema.TableSessions, schema.FamSession) // want ttlgc/no-policy
	ctx := context.Background()
	tbl := c.Open(schema.TableSessions)
	m := bigtable.NewMutation()
	m.Set(schema.FamSession, colData, bigtable.Time(time.Now().Add(-time.Minute)), []byte("{}")) // want ttlwrite/already-expired
	m.Set(schema.FamSession, colSeen, bigtable.Time(time.Now().Add(time.Minute)), []byte("1"))   // ok ttlwrite/already-expired
	if err := tbl.Apply(ctx, "ada#1", m); err != nil {
		t.Fatal(err)
	}
	row, err := tbl.ReadRow(ctx, "ada#1") // want ttlread/missing-filter
	if err != nil || len(row[schema.FamSession]) != 2 {
		t.Fatalf("%v, %v", row, err)
	}
	if n, err := NewRepo(c, clock.System{}, slog.Default()).Count(ctx, "ada"); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

func TestDevices(t *testing.T) {
	c := open(t, schema.TableSessions, schema.FamDevice) // ok ttlgc/no-policy
	ctx := context.Background()
	tbl := c.Open(schema.TableSessions)
	m := bigtable.NewMutation()
	m.Set(schema.FamDevice, colUA, bigtable.Now(), []byte("go")) // ok ttlwrite/write-time
	if err := tbl.Apply(ctx, "ada#1", m); err != nil {
		t.Fatal(err)
	}
	row, err := tbl.ReadRow(ctx, "ada#1") // want ttlread/missing-filter
	if err != nil || len(row[schema.FamDevice]) != 1 {
		t.Fatalf("%v, %v", row, err)
	}
}

func TestLegacyTable(t *testing.T) {
	c := open(t, schema.TableLegacy, schema.FamSession) // ok ttlgc/no-policy
	tbl := c.Open(schema.TableLegacy)
	m := bigtable.NewMutation()
	m.Set(schema.FamSession, colData, bigtable.Now(), nil) // ok ttlwrite/write-time
	if err := tbl.Apply(context.Background(), "x", m); err != nil {
		t.Fatal(err)
	}
}
