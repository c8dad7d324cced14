package core

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// emulator starts a server with the tables that the tests need and opens them.
func emulator(t *testing.T) context.Context {
	t.Helper()
	ctx := context.Background()
	srv, err := bttest.NewServer("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	cc, err := grpc.NewClient(srv.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	admin, err := bigtable.NewAdminClient(ctx, "p", "i", option.WithGRPCConn(cc))
	if err != nil {
		t.Fatal(err)
	}
	for _, tb := range []struct {
		name string
		fams map[string]bigtable.Family
	}{
		{TblSessions, map[string]bigtable.Family{
			FamTok:  {GCPolicy: bigtable.MaxAgePolicy(time.Second)},         // ok ttlgc/age-mismatch
			FamProf: {GCPolicy: bigtable.MaxAgePolicy(90 * 24 * time.Hour)}, // ok ttlgc/policy-mismatch
		}},
		{TblBudgets, map[string]bigtable.Family{
			FamLed:   {GCPolicy: bigtable.MaxVersionsPolicy(1)},  // want ttlgc/policy-mismatch
			FamCur:   {GCPolicy: bigtable.MaxVersionsPolicy(1)},  // ok ttlgc/age-on-zero
			FamAudit: {GCPolicy: bigtable.MaxVersionsPolicy(10)}, // ok ttlgc/policy-mismatch
		}},
	} {
		if err := admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: tb.name, ColumnFamilies: tb.fams}); err != nil {
			t.Fatal(err)
		}
	}
	c, err := bigtable.NewClient(ctx, "p", "i", option.WithGRPCConn(cc))
	if err != nil {
		t.Fatal(err)
	}
	SessTbl, BudTbl = c.Open(TblSessions), c.Open(TblBudgets)
	return ctx
}

func TestSessionRoundTrip(t *testing.T) {
	ctx := emulator(t)
	s := &Session{ID: "s1", User: "u1", Kind: KindApp, Token: "abc", Props: map[string]string{"plan": "pro"}}
	if err := SaveSession(ctx, s, true, false, false); err != nil {
		t.Fatal(err)
	}
	got, err := LoadSessionV2(ctx, "s1", true)
	if err != nil {
		t.Fatal(err)
	}
	if got.Token != "abc" || got.User != "u1" {
		t.Errorf("got %+v", got)
	}
	if left := time.Until(got.ExpiresAt); left < RememberTTL-time.Minute {
		t.Errorf("%s left", left)
	}
}

func TestExpired(t *testing.T) {
	ctx := emulator(t)
	for _, tc := range []struct {
		name string
		ts   bigtable.Timestamp
		live bool
	}{
		{"an hour", bigtable.Time(time.Now().Add(time.Hour)), true},
		{"soon", bigtable.Time(time.Now().Add(time.Minute)), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := bigtable.NewMutation()
			m.Set(FamTok, "jwt", tc.ts, []byte("x")) // ok ttlwrite/write-time
			if err := SessTbl.Apply(ctx, saltKey(tc.name), m); err != nil {
				t.Fatal(err)
			}
			ok, err := SessionAlive(ctx, tc.name)
			if err != nil || ok != tc.live {
				t.Errorf("alive %v, %v", ok, err)
			}
			row, err := SessTbl.ReadRow(ctx, saltKey(tc.name)) // want ttlread/missing-filter
			if err != nil || len(row[FamTok]) == 0 {
				t.Errorf("no cell: %v", err)
			}
		})
	}
}

func TestBook(t *testing.T) {
	ctx := emulator(t)
	l := LedgerOf("c1")
	for i := range 3 {
		b := Booking{Campaign: "c1", Micros: int64(i), Kind: "spend", By: "test", At: time.Now()}
		if err := l.Book(ctx, b, i == 2, false); err != nil {
			t.Fatal(err)
		}
	}
	m := bigtable.NewMutation()
	m.Set(FamLed, "seed", bigtable.Timestamp(5000), []byte("x")) // ok ttlwrite/unscaled-sequence
	m.Set(FamLed, "seed2", bigtable.Timestamp(5), []byte("x"))   // want ttlwrite/unscaled-sequence
	if err := BudTbl.Apply(ctx, "c1", m); err != nil {
		t.Fatal(err)
	}
	b, err := LoadBudgetHist(ctx, "c1", 3, true)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.History) != 3 || b.Version != 3 {
		t.Errorf("got %+v", b)
	}
}
