package store

import (
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
)

func fixed(t time.Time) Clock { return func() time.Time { return t } }

func TestDead(t *testing.T) {
	var c *bigtable.Client
	s := New(c.Open("sessions"), WithClock(fixed(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))))
	s.DeadCells(t.Context(), func(bigtable.Row) {})
	_, _ = s.Dead(t.Context(), "k")
	if err := s.Revoke(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	at := func() time.Time { return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) }
	_, _ = New(c.Open("sessions"), WithClock(at)).Dead(t.Context(), "k")
	_, _ = New(c.Open("sessions")).Dead(t.Context(), "k")
}
