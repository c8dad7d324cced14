// Package schema names what the platform keeps in Bigtable.
package schema

import "strings"

// Table is the name of a Bigtable table.
type Table string

// Tables with a fixed name. Ledgers are one per region: see LedgerTable.
const (
	TableSessions Table = "sessions"
	TablePayments Table = "payments"
	TableWallets  Table = "wallets"
	TableRisk     Table = "risk"
	TableFXRates  Table = "fxrates"
	TableWebhooks Table = "webhooks"
	TableAudit    Table = "audit"

	// TableSandbox is the merchants' playground. It is wiped every night and
	// has nothing to do with TableSessions although its families look alike.
	TableSandbox Table = "sandbox-sessions"
	// TableReports holds pre-computed reports; plain write times throughout.
	TableReports Table = "reports"
)

// String implements fmt.Stringer.
func (t Table) String() string { return string(t) }

// LedgerTable returns the name of a region's ledger.
func LedgerTable(region string) Table {
	return Table(strings.ToLower(region) + "-ledger")
}

// Family is a column family.
type Family string

// Families, by table.
const (
	// sessions
	FamilyToken   Family = "token"
	FamilyProfile Family = "profile"

	// payments
	FamilyIdem  Family = "idem"
	FamilyState Family = "state"
	FamilyMeta  Family = "meta"

	// *-ledger
	FamilyEntry Family = "entry"
	FamilyHold  Family = "hold"
	FamilyNote  Family = "note"

	// wallets
	FamilyBal   Family = "bal"
	FamilyLimit Family = "limit"
	FamilyInfo  Family = "info"

	// fxrates
	FamilyRate Family = "rate"
	FamilySpot Family = "spot"

	// audit; it has a FamilyState too
	FamilyEvent Family = "event"
)

// String implements fmt.Stringer.
func (f Family) String() string { return string(f) }

// Column is a column qualifier.
type Column string

// Columns that more than one package uses.
const (
	ColJWT       Column = "jwt"
	ColRefresh   Column = "refresh"
	ColSeen      Column = "seen"
	ColDoc       Column = "doc"
	ColAvailable Column = "available"
	ColPending   Column = "pending"
	ColDaily     Column = "daily"
	ColOwner     Column = "owner"
	ColAmount    Column = "amount"
)

// String implements fmt.Stringer.
func (c Column) String() string { return string(c) }

// Qualified is the column's name as it stands in a bigtable.ReadItem.
func Qualified(f Family, c Column) string {
	return string(f) + ":" + string(c)
}
