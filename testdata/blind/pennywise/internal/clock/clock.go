// Package clock is the shop's time: one place to replace in tests, and the
// conversions that everybody kept writing by hand.
package clock

import (
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Now is time.Now. Tests put something else here.
var Now = time.Now

// Started is when this process came up. /healthz shows it.
var Started = time.Now()

// TS is the Bigtable timestamp of right now.
func TS() bigtable.Timestamp {
	return bigtable.Time(Now())
}

// In is the Bigtable timestamp of now + d.
func In(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(Now().Add(d))
}

// At converts a time. A shorter name for bigtable.Time, nothing else.
func At(t time.Time) bigtable.Timestamp {
	return bigtable.Time(t)
}

// FromUnix converts the seconds that the partners send.
func FromUnix(sec int64) bigtable.Timestamp {
	return bigtable.Timestamp(sec * 1e6) // ok ttlunit/wrong-unit
}

// FromMillis converts the milliseconds that the apps send.
func FromMillis(ms int64) bigtable.Timestamp {
	return bigtable.Timestamp(ms * 1000) // ok ttlunit/wrong-unit
}

// Seq makes a timestamp of a sequence number. Bigtable keeps milliseconds, so
// the numbers have to be 1000 apart.
func Seq(n int64) bigtable.Timestamp {
	return bigtable.Timestamp(n * 1000) // ok ttlwrite/unscaled-sequence
}

// Midnight is the start of t's day in UTC.
func Midnight(t time.Time) time.Time {
	y, m, d := t.UTC().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// NextMidnight is the end of t's day in UTC.
func NextMidnight(t time.Time) time.Time {
	return Midnight(t).AddDate(0, 0, 1)
}

// Ago says how long ago t was, for people.
func Ago(t time.Time) string {
	d := Now().Sub(t)
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return t.UTC().Format("2006-01-02")
}

// Left says how much time is left until t, for people.
func Left(t time.Time) string {
	d := t.Sub(Now())
	if d <= 0 {
		return "expired"
	}
	return d.Round(time.Second).String()
}
