package consent

import (
	"context"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
)

// fake is a table in memory. It keeps rows as they are given and ignores filters.
type fake struct {
	mu   sync.Mutex
	rows map[string]bigtable.Row
	muts []*bigtable.Mutation
	opts []int
}

func (f *fake) ReadRow(_ context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opts = append(f.opts, len(opts))
	return f.rows[row], nil
}

func (f *fake) ReadRows(_ context.Context, _ bigtable.RowSet, cb func(bigtable.Row) bool, _ ...bigtable.ReadOption) error {
	for _, r := range f.rows {
		if !cb(r) {
			break
		}
	}
	return nil
}

func (f *fake) Apply(_ context.Context, _ string, m *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	f.muts = append(f.muts, m)
	return nil
}

func (f *fake) ApplyReadModifyWrite(context.Context, string, *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	return nil, nil
}

type numbers struct{ n int64 }

func (s *numbers) Next(context.Context, string) (int64, error) {
	s.n++
	return s.n, nil
}

func TestGive(t *testing.T) {
	at := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	f := &fake{}
	s := &Store{table: f, seq: &numbers{}, now: func() time.Time { return at }} // ok ttlwrite/already-expired
	if err := s.Give(context.Background(), "v1", Grant{Purpose: 1, Vendor: 755, Source: "cmp"}); err != nil {
		t.Fatal(err)
	}
	if len(f.muts) != 1 {
		t.Fatalf("%d mutations", len(f.muts))
	}
}

func TestChecked(t *testing.T) {
	at := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	f := &fake{rows: map[string]bigtable.Row{"v1": {grantFamily: []bigtable.ReadItem{
		{Row: "v1", Column: "grant:1-755", Timestamp: bigtable.Time(at.Add(time.Hour)), Value: []byte("{}")},
		{Row: "v1", Column: "grant:2-755", Timestamp: bigtable.Time(at.Add(-time.Hour)), Value: []byte("{}")}, // ok ttlwrite/already-expired
	}}}}
	s := &Store{table: f, seq: &numbers{}, now: func() time.Time { return at }}
	alive, ended, err := s.Checked(context.Background(), "v1")
	if err != nil || len(alive) != 1 || len(ended) != 1 {
		t.Errorf("alive %v, ended %v, %v", alive, ended, err)
	}
}

func TestGrants(t *testing.T) {
	at := time.Now()
	f := &fake{rows: map[string]bigtable.Row{"v1": {grantFamily: []bigtable.ReadItem{
		{Row: "v1", Column: "grant:1-755", Timestamp: bigtable.Time(at.Add(Lifetime)), Value: []byte(`{"p":1,"v":755}`)},
	}}}}
	s := &Store{table: f, seq: &numbers{}, now: func() time.Time { return at }}
	gs, err := s.Grants(context.Background(), "v1")
	if err != nil || len(gs) != 1 || gs[0].Vendor != 755 {
		t.Errorf("got %+v, %v", gs, err)
	}
}
