package auth

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

	"example.com/corebase/pkg/btstore"
)

// open starts an emulator with the schema of the service.
func open(t *testing.T, opts ...btstore.Option) (*btstore.Store, *Service) {
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
	store, err := btstore.Dial(t.Context(), "corebase", "test", []option.ClientOption{option.WithGRPCConn(conn)}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	if err := Setup(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	return store, NewService(store, slog.Default())
}

func TestLogin(t *testing.T) {
	ctx := context.Background()
	_, svc := open(t)
	sess, err := svc.Login(ctx, "ada", "jwt-1", "curl")
	if err != nil {
		t.Fatal(err)
	}
	got, err := svc.Session(ctx, sess.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got.JWT != "jwt-1" {
		t.Errorf("jwt %q", got.JWT)
	}
}

func TestExpiry(t *testing.T) {
	ctx := context.Background()
	_, svc := open(t)
	m := bigtable.NewMutation()
	m.Set(FamToken, "jwt", bigtable.Time(time.Now().Add(time.Minute)), []byte("live")) // ok ttlwrite/write-time
	if err := svc.sessions.Apply(ctx, "live", m); err != nil {
		t.Fatal(err)
	}
	m = bigtable.NewMutation()
	m.Set(FamToken, "jwt", bigtable.Now(), []byte("dead")) // want ttlwrite/write-time
	if err := svc.sessions.Apply(ctx, "dead", m); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]bool{"live": true, "dead": false} {
		row, err := svc.sessions.Get(ctx, key, btstore.Where(btstore.LiveAt(FamToken, time.Now().Add(10*time.Second)))) // maybe ttlread/*
		if err != nil {
			t.Fatal(err)
		}
		if got := len(row) > 0; got != want {
			t.Errorf("%s: %t", key, got)
		}
	}
}

func TestClock(t *testing.T) {
	ctx := context.Background()
	noon := time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)
	store, svc := open(t, btstore.WithClock(func() time.Time { return noon })) // ok ttlwrite/already-expired
	if !store.Now().Equal(noon) {
		t.Fatal("clock")
	}
	svc.now = func() time.Time { return noon } // ok ttlwrite/already-expired
	sess, err := svc.Login(ctx, "ada", "jwt", "test")
	if err != nil {
		t.Fatal(err)
	}
	if !sess.Expires.Equal(noon.Add(TokenTTL)) {
		t.Errorf("expires %v", sess.Expires)
	}
}

func TestKeys(t *testing.T) {
	ctx := context.Background()
	_, svc := open(t)
	ring := NewKeyRing(svc, 0)
	for _, alg := range []string{"RS256", "ES256", "EdDSA"} {
		if err := ring.Publish(ctx, "main", PublicKey{KID: alg, Alg: alg}); err != nil {
			t.Fatal(err)
		}
	}
	key, err := ring.Current(ctx, "main")
	if err != nil {
		t.Fatal(err)
	}
	if key.Alg != "EdDSA" || key.Version != 3 {
		t.Errorf("current %+v", key)
	}
	row, err := svc.keys.Get(ctx, "main") // want ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if n := len(row[FamKey]); n != 3 {
		t.Errorf("%d versions", n)
	}
}

func TestFlags(t *testing.T) {
	ctx := context.Background()
	_, svc := open(t)
	flags := NewFlags(svc)
	for _, on := range []bool{true, false, true} {
		if err := flags.Set(ctx, "ada", "beta", on); err != nil {
			t.Fatal(err)
		}
	}
	on, err := flags.Get(ctx, "ada", "beta")
	if err != nil || !on {
		t.Errorf("beta %t %v", on, err)
	}
}
