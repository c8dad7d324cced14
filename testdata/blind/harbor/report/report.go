// Package report writes what the harbor master wants to see on Monday.
package report

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/harbor/btutil"
)

// Queries. Formatted by hand, sorry.
const (
	sqlSessions = "SELECT _key, token['user'] FROM sessions WHERE _key LIKE 'u#%'"

	sqlSessionsLive = "SELECT _key, token['user'] FROM sessions(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP()) WHERE _key LIKE 'u#%'"

	sqlProfiles = "SELECT _key, profile['mail'] FROM sessions WHERE _key LIKE 'u#%'"

	sqlQuotes = `SELECT _key, quote['cents'] FROM quotes
		WHERE STARTS_WITH(_key, @lane)`

	sqlQuotesLive = `SELECT _key, quote['cents']
		FROM quotes(with_history => TRUE, after_or_equal => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 72 HOUR))
		WHERE STARTS_WITH(_key, @lane)`

	sqlSettings = "SELECT _key, kv['limit'] FROM settings"

	sqlLedger = "SELECT _key, entry['balance'] FROM `t1-ledger`"

	sqlWarehouse = "SELECT _key, token['id'] FROM warehouse"
)

// Reporter has the client and the tables it needs.
type Reporter struct {
	client *bigtable.Client
	open   map[string]*bigtable.Table
	quotes *bigtable.Table
	sess   *bigtable.Table
	out    io.Writer
	loc    *time.Location
}

// New makes a reporter.
func New(c *bigtable.Client, out io.Writer) *Reporter {
	return &Reporter{client: c, open: map[string]*bigtable.Table{}, quotes: c.Open("quotes"), sess: c.Open("sessions"), out: out, loc: time.UTC}
}

func (r *Reporter) query(ctx context.Context, stmt *bigtable.PreparedStatement, params map[string]any, f func(bigtable.ResultRow) error) error {
	b, err := stmt.Bind(params)
	if err != nil {
		return err
	}
	var ferr error
	err = b.Execute(ctx, func(row bigtable.ResultRow) bool {
		ferr = f(row)
		return ferr == nil
	})
	if err != nil {
		return err
	}
	return ferr
}

// Sessions counts sessions.
func (r *Reporter) Sessions(ctx context.Context, live bool) (int, error) {
	var stmt *bigtable.PreparedStatement
	var err error
	if live {
		stmt, err = r.client.PrepareStatement(ctx, sqlSessionsLive, nil) // ok ttlread/sql
	} else {
		stmt, err = r.client.PrepareStatement(ctx, sqlSessions, nil) // want ttlread/sql
	}
	if err != nil {
		return 0, err
	}
	n := 0
	err = r.query(ctx, stmt, nil, func(bigtable.ResultRow) error { n++; return nil })
	return n, err
}

// Profiles lists mails.
func (r *Reporter) Profiles(ctx context.Context) ([]string, error) {
	stmt, err := r.client.PrepareStatement(ctx, sqlProfiles, nil) // ok ttlread/sql
	if err != nil {
		return nil, err
	}
	var out []string
	err = r.query(ctx, stmt, nil, func(row bigtable.ResultRow) error {
		var s string
		if err := row.GetByIndex(1, &s); err != nil {
			return err
		}
		out = append(out, s)
		return nil
	})
	return out, err
}

// Cents sums the quotes of a lane.
func (r *Reporter) Cents(ctx context.Context, lane string, live bool) (int64, error) {
	types := map[string]bigtable.SQLType{"lane": bigtable.BytesSQLType{}}
	var stmt *bigtable.PreparedStatement
	var err error
	if live {
		stmt, err = r.client.PrepareStatement(ctx, sqlQuotesLive, types) // ok ttlread/sql
	} else {
		stmt, err = r.client.PrepareStatement(ctx, sqlQuotes, types) // want ttlread/sql
	}
	if err != nil {
		return 0, err
	}
	var sum int64
	err = r.query(ctx, stmt, map[string]any{"lane": []byte(lane)}, func(row bigtable.ResultRow) error {
		var b []byte
		if err := row.GetByIndex(1, &b); err != nil {
			return err
		}
		sum += btutil.Int64(b)
		return nil
	})
	return sum, err
}

