// Package tables names every Bigtable table and column family of the product.
//
// If you add a family here, add it to internal/schema and to ttlvet.yaml too.
package tables

import "time"

// Tables.
const (
	Sessions  = "sessions"
	OTP       = "otp"
	Flags     = "flags"
	Inbox     = "inbox"
	Events    = "events"
	OrderBook = "orderbook"
	Drivers   = "drivers"
	Settings  = "settings"
	Carts     = "carts"
	Idem      = "idem"
	Devices   = "devices"
	GeoCache  = "geo_cache"
	Leases    = "leases"
	Outbox    = "outbox"

	// AuditLog belongs to the compliance team; they keep their own schema.
	AuditLog = "audit_log"
	// PartnerFeed is filled by the data team's Dataflow job.
	PartnerFeed = "partner_feed"
)

// Column families.
const (
	FamToken   = "tok"
	FamRefresh = "refresh"
	FamMeta    = "meta"

	FamCode     = "code"
	FamAttempts = "attempts"

	FamFlagValue   = "val"
	FamFlagHistory = "hist"

	FamBucket = "bucket"
	FamPolicy = "policy"

	FamMessage = "msg"
	FamDraft   = "draft"
	FamState   = "state"

	FamAggregate = "agg"

	FamEvent    = "ev"
	FamSnapshot = "snap"
	FamInfo     = "info"

	FamLocation = "loc"
	FamPresence = "pres"
	FamProfile  = "profile"

	FamPreference = "pref"
	FamOverride   = "ovr"

	FamItem = "item"

	FamResponse = "resp"

	FamQuote = "quote"

	FamPush  = "push"
	FamTrust = "trust"

	FamTile = "tile"

	FamLease = "lease"
	FamFence = "fence"
	FamOwner = "owner"

	FamJob  = "job"
	FamDead = "dead"
)

// Lifetimes. The ones of default-expiration families have to be those of the
// garbage collection policy.
const (
	SessionTTL  = 30 * time.Minute
	RefreshTTL  = 30 * 24 * time.Hour
	CodeTTL     = 5 * time.Minute
	BucketTTL   = time.Minute
	DraftTTL    = 7 * 24 * time.Hour
	LocationTTL = 24 * time.Hour
	PresenceTTL = 90 * time.Second
	OverrideTTL = 24 * time.Hour
	CartTTL     = 30 * 24 * time.Hour
	IdemTTL     = 24 * time.Hour
	QuoteTTL    = 15 * time.Minute
	PushTTL     = 90 * 24 * time.Hour
	TrustTTL    = 30 * 24 * time.Hour
	TileTTL     = 6 * time.Hour
	LeaseTTL    = 30 * time.Second
	JobTTL      = 72 * time.Hour
)

// Versions kept.
const (
	InboxVersions    = 100
	EventVersions    = 5
	SnapshotVersions = 1
)

// RatePrefix and QuoteSuffix build the names of the tables that exist per
// region or per market.
const (
	RatePrefix  = "rate-"
	QuoteSuffix = "-quotes"
)
