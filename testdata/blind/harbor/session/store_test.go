package session

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/harbor/btutil"
)

func open(t *testing.T) (*bigtable.Client, *bigtable.AdminClient) {
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
	ac, err := bigtable.NewAdminClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	c, err := bigtable.NewClientWithConfig(ctx, "p", "i", bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}}, option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	if err := ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: btutil.TableSessions,
		ColumnFamilies: map[string]bigtable.Family{
			famToken:   {GCPolicy: bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
			famNonce:   {GCPolicy: bigtable.MaxAgePolicy(time.Hour)},   // want ttlgc/age-mismatch
			famProfile: {GCPolicy: bigtable.MaxVersionsPolicy(1)},      // ok ttlgc/policy-mismatch
		},
	}); err != nil {
		t.Fatal(err)
	}
	return c, ac
}

func TestCreateGet(t *testing.T) {
	c, _ := open(t)
	ctx := context.Background()
	s := New(c)
	if err := s.Create(ctx, &Session{Key: "k1", User: "anna", JWT: "j", Device: "phone"}, FlagMobile|FlagRemember, "n1", "A@b.c"); err != nil {
		t.Fatal(err)
	}
	got, err := New(c).Get(ctx, "k1")
	if err != nil {
		t.Fatal(err)
	}
	if got.JWT != "j" {
		t.Errorf("jwt %q", got.JWT)
	}
	ok, err := s.Nonce(ctx, "k1", "n1")
	if err != nil || !ok {
		t.Errorf("nonce %v %v", ok, err)
	}
	_, mail, _, err := s.Profile(ctx, "k1")
	if err != nil || mail != "a@b.c" {
		t.Errorf("mail %q %v", mail, err)
	}
}

func TestExpired(t *testing.T) {
	c, _ := open(t)
	ctx := context.Background()
	tbl := c.Open(btutil.TableSessions)
	m := bigtable.NewMutation()
	m.Set(famToken, colJWT, bigtable.Time(time.Now().Add(-time.Minute)), []byte("dead")) // want ttlwrite/already-expired
	m.Set(famToken, "user", bigtable.Time(time.Now().Add(time.Minute)), []byte("alive")) // ok ttlwrite/already-expired
	if err := tbl.Apply(ctx, "k2", m); err != nil {
		t.Fatal(err)
	}
	if _, err := New(c).Get(ctx, "k2"); err != btutil.ErrNotFound {
		t.Errorf("got %v", err)
	}
	row, err := tbl.ReadRow(ctx, "k2") // want ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if n := len(row[famToken]); n != 2 {
		t.Errorf("%d cells", n)
	}
	live, err := tbl.ReadRow(ctx, "k2", bigtable.RowFilter(btutil.LiveIn(famToken))) // ok ttlread/missing-filter
	if err != nil || len(live[famToken]) != 1 {
		t.Errorf("live: %v %v", live, err)
	}
}

func TestClock(t *testing.T) {
	c, _ := open(t)
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	s := New(c, WithClock(func() time.Time { return at }))
	ctx := context.Background()
	for _, tt := range []struct {
		name  string
		flags int
		want  time.Time
	}{
		{"short", 0, at.Add(btutil.TokenTTL)},
		{"long", FlagRemember, at.Add(rememberMe)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := s.Create(ctx, &Session{Key: tt.name, User: "u", JWT: "j"}, tt.flags, "", ""); err != nil {
				t.Fatal(err)
			}
			got, err := New(c, WithClock(s.clock)).Get(ctx, tt.name)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Expires.Equal(tt.want) {
				t.Errorf("expires %v, want %v", got.Expires, tt.want)
			}
		})
	}
}
