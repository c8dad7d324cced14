// Package filter declares what readers filter by.
package filter

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A Factory makes filters.
type Factory interface{ Live() bigtable.Filter }

// Default makes filters of what lives.
type Default struct{}

// Live lets live cells pass.
func (Default) Live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }
