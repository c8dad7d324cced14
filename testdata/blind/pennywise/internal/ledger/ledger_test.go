package ledger

import (
	"context"
	"encoding/json"
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
	if err := admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "eu-audit",
		ColumnFamilies: map[string]bigtable.Family{
			famEntry: {GCPolicy: bigtable.MaxVersionsPolicy(1)},               // ok ttlgc/policy-mismatch
			famState: {GCPolicy: bigtable.MaxVersionsPolicy(1)},               // ok ttlgc/age-on-zero
			famNote:  {GCPolicy: bigtable.MaxAgePolicy(365 * 24 * time.Hour)}, // ok ttlgc/age-mismatch
		},
	}); err != nil {
		t.Fatal(err)
	}
	c, err := bigtable.NewClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("REGION", "eu")
	Init(c)
	return ctx
}

func TestAppend(t *testing.T) {
	ctx := setup(t)
	for _, kind := range []string{"open", "pay", "pay", "close"} {
		if err := Append(ctx, Entry{Account: "4711", Kind: kind, Who: "ann", Amount: 5}); err != nil {
			t.Fatal(err)
		}
	}
	row, err := tblAudit.ReadRow(ctx, keys.Account("4711"), bigtable.RowFilter(bt.Latest(famEntry, 1))) // ok ttlread/version-limit
	if err != nil {
		t.Fatal(err)
	}
	if len(row[famEntry]) != 3 {
		t.Errorf("entries: %v", row[famEntry])
	}
	var e Entry
	if err := json.Unmarshal(bt.Cell(row, famEntry, "pay").Value, &e); err != nil || e.Seq != 3 {
		t.Errorf("pay: %+v %v", e, err)
	}
}

func TestAppendMany(t *testing.T) {
	ctx := setup(t)
	if err := AppendMany(ctx, "4712", []Entry{{Kind: "a"}, {Kind: "b"}}); err != nil {
		t.Fatal(err)
	}
	row, err := tblAudit.ReadRow(ctx, keys.Account("4712")) // want ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if len(row[famEntry]) != 2 {
		t.Errorf("entries: %v", row)
	}
}

func TestResume(t *testing.T) {
	ctx := setup(t)
	mut := bigtable.NewMutation()
	mut.Set(famEntry, "open", 17000, []byte("{}")) // ok ttlwrite/unscaled-sequence
	mut.Set(famEntry, "pay", 18, []byte("{}"))     // want ttlwrite/unscaled-sequence
	if err := tblAudit.Apply(ctx, keys.Account("4713"), mut); err != nil {
		t.Fatal(err)
	}
	if err := Resume(ctx); err != nil {
		t.Fatal(err)
	}
	if n := nextSeq("4713"); n != 18 {
		t.Errorf("next: %d", n)
	}
}

func TestState(t *testing.T) {
	ctx := setup(t)
	if err := Append(ctx, Entry{Account: "4714", Kind: "open"}); err != nil {
		t.Fatal(err)
	}
	s, err := State(ctx, "4714")
	if err != nil || s != "open" {
		t.Errorf("state: %q %v", s, err)
	}
}
