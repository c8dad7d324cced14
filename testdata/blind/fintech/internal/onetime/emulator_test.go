package onetime

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/payments/internal/schema"
	"example.com/payments/internal/store"
)

func emulator(t *testing.T) (*bigtable.Client, *bigtable.AdminClient) {
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
	client, err := bigtable.NewClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	admin, err := bigtable.NewAdminClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	err = admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: string(schema.TableOneTime),
		ColumnFamilies: map[string]bigtable.Family{
			"token":    {GCPolicy: bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/no-policy
			"attempts": {},                                             // want ttlgc/no-policy
			"contact":  {},                                             // ok ttlgc/no-policy
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client, admin
}

func TestFindOnEmulator(t *testing.T) {
	client, _ := emulator(t)
	ctx := context.Background()
	tbl := client.Open(string(schema.TableOneTime))
	mut := bigtable.NewMutation()
	mut.Set("token", "hash", bigtable.Time(time.Now().Add(time.Hour)), []byte(hash("1"))) // ok ttlwrite/write-time
	mut.Set("token", "channel", bigtable.Now(), []byte("sms"))                            // want ttlwrite/write-time
	if err := tbl.Apply(ctx, rowKey("s"), mut); err != nil {
		t.Fatal(err)
	}
	tok, err := New(store.Open(client, schema.TableOneTime)).Find(ctx, "s")
	if err != nil {
		t.Fatal(err)
	}
	if tok.Hash != hash("1") {
		t.Errorf("hash %q", tok.Hash)
	}
	row, err := tbl.ReadRow(ctx, rowKey("s")) // want ttlread/missing-filter
	if err != nil || len(row["token"]) == 0 {
		t.Errorf("row %v, err %v", row, err)
	}
	row, err = tbl.ReadRow(ctx, rowKey("s")) // ok ttlread/missing-filter
	if err != nil || len(row["contact"]) != 0 {
		t.Errorf("contact %v, err %v", row["contact"], err)
	}
}
