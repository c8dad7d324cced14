package freqcap

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/flags"
	"adcap.example/platform/internal/schema"
)

// fakeTable keeps what was applied and answers with fixed rows.
type fakeTable struct {
	rows    map[string]bigtable.Row
	applied map[string][]*bigtable.Mutation
}

func newFake() *fakeTable {
	return &fakeTable{rows: map[string]bigtable.Row{}, applied: map[string][]*bigtable.Mutation{}}
}

func (f *fakeTable) ReadRow(_ context.Context, key string, _ ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.rows[key], nil
}

func (f *fakeTable) ReadRows(_ context.Context, _ bigtable.RowSet, fn func(bigtable.Row) bool, _ ...bigtable.ReadOption) error {
	for _, r := range f.rows {
		if !fn(r) {
			break
		}
	}
	return nil
}

func (f *fakeTable) Apply(_ context.Context, key string, m *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	f.applied[key] = append(f.applied[key], m)
	return nil
}

func (f *fakeTable) ApplyBulk(_ context.Context, keys []string, ms []*bigtable.Mutation, _ ...bigtable.ApplyOption) ([]error, error) {
	for i, k := range keys {
		f.applied[k] = append(f.applied[k], ms[i])
	}
	return nil, nil
}

func (f *fakeTable) ApplyReadModifyWrite(context.Context, string, *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	return nil, nil
}

type fixedClock struct{ t time.Time }

func (c fixedClock) Now() time.Time { return c.t }

func testStore(f *fakeTable) *Store {
	return &Store{
		tbl:   f,
		clock: fixedClock{time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)}, // ok ttlwrite/already-expired
		flags: flags.New(),
		log:   slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

func TestBlock(t *testing.T) {
	for _, tc := range []struct {
		name   string
		window time.Duration
	}{
		{"hour", time.Hour},
		{"day", 24 * time.Hour},
		{"week", 7 * 24 * time.Hour},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake()
			if err := testStore(f).Block(t.Context(), "u1", "c1", tc.window); err != nil { // ok ttlwrite/already-expired
				t.Fatal(err)
			}
			if got := len(f.applied["u#u1"]); got != 1 {
				t.Fatalf("applied %d mutations, want 1", got)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	f := newFake()
	f.rows["u#u1"] = bigtable.Row{
		schema.FamCap: {{Row: "u#u1", Column: "cap:c1", Timestamp: bigtable.Now()}}, // ok ttlwrite/write-time
		schema.FamSeg: {{Row: "u#u1", Column: "seg:a", Timestamp: bigtable.Now()}},
	}
	p, err := testStore(f).Load(t.Context(), "u1")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Caps) != 1 || p.Caps[0].Campaign != "c1" {
		t.Fatalf("caps: %+v", p.Caps)
	}
	if len(p.Segments) != 1 {
		t.Fatalf("segments: %+v", p.Segments)
	}
	if _, err := testStore(newFake()).Load(t.Context(), "u2"); err != ErrNoRow {
		t.Fatalf("err = %v", err)
	}
}

func TestPurge(t *testing.T) {
	f := newFake()
	f.rows["a"] = bigtable.Row{schema.FamCap: {{Row: "a", Column: "cap:c1"}}}
	if err := testStore(f).Purge(t.Context(), "c1"); err != nil {
		t.Fatal(err)
	}
	if len(f.applied["a"]) != 1 {
		t.Fatal("nothing purged")
	}
}
