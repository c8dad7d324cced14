// Package reporting answers the questions of finance and support: SQL where
// it is enough, scans where it is not.
package reporting

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"sort"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/clock"
	"example.com/payments/internal/schema"
	"example.com/payments/internal/store"
)

// Reporter runs reports.
type Reporter struct {
	client *bigtable.Client
	clk    clock.Clock
}

// New is a Reporter on client.
func New(client *bigtable.Client) *Reporter { return &Reporter{client: client, clk: clock.System{}} }

// query runs a statement and hands each row to f.
func (r *Reporter) query(ctx context.Context, stmt *bigtable.PreparedStatement, f func(bigtable.ResultRow) error) error {
	bound, err := stmt.Bind(nil)
	if err != nil {
		return err
	}
	var inner error
	err = bound.Execute(ctx, func(row bigtable.ResultRow) bool {
		inner = f(row)
		return inner == nil
	})
	return errors.Join(err, inner)
}

// Tokens lists outstanding tokens.
func (r *Reporter) Tokens(ctx context.Context, f func(bigtable.ResultRow) error) error {
	stmt, err := r.client.PrepareStatement(ctx, "SELECT _key, token['hash'] AS hash FROM onetime", nil) // want ttlread/sql
	if err != nil {
		return err
	}
	return r.query(ctx, stmt, f)
}

// LiveTokens is Tokens without the dead ones.
func (r *Reporter) LiveTokens(ctx context.Context, f func(bigtable.ResultRow) error) error {
	stmt, err := r.client.PrepareStatement(ctx, "SELECT _key, token['hash'] AS hash FROM onetime(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())", nil) // ok ttlread/sql
	if err != nil {
		return err
	}
	return r.query(ctx, stmt, f)
}

// TokensAsOf is Tokens at this moment.
func (r *Reporter) TokensAsOf(ctx context.Context, f func(bigtable.ResultRow) error) error {
	stmt, err := r.client.PrepareStatement(ctx, "SELECT _key, token['hash'] AS hash FROM onetime(as_of => CURRENT_TIMESTAMP())", nil) // want ttlread/sql
	if err != nil {
		return err
	}
	return r.query(ctx, stmt, f)
}

// Contacts lists contacts.
func (r *Reporter) Contacts(ctx context.Context, f func(bigtable.ResultRow) error) error {
	stmt, err := r.client.PrepareStatement(ctx, "SELECT _key, contact['last-channel'] AS channel FROM onetime", nil) // ok ttlread/sql
	if err != nil {
		return err
	}
	return r.query(ctx, stmt, f)
}

const ratesSQL = `SELECT _key, fx['rate'] AS rate FROM quotes` // want ttlread/sql[rates]

// Rates lists exchange rates.
func (r *Reporter) Rates(ctx context.Context, f func(bigtable.ResultRow) error) error {
	stmt, err := r.client.PrepareStatement(ctx, ratesSQL, nil) // want ttlread/sql[rates]
	if err != nil {
		return err
	}
	return r.query(ctx, stmt, f)
}

const validRatesSQL = `
SELECT _key, fx['rate'] AS rate
FROM quotes(with_history => TRUE, after_or_equal => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 15 MINUTE))`

// ValidRates lists exchange rates that count.
func (r *Reporter) ValidRates(ctx context.Context, f func(bigtable.ResultRow) error) error {
	stmt, err := r.client.PrepareStatement(ctx, validRatesSQL, nil) // ok ttlread/sql
	if err != nil {
		return err
	}
	return r.query(ctx, stmt, f)
}

// Balances lists the newest balances.
func (r *Reporter) Balances(ctx context.Context, f func(bigtable.ResultRow) error) error {
	stmt, err := r.client.PrepareStatement(ctx, "SELECT _key, balance['amount'] AS amount FROM `eu-ledger`", nil) // ok ttlread/sql
	if err != nil {
		return err
	}
	return r.query(ctx, stmt, f)
}

// SandboxTokens lists the developers' tokens.
func (r *Reporter) SandboxTokens(ctx context.Context, f func(bigtable.ResultRow) error) error {
	stmt, err := r.client.PrepareStatement(ctx, "SELECT _key, token['hash'] AS hash FROM `sandbox-onetime`", nil) // ok ttlread/sql
	if err != nil {
		return err
	}
	return r.query(ctx, stmt, f)
}

// reportStart is fixed for the process, so that all reports agree.
var reportStart = sync.OnceValue(time.Now) // want ttlread/stale-bound[reportkeys]

// Keys counts the idempotency keys in use, per owner.
func (r *Reporter) Keys(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	tbl := r.client.Open(string(schema.TableIdempotency))
	f := store.LiveFamily(schema.FamKey, reportStart())                                // want ttlread/stale-bound[reportkeys]
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/stale-bound[reportkeys]
		out[store.Text(row, schema.KeyOwner)]++
		return true
	}, bigtable.RowFilter(f)) // want ttlread/stale-bound[reportkeys]
	return out, err
}

// Replies counts replies by status.
func (r *Reporter) Replies(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	tbl := r.client.Open(string(schema.TableIdempotency))
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter[replies]
		out[store.Text(row, schema.ReplyStatus)]++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("response"), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter[replies]
	return out, err
}

