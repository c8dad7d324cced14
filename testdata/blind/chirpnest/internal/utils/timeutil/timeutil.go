// Package timeutil is what date-fns did for us.
package timeutil

import (
	"fmt"
	"time"
)

const (
	Day  = 24 * time.Hour
	Week = 7 * Day
)

// AddDays adds whole days.
func AddDays(t time.Time, n int) time.Time { return t.Add(time.Duration(n) * Day) }

// StartOfDay is midnight UTC.
func StartOfDay(t time.Time) time.Time { return t.UTC().Truncate(Day) }

// FromNow is now plus d.
func FromNow(d time.Duration) time.Time { return time.Now().Add(d) }

// Ago is now minus d.
func Ago(d time.Duration) time.Time { return time.Now().Add(-d) }

// IsPast tells whether t is over.
func IsPast(t time.Time) bool { return t.Before(time.Now()) }

// Humanize renders an age as in "3h ago".
func Humanize(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < Day:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	}
	return fmt.Sprintf("%dd ago", int(d/Day))
}

// ISO is what the web client wants.
func ISO(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
