package onetime

import (
	"context"
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/clock"
)

// fakeTable answers reads from a map and counts writes.
type fakeTable struct {
	rows   map[string]bigtable.Row
	writes int
	err    error
}

func (f *fakeTable) ReadRow(_ context.Context, row string, _ ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.rows[row], f.err
}

func (f *fakeTable) ReadRows(_ context.Context, _ bigtable.RowSet, fn func(bigtable.Row) bool, _ ...bigtable.ReadOption) error {
	for _, r := range f.rows {
		if !fn(r) {
			break
		}
	}
	return f.err
}

func (f *fakeTable) Apply(context.Context, string, *bigtable.Mutation, ...bigtable.ApplyOption) error {
	f.writes++
	return f.err
}

func (f *fakeTable) ApplyBulk(context.Context, []string, []*bigtable.Mutation, ...bigtable.ApplyOption) ([]error, error) {
	f.writes++
	return nil, f.err
}

func (f *fakeTable) ApplyReadModifyWrite(context.Context, string, *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	f.writes++
	return nil, f.err
}

var noon = time.Date(2025, 3, 14, 12, 0, 0, 0, time.UTC)

func cell(column, value string, ts time.Time) bigtable.ReadItem {
	return bigtable.ReadItem{Column: column, Timestamp: bigtable.Time(ts), Value: []byte(value)}
}

func TestRedeem(t *testing.T) {
	boom := errors.New("boom")
	for _, tc := range []struct {
		name string
		row  bigtable.Row
		code string
		err  error
		want error
	}{
		{name: "right", row: bigtable.Row{"token": {cell("token:hash", hash("123456"), noon.Add(time.Minute))}}, code: "123456"},
		{name: "wrong", row: bigtable.Row{"token": {cell("token:hash", hash("123456"), noon.Add(time.Minute))}}, code: "000000", want: ErrMismatch},
		{name: "none", row: nil, code: "123456", want: ErrUnknown},
		{name: "broken", err: boom, want: boom},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tbl := &fakeTable{rows: map[string]bigtable.Row{rowKey("s"): tc.row}, err: tc.err}
			r := New(tbl, WithClock(clock.NewManual(noon)))
			if err := r.Redeem(context.Background(), "s", tc.code); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}

func TestIssueWrites(t *testing.T) {
	tbl := &fakeTable{}
	clk := clock.NewManual(noon)
	r := New(tbl, WithClock(clk), WithTTL(time.Minute))
	for i := range 3 {
		if _, err := r.Issue(context.Background(), "s", "sms"); err != nil {
			t.Fatal(err)
		}
		clk.Advance(time.Second)
		if tbl.writes != i+1 {
			t.Errorf("%d writes after %d issues", tbl.writes, i+1)
		}
	}
}
