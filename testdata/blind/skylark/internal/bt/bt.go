// Package bt names the tables and families of the platform and holds the few
// helpers that every service shares.
package bt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Tables.
const (
	Devices  = "devices"
	Alerts   = "alerts"
	Outbox   = "outbox"
	Samples  = "samples"
	Settings = "settings"
	Tokens   = "tokens"
	Offsets  = "offsets"
	Audit    = "audit"
	Dedupe   = "dedupe"

	// Archive belongs to the data team: same family names, plain timestamps.
	Archive = "archive"
)

// Families.
const (
	FamLive    = "live"
	FamShadow  = "shadow"
	FamInfo    = "info"
	FamHold    = "hold"
	FamState   = "state"
	FamHist    = "hist"
	FamJob     = "job"
	FamReceipt = "receipt"
	FamRaw     = "raw"
	FamRollup  = "rollup"
	FamV       = "v"
	FamPush    = "push"
	FamOwner   = "owner"
	FamCommit  = "commit"
	FamSeen    = "seen"
	FamEv      = "ev"
	FamNote    = "note"
)

// Lifetimes.
const (
	LiveTTL    = 90 * time.Second
	HoldTTL    = 15 * time.Minute
	JobTTL     = 6 * time.Hour
	PushTTL    = time.Hour
	ShadowTTL  = 30 * 24 * time.Hour
	ReceiptTTL = 7 * 24 * time.Hour
	RawTTL     = 72 * time.Hour
)

// Stores holds one handle per table.
type Stores struct {
	Devices  bigtable.TableAPI
	Alerts   bigtable.TableAPI
	Outbox   bigtable.TableAPI
	Samples  bigtable.TableAPI
	Settings bigtable.TableAPI
	Tokens   bigtable.TableAPI
	Offsets  bigtable.TableAPI
	Audit    bigtable.TableAPI
	Dedupe   bigtable.TableAPI
	Archive  bigtable.TableAPI
}

// Open opens every table of the platform.
func Open(c *bigtable.Client) *Stores {
	return &Stores{
		Devices:  c.OpenTable(Devices),
		Alerts:   c.OpenTable(Alerts),
		Outbox:   c.OpenTable(Outbox),
		Samples:  c.OpenTable(Samples),
		Settings: c.OpenTable(Settings),
		Tokens:   c.OpenTable(Tokens),
		Offsets:  c.OpenTable(Offsets),
		Audit:    c.OpenTable(Audit),
		Dedupe:   c.OpenTable(Dedupe),
		Archive:  c.OpenTable(Archive),
	}
}

// Expire is the timestamp of something that lives for d.
func Expire(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d))
}

// Stamp is the timestamp of something that happens now.
func Stamp() bigtable.Timestamp { return bigtable.Now() }

// Seq is the timestamp of the n-th version.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// Plain is the timestamp n as it is.
func Plain(n int64) bigtable.Timestamp { return bigtable.Timestamp(n) }

// Lasting is the timestamp of something that lives for ttl in a family whose
// cells live for def by themselves.
func Lasting(ttl, def time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(ttl - def))
}

// Live passes what has not expired in a family whose timestamps are deadlines.
func Live(family string) bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(family),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}),
		bigtable.LatestNFilter(1),
	)
}

// Since passes what is younger than d.
func Since(family string, d time.Duration) bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(family),
		bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{}),
	)
}

// Newest passes the n newest versions of every column of family.
func Newest(family string, n int) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.LatestNFilter(n))
}

// Column narrows a family to one column.
func Column(family, column string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.ColumnFilter(column))
}

// WholeDevice is the filter of a read that wants all of a device.
func WholeDevice(now time.Time) bigtable.Filter {
	return bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(FamLive), bigtable.TimestampRangeFilter(now, time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter(FamShadow), bigtable.TimestampRangeFilter(now.Add(-ShadowTTL), time.Time{})),
		bigtable.FamilyFilter(FamInfo),
	)
}

// Get reads one row through f.
func Get(ctx context.Context, t bigtable.TableAPI, key string, f bigtable.Filter) (bigtable.Row, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	row, err := t.ReadRow(ctx, key, bigtable.RowFilter(f))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	return row, nil
}

// Fetch reads one row with whatever options the caller has.
func Fetch(ctx context.Context, t bigtable.TableAPI, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	var last error
	for attempt := range 3 {
		row, err := t.ReadRow(ctx, key, opts...)
		if err == nil {
			return row, nil
		}
		last = err
		select {
		case <-ctx.Done():
			return nil, errors.Join(last, ctx.Err())
		case <-time.After(time.Duration(attempt+1) * 50 * time.Millisecond):
		}
	}
	return nil, last
}

// Put writes one cell.
func Put(ctx context.Context, t bigtable.TableAPI, key, family, column string, ts bigtable.Timestamp, value []byte) error {
	m := bigtable.NewMutation()
	m.Set(family, column, ts, value)
	return t.Apply(ctx, key, m)
}

// PutNow writes one cell at the current time.
func PutNow(ctx context.Context, t bigtable.TableAPI, key, family, column string, value []byte) error {
	return Put(ctx, t, key, family, column, bigtable.Now(), value)
}

// First is the newest cell of a column, by its full name.
func First(row bigtable.Row, family, column string) (bigtable.ReadItem, bool) {
	full := family + ":" + column
	for _, it := range row[family] {
		if it.Column == full {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}