// Misc runs the other queries and throws the rows away. It is a smoke test that became a feature.
func (r *Reporter) Misc(ctx context.Context) error {
	for _, q := range []string{sqlSettings, sqlLedger, sqlWarehouse} {
		stmt, err := r.client.PrepareStatement(ctx, q, nil) // ok ttlread/sql
		if err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
		if err := r.query(ctx, stmt, nil, func(bigtable.ResultRow) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// CSV writes the quotes of all lanes. cols: which columns. since: only those seen after it.
func (r *Reporter) CSV(ctx context.Context, lanes, cols []string, since time.Time, header, sources, dead bool) error {
	w := csv.NewWriter(r.out)
	defer w.Flush()
	if header {
		if err := w.Write(append([]string{"lane", "key"}, cols...)); err != nil {
			return err
		}
	}
	var filters []bigtable.Filter
	if len(cols) > 0 {
		filters = append(filters, bigtable.ColumnFilter(strings.Join(cols, "|")))
	}
	filters = append(filters, bigtable.LatestNFilter(1))
	for _, lane := range lanes {
		var werr error
		write := func(row bigtable.Row, fam string) bool {
			rec := []string{lane, row.Key()}
			for _, c := range cols {
				v, _ := btutil.Column(row, fam, c)
				rec = append(rec, string(v))
			}
			werr = w.Write(rec)
			return werr == nil
		}
		var err error
		switch {
		case sources:
			err = r.quotes.ReadRows(ctx, bigtable.PrefixRange(lane), func(row bigtable.Row) bool { // ok ttlread/missing-filter
				return write(row, btutil.FamSrc)
			}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(btutil.FamSrc), bigtable.PassAllFilter())))
		case dead:
			chain := append([]bigtable.Filter{bigtable.FamilyFilter(btutil.FamQuote)}, filters...)
			err = r.quotes.ReadRows(ctx, bigtable.PrefixRange(lane), func(row bigtable.Row) bool { // want ttlread/missing-filter[csv]
				return write(row, btutil.FamQuote)
			}, bigtable.RowFilter(bigtable.ChainFilters(chain...))) // want ttlread/missing-filter[csv]
		default:
			chain := append([]bigtable.Filter{btutil.SinceIn(btutil.FamQuote, btutil.QuoteTTL)}, filters...)
			err = r.quotes.ReadRows(ctx, bigtable.PrefixRange(lane), func(row bigtable.Row) bool { // ok ttlread/missing-filter
				return write(row, btutil.FamQuote)
			}, bigtable.RowFilter(bigtable.ChainFilters(chain...)))
		}
		if err != nil {
			return err
		}
		if werr != nil {
			return werr
		}
	}
	return nil
}

// Logins prints a table of logins.
func (r *Reporter) Logins(ctx context.Context, prefix string, max int) error {
	type line struct {
		user  string
		login time.Time
		ends  time.Time
		idle  time.Duration
	}
	var lines []line
	now := time.Now()
	err := r.sess.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		l := line{user: row.Key()}
		for _, it := range row["profile"] {
			if it.Column == "profile:last" {
				l.login = it.Timestamp.Time()         // ok ttlage/not-write-time
				l.idle = now.Sub(it.Timestamp.Time()) // ok ttlage/not-write-time
			}
		}
		lines = append(lines, l)
		return len(lines) < max
	}, bigtable.RowFilter(bigtable.FamilyFilter("profile")))
	if err != nil {
		return err
	}
	err = r.sess.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for i := range lines {
			if lines[i].user != row.Key() {
				continue
			}
			for _, it := range row["token"] {
				if it.Column == "token:jwt" {
					lines[i].ends = it.Timestamp.Time()                       // ok ttlage/not-write-time
					if d := now.Sub(it.Timestamp.Time()); d < lines[i].idle { // want ttlage/not-write-time
						lines[i].idle = d
					}
				}
			}
		}
		return true
	}, btutil.ReadOpts(true, 1, bigtable.FamilyFilter("token"))...)
	if err != nil {
		return err
	}
	sort.Slice(lines, func(i, j int) bool { return lines[i].login.After(lines[j].login) })
	tw := tabwriter.NewWriter(r.out, 0, 8, 1, ' ', 0)
	for _, l := range lines {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", l.user, l.login.In(r.loc).Format(time.DateTime), l.ends.In(r.loc).Format(time.DateTime), l.idle.Round(time.Second))
	}
	return tw.Flush()
}

// LoginsRaw is what Logins was before somebody complained.
func (r *Reporter) LoginsRaw(ctx context.Context, prefix string) error {
	return r.sess.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row["token"] {
			if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
				continue
			}
			created := it.Timestamp.Time() // want ttlage/not-write-time
			fmt.Fprintf(r.out, "%s %s %s\n", row.Key(), it.Column, created.Format(time.DateTime))
		}
		return true
	})
}

// Warehouse reads the other team's table, whose families only sound like ours.
func (r *Reporter) Warehouse(ctx context.Context, prefix string) (map[string]time.Duration, error) {
	tbl := r.client.Open("warehouse")
	out := map[string]time.Duration{}
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row["token"] {
			out[row.Key()] = time.Since(it.Timestamp.Time()) // ok ttlage/not-write-time
		}
		for _, it := range row["entry"] {
			out[row.Key()+"/entry"] = time.Since(it.Timestamp.Time()) // ok ttlage/not-write-time
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	m := bigtable.NewMutation()
	m.Set("token", "reported", bigtable.Now(), []byte("1"))                         // ok ttlwrite/write-time
	m.Set("entry", "reported", bigtable.ServerTime, []byte(strconv.Itoa(len(out)))) // ok ttlwrite/clock-in-sequence
	m.Set("quote", "reported", 0, []byte("1"))                                      // ok ttlwrite/already-expired
	return out, tbl.Apply(ctx, "_report", m)
}

// Archive reads from yesterday's copies; the names have the date, so nobody knows them.
func (r *Reporter) Archive(ctx context.Context, name string, day time.Time) (int, error) {
	full := "archive_" + name + "_" + day.Format("20060102")
	tbl, ok := r.open[full]
	if !ok {
		tbl = r.client.Open(full)
		r.open[full] = tbl
	}
	n := 0
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		n += len(row["d"])
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(day, day.AddDate(0, 0, 1)))) // ok ttlread/upper-bound
	return n, err
}

