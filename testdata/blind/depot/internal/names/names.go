// Package names has the names of tables and families, so that nobody spells
// them by hand.
package names

// Family is the name of a column family.
type Family string

// Tables.
const (
	DockSlots  = "dock-slots"
	GatePasses = "gate-passes"
	Telemetry  = "telemetry"
	Quotes     = "quotes"
	Parcels    = "parcels"
	YardAudit  = "yard-audit"
	Totals     = "totals"
	Sessions   = "driver-sessions"
	Messages   = "messages"
	Outbox     = "outbox" // somebody else's: they have an inbox too

	// Not in the registry: copies for analysts, with the real times of their
	// cells.
	DockArchive    = "dock-archive"
	ManifestDrafts = "manifest-drafts"
	QuoteHistory   = "quote-history"
)

// Families.
const (
	Hold    Family = "hold"
	Slot    Family = "slot"
	Pass    Family = "pass"
	Info    Family = "info"
	Ping    Family = "ping"
	Alarm   Family = "alarm"
	Rate    Family = "rate"
	Meta    Family = "meta"
	Rev     Family = "rev"
	Head    Family = "head"
	State   Family = "state"
	Step    Family = "step"
	Grant   Family = "grant"
	Trail   Family = "trail"
	Count   Family = "count"
	Token   Family = "token"
	Profile Family = "profile"
	Inbox   Family = "inbox"
	Cursor  Family = "cursor"
	Badge   Family = "badge"
)

// Manifest is the manifest table of one depot.
func Manifest(depot string) string { return depot + "-manifest" }
