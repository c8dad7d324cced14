package store

import (
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/domain"
)

// freeze stops the time of the package.
func freeze(t *testing.T, at time.Time) {
	t.Helper()
	oldNow, oldNonce := timeNow, newNonce
	timeNow = func() time.Time { return at }
	newNonce = func() string { return "n" }
	t.Cleanup(func() { timeNow, newNonce = oldNow, oldNonce })
}

func TestNonces(t *testing.T) {
	clk := newFakeClock()
	freeze(t, clk.t)
	ft := &fakeTable{}
	n := &Nonces{stamps: stamps{clk}, tbl: ft}
	got, err := n.New(t.Context(), "m1")
	if err != nil || got != "n" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := n.Take(t.Context(), "m1"); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("error %v", err)
	}
	ft.put("m#m1", FamOTP, "nonce", n.In(time.Minute), []byte("n"))
	ft.put("m#m1", FamDef, "made", n.Stamp(), nil) // ok ttlwrite/write-time
	m, err := n.Describe(t.Context(), "m1")
	if err != nil || m.Nonce != "n" || !m.Made.Equal(clk.t) {
		t.Errorf("got %v, %v", m, err)
	}
}

func TestStamps(t *testing.T) {
	clk := newFakeClock()
	s := stamps{clk}
	tests := []struct {
		name string
		got  bigtable.Timestamp
		want time.Duration
	}{
		{"now", s.Stamp(), 0},
		{"in no time", s.In(0), 0}, // ok ttlwrite/write-time
		{"in an hour", s.In(time.Hour), time.Hour},
		{"an hour ago", s.In(-time.Hour), -time.Hour}, // ok ttlwrite/already-expired
	}
	for _, tc := range tests {
		if got := tc.got.Time().Sub(clk.t); got != tc.want { // ok ttlage/not-write-time
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}
