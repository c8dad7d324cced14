// Package tables names every table and column family, the way schema.prisma
// did before the rewrite.
package tables

const (
	Sessions      = "sessions"
	Presence      = "presence"
	Notifications = "notifications"
	Posts         = "posts"
	Timelines     = "timelines"
	Counters      = "counters"
	Jobs          = "jobs"
	Profiles      = "profiles"
	Stories       = "stories"

	// Not ours: kept by the data team.
	LegacySessions = "legacy_sessions"
	Archive        = "archive"
	Analytics      = "analytics"

	OutboxSuffix = "-outbox"
)

const (
	FamSess    = "sess"
	FamRefresh = "refresh"
	FamMeta    = "meta"

	FamOnline = "online"
	FamTyping = "typing"

	FamInbox  = "inbox"
	FamDigest = "digest"
	FamPrefs  = "prefs"

	FamRev   = "rev"
	FamBody  = "body"
	FamStats = "stats"

	FamEntry  = "entry"
	FamCursor = "cursor"

	FamTotal  = "total"
	FamWindow = "window"

	FamLease   = "lease"
	FamState   = "state"
	FamPayload = "payload"

	FamCard  = "card"
	FamBadge = "badge"

	FamFrame = "frame"

	FamEvent = "event"
	FamClaim = "claim"
)
