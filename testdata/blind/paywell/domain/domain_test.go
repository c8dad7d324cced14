package domain

import (
	"errors"
	"testing"
	"time"
)

func TestMoneyAdd(t *testing.T) {
	tests := []struct {
		name    string
		a, b    Money
		want    Money
		wantErr error
	}{
		{"same currency", Money{100, "eur"}, Money{250, "eur"}, Money{350, "eur"}, nil},
		{"negative", Money{100, "eur"}, Money{-250, "eur"}, Money{-150, "eur"}, nil},
		{"two currencies", Money{100, "eur"}, Money{250, "usd"}, Money{}, ErrBadInput},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			got, err := tc.a.Add(tc.b)
			if !errors.Is(err, tc.wantErr) {
				t.Fatalf("error %v, want %v", err, tc.wantErr)
			}
			if got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestInterval(t *testing.T) {
	start := time.Date(2024, 1, 31, 0, 0, 0, 0, time.UTC)
	tests := map[Interval]time.Time{
		Monthly: time.Date(2024, 3, 2, 0, 0, 0, 0, time.UTC),
		Yearly:  time.Date(2025, 1, 31, 0, 0, 0, 0, time.UTC),
	}
	for i, want := range tests {
		if got := i.After(start); !got.Equal(want) {
			t.Errorf("%s: got %v, want %v", i, got, want)
		}
	}
}

func TestMove(t *testing.T) {
	tests := []struct {
		from, to Status
		wantErr  error
		wantRev  int64
	}{
		{Trialing, Active, nil, 8},
		{Active, PastDue, nil, 8},
		{PastDue, Active, nil, 8},
		{Canceled, Active, ErrBadState, 7},
		{Active, Trialing, ErrBadState, 7},
	}
	for _, tc := range tests {
		s := Subscription{Status: tc.from, Revision: 7}
		if err := s.Move(tc.to); !errors.Is(err, tc.wantErr) {
			t.Errorf("%s to %s: %v, want %v", tc.from, tc.to, err, tc.wantErr)
		}
		if s.Revision != tc.wantRev {
			t.Errorf("%s to %s: revision %d, want %d", tc.from, tc.to, s.Revision, tc.wantRev)
		}
	}
}

func TestSessionLifetime(t *testing.T) {
	if got := (Session{}).Lifetime(); got != SessionTTL {
		t.Errorf("got %v", got)
	}
	if got := (Session{Remember: true}).Lifetime(); got != RememberMeTTL {
		t.Errorf("got %v", got)
	}
}

func TestInvoiceTotal(t *testing.T) {
	inv := Invoice{ID: "i1"}
	if _, err := inv.Total(); !errors.Is(err, ErrBadInput) {
		t.Errorf("empty invoice: %v", err)
	}
	inv.Lines = []Line{{"base", Money{1000, "eur"}}, {"seats", Money{500, "eur"}}}
	got, err := inv.Total()
	if err != nil || got.Amount != 1500 {
		t.Errorf("got %v, %v", got, err)
	}
}
