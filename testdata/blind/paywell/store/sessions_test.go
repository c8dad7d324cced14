package store

import (
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/domain"
)

func TestSessionsGet(t *testing.T) {
	clk := newFakeClock()
	good := encode(domain.Session{ID: "1", User: "ann"})
	tests := []struct {
		name    string
		family  string
		col     string
		ts      bigtable.Timestamp
		value   []byte
		err     error
		wantErr error
		want    string
	}{
		{name: "alive", family: FamTok, col: colSession, ts: bigtable.Time(clk.t.Add(time.Minute)), value: good, want: "ann"},
		{name: "another column", family: FamTok, col: colDevice, ts: bigtable.Time(clk.t), value: good, wantErr: domain.ErrNotFound}, // ok ttlwrite/write-time
		{name: "another family", family: FamProf, col: colSession, ts: bigtable.ServerTime, value: good, wantErr: domain.ErrNotFound},
		{name: "table fails", family: FamTok, col: colSession, ts: 0, value: good, err: errors.ErrUnsupported, wantErr: errors.ErrUnsupported}, // ok ttlwrite/already-expired
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			ft := &fakeTable{err: tc.err}
			ft.put("s#1", tc.family, tc.col, tc.ts, tc.value) // ok ttlwrite/server-timestamp
			got, err := NewSessions(ft, clk).Get(t.Context(), "1")
			if !errors.Is(err, tc.wantErr) {
				t.Fatalf("error %v, want %v", err, tc.wantErr)
			}
			if got.User != tc.want {
				t.Errorf("user %q, want %q", got.User, tc.want)
			}
			if ft.options != 1 {
				t.Errorf("%d options, want a filter", ft.options)
			}
		})
	}
}

func TestSessionsWrites(t *testing.T) {
	clk := newFakeClock()
	sess := domain.Session{ID: "1", User: "ann"}
	tests := map[string]func(*Sessions) error{
		"create": func(s *Sessions) error { return s.Create(t.Context(), sess) },
		"touch":  func(s *Sessions) error { return s.Touch(t.Context(), "1", sess) },
		"token":  func(s *Sessions) error { return s.SetToken(t.Context(), "1", "x") },
		"rotate": func(s *Sessions) error { return s.RotateToken(t.Context(), "1", "x") },
		"device": func(s *Sessions) error { return s.ReplaceDevice(t.Context(), "1", "x") },
		"extend": func(s *Sessions) error { return s.Extend(t.Context(), "1", clk.Now()) }, // ok ttlwrite/write-time
		"past": func(s *Sessions) error {
			return s.Extend(t.Context(), "1", time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
		}, // ok ttlwrite/already-expired
		"revoke":  func(s *Sessions) error { return s.Revoke(t.Context(), "1") },
		"drop":    func(s *Sessions) error { return s.Drop(t.Context(), "1") },
		"claim":   func(s *Sessions) error { _, err := s.Claim(t.Context(), "1", "x"); return err },
		"drop if": func(s *Sessions) error { return s.DropIf(t.Context(), "1", "x") },
		"rename":  func(s *Sessions) error { return s.Rename(t.Context(), "1", "x") },
	}
	for name, write := range tests {
		t.Run(name, func(t *testing.T) {
			ft := &fakeTable{}
			if err := write(NewSessions(ft, clk)); err != nil {
				t.Fatal(err)
			}
			if len(ft.applied) != 1 || ft.applied[0] != "s#1" {
				t.Errorf("applied %v", ft.applied)
			}
			ft.err = errors.ErrUnsupported
			if err := write(NewSessions(ft, clk)); !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestSessionsPeekExpiry(t *testing.T) {
	clk := newFakeClock()
	end := clk.t.Add(time.Hour)
	ft := &fakeTable{}
	ft.put("s#1", FamTok, colSession, bigtable.Time(end), nil)
	s := NewSessions(ft, clk)
	got, over, err := s.PeekExpiry(t.Context(), "1")
	if err != nil || over || !got.Equal(end) {
		t.Errorf("got %v, %v, %v", got, over, err)
	}
	clk.Advance(2 * time.Hour)
	if _, over, _ = s.PeekExpiry(t.Context(), "1"); !over {
		t.Error("not over")
	}
}

func TestSessionsAllAlive(t *testing.T) {
	clk := newFakeClock()
	ft := &fakeTable{}
	for id, left := range map[string]time.Duration{"1": time.Minute, "2": -time.Minute, "3": time.Hour} {
		ft.put("s#"+id, FamTok, colSession, bigtable.Time(clk.t.Add(left)), encode(domain.Session{ID: id})) // ok ttlwrite/already-expired
	}
	got, err := NewSessions(ft, clk).AllAlive(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].ID != "1" || got[1].ID != "3" {
		t.Errorf("got %v", got)
	}
}

func TestSweep(t *testing.T) {
	ft := &fakeTable{}
	for _, id := range []string{"1", "2", "3"} {
		ft.put("s#"+id, FamTok, colSession, 1000, nil) // ok ttlwrite/already-expired
	}
	n, err := NewSessions(ft, newFakeClock()).Sweep(t.Context(), 2)
	if err != nil || n != 2 || len(ft.applied) != 2 {
		t.Errorf("got %d, %v, applied %v", n, err, ft.applied)
	}
}
