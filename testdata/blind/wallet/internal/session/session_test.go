package session

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/config"
	"wallet.example/platform/internal/schema"
)

// emulator starts a server with the tables of this package.
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
	ctx := t.Context()
	admin, err := bigtable.NewAdminClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	if err := admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: schema.TableSessions.String(),
		ColumnFamilies: map[string]bigtable.Family{
			schema.FamilyToken.String():   {GCPolicy: bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
			schema.FamilyProfile.String(): {GCPolicy: bigtable.MaxVersionsPolicy(1)},      // ok ttlgc/policy-mismatch
		},
	}); err != nil {
		t.Fatal(err)
	}
	client, err := bigtable.NewClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func newStore(t *testing.T, client *bigtable.Client, c clock.Clock) *Store {
	t.Helper()
	res, err := New(Params{
		Conn:   btx.NewConn(client, 1),
		Clock:  c,
		Config: config.Default().Session,
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return res.Store
}

func TestGet(t *testing.T) {
	start := time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC)
	tests := []struct {
		name    string
		after   time.Duration
		wantErr error
	}{
		{name: "at once"},
		{name: "just before the end", after: 29 * time.Minute},
		{name: "after the end", after: 31 * time.Minute, wantErr: ErrNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := clock.NewFake(start)
			s := newStore(t, emulator(t), c)
			if err := s.Create(t.Context(), "ann", "phone", []byte("jwt"), []byte("refresh")); err != nil {
				t.Fatal(err)
			}
			c.Advance(tt.after)
			_, err := s.Get(t.Context(), "ann", "phone")
			if !errors.Is(err, tt.wantErr) {
				t.Errorf("Get() = %v, want %v", err, tt.wantErr)
			}
		})
	}
}

func TestListSkipsDead(t *testing.T) {
	client := emulator(t)
	c := clock.NewFake(time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC))
	s := newStore(t, client, c)
	seed(t, client, "bob#old", bigtable.Time(c.Now().Add(time.Minute)))
	seed(t, client, "bob#new", bigtable.Time(c.Now().Add(time.Hour)))
	c.Advance(10 * time.Minute)
	got, err := s.List(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Device != "new" {
		t.Errorf("List() = %+v, want one session of device new", got)
	}
}

// seed writes a token behind the store's back.
func seed(t *testing.T, client *bigtable.Client, key string, ts bigtable.Timestamp) {
	t.Helper()
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyToken.String(), schema.ColJWT.String(), ts, []byte("jwt")) // ok ttlwrite/write-time
	if err := client.Open(schema.TableSessions.String()).Apply(t.Context(), key, mut); err != nil {
		t.Fatal(err)
	}
}

func TestRevokeLeavesMark(t *testing.T) {
	client := emulator(t)
	s := newStore(t, client, clock.System{})
	ctx := t.Context()
	seed(t, client, "eve#tab", bigtable.Now()) // want ttlwrite/write-time
	if err := s.Revoke(ctx, "eve", "tab", "stolen"); err != nil {
		t.Fatal(err)
	}
	row, err := client.Open(schema.TableSessions.String()).ReadRow(ctx, "eve#tab") // want ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := btx.Value(row, schema.FamilyToken, _colRevoked); !ok || string(v) != "stolen" {
		t.Errorf("mark = %q, %v", v, ok)
	}
}

// fakeTable answers reads from memory.
type fakeTable struct {
	table
	row  bigtable.Row
	err  error
	muts int
}

func (f *fakeTable) ReadRow(context.Context, string, ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.row, f.err
}

func (f *fakeTable) Apply(context.Context, string, *bigtable.Mutation, ...bigtable.ApplyOption) error {
	f.muts++
	return f.err
}

func TestGetFake(t *testing.T) {
	errDown := errors.New("down")
	tests := []struct {
		name    string
		row     bigtable.Row
		err     error
		wantErr error
	}{
		{name: "no row", wantErr: ErrNotFound},
		{name: "down", err: errDown, wantErr: errDown},
		{
			name: "there",
			row: bigtable.Row{"token": {{
				Row: "ann#phone", Column: "token:jwt", Timestamp: bigtable.Now(), Value: []byte("jwt"), // ok ttlwrite/write-time
			}}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &Store{tbl: &fakeTable{row: tt.row, err: tt.err}, clock: clock.System{}}
			_, err := s.Get(t.Context(), "ann", "phone")
			if !errors.Is(err, tt.wantErr) {
				t.Errorf("Get() = %v, want %v", err, tt.wantErr)
			}
		})
	}
}
