// Package report answers the finance department's questions with SQL, and
// keeps the answers in a table of its own.
package report

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/schema"
)

// preparer is what the Reporter needs of a client.
type preparer interface {
	PrepareStatement(ctx context.Context, query string, paramTypes map[string]bigtable.SQLType, opts ...bigtable.PrepareOption) (*bigtable.PreparedStatement, error)
}

// Params is what New needs.
type Params struct {
	Conn  *btx.Conn
	Clock clock.Clock
}

// Result is what New provides.
type Result struct {
	Reporter *Reporter
}

// New provides the reporter.
func New(p Params) (Result, error) {
	if p.Conn == nil {
		return Result{}, errors.New("report: no connection")
	}
	return Result{Reporter: &Reporter{
		sql:   p.Conn.Client(),
		tbl:   p.Conn.Client().Open(schema.TableReports.String()),
		clock: p.Clock,
	}}, nil
}

// Reporter makes reports.
type Reporter struct {
	sql   preparer
	tbl   *bigtable.Table
	clock clock.Clock
}

func (r *Reporter) query(ctx context.Context, stmt *bigtable.PreparedStatement, params map[string]any, f func(bigtable.ResultRow) bool) error {
	bound, err := stmt.Bind(params)
	if err != nil {
		return fmt.Errorf("bind: %w", err)
	}
	return bound.Execute(ctx, f)
}

var _key = map[string]bigtable.SQLType{"key": bigtable.StringSQLType{}}

// Token reads a token.
func (r *Reporter) Token(ctx context.Context, key string) ([]byte, error) {
	stmt, err := r.sql.PrepareStatement(ctx, "SELECT token['jwt'] FROM sessions WHERE _key = @key", _key) // want ttlread/sql
	if err != nil {
		return nil, err
	}
	return r.first(ctx, stmt, key)
}

// TokenLive reads a token that is alive.
func (r *Reporter) TokenLive(ctx context.Context, key string) ([]byte, error) {
	stmt, err := r.sql.PrepareStatement(ctx, "SELECT token['jwt'] FROM sessions(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP()) WHERE _key = @key", _key) // ok ttlread/sql
	if err != nil {
		return nil, err
	}
	return r.first(ctx, stmt, key)
}

// Profile reads a profile.
func (r *Reporter) Profile(ctx context.Context, key string) ([]byte, error) {
	stmt, err := r.sql.PrepareStatement(ctx, "SELECT profile['name'] FROM sessions WHERE _key = @key", _key) // ok ttlread/sql
	if err != nil {
		return nil, err
	}
	return r.first(ctx, stmt, key)
}

// Score reads a score.
func (r *Reporter) Score(ctx context.Context, key string) ([]byte, error) {
	stmt, err := r.sql.PrepareStatement(ctx, "SELECT score['doc'] FROM risk WHERE _key = @key", _key) // want ttlread/sql
	if err != nil {
		return nil, err
	}
	return r.first(ctx, stmt, key)
}

// Velocity counts the events of a wallet.
func (r *Reporter) Velocity(ctx context.Context, key string) ([]byte, error) {
	stmt, err := r.sql.PrepareStatement(ctx, "SELECT velocity FROM risk(as_of => CURRENT_TIMESTAMP()) WHERE _key = @key", _key) // want ttlread/sql
	if err != nil {
		return nil, err
	}
	return r.first(ctx, stmt, key)
}

// Cursor reads the cursor of an endpoint, in the newest version.
func (r *Reporter) Cursor(ctx context.Context, key string) ([]byte, error) {
	stmt, err := r.sql.PrepareStatement(ctx, "SELECT cursor['pos'] FROM webhooks WHERE _key = @key", _key) // ok ttlread/sql
	if err != nil {
		return nil, err
	}
	return r.first(ctx, stmt, key)
}

// Balance reads a balance.
func (r *Reporter) Balance(ctx context.Context, key string) ([]byte, error) {
	stmt, err := r.sql.PrepareStatement(ctx, "SELECT bal['available'] FROM wallets WHERE _key = @key", _key) // ok ttlread/sql
	if err != nil {
		return nil, err
	}
	return r.first(ctx, stmt, key)
}

