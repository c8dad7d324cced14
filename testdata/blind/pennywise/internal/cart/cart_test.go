package cart

import (
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
	for _, table := range []string{bt.TableCarts, bt.TableLogin} {
		if err := admin.CreateTable(ctx, table); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []struct {
		table, fam string
		age        time.Duration
	}{
		{bt.TableCarts, bt.FamItem, bt.CartTTL},           // ok ttlgc/age-mismatch
		{bt.TableCarts, bt.FamHold, time.Second},          // ok ttlgc/age-mismatch
		{bt.TableCarts, bt.FamMeta, 365 * 24 * time.Hour}, // want ttlgc/policy-mismatch[carttest]
		{bt.TableLogin, bt.FamSess, time.Second},          // ok ttlgc/age-mismatch
		{bt.TableLogin, bt.FamOtp, time.Minute},           // want ttlgc/age-mismatch[carttest]
	} {
		if err := admin.CreateColumnFamily(ctx, f.table, f.fam); err != nil { // ok ttlgc/no-policy
			t.Fatal(err)
		}
		if err := admin.SetGCPolicy(ctx, f.table, f.fam, bigtable.MaxAgePolicy(f.age)); err != nil { // want ttlgc/policy-mismatch[carttest] ttlgc/age-mismatch[carttest]
			t.Fatal(err)
		}
	}
	c, err := bigtable.NewClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	bt.Use(c)
	return ctx
}

func do(h http.HandlerFunc, method, body string, vals ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	for i := 0; i+1 < len(vals); i += 2 {
		r.SetPathValue(vals[i], vals[i+1])
	}
	w := httptest.NewRecorder()
	h(w, r)
	return w
}

func TestAddAndShow(t *testing.T) {
	setup(t)
	if w := do(Add, "POST", `{"sku":"A1","qty":2}`, "shop", "de", "cart", "c1"); w.Code != http.StatusCreated {
		t.Fatalf("add: %d %s", w.Code, w.Body)
	}
	w := do(Show, "GET", "", "shop", "de", "cart", "c1")
	if !strings.Contains(w.Body.String(), `"sku":"A1"`) {
		t.Errorf("show: %s", w.Body)
	}
}

func TestGuestItemsGoEarly(t *testing.T) {
	ctx := setup(t)
	mut := bigtable.NewMutation()
	mut.Set(bt.FamItem, "A1", clock.In(guestTTL-bt.CartTTL), []byte(`{"sku":"A1"}`))   // ok ttlwrite/already-expired
	mut.Set(bt.FamItem, "A2", clock.In(-time.Hour-bt.CartTTL), []byte(`{"sku":"A2"}`)) // want ttlwrite/already-expired
	mut.Set(bt.FamItem, "A3", bigtable.ServerTime, []byte(`{"sku":"A3"}`))             // ok ttlwrite/server-timestamp
	if err := bt.Carts.Apply(ctx, keys.Cart("de", "c2"), mut); err != nil {
		t.Fatal(err)
	}
	w := do(Show, "GET", "", "shop", "de", "cart", "c2")
	if s := w.Body.String(); !strings.Contains(s, "A1") || strings.Contains(s, "A2") || !strings.Contains(s, "A3") {
		t.Errorf("show: %s", s)
	}
}

func TestHoldEnds(t *testing.T) {
	ctx := setup(t)
	key := keys.Cart("de", "c3")
	if err := bt.Put(ctx, bt.Carts, key, bt.FamHold, "A1", clock.In(-time.Minute), []byte("1")); err != nil { //ttlvet:ignore ttlwrite/already-expired a dead hold is what this test is about // ok ttlwrite/already-expired
		t.Fatal(err)
	}
	if w := do(Hold, "POST", "", "shop", "de", "cart", "c3"); w.Code != http.StatusConflict {
		t.Errorf("hold: %d", w.Code)
	}
	if err := bt.Put(ctx, bt.Carts, key, bt.FamHold, "A1", clock.In(time.Minute), []byte("1")); err != nil { // ok ttlwrite/write-time
		t.Fatal(err)
	}
	if w := do(Hold, "POST", "", "shop", "de", "cart", "c3"); w.Code != http.StatusOK {
		t.Errorf("hold: %d", w.Code)
	}
}

func TestEmpty(t *testing.T) {
	ctx := setup(t)
	if err := bt.Put(ctx, bt.Carts, keys.Cart("de", "c4"), bt.FamItem, "A1", bigtable.Now(), []byte("{}")); err != nil { // ok ttlwrite/write-time
		t.Fatal(err)
	}
	if err := bt.Put(ctx, bt.Carts, keys.Cart("de", "c4"), bt.FamHold, "A1", bigtable.Now(), []byte("1")); err != nil { // want ttlwrite/write-time
		t.Fatal(err)
	}
	do(Empty, "DELETE", "", "shop", "de", "cart", "c4")
	row, err := bt.Carts.ReadRow(ctx, keys.Cart("de", "c4")) // want ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if len(row) != 0 {
		t.Errorf("left: %v", row)
	}
}
