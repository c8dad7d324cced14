package lease

import (
	"context"
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
)

// fakeTable remembers what it was asked.
type fakeTable struct {
	rows    map[string]bigtable.Row
	applied []string
	fail    error
}

func (f *fakeTable) ReadRow(_ context.Context, key string, _ ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.rows[key], f.fail
}

func (f *fakeTable) ReadRows(_ context.Context, _ bigtable.RowSet, cb func(bigtable.Row) bool, _ ...bigtable.ReadOption) error {
	for _, r := range f.rows {
		if !cb(r) {
			break
		}
	}
	return f.fail
}

func (f *fakeTable) Apply(_ context.Context, key string, _ *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	f.applied = append(f.applied, key)
	return f.fail
}

func (f *fakeTable) ApplyReadModifyWrite(context.Context, string, *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	return nil, f.fail
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func fixed() time.Time { return noon }

func TestAcquire(t *testing.T) {
	boom := errors.New("boom")
	for _, tc := range []struct {
		name string
		fail error
		want int64
	}{
		{"first", nil, 1},
		{"fails", boom, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &fakeTable{rows: map[string]bigtable.Row{}, fail: tc.fail}
			var granted int
			m := New(f, WithNow(fixed), WithTTL(time.Minute), WithHooks(Hooks{
				Granted: func(string, string, int64) { granted++ },
				Lost:    func(string, string) {},
			}))
			got, err := m.Acquire(t.Context(), "r", "me")
			if !errors.Is(err, tc.fail) || got != tc.want {
				t.Fatalf("Acquire = %d, %v", got, err)
			}
		})
	}
}

func TestHolder(t *testing.T) {
	f := &fakeTable{rows: map[string]bigtable.Row{"r": {
		"lease": {{Row: "r", Column: "lease:owner", Timestamp: bigtable.Time(noon.Add(time.Minute)), Value: []byte("me")}}, // ok ttlwrite/already-expired
		"fence": {{Row: "r", Column: "fence:epoch", Timestamp: 7000}},                                                      // ok ttlwrite/unscaled-sequence
	}}}
	m := New(f, WithNow(fixed))
	h, err := m.Holder(t.Context(), "r")
	if err != nil || h.Owner != "me" || h.Epoch != 7 {
		t.Fatalf("Holder = %+v, %v", h, err)
	}
	left, err := m.Left(t.Context(), "r")
	if err != nil || left != time.Minute {
		t.Fatalf("Left = %v, %v", left, err)
	}
}
