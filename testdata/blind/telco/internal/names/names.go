// Package names has the names of tables, families and columns. Do not put strings
// into the services, see the incident review of 2021-03.
package names

import "time"

// Tables.
const (
	TableSessions  = "sim-sessions"
	TablePorting   = "portability"
	TableBalances  = "balances"
	TableReceipts  = "sms-receipts"
	TableSMSRoutes = "sms-routes"
	TableRoaming   = "roaming"
	TableDevices   = "device-cache"

	// TableArchive is the cold copy, written once, never expires.
	TableArchive = "cdr-archive"
	// TableSandbox is for the integration partners' tests.
	TableSandbox = "sandbox"
	// TableOTP belongs to the self care team.
	TableOTP = "otp-cache"

	// UsageSuffix follows the market: "de-usage", "at-usage".
	UsageSuffix = "-usage"
)

// Families of sim-sessions.
const (
	FamSession = "sess"
	FamAuth    = "auth"
	FamProfile = "profile"
)

// Families of portability.
const (
	FamRoute = "route"
	FamClaim = "claim"
	FamCase  = "case"
)

// Families of balances.
const (
	FamBalance = "bal"
	FamHold    = "hold"
	FamLedger  = "ledger"
	FamMeta    = "meta"
)

// Families of the usage tables.
const (
	FamCounter = "ctr"
	FamDay     = "day"
	FamInfo    = "info"
)

// Families of sms-receipts and sms-routes.
const (
	FamReceipt = "dlr"
	FamState   = "state"
	FamRaw     = "raw"
	FamScore   = "score"
)

// Families of roaming and device-cache.
const (
	FamCache   = "cache"
	FamSteer   = "steer"
	FamPartner = "partner"
	FamModel   = "model"
)

// FamCode is the only family of otp-cache.
const FamCode = "code"

// BalanceFamilies in the order in which the billing team numbers them.
var BalanceFamilies = []string{FamBalance, FamHold, FamLedger, FamMeta}

// Lifetimes.
const (
	SessionTTL = 30 * time.Minute
	AuthTTL    = 5 * time.Minute
	ClaimTTL   = 2 * time.Hour
	HoldTTL    = 15 * time.Minute
	CounterTTL = 90 * 24 * time.Hour
	DayTTL     = 35 * 24 * time.Hour
	ReceiptTTL = 7 * 24 * time.Hour
	RoamingTTL = 6 * time.Hour
	DeviceTTL  = 24 * time.Hour

	RouteVersions  = 3
	LedgerVersions = 50
)

// Usage is the name of a market's usage table.
func Usage(market string) string { return market + UsageSuffix }
