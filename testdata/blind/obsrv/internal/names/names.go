// Package names holds the names of tables, families and columns, and the
// retention figures that go with them.
package names

import "time"

// Tables.
const (
	TablePoints     = "metric_points"
	RollupPrefix    = "rollup_"
	TableSpans      = "spans"
	TableSpanIndex  = "span_index"
	TableAlertState = "alert_state"
	TableSilences   = "silences"
	TableDashboards = "dashboards"
	TableMonitors   = "monitors"
	TableCursors    = "cursors"
	TableQueryCache = "qcache"
	TableTenants    = "tenants"

	// Old ones that only the migration tools touch.
	TableAlertHistory = "alert_history"
	TableLegacySpans  = "legacy_spans"
	TableDashTrash    = "dash_trash"
)

// Families.
const (
	FamPoint   = "pt"
	FamLabels  = "lbl"
	FamRollup  = "ru"
	FamHeader  = "hdr"
	FamSpan    = "sp"
	FamLink    = "link"
	FamIndex   = "ix"
	FamState   = "st"
	FamMeta    = "meta"
	FamSilence = "sil"
	FamNote    = "note"
	FamRev     = "rev"
	FamConfig  = "cfg"
	FamAudit   = "audit"
	FamPos     = "pos"
	FamLease   = "lease"
	FamResult  = "res"
	FamStat    = "stat"
	FamLimits  = "lim"
)

// Retention.
const (
	Day = 24 * time.Hour

	PointRetention  = 14 * Day
	RollupRetention = 90 * Day
	SpanRetention   = 7 * Day
	StateTTL        = 15 * time.Minute
	LeaseTTL        = 30 * time.Second
	ResultTTL       = 5 * time.Minute
	AuditRetention  = 365 * Day

	RevisionsKept = 20
)

// Resolutions are the steps to which points are rolled up, finest first.
var Resolutions = []string{"1m", "5m", "1h"}

func RollupTable(res string) string { return RollupPrefix + res }
