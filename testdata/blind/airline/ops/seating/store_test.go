package seating

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"skyward.example/dal/bt"
	"skyward.example/dal/clock"
	"skyward.example/dal/names"
)

// fakeTable keeps the last mutation and answers with canned rows.
type fakeTable struct {
	rows map[string]bigtable.Row
	muts int
}

func (f *fakeTable) ReadRows(ctx context.Context, arg bigtable.RowSet, fn func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	for _, r := range f.rows {
		if !fn(r) {
			break
		}
	}
	return nil
}

func (f *fakeTable) ReadRow(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.rows[key], nil
}

func (f *fakeTable) SampleRowKeys(ctx context.Context) ([]string, error) { return nil, nil }

func (f *fakeTable) Apply(ctx context.Context, key string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	f.muts++
	return nil
}

func (f *fakeTable) ApplyBulk(ctx context.Context, keys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error) {
	f.muts += len(muts)
	return nil, nil
}

func (f *fakeTable) ApplyReadModifyWrite(ctx context.Context, key string, m *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	return nil, nil
}

func testStore(f *fakeTable) *Store {
	now := time.Date(2024, 7, 1, 9, 0, 0, 0, time.UTC)
	return &Store{
		holds:   bt.Wrap(names.TableHolds, f),
		checkin: bt.Wrap(names.TableCheckin, f),
		roster:  bt.Wrap(names.TableRoster, f),
		clk:     clock.Fixed{T: now},
		log:     slog.Default(),
	}
}

func TestSeatMap(t *testing.T) {
	f := &fakeTable{rows: map[string]bigtable.Row{
		"SK1#1A": {
			names.FamHold: {{Row: "SK1#1A", Column: "hold:by", Timestamp: bigtable.Now() + 6e8, Value: []byte("P1")}},
			names.FamSeat: {{Row: "SK1#1A", Column: "seat:cabin", Timestamp: bigtable.Now(), Value: []byte("C")}},
		},
	}}
	seats, err := testStore(f).SeatMap(context.Background(), "SK1")
	if err != nil || len(seats) != 1 {
		t.Fatal(seats, err)
	}
	if seats[0].HeldBy != "P1" || seats[0].Cabin != "C" {
		t.Errorf("got %+v", seats[0])
	}
}

func TestWrites(t *testing.T) {
	f := &fakeTable{}
	s := testStore(f)
	ctx := context.Background()
	if err := s.Hold(ctx, "SK1", "1A", "P1"); err != nil {
		t.Fatal(err)
	}
	if err := s.Block(ctx, "SK1", "1B", "broken"); err != nil {
		t.Fatal(err)
	}
	if err := s.HoldGroup(ctx, "SK1", []string{"2A", "2B"}, "G"); err != nil {
		t.Fatal(err)
	}
	if f.muts != 4 {
		t.Errorf("%d mutations", f.muts)
	}
}
