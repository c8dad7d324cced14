package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/clock"
	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// fakeTable answers with rows that the test gives it.
type fakeTable struct {
	rows    map[string]bigtable.Row
	applied []string
	err     error
}

func (f *fakeTable) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.rows[row], f.err
}

func (f *fakeTable) ReadRows(ctx context.Context, arg bigtable.RowSet, fn func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	for _, r := range f.rows {
		if !fn(r) {
			break
		}
	}
	return f.err
}

func (f *fakeTable) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	f.applied = append(f.applied, row)
	return f.err
}

func (f *fakeTable) ApplyBulk(ctx context.Context, keys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error) {
	f.applied = append(f.applied, keys...)
	return nil, f.err
}

func (f *fakeTable) ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	f.applied = append(f.applied, row)
	return f.rows[row], f.err
}

var _ bigtablex.Table = (*fakeTable)(nil)

func codeRow(user, ch, code string, until time.Time) bigtable.Row {
	return bigtable.Row{tables.FamCode: {{
		Row:       user,
		Column:    tables.FamCode + ":" + ch,
		Timestamp: bigtable.Time(until), // ok ttlwrite/write-time
		Value:     []byte(code),
	}}}
}

func TestOTPCheck(t *testing.T) {
	now := time.Date(2024, 5, 1, 9, 0, 0, 0, time.UTC)
	clk := clock.NewFake(now)
	tests := []struct {
		name  string
		until time.Time
		code  string
		want  bool
	}{
		{"live", now.Add(time.Minute), "123456", true},
		{"wrong", now.Add(time.Minute), "654321", false},
		{"dead", now.Add(-time.Minute), "123456", false}, // ok ttlwrite/already-expired
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tbl := &fakeTable{rows: map[string]bigtable.Row{"u": codeRow("u", "sms", "123456", tt.until)}}
			s := NewOTPStore(tbl, clk, WithCodeLife(time.Minute))
			got, err := s.CheckStrict(context.Background(), "u", tt.code)
			if err != nil || got != tt.want {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

func TestOTPErrors(t *testing.T) {
	boom := errors.New("boom")
	s := NewOTPStore(&fakeTable{err: boom}, clock.System{})
	if _, err := s.Get(context.Background(), "u", SMS); !errors.Is(err, boom) {
		t.Error(err)
	}
	if err := s.Put(context.Background(), Challenge{User: "u", Channel: SMS, Code: "1"}); !errors.Is(err, boom) {
		t.Error(err)
	}
}

func TestOTPNotFound(t *testing.T) {
	s := NewOTPStore(&fakeTable{}, clock.NewFake(time.Unix(0, 0)))
	if _, err := s.Get(context.Background(), "u", Mail); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}
