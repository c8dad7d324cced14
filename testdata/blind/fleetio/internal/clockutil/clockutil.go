// Package clockutil has the few things about time that several packages need.
package clockutil

import "time"

// Func is where a package takes its time from.
type Func func() time.Time

// Minute cuts t to the minute, in UTC.
func Minute(t time.Time) time.Time { return t.UTC().Truncate(time.Minute) }

// Hour cuts t to the hour, in UTC.
func Hour(t time.Time) time.Time { return t.UTC().Truncate(time.Hour) }

// Day cuts t to the day, in UTC.
func Day(t time.Time) time.Time {
	y, m, d := t.UTC().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// Deadline is the moment ttl from now.
func Deadline(ttl time.Duration) time.Time { return time.Now().Add(ttl) }
