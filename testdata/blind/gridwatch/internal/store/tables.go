// Package store opens the tables and knows their families.
package store

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table names.
const (
	TableSessions  = "device-sessions"
	TableDedup     = "ingest-dedup"
	TableAlerts    = "alert-state"
	TableTelemetry = "telemetry"
	TableShadow    = "device-shadow"
	TableUsage     = "usage"

	// CommandLogSuffix is appended to the tenant.
	CommandLogSuffix = "-commandlog"
)

// Families of device-sessions.
const (
	FamToken    = "token"
	FamPresence = "presence"
	FamProfile  = "profile"
)

// Families of alert-state.
const (
	FamFiring = "firing"
	FamMute   = "mute"
	FamState  = "state" // also a family of device-shadow
	FamRule   = "rule"
)

// Families of telemetry.
const (
	FamRaw    = "raw"
	FamRollup = "rollup"
)

// Families of device-shadow.
const (
	FamDesired  = "desired"
	FamRev      = "rev"
	FamReported = "reported"
)

// Families of the command logs.
const (
	FamEntry  = "entry"
	FamCursor = "cursor"
	FamNote   = "note"
)

// FamSeen is the only family of ingest-dedup.
const FamSeen = "seen"

// FamDaily is the only family of usage.
const FamDaily = "daily"

// Lifetimes.
const (
	TokenTTL    = 30 * time.Minute
	PresenceTTL = 2 * time.Minute
	SeenTTL     = 10 * time.Minute
	FiringTTL   = 72 * time.Hour
	RawTTL      = 7 * 24 * time.Hour
)

// Tables are all tables with a fixed name.
type Tables struct {
	Sessions  *bigtable.Table
	Dedup     *bigtable.Table
	Alerts    *bigtable.Table
	Telemetry *bigtable.Table
	Shadow    *bigtable.Table
	Usage     *bigtable.Table

	client *bigtable.Client
}

// Open connects to the instance and opens the tables.
func Open(ctx context.Context, project, instance string) (*Tables, error) {
	client, err := bigtable.NewClient(ctx, project, instance)
	if err != nil {
		return nil, fmt.Errorf("store: connect to %s/%s: %w", project, instance, err)
	}
	return FromClient(client), nil
}

// FromClient opens the tables on an existing client.
func FromClient(client *bigtable.Client) *Tables {
	return &Tables{
		Sessions:  client.Open(TableSessions),
		Dedup:     client.Open(TableDedup),
		Alerts:    client.Open(TableAlerts),
		Telemetry: client.Open(TableTelemetry),
		Shadow:    client.Open(TableShadow),
		Usage:     client.Open(TableUsage),
		client:    client,
	}
}

// CommandLog opens the log of one tenant.
func (t *Tables) CommandLog(tenant string) *bigtable.Table {
	return t.client.Open(tenant + CommandLogSuffix)
}

// Client is for statements and ad hoc tables.
func (t *Tables) Client() *bigtable.Client { return t.client }

// Close closes the client.
func (t *Tables) Close() error { return t.client.Close() }

// Clock is injected where tests need to turn time.
type Clock func() time.Time

// ExpiresIn is the cell timestamp of a value that lives for d from now on, in a
// family with one-second expiration.
func ExpiresIn(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d))
}

// NowTS is the cell timestamp of ordinary families.
func NowTS() bigtable.Timestamp {
	return bigtable.Now()
}

// Shifted is the cell timestamp of a value that lives for d in a family whose
// default is def.
func Shifted(def, d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d - def))
}

// Seq is the cell timestamp of a sequence number.
func Seq(n int64) bigtable.Timestamp {
	return bigtable.Timestamp(n * 1000)
}

// Alive lets the live cells of a one-second family pass.
func Alive() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

// Within lets cells pass whose timestamp is at most d old.
func Within(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// LiveFamily is Alive for one family of a mixed table.
func LiveFamily(family string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), Alive())
}
