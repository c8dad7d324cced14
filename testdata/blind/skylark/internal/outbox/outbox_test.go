package outbox

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/bt"
)

type fakeTable struct {
	bigtable.TableAPI
	applied []string
	row     bigtable.Row
}

func (f *fakeTable) Apply(_ context.Context, key string, _ *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	f.applied = append(f.applied, key)
	return nil
}

func (f *fakeTable) ReadRow(context.Context, string, ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.row, nil
}

func TestEnqueue(t *testing.T) {
	tbl := &fakeTable{}
	q := &Queue{tbl: tbl, now: func() time.Time { return time.Unix(1_700_000_000, 0) }} // ok ttlwrite/already-expired
	if err := q.Enqueue(context.Background(), &Job{ID: "a", Channel: Email}); err != nil {
		t.Fatal(err)
	}
	if len(tbl.applied) != 1 {
		t.Fatalf("applied %v", tbl.applied)
	}
}

func TestBody(t *testing.T) {
	tbl := &fakeTable{row: bigtable.Row{bt.FamJob: {{Column: "job:body", Value: []byte("hi")}}}}
	q := &Queue{tbl: tbl, now: time.Now}
	b, err := q.Body(context.Background(), "a")
	if err != nil || string(b) != "hi" {
		t.Fatalf("%q %v", b, err)
	}
}

func TestIntegration(t *testing.T) {
	if testing.Short() {
		t.Skip()
	}
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, "test", "test")
	if err != nil {
		t.Skip(err)
	}
	tbl := c.Open(bt.Outbox)
	m := bigtable.NewMutation()
	m.Set(bt.FamJob, "body", bigtable.Now(), []byte("{}"))                     // want ttlwrite/write-time
	m.Set(bt.FamJob, "channel", bigtable.Time(time.Now().Add(time.Hour)), nil) // ok ttlwrite/write-time
	if err := tbl.Apply(ctx, "it", m); err != nil {
		t.Skip(err)
	}
	row, err := tbl.ReadRow(ctx, "it", bigtable.RowFilter(bt.Newest(bt.FamJob, 1))) // want ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if got := string(row[bt.FamJob][0].Value); got != "{}" {
		t.Errorf("got %q", got)
	}
}
