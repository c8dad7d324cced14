package clock

import (
	"testing"
	"time"
)

func TestFunc(t *testing.T) {
	at := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	c := Func(func() time.Time { return at })
	if got := c.Now(); !got.Equal(at) {
		t.Errorf("Now() = %v, want %v", got, at)
	}
}

func TestTruncated(t *testing.T) {
	at := time.Date(2024, 2, 29, 12, 0, 0, 123456789, time.UTC)
	c := Truncated{Func(func() time.Time { return at })}
	if got, want := c.Now().Nanosecond(), 123000000; got != want {
		t.Errorf("Nanosecond() = %d, want %d", got, want)
	}
}

func TestOr(t *testing.T) {
	if _, ok := Or(nil).(System); !ok {
		t.Error("Or(nil) is not the machine's clock")
	}
	if c := Or(UTC); c.Now().Location() != time.UTC {
		t.Error("Or(UTC) is not UTC")
	}
}

func TestSequence(t *testing.T) {
	tests := []struct {
		name  string
		after int64
		calls int
		want  int64
	}{
		{"fresh", 0, 1, 1},
		{"resumed", 41, 1, 42},
		{"several", 10, 5, 15},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			s := NewSequence(tc.after)
			var got int64
			for range tc.calls {
				got = s.Next()
			}
			if got != tc.want || s.Last() != tc.want {
				t.Errorf("got %d, last %d, want %d", got, s.Last(), tc.want)
			}
		})
	}
}
