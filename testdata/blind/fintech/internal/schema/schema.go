// Package schema holds the names of everything the payments backend keeps in
// Bigtable. Nothing outside this package spells a table or a family.
package schema

// Table, Family and Column are distinct types so that they cannot be swapped.
type (
	Table  string
	Family string
	Column string
)

// Tables.
const (
	TableOneTime     Table = "onetime"
	TableIdempotency Table = "idempotency"
	TableRateLimits  Table = "ratelimits"
	TableQuotes      Table = "quotes"
	TableMerchants   Table = "merchants"
	TablePayouts     Table = "payouts"
	TableWebhooks    Table = "webhooks"
	// LedgerSuffix follows the region: "eu-ledger", "us-ledger".
	LedgerSuffix = "-ledger"
	// TableSandbox is the developers' playground; it has the families of
	// onetime, and cells with ordinary timestamps.
	TableSandbox Table = "sandbox-onetime"
	// TableArchive receives closed ledgers, by date.
	TableArchive Table = "archive"
)

// Families.
const (
	FamToken    Family = "token"
	FamAttempts Family = "attempts"
	FamContact  Family = "contact"

	FamKey      Family = "key"
	FamResponse Family = "response"
	FamAudit    Family = "audit"

	FamWindow Family = "window"
	FamBurst  Family = "burst"

	FamFX     Family = "fx"
	FamRisk   Family = "risk"
	FamSource Family = "source"

	FamSettings Family = "settings"
	FamFlags    Family = "flags"
	FamProfile  Family = "profile"
	FamState    Family = "state"

	FamEntry   Family = "entry"
	FamBalance Family = "balance"
	FamMemo    Family = "memo"

	FamOutbox Family = "outbox"
	FamLease  Family = "lease"
	FamNotes  Family = "notes"

	FamDelivery Family = "delivery"
	FamCursor   Family = "cursor"
	FamEndpoint Family = "endpoint"
)

// String makes a Family usable where the client wants a string.
func (f Family) String() string { return string(f) }

// String is the column's qualifier.
func (c Column) String() string { return string(c) }

// String is the table's ID.
func (t Table) String() string { return string(t) }

// Address is one column of one family.
type Address struct {
	Family Family
	Column Column
}

// Qualified is the column as ReadItem spells it.
func (a Address) Qualified() string { return string(a.Family) + ":" + string(a.Column) }

// Addresses that more than one package uses.
var (
	OTPHash     = Address{Family: FamToken, Column: "hash"}
	OTPChannel  = Address{Family: FamToken, Column: "channel"}
	KeyOwner    = Address{Family: FamKey, Column: "owner"}
	ReplyBody   = Address{Family: FamResponse, Column: "body"}
	ReplyStatus = Address{Family: FamResponse, Column: "status"}
	AuditActor  = Address{Family: FamAudit, Column: "actor"}
	EntryBody   = Address{Family: FamEntry, Column: "body"}
	BalanceNow  = Address{Family: FamBalance, Column: "amount"}
	FXRate      = Address{Family: FamFX, Column: "rate"}
	RiskScore   = Address{Family: FamRisk, Column: "score"}
	OutboxEvent = Address{Family: FamOutbox, Column: "event"}
)

// Retention of the families that have one; the migrations use it.
const (
	FXRetention       = "15m"
	RiskRetention     = "720h"
	DeliveryRetention = "72h"
)

// Ledger is the name of a region's ledger table.
func Ledger(region string) Table { return Table(region + LedgerSuffix) }
