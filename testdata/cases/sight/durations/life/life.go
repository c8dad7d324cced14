// Package life names families by how long their cells live.
package life

import "time"

// Family returns the family of cells that live that long.
func Family(d time.Duration) string {
	if d.Minutes() >= 60 {
		return "event"
	}
	return "token"
}

// Short reports whether cells live for less than two hours.
func Short(d time.Duration) bool { return d.Hours() < 2 }
