// Package conf holds lifetimes as numbers.
package conf

import "time"

// Config is read from a file.
type Config struct {
	Minutes int
	Seconds int64
	Grace   time.Duration
}

// Lifetime returns how long tokens live.
func (c Config) Lifetime() time.Duration { return time.Duration(c.Minutes) * time.Minute }

// Seconds makes seconds a duration.
func Seconds(n int64) time.Duration { return time.Duration(n) * time.Second }
