package session

import (
	"context"
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/bt"
)

type fakeTable struct {
	rows    map[string]bigtable.Row
	applied int
	err     error
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
	f.applied++
	return f.err
}

func (f *fakeTable) ApplyBulk(_ context.Context, keys []string, _ []*bigtable.Mutation, _ ...bigtable.ApplyOption) ([]error, error) {
	f.applied += len(keys)
	return nil, f.err
}

var noon = time.Date(2024, 5, 6, 12, 0, 0, 0, time.UTC)

func store(f *fakeTable) *Store {
	return &Store{tbl: f, now: func() time.Time { return noon }, ttl: time.Hour}
}

func TestGet(t *testing.T) {
	row := bigtable.Row{famToken: {{Column: "token:jwt", Timestamp: bigtable.Time(noon.Add(time.Hour)), Value: []byte("x")}}}
	for _, tc := range []struct {
		name string
		tbl  *fakeTable
		jwt  string
		err  error
	}{
		{"there", &fakeTable{rows: map[string]bigtable.Row{rowKey("ann"): row}}, "x", nil},
		{"missing", &fakeTable{}, "", bt.ErrNotFound},
		{"down", &fakeTable{err: context.DeadlineExceeded}, "", context.DeadlineExceeded},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := store(tc.tbl).Get(context.Background(), "ann")
			if !errors.Is(err, tc.err) {
				t.Fatalf("err = %v", err)
			}
			if err == nil && s.JWT != tc.jwt {
				t.Errorf("jwt = %q", s.JWT)
			}
		})
	}
}

func TestIssue(t *testing.T) {
	f := &fakeTable{}
	if err := store(f).Issue(context.Background(), "ann", "x", "model"); err != nil {
		t.Fatal(err)
	}
	m := bigtable.NewMutation()
	m.Set(famToken, colJWT, bigtable.ServerTime, []byte("x")) // ok ttlwrite/server-timestamp
	if err := f.Apply(context.Background(), rowKey("bob"), m); err != nil {
		t.Fatal(err)
	}
	if f.applied != 2 {
		t.Errorf("applied = %d", f.applied)
	}
}
