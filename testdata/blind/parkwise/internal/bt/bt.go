// Package bt is what the stores share: names, the table interface, filters and cells.
package bt

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// Tables.
const (
	TableAuth         = "auth"
	TableReservations = "reservations"
	TableIdempotency  = "idempotency"
	TableCharging     = "charging"
	TableTariffs      = "tariffs"
	TableCounters     = "counters"
	TableAudit        = "audit"

	// Analytics tables hold copies; their families are collected by the warehouse's own jobs.
	TableAnalytics = "analytics"
	TableSandbox   = "sandbox"

	devicesSuffix = "-devices"
)

// Families.
const (
	FamOTP     = "otp"
	FamSession = "session"
	FamProfile = "profile"

	FamHold   = "hold"
	FamDetail = "detail"

	FamResp = "resp"

	FamSample = "sample"

	FamRate = "rate"
	FamInfo = "info"

	FamConfig    = "config"
	FamState     = "state"
	FamHeartbeat = "heartbeat"

	FamAgg    = "agg"
	FamGauge  = "gauge"
	FamLimit  = "limit"
	FamWindow = "window"

	FamEvent = "event"
)

// Retention of the families that are collected by age.
const (
	SampleRetention    = 7 * 24 * time.Hour
	HeartbeatRetention = 48 * time.Hour
	WindowRetention    = 24 * time.Hour
	AuditRetention     = 90 * 24 * time.Hour
)

// DevicesTable is the devices table of a region.
func DevicesTable(region string) string { return region + devicesSuffix }

// Table is the part of the client's tables that the stores use.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// ErrNotFound is returned where a row or a cell is missing.
var ErrNotFound = errors.New("bt: not found")

// First returns the first cell of family:column.
func First(row bigtable.Row, family, column string) (bigtable.ReadItem, bool) {
	want := family + ":" + column
	for _, it := range row[family] {
		if it.Column == want {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// Qualifier cuts the family from a column.
func Qualifier(column string) string {
	_, q, _ := strings.Cut(column, ":")
	return q
}

// CellTime is the timestamp of a cell as a time.
func CellTime(it bigtable.ReadItem) time.Time { return it.Timestamp.Time() }

// DecodeJSON decodes the value of family:column into T.
func DecodeJSON[T any](row bigtable.Row, family, column string) (T, error) {
	var v T
	it, ok := First(row, family, column)
	if !ok {
		return v, ErrNotFound
	}
	if err := json.Unmarshal(it.Value, &v); err != nil {
		return v, fmt.Errorf("bt: %s:%s: %w", family, column, err)
	}
	return v, nil
}

// Int64 encodes n as the server's counters do.
func Int64(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// ParseInt64 decodes a counter.
func ParseInt64(b []byte) int64 {
	if len(b) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}
