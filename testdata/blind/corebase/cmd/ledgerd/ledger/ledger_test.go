package ledger

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// fakeTable is a table of rows that are there from the beginning.
type fakeTable struct {
	rows    map[string]bigtable.Row
	applied []string
	err     error
}

func (f *fakeTable) ReadRow(_ context.Context, key string, _ ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.rows[key], f.err
}

func (f *fakeTable) ReadRows(_ context.Context, _ bigtable.RowSet, fn func(bigtable.Row) bool, _ ...bigtable.ReadOption) error {
	for _, r := range f.rows {
		if !fn(r) {
			break
		}
	}
	return f.err
}

func (f *fakeTable) SampleRowKeys(context.Context) ([]string, error) { return nil, f.err }

func (f *fakeTable) Apply(_ context.Context, key string, _ *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	f.applied = append(f.applied, key)
	return f.err
}

func (f *fakeTable) ApplyBulk(_ context.Context, keys []string, _ []*bigtable.Mutation, _ ...bigtable.ApplyOption) ([]error, error) {
	f.applied = append(f.applied, keys...)
	return nil, f.err
}

func (f *fakeTable) ApplyReadModifyWrite(context.Context, string, *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	return nil, f.err
}

func fakeLedger(rows map[string]bigtable.Row) (*Ledger, *fakeTable) {
	f := &fakeTable{rows: rows}
	return &Ledger{site: "basel", tbl: btstore.Wrap("basel-ledger", f), log: slog.Default(), last: map[string]int64{}}, f
}

func item(family, column string, ts bigtable.Timestamp, v string) bigtable.ReadItem {
	return bigtable.ReadItem{Column: family + ":" + column, Timestamp: ts, Value: []byte(v)}
}

func TestHistory(t *testing.T) {
	l, _ := fakeLedger(map[string]bigtable.Row{
		"a": {famEntry: {
			item(famEntry, "line", btstore.SeqNo(2), `{"sku":"x","delta":2}`),
			item(famEntry, "line", btstore.SeqNo(1), `{"sku":"x","delta":1}`),
			item(famEntry, "sum", btstore.SeqNo(2), ""),
		}},
	})
	es, err := l.History(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if len(es) != 2 || es[0].Seq != 2 || es[1].Delta != 1 {
		t.Errorf("got %+v", es)
	}
}

func TestNextFor(t *testing.T) {
	l, _ := fakeLedger(nil)
	for want := int64(1); want < 4; want++ {
		if got := l.NextFor("a"); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}

func TestRelease(t *testing.T) {
	l, f := fakeLedger(nil)
	if err := l.Renew(t.Context(), Hold{Account: "a", SKU: "x", Holder: "h"}); err != nil {
		t.Fatal(err)
	}
	if len(f.applied) != 1 || f.applied[0] != "basel#a#x" {
		t.Errorf("applied %q", f.applied)
	}
	f.err = errors.New("boom")
	if err := l.Renew(t.Context(), Hold{}); err == nil {
		t.Error("no error")
	}
}

func TestHoldOf(t *testing.T) {
	until := time.Now().Add(time.Minute).Truncate(time.Millisecond)
	for _, tc := range []struct {
		name string
		row  bigtable.Row
		want Hold
	}{
		{"empty", bigtable.Row{}, Hold{}},
		{"holder", bigtable.Row{famHold: {item(famHold, "holder", bigtable.Time(until), "ada")}}, Hold{Holder: "ada", Until: until}},
		{"qty", bigtable.Row{famHold: {item(famHold, "qty", bigtable.Time(until), "\x00\x00\x00\x00\x00\x00\x00\x07")}}, Hold{Qty: 7}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := holdOf(tc.row)
			if err != nil {
				t.Fatal(err)
			}
			if got.Holder != tc.want.Holder || got.Qty != tc.want.Qty || !got.Until.Equal(tc.want.Until) {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestMapper(t *testing.T) {
	cells, err := entryMapper{}.Cells(Entry{SKU: "x", Seq: 7})
	if err != nil {
		t.Fatal(err)
	}
	if cells[0].TS != 7000 {
		t.Errorf("ts %d", cells[0].TS)
	}
}
