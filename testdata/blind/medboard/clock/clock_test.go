package clock

import (
	"testing"
	"time"
)

func TestFakeAdvances(t *testing.T) {
	start := time.Date(2026, 3, 1, 7, 0, 0, 0, time.UTC)
	c := NewFake(start)
	cases := []struct {
		step time.Duration
		want time.Time
	}{
		{0, start},
		{time.Minute, start.Add(time.Minute)},
		{time.Hour, start.Add(61 * time.Minute)},
	}
	for _, tc := range cases {
		c.Advance(tc.step)
		if got := c.Now(); !got.Equal(tc.want) {
			t.Errorf("after %v: got %v, want %v", tc.step, got, tc.want)
		}
	}
}

func TestCountingIDs(t *testing.T) {
	ids := &Counting{Prefix: "call"}
	for i, want := range []string{"call-1", "call-2", "call-3"} {
		if got := ids.NewID(); got != want {
			t.Errorf("%d: got %q, want %q", i, got, want)
		}
	}
}

func TestRandomIDsDiffer(t *testing.T) {
	if a, b := (Random{}).NewID(), (Random{}).NewID(); a == b {
		t.Errorf("the same id twice: %s", a)
	}
}

func TestLocalNumbers(t *testing.T) {
	n := NewLocal()
	n.Seed("icu", 41)
	if got := n.Next("icu"); got != 42 {
		t.Errorf("icu: got %d", got)
	}
	if got := n.Next("er"); got != 1 {
		t.Errorf("er: got %d", got)
	}
}

func TestFunc(t *testing.T) {
	at := time.Unix(1700000000, 0)
	if got := (Func(func() time.Time { return at })).Now(); !got.Equal(at) {
		t.Errorf("got %v", got)
	}
}
