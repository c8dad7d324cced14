// Package schema is the single place where tables, families and their garbage
// collection are declared. Everything else refers to these names.
package schema

import "time"

// TableID names a table of the identity instance.
type TableID string

// String makes a TableID usable with the client.
func (t TableID) String() string { return string(t) }

// Family names a column family.
type Family string

// Tables.
const (
	Tokens     TableID = "identity-tokens"
	Challenges TableID = "webauthn-challenges"
	Leases     TableID = "worker-leases"
	Grants     TableID = "identity-grants"
	Quotas     TableID = "entitlement-quotas"
	Prefs      TableID = "user-prefs"
	Presence   TableID = "presence"
	Analytics  TableID = "analytics"

	// JournalPrefix is completed by the aggregate's name: journal-user, journal-org.
	JournalPrefix = "journal-"

	// ImportScratch belongs to the import tool; it has no declared policies and
	// is dropped after each import.
	ImportScratch TableID = "import-scratch"
)

// Families of Tokens.
const (
	Access  Family = "access"
	Refresh Family = "refresh"
	Audit   Family = "audit"
)

// Families of the other tables, as untyped strings: they predate Family.
const (
	FamChallenge = "challenge"
	FamLease     = "lease"

	FamGrant = "grant"
	FamMeta  = "meta"

	FamLimit  = "limit"
	FamWindow = "window"

	FamEvent = "event"
	FamSnap  = "snap"

	FamPref   = "pref"
	FamDevice = "device"

	FamOnline  = "online"
	FamTyping  = "typing"
	FamProfile = "profile"

	FamDaily = "daily"
	FamRaw   = "raw"
)

// Lifetimes.
const (
	AccessTTL    = 15 * time.Minute
	RefreshTTL   = 30 * 24 * time.Hour
	ChallengeTTL = 2 * time.Minute
	LeaseTTL     = 30 * time.Second
	WindowTTL    = time.Hour
	DeviceTTL    = 90 * 24 * time.Hour
	OnlineTTL    = 5 * time.Minute
	TypingTTL    = 30 * time.Second
	DailyMaxAge  = 90 * 24 * time.Hour
)

// Versions that garbage collection keeps.
const (
	GrantVersions = 3
	EventVersions = 1
	SnapVersions  = 2
)

// Columns that more than one package uses.
const (
	ColJWT     = "jwt"
	ColSubject = "sub"
	ColState   = "state"
	ColHolder  = "holder"
)
