// Package quality reads raw cells of the platform's tables, all versions, and
// judges them. It is the one reader that wants to see what others must not;
// and it keeps results in a table of its own.
package quality

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/conf"
	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

// Severity of a problem.
type Severity int

// Severities.
const (
	Info Severity = iota
	Warn
	Bad
)

func (s Severity) String() string { return [...]string{"info", "warn", "bad"}[s] }

// Problem is what a check found.
type Problem struct {
	Table    string   `json:"table"`
	Row      string   `json:"row"`
	Column   string   `json:"column"`
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
	SeenAt   string   `json:"seen_at"`
}

// Check looks at a row.
type Check interface {
	Name() string
	Row(row bigtable.Row) []Problem
}

// Checker runs checks over tables.
type Checker struct {
	client *bigtable.Client
	own    *bigtable.Table
	cfg    conf.Quality
	log    *slog.Logger
	checks map[string][]Check
}

// NewChecker makes one.
func NewChecker(client *bigtable.Client, cfg conf.Quality, log *slog.Logger) *Checker {
	return &Checker{client: client, own: client.Open(schema.TableQuality), cfg: cfg, log: log, checks: map[string][]Check{}}
}

// Register adds a check for a table.
func (c *Checker) Register(table string, ch Check) { c.checks[table] = append(c.checks[table], ch) }

// Table runs the checks of a table that a flag names. The name is not known
// here, so neither are the strategies.
func (c *Checker) Table(ctx context.Context, table string) ([]Problem, error) {
	var out []Problem
	err := c.client.Open(table).ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, ch := range c.checks[table] {
			out = append(out, ch.Row(row)...)
		}
		return true
	}, bigtable.RowFilter(bigtable.PassAllFilter()))
	return out, err
}

// Future counts cells of the session family that lie more than a day ahead;
// all versions, and the dead ones are sorted out by hand.
func (c *Checker) Future(ctx context.Context) (int, error) {
	n := 0
	now := time.Now()
	err := c.client.Open(schema.TableClicks).ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamSession] {
			t := it.Timestamp.Time()
			if t.Before(now) {
				continue
			}
			if t.Sub(now) > 24*time.Hour { // ok ttlage/not-write-time
				n++
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamSession)))
	return n, err
}

// Dead counts cells that collection has left, per table.
func (c *Checker) Dead(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	cutoff := bigtable.Time(time.Now().Add(-schema.ClickRetention))
	err := c.client.Open(schema.TableClicks).ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamEvent] {
			if it.Timestamp < cutoff {
				out[schema.TableClicks]++
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamEvent)))
	if err != nil {
		return nil, err
	}
	err = c.client.Open(schema.TableDedup).ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter
		out[schema.TableDedup] += len(row[schema.FamSeen])
		return true
	})
	return out, err
}

// DeadRange counts dead marks with the filter that returns nothing else: on
// purpose, but the rule cannot know that.
func (c *Checker) DeadRange(ctx context.Context) (int, error) {
	n := 0
	err := c.client.Open(schema.TableDedup).ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/expired-only[m3]
		n += len(row[schema.FamSeen])
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, time.Now()))) // want ttlread/expired-only[m3]
	return n, err
}

// Versions finds columns of the offsets table with more versions than kept.
func (c *Checker) Versions(ctx context.Context) ([]Problem, error) {
	var out []Problem
	err := c.client.Open(schema.TableOffsets).ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/version-limit[m4]
		per := map[string]int{}
		for _, it := range row[schema.FamWatermark] {
			per[it.Column]++
		}
		for col, n := range per {
			if n > schema.WatermarkKeep {
				out = append(out, Problem{Table: schema.TableOffsets, Row: row.Key(), Column: col, Text: fmt.Sprintf("%d versions", n)})
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamWatermark))) // want ttlread/version-limit[m4]
	return out, err
}

// Gaps looks for numbers that are missing between the versions kept.
func (c *Checker) Gaps(ctx context.Context, pipeline string) ([]int64, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamWatermark), bigtable.ColumnFilter("pos"), bigtable.LatestNFilter(schema.WatermarkKeep))
	row, err := c.client.Open(schema.TableOffsets).ReadRow(ctx, pipeline, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var gaps []int64
	items := row[schema.FamWatermark]
	for i := 1; i < len(items); i++ {
		if d := etl.SeqOf(items[i-1].Timestamp) - etl.SeqOf(items[i].Timestamp); d > 1 {
			gaps = append(gaps, etl.SeqOf(items[i].Timestamp)+1)
		}
	}
	return gaps, nil
}

// NonZero finds aggregates that somebody wrote with a clock.
func (c *Checker) NonZero(ctx context.Context) ([]Problem, error) {
	var out []Problem
	err := c.client.Open(schema.TableAgg).ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamAgg] {
			if it.Timestamp != 0 {
				out = append(out, Problem{Table: schema.TableAgg, Row: it.Row, Column: it.Column, Severity: Bad, Text: "timestamp " + it.Timestamp.Time().Format(time.RFC3339)})
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamAgg)))
	return out, err
}

// ServerStamped tries to find cells with server timestamps; none is ever -1.
func (c *Checker) ServerStamped(ctx context.Context) (int, error) {
	n := 0
	err := c.client.Open(schema.TableFeatures).ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamOnline] {
			if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
				n++
			}
		}
		return true
	}, bigtable.RowFilter(etl.InFamily(schema.FamOnline, etl.Live())))
	return n, err
}

