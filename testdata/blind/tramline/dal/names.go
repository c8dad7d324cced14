// Package dal is the data-access library of the three tramline services:
// the Bigtable client behind ports, decorators for logging and retries, and
// generic repositories for the simple cases.
package dal

import "time"

// Tables.
const (
	TableHolds     = "holds"
	TableOTP       = "otp"
	TablePositions = "positions"
	TableCommands  = "commands"
	TableTrips     = "trips"
	TableTariffs   = "tariffs"
	TableQuotes    = "quotes"
	TableScratch   = "scratch"
)

// Column families.
const (
	FamHold    = "hold"
	FamRider   = "rider"
	FamCode    = "code"
	FamSeen    = "seen"
	FamPos     = "pos"
	FamVehicle = "vehicle"
	FamEntry   = "entry"
	FamCmd     = "cmd"
	FamState   = "state"
	FamRate    = "rate"
	FamChange  = "change"
	FamQuote   = "quote"
)

// Lifetimes that were agreed with the operators.
const (
	HoldTTL     = 15 * time.Minute
	CodeTTL     = 5 * time.Minute
	PositionTTL = 72 * time.Hour
	StateTTL    = 24 * time.Hour
	QuoteTTL    = 10 * time.Minute

	JournalVersions = 3
	CommandVersions = 1
)

// JournalTable names the journal of a depot.
func JournalTable(depot string) string { return depot + "-journal" }
