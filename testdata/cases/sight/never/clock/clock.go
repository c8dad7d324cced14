// Package clock has moments that were taken once.
package clock

import "time"

// Never is a moment that is never reached.
var Never = time.Now().Add(100 * 365 * 24 * time.Hour)

// Soon is reached.
var Soon = time.Now().Add(24 * time.Hour)
