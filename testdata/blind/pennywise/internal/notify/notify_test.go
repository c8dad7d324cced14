package notify

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
)

// fakeTable remembers calls and answers with what a test puts in.
type fakeTable struct {
	rows    map[string]bigtable.Row
	applied map[string]int
	reads   int
	err     error
}

func (f *fakeTable) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	f.reads++
	return f.rows[row], f.err
}

func (f *fakeTable) ReadRows(ctx context.Context, arg bigtable.RowSet, fn func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	for _, row := range f.rows {
		if !fn(row) {
			break
		}
	}
	return f.err
}

func (f *fakeTable) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	if f.applied == nil {
		f.applied = map[string]int{}
	}
	f.applied[row]++
	return f.err
}

func (f *fakeTable) ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	return f.rows[row], f.err
}

func use(t *testing.T, f *fakeTable) {
	old := tbl
	tbl = f
	t.Cleanup(func() { tbl = old })
}

func cell(fam, col string, ts bigtable.Timestamp, v any) bigtable.ReadItem {
	raw, _ := json.Marshal(v)
	return bigtable.ReadItem{Column: fam + ":" + col, Timestamp: ts, Value: raw}
}

func TestSend(t *testing.T) {
	f := &fakeTable{}
	use(t, f)
	if err := Send(context.Background(), "ann", Message{Kind: "order", Title: "Thanks"}); err != nil {
		t.Fatal(err)
	}
	if f.applied[keys.Inbox("ann")] != 1 {
		t.Errorf("applied: %v", f.applied)
	}
}

func TestMissed(t *testing.T) {
	key := keys.Inbox("ann")
	f := &fakeTable{rows: map[string]bigtable.Row{key: {bt.FamSeq: {
		cell(bt.FamSeq, "push", 3000, "three"),
		cell(bt.FamSeq, "push", 2000, "two"),
		cell(bt.FamSeq, "push", 1, "broken"), // ok ttlwrite/unscaled-sequence
	}}}}
	use(t, f)
	w := httptest.NewRecorder()
	Missed(w, httptest.NewRequest("GET", "/missed?user=ann&have=2", nil))
	if !strings.Contains(w.Body.String(), "three") || strings.Contains(w.Body.String(), "two") {
		t.Errorf("missed: %s", w.Body)
	}
}

func TestExpire(t *testing.T) {
	now := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	old := clock.Now
	clock.Now = func() time.Time { return now } // ok ttlwrite/already-expired
	defer func() { clock.Now = old }()
	f := &fakeTable{rows: map[string]bigtable.Row{keys.Inbox("bob"): {bt.FamPend: {
		cell(bt.FamPend, "x", bigtable.Time(now.Add(time.Minute)), "soon"), // ok ttlwrite/already-expired
		cell(bt.FamPend, "y", bigtable.Time(now.Add(5*time.Hour)), "later"),
	}}}}
	use(t, f)
	if err := Expire(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestFake(t *testing.T) {
	f := &fakeTable{}
	mut := bigtable.NewMutation()
	mut.Set("x", "y", bigtable.Now(), nil) // ok ttlwrite/write-time
	if err := f.Apply(context.Background(), "k", mut); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadRow(context.Background(), "k"); err != nil || f.reads != 1 { // ok ttlread/missing-filter
		t.Errorf("reads: %d", f.reads)
	}
}
