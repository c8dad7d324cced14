package constants

import "time"

// Lifetimes. In Java these were longs in milliseconds, hence the two kinds that are left.
const (
	TokenTTL      = 30 * time.Minute
	RefreshTTL    = 14 * 24 * time.Hour
	NonceTTL      = 2 * time.Minute
	DeviceTTL     = 720 * time.Hour
	HoldTTL       = 15 * time.Minute
	LongHoldTTL   = 4 * time.Hour
	InboxTTL      = 720 * time.Hour
	PromoTTL      = 72 * time.Hour
	AudienceTTL   = 168 * time.Hour
	LockTTL       = 30 * time.Second
	ResponseTTL   = 24 * time.Hour
	AuditMaxAge   = 2160 * time.Hour
	GcImmediately = time.Second

	// HoldTTLMillis is what the warehouse's API wants.
	HoldTTLMillis = int64(HoldTTL / time.Millisecond)
	// RetentionSeconds is what the old configuration files hold.
	RetentionSeconds = 7776000
)

// Versions kept.
const (
	RevisionVersions = 3
	EntryVersions    = 5
)
