// Package schema names the tables, families and columns of the platform.
// Owners and retention are on the wiki page "Bigtable at Lakehouse".
package schema

import "time"

// Tables.
const (
	TableClicks   = "clickstream"
	TableDedup    = "dedup"
	TableFeatures = "features"
	TableOffsets  = "offsets"
	TableAgg      = "aggregates"
	TableLeases   = "leases"
	TableQuality  = "quality"
	// TableWarehouse is the mirror that the analysts own. Their schema, their rules.
	TableWarehouse = "warehouse_mirror"
	// TableLegacyDedup is frozen since the move to TableDedup.
	TableLegacyDedup = "dedup_2022"
)

// Families.
const (
	FamEvent   = "ev"
	FamSession = "sess"
	FamMeta    = "meta"

	FamSeen = "seen"

	FamOnline = "online"
	FamStats  = "stats"
	FamEntity = "entity"

	FamWatermark = "wm"
	FamOffset    = "off"
	FamAudit     = "audit"

	FamAgg   = "agg"
	FamHour  = "hour"
	FamCount = "cnt"

	FamLease = "lease"
	FamRun   = "run"
	FamState = "state"
	FamLog   = "log"

	FamSample = "sample"

	FamPart   = "part"
	FamRev    = "rev"
	FamHeader = "hdr"
)

// Retention that writers, readers and provision share.
const (
	ClickRetention  = 30 * 24 * time.Hour
	StatsRetention  = 7 * 24 * time.Hour
	HourRetention   = 90 * 24 * time.Hour
	SessionTTL      = 30 * time.Minute
	SeenTTL         = 24 * time.Hour
	OnlineTTL       = 6 * time.Hour
	LeaseTTL        = 2 * time.Minute
	SampleTTL       = 72 * time.Hour
	PartTTL         = 48 * time.Hour
	WatermarkKeep   = 5
	RunKeep         = 20
	RevisionKeep    = 3
	LogRetention    = 30 * 24 * time.Hour
	AuditRetention  = 90 * 24 * time.Hour
	StageTableStem  = "-stage"
	KeySeparator    = "#"
	MaxBulkMutation = 500
)