// Sample keeps a few rows for people to look at, for three days.
func (c *Checker) Sample(ctx context.Context, run string, rows []bigtable.Row) error {
	until := bigtable.Time(time.Now().Add(c.cfg.SampleTTL))
	var keys []string
	var muts []*bigtable.Mutation
	for i, row := range rows {
		b, err := json.Marshal(row)
		if err != nil {
			return err
		}
		m := bigtable.NewMutation()
		m.Set(schema.FamSample, "row", until, b)                                      // ok ttlwrite/write-time
		m.Set(schema.FamSample, "taken", bigtable.Now(), []byte(time.Now().String())) // want ttlwrite/write-time
		m.Set(schema.FamRun, "sampled", bigtable.Now(), []byte(run))                  // ok ttlwrite/clock-in-sequence
		keys = append(keys, etl.Key(run, fmt.Sprint(i)))
		muts = append(muts, m)
	}
	errs, err := c.own.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

// Samples reads them back.
func (c *Checker) Samples(ctx context.Context, run string) ([][]byte, error) {
	var out [][]byte
	err := c.own.ReadRows(ctx, bigtable.PrefixRange(run+"#"), func(row bigtable.Row) bool {
		out = append(out, etl.First(row, schema.FamSample, "row"))
		return true
	}, bigtable.RowFilter(etl.InFamily(schema.FamSample, etl.Live()))) // ok ttlread/missing-filter
	return out, err
}

// SamplesDays reads the samples taken in the last days, it was thought.
func (c *Checker) SamplesDays(ctx context.Context, run string) ([][]byte, error) {
	var out [][]byte
	err := c.own.ReadRows(ctx, bigtable.PrefixRange(run+"#"), func(row bigtable.Row) bool { // want ttlread/wrong-bound[m5]
		out = append(out, etl.First(row, schema.FamSample, "row"))
		return true
	}, bigtable.RowFilter(etl.InFamily(schema.FamSample, etl.Within(schema.SampleTTL)))) // want ttlread/wrong-bound[m5]
	return out, err
}

// Summary counts problems of a table; the statistics of this table are at
// timestamp zero, those of the features table are not.
func (c *Checker) Summary(ctx context.Context, table string, ps []Problem) error {
	per := map[Severity]int64{}
	for _, p := range ps {
		per[p.Severity]++
	}
	m := bigtable.NewMutation()
	for sev, n := range per {
		m.Set(schema.FamStats, sev.String(), 0, etl.Int64(n)) // ok ttlwrite/already-expired
	}
	m.Set(schema.FamStats, "at", bigtable.Now(), []byte(time.Now().Format(time.RFC3339))) // want ttlwrite/clock-in-zero
	m.Set(schema.FamRun, "at", bigtable.Now(), nil)                                       // ok ttlwrite/clock-in-sequence
	return c.own.Apply(ctx, table, m)
}

// LastSummary needs no filter.
func (c *Checker) LastSummary(ctx context.Context, table string) (map[string]int64, error) {
	row, err := c.own.ReadRow(ctx, table, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamStats))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for _, it := range row[schema.FamStats] {
		if n, err := etl.ParseInt64(it.Value); err == nil {
			out[etl.Column(it)] = n
		}
	}
	return out, nil
}

// LastRun is dated: this run family has write times.
func (c *Checker) LastRun(ctx context.Context, table string) (time.Duration, error) {
	row, err := c.own.ReadRow(ctx, table, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamRun))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row[schema.FamRun] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, nil
}

// CountUp increments the summary.
func (c *Checker) CountUp(ctx context.Context, table string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamStats, "runs", 1) // want ttlwrite/read-modify-write
	_, err := c.own.ApplyReadModifyWrite(ctx, table, rmw)
	return err
}

// CountRun increments the ordinary run family.
func (c *Checker) CountRun(ctx context.Context, table string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamRun, "runs", 1) // ok ttlwrite/read-modify-write
	_, err := c.own.ApplyReadModifyWrite(ctx, table, rmw)
	return err
}

// Dump writes raw cells of a table with all versions as JSON lines; people
// compare them by eye.
func (c *Checker) Dump(ctx context.Context, w io.Writer) error {
	type cell struct {
		Row, Column string
		Micros      int64
		CreatedAt   time.Time
		Size        int
	}
	jw := etl.NewJSONWriter(w)
	var failed error
	err := c.client.Open(schema.TableFeatures).ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row[schema.FamOnline] {
			failed = jw.Write(cell{
				Row: it.Row, Column: it.Column, Micros: int64(it.Timestamp),
				CreatedAt: it.Timestamp.Time(), // want ttlage/not-write-time
				Size:      len(it.Value),
			})
			if failed != nil {
				return false
			}
		}
		for _, it := range row[schema.FamEntity] {
			failed = jw.Write(cell{
				Row: it.Row, Column: it.Column, Micros: int64(it.Timestamp),
				CreatedAt: it.Timestamp.Time(), // ok ttlage/not-write-time
				Size:      len(it.Value),
			})
			if failed != nil {
				return false
			}
		}
		return true
	})
	return errors.Join(err, failed, jw.Close())
}

// Rank sorts problems, the worst first.
func Rank(ps []Problem) {
	sort.SliceStable(ps, func(i, j int) bool { return ps[i].Severity > ps[j].Severity })
}
