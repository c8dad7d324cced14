package prices

import (
	"context"
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
	"pennywise.example/shop/internal/keys"
)

// setup starts an emulator with the price table.
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
	if err := admin.CreateTable(ctx, bt.TablePrices); err != nil {
		t.Fatal(err)
	}
	for fam, policy := range map[string]bigtable.GCPolicy{
		bt.FamTick: bigtable.MaxVersionsPolicy(keep),           // ok ttlgc/policy-mismatch
		bt.FamLast: bigtable.MaxVersionsPolicy(1),              // ok ttlgc/age-on-zero
		bt.FamSrc:  bigtable.MaxAgePolicy(30 * 24 * time.Hour), // ok ttlgc/policy-mismatch
	} {
		if err := admin.CreateColumnFamily(ctx, bt.TablePrices, fam); err != nil { // ok ttlgc/no-policy
			t.Fatal(err)
		}
		if err := admin.SetGCPolicy(ctx, bt.TablePrices, fam, policy); err != nil {
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

func TestOrder(t *testing.T) {
	ctx := setup(t)
	for _, n := range []int64{3, 1, 2} {
		if err := Handle(ctx, Tick{Market: "de", SKU: "X1", Price: n * 100, Seq: n, Sent: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	r := httptest.NewRequest("GET", "/price/de/X1", nil)
	r.SetPathValue("market", "de")
	r.SetPathValue("sku", "X1")
	w := httptest.NewRecorder()
	Price(w, r)
	if !strings.Contains(w.Body.String(), `"price":300`) {
		t.Errorf("body: %s", w.Body)
	}
}

func TestNextSeq(t *testing.T) {
	ctx := setup(t)
	key := keys.Price("de", "X2")
	for want := int64(1); want < 4; want++ {
		n, err := NextSeq(ctx, key)
		if err != nil || n != want {
			t.Fatalf("next: %d, %v", n, err)
		}
		if err := bt.Put(ctx, bt.Prices, key, bt.FamTick, "p", bigtable.Timestamp(want), []byte("1")); err != nil { // want ttlwrite/unscaled-sequence
			t.Fatal(err)
		}
	}
}

func TestSeqTS(t *testing.T) {
	for n, want := range map[int64]bigtable.Timestamp{0: 0, 1: 1000, 42: 42000} {
		if got := seqTS(n); got != want {
			t.Errorf("seqTS(%d) = %d", n, got)
		}
	}
}

func TestStale(t *testing.T) {
	ctx := setup(t)
	mut := bigtable.NewMutation()
	mut.Set(bt.FamTick, "p", seqTS(7), []byte("100"))                              // ok ttlwrite/unscaled-sequence
	mut.Set(bt.FamSrc, "received", bigtable.Time(time.Now().Add(-time.Hour)), nil) // ok ttlwrite/already-expired
	if err := bt.Prices.Apply(ctx, keys.Price("de", "X3"), mut); err != nil {
		t.Fatal(err)
	}
	list, err := StaleSrc(ctx, "de", time.Minute)
	if err != nil || len(list) != 1 {
		t.Errorf("stale: %v %v", list, err)
	}
}

func TestSwap(t *testing.T) {
	ctx := setup(t)
	key := keys.Price("de", "X4")
	mut := bigtable.NewMutation()
	for i := int64(1); i <= 3; i++ {
		mut.Set(bt.FamTick, "p", bigtable.Timestamp(i*1000), []byte{byte('0' + i)}) // ok ttlwrite/unscaled-sequence
	}
	if err := bt.Prices.Apply(ctx, key, mut); err != nil {
		t.Fatal(err)
	}
	if ok, err := Swap(ctx, key, "1", "100"); err != nil || ok {
		t.Errorf("swap with an old tick: %v %v", ok, err)
	}
	if ok, err := Swap(ctx, key, "3", "100"); err != nil || !ok {
		t.Errorf("swap with the newest tick: %v %v", ok, err)
	}
}
