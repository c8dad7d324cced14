// Package schema names the tables and families, and the lifetimes that belong to them.
package schema

import "time"

// Tables.
const (
	TableSessions = "idp-sessions"
	TableTokens   = "idp-tokens"
	TableDevice   = "idp-device-codes"
	TableConsents = "idp-consents"
	TableThrottle = "idp-throttle"
	TableKeys     = "idp-keys"
	TableAudit    = "idp-audit"
	TableClients  = "idp-clients"
	TableAuthz    = "idp-authz"

	// TableLegacy is what the old PHP service writes; nobody owns its policies.
	TableLegacy  = "idp-legacy"
	TableScratch = "idp-scratch"

	// DirectorySuffix follows the tenant's name.
	DirectorySuffix = "-directory"
)

// Families of idp-sessions.
const (
	FamSession = "session"
	FamDevice  = "device"
)

// Families of idp-tokens.
const (
	FamAccess  = "access"
	FamRefresh = "refresh"
	FamClient  = "client"
)

// Families of idp-device-codes.
const (
	FamCode = "code"
	FamPoll = "poll"
)

// Families of idp-consents.
const (
	FamGrant = "grant"
	FamScope = "scope"
)

// Families of idp-throttle.
const (
	FamAttempt = "attempt"
	FamLockout = "lockout"
	FamTally   = "tally"
)

// Families of idp-keys.
const (
	FamKey    = "key"
	FamActive = "active"
)

// Families of idp-audit.
const (
	FamEvent = "event"
	FamActor = "actor"
)

// FamState is the enabled/disabled state in idp-clients and the OAuth2 state parameter in idp-authz.
const (
	FamState  = "state"
	FamSecret = "secret"
	FamNonce  = "nonce"
)

// Families of the directories.
const (
	FamEntry   = "entry"
	FamInvite  = "invite"
	FamProfile = "profile"
)

// Lifetimes.
const (
	SessionTTL = 12 * time.Hour
	AccessTTL  = 15 * time.Minute
	RefreshTTL = 30 * 24 * time.Hour
	AttemptTTL = 15 * time.Minute
	LockoutTTL = 24 * time.Hour
	EventTTL   = 90 * 24 * time.Hour
	StateTTL   = 10 * time.Minute
	NonceTTL   = 5 * time.Minute
	InviteTTL  = 72 * time.Hour
	CodeTTL    = 10 * time.Minute
)

// Versions kept in the families that are numbered.
const (
	GrantVersions  = 5
	KeyVersions    = 3
	SecretVersions = 2
	EntryVersions  = 2
)
