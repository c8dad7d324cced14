package testclock

import (
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/testclock/clock"
)

// TestMoved has the past and the future for now.
func TestMoved(t *testing.T) {
	var c *bigtable.Client
	past := newStore(c.Open("tickets"), clock.NewFake(time.Now().Add(-48*time.Hour)).Now)
	_ = past.put(t.Context(), time.Hour)
	_, _ = past.get(t.Context())
	future := newStore(c.Open("tickets"), func() time.Time { return time.Now().Add(48 * time.Hour) })
	_, _ = future.get(t.Context())
	_ = past.putAt(t.Context(), bigtable.Time(time.Now().Add(-48*time.Hour))) // want `already-expired: .*"ticket"`
}