// Windows prints clients with their open windows.
func (r *Reporter) Windows(ctx context.Context, w io.Writer) error {
	tbl := r.client.Open(string(schema.TableRateLimits))
	now := r.clk.Now()
	out := csv.NewWriter(w)
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		n := 0
		for _, it := range row["window"] {
			if it.Timestamp > bigtable.Time(now) {
				n++
			}
		}
		return out.Write([]string{row.Key(), fmt.Sprint(n)}) == nil
	})
	out.Flush()
	return errors.Join(err, out.Error())
}

// Bursts prints clients with their burst trails.
func (r *Reporter) Bursts(ctx context.Context, w io.Writer) error {
	tbl := r.client.Open(string(schema.TableRateLimits))
	out := csv.NewWriter(w)
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row["burst"] {
			if out.Write([]string{row.Key(), string(it.Value)}) != nil {
				return false
			}
		}
		return true
	}, bigtable.LimitRows(500))
	out.Flush()
	return errors.Join(err, out.Error())
}

// Settled sums what was settled, by account, from the ledger of a region.
func (r *Reporter) Settled(ctx context.Context, region string) (map[string]int64, error) {
	tbl := r.client.Open(region + "-ledger")
	out := map[string]int64{}
	err := tbl.ReadRows(ctx, bigtable.PrefixRange("acct#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row["balance"] {
			if n, err := store.ParseInt(it.Value); err == nil {
				out[row.Key()] = n
			}
		}
		return true
	})
	return out, err
}

// SettledNow is Settled from the newest balances.
func (r *Reporter) SettledNow(ctx context.Context) (map[string]int64, error) {
	tbl := r.client.Open("eu-ledger")
	out := map[string]int64{}
	err := tbl.ReadRows(ctx, bigtable.PrefixRange("acct#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row["balance"] {
			if n, err := store.ParseInt(it.Value); err == nil {
				out[row.Key()] = n
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return out, err
}

// Activity tells when accounts were last booked on.
func (r *Reporter) Activity(ctx context.Context) (map[string]string, error) {
	tbl := r.client.Open("us-ledger")
	out := map[string]string{}
	err := tbl.ReadRows(ctx, bigtable.PrefixRange("acct#"), func(row bigtable.Row) bool {
		for _, it := range row["entry"] {
			lastUpdated := it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
			out[row.Key()] = lastUpdated
		}
		for _, it := range row["memo"] {
			lastNoted := it.Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
			out["memo "+row.Key()] = lastNoted
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	return out, err
}

// Endpoints prints endpoints by their last answer.
func (r *Reporter) Endpoints(ctx context.Context, w io.Writer) error {
	tbl := r.client.Open(string(schema.TableWebhooks))
	var lines []string
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row["endpoint"] {
			lines = append(lines, fmt.Sprintf("%s updated %s", row.Key(), it.Timestamp.Time())) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter("endpoint")))
	sort.Strings(lines)
	for _, l := range lines {
		fmt.Fprintln(w, l)
	}
	return err
}

// Ranges the quarterly export reads; somebody swapped two of them.
func (r *Reporter) Quarter(ctx context.Context, n int, f func(bigtable.Row) bool) error {
	tbl := r.client.Open(string(schema.TableArchive))
	const (
		q1 = bigtable.Timestamp(1735689600000000)
		q2 = bigtable.Timestamp(1743465600000000)
		q3 = bigtable.Timestamp(1751328000000000)
	)
	var flt bigtable.Filter
	switch n {
	case 1:
		flt = bigtable.TimestampRangeFilterMicros(q1, q2) // ok ttlunit/empty-range
	case 2:
		flt = bigtable.TimestampRangeFilterMicros(q3, q2) // want ttlunit/empty-range
	case 3:
		flt = bigtable.TimestampRangeFilterMicros(q3, 0) // ok ttlunit/empty-range
	default:
		flt = bigtable.LatestNFilter(0) // want ttlunit/invalid-filter
	}
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), f, bigtable.RowFilter(flt))
}

// First reads the oldest cells of the archive.
func (r *Reporter) First(ctx context.Context, f func(bigtable.Row) bool) error {
	tbl := r.client.Open(string(schema.TableArchive))
	first := bigtable.TimestampRangeFilterMicros(0, 500)                                                                                 // want ttlunit/sub-millisecond
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), f, bigtable.RowFilter(bigtable.ChainFilters(first, bigtable.LatestNFilter(1)))) // ok ttlunit/invalid-filter
}

// Second reads the next oldest.
func (r *Reporter) Second(ctx context.Context, f func(bigtable.Row) bool) error {
	tbl := r.client.Open(string(schema.TableArchive))
	next := bigtable.TimestampRangeFilterMicros(1000, 2000) // ok ttlunit/sub-millisecond
	only := bigtable.ChainFilters(next)                     // want ttlunit/invalid-filter
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), f, bigtable.RowFilter(only))
}

// Both reads two columns of the archive; the options do not add up.
func (r *Reporter) Both(ctx context.Context, key string) (bigtable.Row, error) {
	tbl := r.client.Open(string(schema.TableArchive))
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ColumnFilter("body")), bigtable.RowFilter(bigtable.LatestNFilter(1))} // want ttlread/overridden-filter[both]
	return tbl.ReadRow(ctx, key, opts...)                                                                                           // want ttlread/overridden-filter[both]
}

// One reads a column of the archive.
func (r *Reporter) One(ctx context.Context, key string) (bigtable.Row, error) {
	tbl := r.client.Open(string(schema.TableArchive))
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ColumnFilter("body")), bigtable.LimitRows(1)}
	return tbl.ReadRow(ctx, key, opts...) // ok ttlread/overridden-filter
}
