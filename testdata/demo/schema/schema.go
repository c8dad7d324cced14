// Package schema names the shop's tables and column families and creates them.
package schema

import "time"

// The tables. Ledgers are kept per region, see [LedgerTable].
const (
	Sessions = "sessions"
	Clicks   = "clicks"
	Catalog  = "catalog"
)

// The column families.
const (
	Token   = "token"   // in Sessions: cells that expire one by one
	Profile = "profile" // in Sessions: ordinary
	Event   = "event"   // in Clicks: kept for ClickAge
	Entry   = "entry"   // in ledgers: numbered
	Latest  = "latest"  // in Catalog: one value per column
)

const (
	// TokenTTL is how long a session lasts.
	TokenTTL = 30 * time.Minute
	// ClickAge is how long a click is kept.
	ClickAge = 720 * time.Hour
	// LedgerVersions is how many entries a ledger keeps per column.
	LedgerVersions = 3
)

// LedgerTable returns the name of a region's ledger.
func LedgerTable(region string) string { return region + "-ledger" }
