package constants

import "time"

// Lifetimes (was: DurationConstants.java).
const (
	SessionTTL        = 30 * time.Minute
	RememberMeTTL     = 14 * 24 * time.Hour
	OtpTTL            = 5 * time.Minute
	LockTTL           = 5 * time.Minute
	MailTTL           = 7 * 24 * time.Hour
	CounterTTL        = 24 * time.Hour
	QuoteDefaultTTL   = 30 * 24 * time.Hour
	DocumentIndexTTL  = 90 * 24 * time.Hour
	DiscountTTL       = 2160 * time.Hour
	ShortQuoteTTL     = 48 * time.Hour
	TelemetryMaxAge   = 90 * 24 * time.Hour
	OneSecond         = time.Second
	ConsentMaxAge     = 365 * 24 * time.Hour
	SessionTTLSeconds = 1800

	MicrosPerMilli = 1000

	PolicyVersions   = 5
	ClaimVersions    = 1
	LedgerVersions   = 3
	CustomerVersions = 3
)