// Windows has query windows over ordinary data of another table.
func (r *Reporter) Windows(ctx context.Context, from, to time.Time) (int, error) {
	n := 0
	tbl := r.client.Open("metrics")
	cb := func(row bigtable.Row) bool {
		for _, its := range row {
			n += len(its)
		}
		return true
	}
	if err := tbl.ReadRows(ctx, bigtable.PrefixRange("m#"), cb, bigtable.RowFilter(bigtable.TimestampRangeFilter(from, to))); err != nil { // ok ttlunit/empty-range
		return n, err
	}
	if err := tbl.ReadRows(ctx, bigtable.PrefixRange("m#"), cb, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(5000, 5000))); err != nil { // want ttlunit/empty-range
		return n, err
	}
	if err := tbl.ReadRows(ctx, bigtable.PrefixRange("m#"), cb, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(0, 999))); err != nil { // want ttlunit/sub-millisecond
		return n, err
	}
	if err := tbl.ReadRows(ctx, bigtable.PrefixRange("m#"), cb, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(1000, 2000))); err != nil { // ok ttlunit/sub-millisecond
		return n, err
	}
	if err := tbl.ReadRows(ctx, bigtable.PrefixRange("m#"), cb, bigtable.RowFilter(bigtable.LatestNFilter(0))); err != nil { // want ttlunit/invalid-filter
		return n, err
	}
	if err := tbl.ReadRows(ctx, bigtable.PrefixRange("m#"), cb, bigtable.RowFilter(bigtable.ChainFilters(bigtable.LatestNFilter(1)))); err != nil { // want ttlunit/invalid-filter
		return n, err
	}
	if err := tbl.ReadRows(ctx, bigtable.PrefixRange("m#"), cb, bigtable.RowFilter(bigtable.FamilyFilter("m")), bigtable.RowFilter(bigtable.LatestNFilter(1))); err != nil { // want ttlread/overridden-filter
		return n, err
	}
	err := tbl.ReadRows(ctx, bigtable.PrefixRange("m#"), cb, bigtable.RowFilter(bigtable.FamilyFilter("m")), bigtable.LimitRows(10)) // ok ttlread/overridden-filter
	return n, err
}

// Metrics writes the counts of a report.
func (r *Reporter) Metrics(ctx context.Context, counts map[string]int64, at time.Time) error {
	tbl := r.client.Open("metrics")
	m := bigtable.NewMutation()
	for k, v := range counts {
		m.Set("m", k, bigtable.Time(at), btutil.PutInt64(v)) // ok ttlunit/wrong-unit
	}
	m.Set("m", "_unix", bigtable.Timestamp(at.Unix()), nil)                                    // want ttlunit/wrong-unit
	m.Set("m", "_nano", bigtable.Timestamp(at.UnixNano()), nil)                                // want ttlunit/wrong-unit
	m.Set("m", "_micro", bigtable.Timestamp(at.UnixNano()/1e3), nil)                           // ok ttlunit/wrong-unit
	m.Set("m", "_ms", bigtable.Timestamp(at.UnixMilli()*1000), nil)                            // ok ttlunit/wrong-unit
	m.Set("m", "_epoch", bigtable.Time(time.Time{}), nil)                                      // want ttlunit/out-of-range
	m.Set("m", "_neg", -5000, nil)                                                             // want ttlunit/out-of-range
	m.Set("m", "_server", -1, nil)                                                             // ok ttlunit/out-of-range
	m.Set("m", "_cut", 1500, nil)                                                              // want ttlunit/sub-millisecond
	m.Set("m", "_whole", 2000, nil)                                                            // ok ttlunit/sub-millisecond
	m.Set("m", "_unixzero", bigtable.Time(time.Unix(0, 0)), nil)                               // ok ttlunit/out-of-range
	m.AddIntToCell("agg", "total", bigtable.ServerTime, int64(len(counts)))                    // want ttlwrite/aggregate-server-time
	m.AddIntToCell("agg", "day", bigtable.Time(at.Truncate(24*time.Hour)), int64(len(counts))) // ok ttlwrite/aggregate-server-time
	return tbl.Apply(ctx, btutil.InvKey("m", at), m)
}
