// Package names holds the names that every service must agree on. It must not
// import the client, the mobile gateway links it too.
package names

import "time"

// Tables.
const (
	TableHolds   = "seat-holds"
	TableCheckin = "checkin"
	TableFlights = "flights"
	TableQuotes  = "quotes"
	TableBags    = "bags"
	TableLeases  = "leases"

	// not ours, owned by the crew team and the archive job
	TableRoster  = "crew-roster"
	TableArchive = "ops-archive"
)

// Families.
const (
	FamHold   = "hold" // seat-holds: the hold; bags: the customs hold
	FamSeat   = "seat"
	FamWindow = "window"
	FamPass   = "pass"
	FamPax    = "pax"
	FamRev    = "rev"
	FamGate   = "gate"
	FamOps    = "ops"
	FamPrice  = "price"
	FamFare   = "fare"
	FamScan   = "scan"
	FamTally  = "tally"
	FamLease  = "lease"
	FamOwner  = "owner"
	FamEntry  = "entry"
	FamNote   = "note"
)

// Lifetimes, agreed with revenue management in 2021.
const (
	HoldFor   = 10 * time.Minute
	WindowFor = 24 * time.Hour
	QuoteFor  = 15 * time.Minute
	LeaseFor  = 30 * time.Second
)

// SeatFamilies is the order in which the seat map reads them.
var SeatFamilies = []string{FamHold, FamSeat}

// Key joins the parts of a row key.
func Key(parts ...string) string {
	out := ""
	for i, p := range parts {
		if i > 0 {
			out += "#"
		}
		out += p
	}
	return out
}