func (r *Reporter) first(ctx context.Context, stmt *bigtable.PreparedStatement, key string) (out []byte, err error) {
	var getErr error
	err = r.query(ctx, stmt, map[string]any{"key": key}, func(row bigtable.ResultRow) bool {
		getErr = row.GetByIndex(0, &out)
		return false
	})
	return out, errors.Join(err, getErr)
}

// Save keeps a report; its table has nothing to do with the ledger's.
func (r *Reporter) Save(ctx context.Context, name string, doc []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyEntry.String(), "doc", bigtable.Now(), doc)                     // ok ttlwrite/clock-in-sequence
	mut.Set(schema.FamilyEntry.String(), "size", bigtable.ServerTime, nil)               // ok ttlwrite/clock-in-sequence
	mut.Set(schema.FamilyState.String(), "saved", bigtable.Time(r.clock.Now()), nil)     // ok ttlwrite/clock-in-sequence
	mut.Set(schema.FamilyHold.String(), "until", bigtable.Now(), []byte("next quarter")) // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, name, mut)
}

// Saved is a report that has been kept.
type Saved struct {
	Doc       []byte
	CreatedAt time.Time
}

// Load returns a report.
func (r *Reporter) Load(ctx context.Context, name string) (*Saved, error) {
	row, err := r.tbl.ReadRow(ctx, name) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, item := range row[schema.FamilyEntry.String()] {
		return &Saved{Doc: item.Value, CreatedAt: item.Timestamp.Time()}, nil // ok ttlage/not-write-time
	}
	return nil, errors.New("no report")
}

// Downloads counts downloads of a report.
func (r *Reporter) Downloads(ctx context.Context, name string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamilyEntry.String(), "downloads", 1) // ok ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, name, rmw)
	return err
}

// Monthly returns the reports of a month.
func (r *Reporter) Monthly(ctx context.Context, prefix string, month time.Time) ([]Saved, error) {
	var out []Saved
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
		for _, item := range row[schema.FamilyEntry.String()] {
			out = append(out, Saved{Doc: item.Value, CreatedAt: item.Timestamp.Time()}) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(month, month.AddDate(0, 1, 0)))) // ok ttlread/upper-bound
	return out, err
}

// Expire drops reports of before the cutover.
func (r *Reporter) Expire(ctx context.Context, name string) error {
	cutover := time.Date(2023, time.June, 1, 0, 0, 0, 0, time.UTC)
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(schema.FamilyEntry.String(), "doc", 0, bigtable.Time(cutover)) // ok ttlunit/sub-millisecond
	mut.DeleteTimestampRange(schema.FamilyEntry.String(), "size", 0, 500)                   // want ttlunit/sub-millisecond
	return r.tbl.Apply(ctx, name, mut)
}

// Stamp writes when the figures were taken.
func (r *Reporter) Stamp(ctx context.Context, name string, taken time.Time, lag time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set("figures", "taken", bigtable.Timestamp(taken.UnixMilli()), nil)                  // want ttlunit/wrong-unit
	mut.Set("figures", "taken_ok", bigtable.Time(taken), nil)                                // ok ttlunit/wrong-unit
	mut.Set("figures", "lag", bigtable.Timestamp(lag), nil)                                  // want ttlunit/wrong-unit
	mut.Set("figures", "lag_ok", bigtable.Timestamp(lag.Microseconds()), nil)                // ok ttlunit/wrong-unit
	mut.Set("figures", "due", bigtable.Time(taken)+bigtable.Timestamp(24*time.Hour), nil)    // want ttlunit/wrong-unit
	mut.Set("figures", "due_ok", bigtable.Time(taken.Add(24*time.Hour)), nil)                // ok ttlunit/wrong-unit
	mut.Set("figures", "seconds", bigtable.Timestamp(taken.Unix()*1000), nil)                // want ttlunit/wrong-unit
	mut.Set("figures", "seconds_ok", bigtable.Timestamp(taken.Unix()*int64(1_000_000)), nil) // ok ttlunit/wrong-unit
	return r.tbl.Apply(ctx, name, mut)
}
