// Package names holds the names of tables, families and columns. It must stay free of imports: the
// domain's contract tests and the data team's exporter use it too.
package names

// Tables.
const (
	Sessions  = "sessions"
	Slots     = "slots"
	Patients  = "patients"
	Reminders = "reminders"
	Equipment = "equipment"
	Invites   = "invites"
	Waitlist  = "waitlist"

	// Archive and SessionAudit belong to compliance; their cells keep the clock of the server.
	Archive      = "archive"
	SessionAudit = "session_audit"
	Stats        = "stats"

	ReferralSuffix = "-referrals"
)

// Families.
const (
	FamToken   = "token"
	FamDevice  = "device"
	FamProfile = "profile"

	FamHold   = "hold"
	FamState  = "state"
	FamClinic = "clinic"

	FamConsent = "consent"
	FamPref    = "pref"
	FamDemo    = "demo"

	FamDue = "due"
	FamLog = "log"

	FamLease = "lease"
	FamCode  = "code"
	FamPlace = "place"

	FamEntry = "entry"
	FamLock  = "lock"
)

// Columns that several adapters share.
const (
	ColBody   = "body"
	ColStatus = "status"
	ColOwner  = "owner"
	ColSeen   = "seen"
)
