// Package lib keeps times.
package lib

import "time"

// Info is what is known of a value.
type Info struct {
	Name      string
	LastWrite time.Time
	Until     time.Time
}

var last time.Time

// Keep keeps a time.
func Keep(t time.Time) { last = t }
