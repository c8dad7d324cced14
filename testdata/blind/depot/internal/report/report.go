// Package report asks the tables in SQL.
package report

import (
	"context"
	"fmt"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"
)

// Querier is what this package needs of a client.
type Querier interface {
	PrepareStatement(ctx context.Context, query string, types map[string]bigtable.SQLType, opts ...bigtable.PrepareOption) (*bigtable.PreparedStatement, error)
}

// The statements.
const (
	holdsNow = "SELECT _key, hold['by'] FROM `dock-slots`(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())" // ok ttlread/sql
	slotsAll = "SELECT _key, slot['booking'] FROM `dock-slots`"                                                         // ok ttlread/sql
	drafts   = "SELECT _key, rev['list'] FROM `manifest-drafts`"                                                        // ok ttlread/sql
	state    = "SELECT _key, state['now'] FROM parcels"                                                                 // ok ttlread/sql
)

// Line is a line of a report.
type Line struct {
	Key   string
	Value []byte
}

func query(ctx context.Context, q Querier, sql string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		ps, err := q.PrepareStatement(ctx, sql, nil)
		if err != nil {
			yield(Line{}, fmt.Errorf("prepare: %w", err))
			return
		}
		bound, err := ps.Bind(nil)
		if err != nil {
			yield(Line{}, err)
			return
		}
		stopped := false
		err = bound.Execute(ctx, func(r bigtable.ResultRow) bool {
			var l Line
			var key []byte
			if err := r.GetByIndex(0, &key); err != nil {
				return yield(Line{}, err)
			}
			if err := r.GetByIndex(1, &l.Value); err != nil {
				return yield(Line{}, err)
			}
			l.Key = string(key)
			stopped = !yield(l, nil)
			return !stopped
		})
		if err != nil && !stopped {
			yield(Line{}, err)
		}
	}
}

// Holds are the holds of now.
func Holds(ctx context.Context, q Querier) iter.Seq2[Line, error] { return query(ctx, q, holdsNow) }

// Slots are the bookings.
func Slots(ctx context.Context, q Querier) iter.Seq2[Line, error] { return query(ctx, q, slotsAll) }

// Drafts are the drafts.
func Drafts(ctx context.Context, q Querier) iter.Seq2[Line, error] { return query(ctx, q, drafts) }

// States are the states of the parcels.
func States(ctx context.Context, q Querier) iter.Seq2[Line, error] { return query(ctx, q, state) }

// Holders are the carriers with a hold.
func Holders(ctx context.Context, q Querier) iter.Seq2[Line, error] {
	return query(ctx, q, "SELECT _key, hold['by'] FROM `dock-slots` WHERE hold['by'] IS NOT NULL") // want ttlread/sql
}

// Bearers are the bearers of passes.
func Bearers(ctx context.Context, q Querier) iter.Seq2[Line, error] {
	return query(ctx, q, "SELECT _key, pass['bearer'] FROM `gate-passes`(as_of => CURRENT_TIMESTAMP())") // want ttlread/sql
}

// Rates are the rates.
func Rates(ctx context.Context, q Querier) iter.Seq2[Line, error] {
	return query(ctx, q, "SELECT _key, rate['best'] FROM quotes") // want ttlread/sql
}

// RatesLive are the rates that are good.
func RatesLive(ctx context.Context, q Querier) iter.Seq2[Line, error] {
	return query(ctx, q, "SELECT _key, rate['best'] FROM quotes(with_history => TRUE, after_or_equal => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 6 HOUR))") // ok ttlread/sql
}

// Lists are the loading lists of a depot: the newest revision is what SQL
// gives anyway.
func Lists(ctx context.Context, q Querier) iter.Seq2[Line, error] {
	return query(ctx, q, "SELECT _key, rev['list'] FROM `berlin-manifest`") // ok ttlread/sql
}

// ListsHistory are the revisions with those that are superseded.
func ListsHistory(ctx context.Context, q Querier) iter.Seq2[Line, error] {
	return query(ctx, q, "SELECT _key, rev['list'] FROM `berlin-manifest`(with_history => TRUE)") // want ttlread/sql
}

// ListsKept are the revisions that are kept.
func ListsKept(ctx context.Context, q Querier) iter.Seq2[Line, error] {
	return query(ctx, q, "SELECT _key, rev['list'] FROM `berlin-manifest`(with_history => TRUE, latest_n => 3)") // ok ttlread/sql
}

// PingsLive are the pings.
func PingsLive(ctx context.Context, q Querier) iter.Seq2[Line, error] {
	return query(ctx, q, "SELECT _key, ping['pos'] FROM telemetry(with_history => TRUE, after_or_equal => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 48 HOUR))") // ok ttlread/sql
}

// Pings are the pings of a day, as a query with a parameter.
func Pings(ctx context.Context, c *bigtable.Client, vehicle string) ([]byte, error) {
	ps, err := c.PrepareStatement(ctx, "SELECT ping['pos'] AS pos FROM telemetry WHERE _key = @key", map[string]bigtable.SQLType{"key": bigtable.BytesSQLType{}}) // want ttlread/sql
	if err != nil {
		return nil, err
	}
	bound, err := ps.Bind(map[string]any{"key": []byte(vehicle)})
	if err != nil {
		return nil, err
	}
	var pos []byte
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	err = bound.Execute(ctx, func(r bigtable.ResultRow) bool {
		return r.GetByName("pos", &pos) == nil
	})
	return pos, err
}
