// Package schema declares the tables of the cases with the runtime package.
package schema

import (
	"time"

	"github.com/ttlvet/ttlvet/runtime/ttl"
)

var (
	Grant  = ttl.OneSecond("grant", 30*time.Minute)
	Person = ttl.RealTime("person").MaxVersions(1)
	Logins = ttl.NewTable("logins", Grant, Person)

	Visit  = ttl.Default("visit", 720*time.Hour)
	Visits = ttl.NewTable("visits", Visit)

	Amount = ttl.Sequence("amount", 3)
	Books  = ttl.NewTable("books", Amount)

	Pref  = ttl.Zero("pref")
	Prefs = ttl.NewTable("prefs", Pref)

	// Three strategies in one table.
	Seat  = ttl.OneSecond("seat", 10*time.Minute).MaxAge(500 * time.Millisecond)
	Trace = ttl.Default("trace", 24*time.Hour)
	Step  = ttl.Sequence("step", 1)
	Trips = ttl.NewTable("trips", Seat, Trace, Step)

	// Attempts counts failed logins.
	Attempts = ttl.NewCounter(Grant, "attempts")
	// Issued is the companion of a grant.
	Issued = ttl.WrittenAt(Grant, "issued")
)
