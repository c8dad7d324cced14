package session

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/domain"
	"example.com/paywell/store"
)

type stoppedClock struct{ t time.Time }

func (c *stoppedClock) Now() time.Time { return c.t }

// memory is a table with one row.
type memory struct {
	row     bigtable.Row
	applied int
	err     error
}

func (m *memory) ReadRow(context.Context, string, ...bigtable.ReadOption) (bigtable.Row, error) {
	return m.row, m.err
}

func (m *memory) ReadRows(_ context.Context, _ bigtable.RowSet, f func(bigtable.Row) bool, _ ...bigtable.ReadOption) error {
	if m.row != nil {
		f(m.row)
	}
	return m.err
}

func (m *memory) Apply(context.Context, string, *bigtable.Mutation, ...bigtable.ApplyOption) error {
	m.applied++
	return m.err
}

func (m *memory) ApplyBulk(_ context.Context, keys []string, _ []*bigtable.Mutation, _ ...bigtable.ApplyOption) ([]error, error) {
	m.applied += len(keys)
	return nil, m.err
}

func (m *memory) ApplyReadModifyWrite(context.Context, string, *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	m.applied++
	return m.row, m.err
}

func newService(m *memory, clk *stoppedClock) *Service {
	st := &store.Store{Sessions: store.NewSessions(m, clk), Coupons: store.NewCoupons(m, clk)}
	return New(st, clk, WithRandom(bytes.NewReader(bytes.Repeat([]byte{7}, 64))), WithMaxAge(time.Hour))
}

func TestResume(t *testing.T) {
	begin := time.Date(2024, 3, 1, 8, 0, 0, 0, time.UTC)
	tests := []struct {
		name    string
		value   string
		after   time.Duration
		wantErr error
		applied int
	}{
		{"fresh", `{"id":"1","expires_at":"2024-03-01T08:30:00Z"}`, time.Minute, nil, 0},
		{"half over", `{"id":"1","expires_at":"2024-03-01T08:30:00Z"}`, 20 * time.Minute, nil, 1},
		{"over", `{"id":"1","expires_at":"2024-03-01T08:30:00Z"}`, 31 * time.Minute, domain.ErrExpired, 0},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			m := &memory{row: bigtable.Row{"tok": {{
				Row:       "s#1",
				Column:    "tok:s",
				Timestamp: bigtable.Time(begin.Add(domain.SessionTTL)),
				Value:     []byte(tc.value),
			}}}}
			_, err := newService(m, &stoppedClock{begin.Add(tc.after)}).Resume(t.Context(), "1")
			if !errors.Is(err, tc.wantErr) {
				t.Errorf("error %v, want %v", err, tc.wantErr)
			}
			if m.applied != tc.applied {
				t.Errorf("applied %d, want %d", m.applied, tc.applied)
			}
		})
	}
}

func TestLoginAndOut(t *testing.T) {
	m := &memory{}
	clk := &stoppedClock{time.Date(2024, 3, 1, 8, 0, 0, 0, time.UTC)}
	svc := newService(m, clk)
	sess, err := svc.Login(t.Context(), "ann", "phone", "::1", true)
	if err != nil {
		t.Fatal(err)
	}
	if got := sess.ExpiresAt.Sub(clk.t); got != domain.RememberMeTTL {
		t.Errorf("lives for %v", got)
	}
	for _, f := range []func() error{
		func() error { return svc.Logout(t.Context(), sess.ID) },
		func() error { return svc.Kick(t.Context(), sess.ID) },
		func() error { return svc.Prolong(t.Context(), sess.ID, 0) },             // ok ttlwrite/write-time
		func() error { return svc.sessions.Extend(t.Context(), sess.ID, clk.t) }, // ok ttlwrite/already-expired
	} {
		if err := f(); err != nil {
			t.Error(err)
		}
	}
	if m.applied != 5 {
		t.Errorf("applied %d", m.applied)
	}
}
