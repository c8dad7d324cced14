// Package constants is the Go counterpart of com.meridian.orderhub.constants.
package constants

// Table names. They are the same in every environment; the instance differs.
const (
	TableSessions      = "sessions"
	TableOrders        = "orders"
	TableNotifications = "notifications"
	TableIdempotency   = "idempotency"
	TableCampaigns     = "campaigns"

	// TableArchive is written by the nightly export, and keeps everything for seven years. It repeats the
	// families of the tables that it was copied from.
	TableArchive = "archive"

	// LedgerSuffix: every merchant has a ledger table of its own.
	LedgerSuffix = "-ledger"
)

// Column families.
const (
	FamilyToken   = "token"
	FamilyDevice  = "device"
	FamilyProfile = "profile"

	FamilyHeader   = "hdr"
	FamilyHold     = "hold"
	FamilyRevision = "rev"
	FamilyState    = "state"

	FamilyInbox   = "inbox"
	FamilyReceipt = "receipt"
	FamilyPref    = "pref"

	FamilyLock = "lock"

	FamilyEntry = "entry"
	FamilyAudit = "audit"

	FamilyAudience = "audience"
	FamilyQuota    = "quota"
)
