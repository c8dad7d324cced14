package login

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
)

// setup starts an emulator with the login table.
func setup(t *testing.T) context.Context {
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
	conf := bigtable.TableConf{TableID: bt.TableLogin, Families: map[string]bigtable.GCPolicy{
		bt.FamSess: bigtable.MaxAgePolicy(time.Second),     // ok ttlgc/age-mismatch
		bt.FamOtp:  bigtable.MaxAgePolicy(5 * time.Minute), // want ttlgc/age-mismatch
		bt.FamWho:  bigtable.NoGcPolicy(),                  // ok ttlgc/no-policy
	}}
	if err := admin.CreateTableFromConf(ctx, &conf); err != nil {
		t.Fatal(err)
	}
	c, err := bigtable.NewClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	bt.Use(c)
	return ctx
}

// session puts a session into the table.
func session(t *testing.T, ctx context.Context, user string, ts bigtable.Timestamp) string {
	t.Helper()
	token := keys.NewToken()
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSess, "user", ts, []byte(user))
	mut.Set(bt.FamSess, "ip", ts, []byte("10.0.0.1"))
	if err := bt.Login.Apply(ctx, keys.Session(token), mut); err != nil {
		t.Fatal(err)
	}
	return token
}

func get(h http.HandlerFunc, target, token string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", target, nil)
	if token != "" {
		r.AddCookie(&http.Cookie{Name: cookie, Value: token})
	}
	w := httptest.NewRecorder()
	h(w, r)
	return w
}

func TestMe(t *testing.T) {
	ctx := setup(t)
	live := session(t, ctx, "ann@pennywise.example", clock.In(time.Hour))  // ok ttlwrite/write-time
	dead := session(t, ctx, "bob@pennywise.example", clock.In(-time.Hour)) // want ttlwrite/already-expired
	if w := get(Me, "/me", live); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "ann@") {
		t.Errorf("live session: %d %s", w.Code, w.Body)
	}
	if w := get(Me, "/me", dead); w.Code != http.StatusForbidden {
		t.Errorf("dead session: %d %s", w.Code, w.Body)
	}
	if w := get(Me, "/me", ""); w.Code != http.StatusForbidden {
		t.Errorf("no session: %d %s", w.Code, w.Body)
	}
}

func TestRequireUser(t *testing.T) {
	ctx := setup(t)
	token := session(t, ctx, "ann@pennywise.example", bigtable.Now()) // want ttlwrite/write-time
	called := false
	h := RequireUser(func(http.ResponseWriter, *http.Request) { called = true })
	if get(h, "/x", token); !called {
		t.Error("not called")
	}
}

func TestTouchKeepsCells(t *testing.T) {
	ctx := setup(t)
	token := session(t, ctx, "ann@pennywise.example", clock.In(time.Minute)) // ok ttlwrite/write-time
	if w := get(Touch, "/touch", token); w.Code != http.StatusNoContent {
		t.Fatalf("touch: %d", w.Code)
	}
	row, err := bt.Login.ReadRow(ctx, keys.Session(token)) // want ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if len(row[bt.FamSess]) < 2 {
		t.Errorf("cells: %v", row[bt.FamSess])
	}
}

func TestClockIsInjected(t *testing.T) {
	ctx := setup(t)
	old := clock.Now
	defer func() { clock.Now = old }()
	clock.Now = func() time.Time { return time.Date(2021, 3, 1, 12, 0, 0, 0, time.UTC) } // ok ttlwrite/already-expired
	token := session(t, ctx, "ann@pennywise.example", clock.In(sessionTTL))              // ok ttlwrite/already-expired
	if w := get(Me, "/me", token); w.Code != http.StatusOK {
		t.Errorf("me: %d", w.Code)
	}
	clock.Now = func() time.Time { return time.Date(2021, 3, 2, 12, 0, 0, 0, time.UTC) }
	if w := get(Me, "/me", token); w.Code != http.StatusForbidden {
		t.Errorf("me, a day later: %d", w.Code)
	}
}

func TestCodes(t *testing.T) {
	ctx := setup(t)
	key := keys.User("ann@pennywise.example")
	cases := []struct {
		name string
		ts   bigtable.Timestamp
		code int
	}{
		{"live", bigtable.Time(time.Now().Add(codeTTL)), http.StatusNoContent},  // ok ttlwrite/write-time
		{"dead", bigtable.Time(time.Now().Add(-codeTTL)), http.StatusForbidden}, // want ttlwrite/already-expired[cases]
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			mut := bigtable.NewMutation()
			mut.DeleteCellsInFamily(bt.FamOtp)
			mut.Set(bt.FamOtp, "code", c.ts, []byte("123456")) // want ttlwrite/already-expired[cases]
			if err := bt.Login.Apply(ctx, key, mut); err != nil {
				t.Fatal(err)
			}
			if w := get(UseCode2, "/code?user=ann@pennywise.example&code=123456", ""); w.Code != c.code {
				t.Errorf("code %d, want %d", w.Code, c.code)
			}
		})
	}
}

func TestWriteSessions(t *testing.T) {
	ctx := setup(t)
	session(t, ctx, "ann@pennywise.example", clock.In(time.Hour))
	var buf bytes.Buffer
	if err := WriteSessions(ctx, &buf); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(buf.String(), "ann@") {
		t.Errorf("csv: %s", buf.String())
	}
	n, err := CountSessions(ctx)
	if err != nil || n != 1 {
		t.Errorf("count: %d %v", n, err)
	}
}

func TestLogoutDeletes(t *testing.T) {
	ctx := setup(t)
	token := session(t, ctx, "ann@pennywise.example", clock.In(time.Hour))
	if w := get(Logout, "/logout", token); w.Code != http.StatusNoContent {
		t.Fatalf("logout: %d", w.Code)
	}
	left, err := bt.Login.ReadRow(ctx, keys.Session(token), bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamSess),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}), // ok ttlread/expired-only
	)))
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
