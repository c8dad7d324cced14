// Package report answers the back office's questions with GoogleSQL.
package report

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/tenant"
)

// Reporter runs statements.
type Reporter struct{ client *bigtable.Client }

// New makes a Reporter.
func New(client *bigtable.Client) *Reporter { return &Reporter{client: client} }

const (
	sqlHolds     = `SELECT _key, hold['h'] AS h FROM reservations WHERE STARTS_WITH(_key, @prefix)` // want ttlread/sql[holds]
	sqlLiveHolds = `SELECT _key, hold['h'] AS h FROM reservations(with_history => TRUE, after_or_equal => @now) WHERE STARTS_WITH(_key, @prefix)`
	sqlBookings  = `SELECT _key, detail['body'] AS body FROM reservations WHERE STARTS_WITH(_key, @prefix)`
	sqlRates     = `SELECT _key, rate['r'] AS r FROM tariffs WHERE STARTS_WITH(_key, @prefix)`
	sqlRateTrail = `SELECT _key, rate['r'] AS r FROM tariffs(with_history => TRUE) WHERE STARTS_WITH(_key, @prefix)` // want ttlread/sql[trail]
	sqlRateFive  = `SELECT _key, rate['r'] AS r FROM tariffs(with_history => TRUE, latest_n => 5) WHERE STARTS_WITH(_key, @prefix)`
	sqlUsage     = `SELECT _key, agg['wh'] AS wh FROM counters WHERE STARTS_WITH(_key, @prefix)`
	sqlAnalytics = `SELECT _key, sample['last'] AS s FROM analytics WHERE STARTS_WITH(_key, @prefix)`
)

func (r *Reporter) keys(ctx context.Context, sql string, params map[string]bigtable.SQLType, values map[string]any) ([]string, error) {
	ps, err := r.client.PrepareStatement(ctx, sql, params)
	if err != nil {
		return nil, fmt.Errorf("report: prepare: %w", err)
	}
	bs, err := ps.Bind(values)
	if err != nil {
		return nil, fmt.Errorf("report: bind: %w", err)
	}
	var out []string
	var gerr error
	err = bs.Execute(ctx, func(row bigtable.ResultRow) bool {
		var k []byte
		if gerr = row.GetByName("_key", &k); gerr != nil {
			return false
		}
		out = append(out, string(k))
		return true
	})
	if gerr != nil {
		return nil, gerr
	}
	return out, err
}

var prefixParam = map[string]bigtable.SQLType{"prefix": bigtable.StringSQLType{}}

// Overview is what the start page shows.
type Overview struct {
	Holds, LiveHolds, Bookings, Rates, Trail, Five, Usage, Exported []string
}

// Overview runs the statements of the start page.
func (r *Reporter) Overview(ctx context.Context) (Overview, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return Overview{}, err
	}
	var o Overview
	val := func(part string) map[string]any { return map[string]any{"prefix": tenant.Key(id, part, "")} }
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		o.Holds, err = r.keys(ctx, sqlHolds, prefixParam, val("bay")) // want ttlread/sql[holds]
		return err
	})
	g.Go(func() (err error) {
		params := map[string]bigtable.SQLType{"prefix": bigtable.StringSQLType{}, "now": bigtable.TimestampSQLType{}}
		values := val("bay")
		values["now"] = clock.Now(ctx)
		o.LiveHolds, err = r.keys(ctx, sqlLiveHolds, params, values) // ok ttlread/sql
		return err
	})
	g.Go(func() (err error) {
		o.Bookings, err = r.keys(ctx, sqlBookings, prefixParam, val("res")) // ok ttlread/sql
		return err
	})
	g.Go(func() (err error) {
		o.Rates, err = r.keys(ctx, sqlRates, prefixParam, val("tar")) // ok ttlread/sql
		return err
	})
	g.Go(func() (err error) {
		o.Trail, err = r.keys(ctx, sqlRateTrail, prefixParam, val("tar")) // want ttlread/sql[trail]
		return err
	})
	g.Go(func() (err error) {
		o.Five, err = r.keys(ctx, sqlRateFive, prefixParam, val("tar")) // ok ttlread/sql
		return err
	})
	g.Go(func() (err error) {
		o.Usage, err = r.keys(ctx, sqlUsage, prefixParam, val("day")) // ok ttlread/sql
		return err
	})
	g.Go(func() (err error) {
		o.Exported, err = r.keys(ctx, sqlAnalytics, prefixParam, val("chg")) // ok ttlread/sql
		return err
	})
	return o, g.Wait()
}

// Signins lists the drivers who signed in since a moment, by their sessions.
func (r *Reporter) Signins(ctx context.Context, since time.Time) ([]string, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return nil, err
	}
	sql := "SELECT _key, session['data'] AS d FROM auth WHERE STARTS_WITH(_key, @prefix)"     // want ttlread/sql[signins]
	return r.keys(ctx, sql, prefixParam, map[string]any{"prefix": tenant.Key(id, "ses", "")}) // want ttlread/sql[signins]
}

// Chargers lists the charging sessions; these are ordinary cells.
func (r *Reporter) Chargers(ctx context.Context) ([]string, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return nil, err
	}
	sql := "SELECT _key, session['body'] AS d FROM charging WHERE STARTS_WITH(_key, @prefix)"
	return r.keys(ctx, sql, prefixParam, map[string]any{"prefix": tenant.Key(id, "chg", "")}) // ok ttlread/sql
}
