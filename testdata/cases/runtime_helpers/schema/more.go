package schema

import (
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/ttl"
)

// Families with options.
var (
	Lease  = ttl.OneSecond("lease", 10*time.Second).Skew(2 * time.Second)
	Stamp  = ttl.WrittenAt(ttl.Default("mark", 48*time.Hour), "mark-written")
	Mark   = ttl.Default("mark", 48*time.Hour).Skew(time.Minute).With(Stamp)
	Log    = ttl.RealTime("log").Policy(bigtable.MaxAgePolicy(240 * time.Hour))
	Leases = ttl.NewTable("leases", Lease, Mark, Log)
)
