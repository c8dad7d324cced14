// Package times sets times that it is given the addresses of.
package times

import "time"

// Set sets a time.
func Set(p *time.Time, t time.Time) { *p = t }
