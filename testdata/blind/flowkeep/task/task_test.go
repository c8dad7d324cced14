package task

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/flowkeep/internal/bt"
	"example.com/flowkeep/internal/codec"
)

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
	t.Cleanup(func() { conn.Close() })
	ctx := context.Background()
	admin, err := bigtable.NewAdminClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	if err := admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: TableName, ColumnFamilies: map[string]bigtable.Family{
		familyTask:    {GCPolicy: bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
		familyAttempt: {GCPolicy: bigtable.MaxVersionsPolicy(5)},      // want ttlgc/policy-mismatch
	}}); err != nil {
		t.Fatal(err)
	}
	client, err := bigtable.NewClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestMove(t *testing.T) {
	q := Open(emulator(t))
	for _, tc := range []struct {
		from, to Status
		ok       bool
	}{
		{Queued, Running, true},
		{Running, Done, true},
		{Running, Failed, true},
		{Failed, Queued, true},
		{Done, Queued, false},
	} {
		err := q.Move(t.Context(), Task{ID: "1", Queue: "q", Status: tc.from}, tc.to)
		if (err == nil) != tc.ok {
			t.Errorf("%d to %d: %v", tc.from, tc.to, err)
		}
	}
}

func TestPollSkipsExpired(t *testing.T) {
	client := emulator(t)
	tbl, q := client.Open(TableName), Open(client)
	for _, tc := range []struct {
		id   string
		ts   bigtable.Timestamp
		live bool
	}{
		{"dead", bigtable.Time(time.Now().Add(-time.Hour)), false}, // want ttlwrite/already-expired[polldead]
		{"live", bigtable.Time(time.Now().Add(time.Hour)), true},   // ok ttlwrite/already-expired
		{"helper", bt.Expiry(time.Minute), true},                   // ok ttlwrite/write-time
	} {
		m := bigtable.NewMutation()
		m.Set("task", "body", tc.ts, codec.Must(Task{ID: tc.id, Queue: tc.id})) // want ttlwrite/already-expired[polldead]
		if err := tbl.Apply(t.Context(), tc.id+"#"+tc.id, m); err != nil {
			t.Fatal(err)
		}
		got, err := q.Poll(t.Context(), tc.id, 10)
		if err != nil || (len(got) == 1) != tc.live {
			t.Errorf("%s: %v, %v", tc.id, got, err)
		}
	}
}

func TestAttemptsAreNumbered(t *testing.T) {
	client := emulator(t)
	tbl := client.Open(TableName)
	for n := range int64(4) {
		m := bigtable.NewMutation()
		m.Set("attempt", "n", bt.Seq(n+1), nil)   // ok ttlwrite/unscaled-sequence
		m.Set("attempt", "raw", bt.Raw(n+1), nil) // want ttlwrite/unscaled-sequence
		if err := tbl.Apply(t.Context(), "q#1", m); err != nil {
			t.Fatal(err)
		}
	}
	row, err := tbl.ReadRow(t.Context(), "q#1", bigtable.RowFilter(bt.In("attempt", bigtable.ColumnFilter("n"), bt.Newest(1)))) // ok ttlread/version-limit
	if err != nil || len(row["attempt"]) != 1 {
		t.Fatalf("%v, %v", row, err)
	}
	row, err = tbl.ReadRow(t.Context(), "q#1", bigtable.RowFilter(bt.In("attempt", bigtable.ColumnFilter("n")))) // want ttlread/version-limit
	if err != nil || len(row["attempt"]) != 4 {
		t.Fatalf("%v, %v", row, err)
	}
}
