package whence

import "cloud.google.com/go/bigtable"

// stamp returns the current time.
func stamp() bigtable.Timestamp { return bigtable.Now() }
