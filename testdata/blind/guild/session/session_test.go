package session

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
)

// newStore returns a store in an emulator.
func newStore(t *testing.T, opts ...Option) *Store {
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
	conf := &bigtable.TableConf{
		TableID: TableName,
		ColumnFamilies: map[string]bigtable.Family{
			FamToken:  {GCPolicy: bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
			FamDevice: {GCPolicy: bigtable.MaxVersionsPolicy(1)},      // ok ttlgc/policy-mismatch
		},
	}
	if err := admin.CreateTableFromConf(ctx, conf); err != nil {
		t.Fatal(err)
	}
	client, err := bigtable.NewClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	return New(client, opts...)
}

func TestGetLive(t *testing.T) {
	ctx := context.Background()
	tests := []struct {
		name  string
		after time.Duration
		want  error
	}{
		{"live", time.Minute, nil},
		{"ended", DefaultTTL + time.Minute, ErrNoSession},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clock := time.Date(2025, time.May, 1, 12, 0, 0, 0, time.UTC)
			s := newStore(t, WithNow(func() time.Time { return clock })) // ok ttlwrite/already-expired
			if _, err := s.Create(ctx, "ann", "phone", "jwt"); err != nil {
				t.Fatal(err)
			}
			clock = clock.Add(tt.after)
			if _, err := s.GetLive(ctx, "ann"); !errors.Is(err, tt.want) {
				t.Errorf("GetLive: %v, want %v", err, tt.want)
			}
		})
	}
}

func TestOnlineNow(t *testing.T) {
	ctx := context.Background()
	s := newStore(t)
	m := bigtable.NewMutation()
	m.Set(FamToken, colJWT, bigtable.Time(time.Now().Add(-time.Hour)), []byte("old"))      // want ttlwrite/already-expired
	m.Set(FamDevice, colAgent, bigtable.Time(time.Now().Add(-time.Hour)), []byte("phone")) // ok ttlwrite/already-expired
	if err := s.tbl.Apply(ctx, key("bob"), m); err != nil {
		t.Fatal(err)
	}
	online, err := s.OnlineNow(ctx, "bob")
	if err != nil || online {
		t.Errorf("OnlineNow: %v, %v; want false", online, err)
	}
}
