package store

import (
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/clock"
	"example.com/paywell/domain"
)

func TestTimestamps(t *testing.T) {
	clk := newFakeClock()
	tests := []struct {
		name string
		got  bigtable.Timestamp
		want time.Time
	}{
		{"expires in an hour", expiresIn(clk, time.Hour), clk.t.Add(time.Hour)},
		{"written now", writtenAt(clk), clk.t}, // ok ttlwrite/write-time
		{"an hour instead of a day", adjusted(clk, 24*time.Hour, time.Hour), clk.t.Add(-23 * time.Hour)},
		{"number 7", numbered(7), time.UnixMilli(7)}, // ok ttlwrite/unscaled-sequence
		{"bare 7", bare(7), time.UnixMicro(7)},       // ok ttlwrite/unscaled-sequence
	}
	for _, tc := range tests {
		if !tc.got.Time().Equal(tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, tc.got.Time(), tc.want)
		}
	}
}

func TestPut(t *testing.T) {
	clk := newFakeClock()
	rec := &recorder{}
	put(rec, FamLock, colOwnerID, clk.Now(), []byte("me"))          // ok ttlwrite/write-time
	putAt(rec, FamLock, colFence, bigtable.ServerTime, []byte("1")) // ok ttlwrite/server-timestamp
	if got, want := rec.String(), "lock:owner@2024-05-17T10:30:00Z lock:fence@1969-12-31T23:59:59Z "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(rec.deletes) != 1 {
		t.Errorf("deletes %v", rec.deletes)
	}
}

func TestFill(t *testing.T) {
	rec := &recorder{}
	NewInvoices(&fakeTable{}, WithClock(newFakeClock())).fill(rec, domain.Invoice{ID: "i1", Subscription: "s1"})
	want := []string{FamDoc, FamLock}
	for i, s := range rec.sets {
		if s.family != want[i] {
			t.Errorf("set %d is in %s, want %s", i, s.family, want[i])
		}
	}
}

func TestSubscriptionsHistory(t *testing.T) {
	ft := &fakeTable{}
	for i := range 3 {
		ft.put("sub#1", FamState, colSub, numbered(int64(i+1)), encode(domain.Subscription{ID: "1", Plan: string(rune('a' + i))})) // ok ttlwrite/unscaled-sequence
	}
	s := NewSubscriptions(ft, newFakeClock())
	got, err := s.History(t.Context(), "1")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[0].Plan != "c" || got[0].Revision != 3 {
		t.Errorf("got %+v", got)
	}
	if _, err := s.Get(t.Context(), "2"); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("error %v", err)
	}
	if err := s.Enqueue(t.Context(), "1"); !errors.Is(err, ErrNoRevision) {
		t.Errorf("error %v", err)
	}
}

func TestSubscriptionsSave(t *testing.T) {
	clk := newFakeClock()
	ft := &fakeTable{}
	sub := &domain.Subscription{ID: "1", Revision: 4}
	if err := NewSubscriptions(ft, clk).Save(t.Context(), sub); err != nil {
		t.Fatal(err)
	}
	if sub.Revision != 5 || !sub.UpdatedAt.Equal(clk.t) {
		t.Errorf("got %+v", sub)
	}
}

func TestIdempotency(t *testing.T) {
	now := time.Date(2024, 5, 17, 10, 30, 0, 0, time.UTC)
	tests := []struct {
		name    string
		ts      time.Time
		wantAge time.Duration
		left    time.Duration
	}{
		{"fresh", now, 0, 24 * time.Hour},
		{"an hour", now.Add(-time.Hour), time.Hour, 23 * time.Hour},
		{"moved", now.Add(time.Hour), -time.Hour, 25 * time.Hour},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			ft := &fakeTable{}
			ft.put("k", FamRes, colResponse, bigtable.Time(tc.ts), encode(Response{Status: 200}))
			s := NewIdempotency(ft, func() time.Time { return now })
			age, err := s.Age(t.Context(), "k")
			if err != nil || age != tc.wantAge {
				t.Errorf("age %v, %v, want %v", age, err, tc.wantAge)
			}
			left, err := s.Left(t.Context(), "k")
			if err != nil || left != tc.left {
				t.Errorf("left %v, %v, want %v", left, err, tc.left)
			}
			r, err := s.Get(t.Context(), "k")
			if err != nil || r.Status != 200 {
				t.Errorf("got %v, %v", r, err)
			}
		})
	}
}

func TestLedger(t *testing.T) {
	clk := newFakeClock()
	ft := &fakeTable{}
	l := newLedger(ft, WithNow(clk.Now), WithHoldTTL(time.Minute), WithSequence(clock.NewSequence(7)))
	e, err := l.Post(t.Context(), domain.Entry{Account: "a"})
	if err != nil || e.Number != 8 {
		t.Errorf("got %+v, %v", e, err)
	}
	ft.put("acc#a", FamEntry, colEntry, numbered(8), encode(e))                                                     // ok ttlwrite/unscaled-sequence
	ft.put("acc#a", FamHold, colHeld, bigtable.Time(clk.t), encode(domain.Hold{Amount: domain.Money{Amount: 300}})) // ok ttlwrite/write-time
	entries, held, err := l.Statement(t.Context(), "a")
	if err != nil || len(entries) != 1 || held != 300 {
		t.Errorf("got %v, %d, %v", entries, held, err)
	}
	if held, err = l.HeldNow(t.Context(), "a"); err != nil || held != 0 {
		t.Errorf("held %d, %v", held, err)
	}
}

func TestWebhooksStreamChecked(t *testing.T) {
	clk := newFakeClock()
	tests := []struct {
		name string
		left time.Duration
		want int
	}{
		{"alive", time.Minute, 1},
		{"over", -time.Minute, 0},
		{"over now", 0, 0}, // ok ttlwrite/write-time
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			ft := &fakeTable{}
			ft.put("w1", FamEvt, colPayload, expiresIn(clk, tc.left), encode(Webhook{ID: "w1"})) // ok ttlwrite/write-time
			got := 0
			err := NewWebhooks(ft, clk).StreamChecked(t.Context(), func(Webhook) error { got++; return nil })
			if err != nil || got != tc.want {
				t.Errorf("got %d, %v, want %d", got, err, tc.want)
			}
		})
	}
}

func TestCounters(t *testing.T) {
	clk := newFakeClock()
	ft := &fakeTable{}
	steps := []func() error{
		func() error { return NewSessions(ft, clk).CountLogin(t.Context(), "1") },
		func() error { _, err := NewSubscriptions(ft, clk).AddSeat(t.Context(), "1"); return err },
		func() error { return NewIdempotency(ft, clk.Now).Try(t.Context(), "1") },
		func() error { return newLedger(ft).Balance(t.Context(), "1", 3) },
		func() error { return (&Entitlements{tbl: ft}).Use(t.Context(), "1", "x") },
	}
	for i, step := range steps {
		if err := step(); err != nil {
			t.Errorf("step %d: %v", i, err)
		}
	}
	if len(ft.counted) != len(steps) {
		t.Errorf("counted %v", ft.counted)
	}
}

func TestLedgerTable(t *testing.T) {
	if got := LedgerTable("ACME"); got != "acme-ledger" {
		t.Errorf("got %q", got)
	}
}
