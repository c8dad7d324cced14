// Package clock does not import the client.
package clock

import "time"

type Clock interface{ Now() time.Time }

func Since(c Clock, t time.Time) time.Duration { return c.Now().Sub(t) }

func Age(t time.Time) time.Duration { return time.Since(t) }

func AgeIn(now, t time.Time) time.Duration { return now.Sub(t) }

func Older(t time.Time, d time.Duration) bool { return time.Since(t) > d }

// Left is until t.
func Left(t time.Time) time.Duration { return time.Until(t) }

// Live says whether t is still to come.
func Live(t time.Time) bool { return t.After(time.Now()) }

type Entry struct{ CreatedAt, ExpiresAt time.Time }

func Made(t time.Time) Entry { return Entry{CreatedAt: t} }

func Until(t time.Time) Entry { return Entry{ExpiresAt: t} }

// Expired says whether t is past.
func Expired(t time.Time) bool { return time.Since(t) > 0 }

func ExpiredAt(now, t time.Time) bool { return now.Sub(t) >= 0 }

// Remaining is until t.
func Remaining(t time.Time) time.Duration { return -time.Since(t) }

func Remains(now, t time.Time) time.Duration { return t.Sub(now) }
