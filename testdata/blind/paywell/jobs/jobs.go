// Package jobs has what runs at night, and what ran once.
package jobs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/clock"
	"example.com/paywell/domain"
	"example.com/paywell/store"
)

// Runner runs jobs against the tables themselves: the stores do not know
// scans.
type Runner struct {
	client *bigtable.Client
	clk    clock.Clock
	out    io.Writer
	limit  int
}

// NewRunner returns a runner.
func NewRunner(client *bigtable.Client, clk clock.Clock, out io.Writer) *Runner {
	return &Runner{client: client, clk: clock.Or(clk), out: out, limit: 500}
}

// A Job has a name and does something.
type Job struct {
	Name string
	Run  func(ctx context.Context) error
}

// Jobs are all jobs.
func (r *Runner) Jobs() []Job {
	return []Job{
		{"export-sessions", r.ExportSessions},
		{"export-live-sessions", r.ExportLiveSessions},
		{"export-subscriptions", r.ExportSubscriptions},
		{"export-current", r.ExportCurrent},
		{"dead-letters", r.DeadLetters},
		{"backfill", r.Backfill},
		{"backfill-numbered", r.BackfillNumbered},
		{"copy-sessions", r.CopySessions},
		{"warm-up", r.WarmUp},
		{"migrate-usage", r.MigrateUsage},
		{"audit-revenue", r.AuditRevenue},
		{"invoice-mail", r.InvoiceMail},
	}
}

// Run runs the named jobs, one after another.
func (r *Runner) Run(ctx context.Context, names ...string) error {
	byName := make(map[string]Job)
	for _, j := range r.Jobs() {
		byName[j.Name] = j
	}
	var errs []error
	for _, n := range names {
		j, ok := byName[n]
		if !ok {
			return fmt.Errorf("jobs: no job %s", n)
		}
		begin := r.clk.Now()
		if err := j.Run(ctx); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", n, err))
		}
		slog.InfoContext(ctx, "job done", "job", n, "took", r.clk.Now().Sub(begin))
	}
	return errors.Join(errs...)
}

// ExportSessions writes who is logged in.
func (r *Runner) ExportSessions(ctx context.Context) error {
	tbl := r.client.Open(store.TableSessions)
	return tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, item := range row[store.FamTok] {
			fmt.Fprintf(r.out, "%s,%s\n", item.Row, item.Timestamp.Time().Format(time.RFC3339)) // maybe ttlage/not-write-time
		}
		return true
	})
}

// ExportLiveSessions writes who is logged in now.
func (r *Runner) ExportLiveSessions(ctx context.Context) error {
	tbl := r.client.Open(store.TableSessions)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamTok), bigtable.TimestampRangeFilter(r.clk.Now(), time.Time{}))
	return tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, item := range row[store.FamTok] {
			expires := item.Timestamp.Time()
			fmt.Fprintf(r.out, "%s,%s\n", item.Row, expires.Format(time.RFC3339)) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(f))
}

// ExportSubscriptions writes all subscriptions.
func (r *Runner) ExportSubscriptions(ctx context.Context) error {
	var opts []bigtable.ReadOption
	if r.limit > 0 {
		opts = append(opts, bigtable.LimitRows(int64(r.limit)))
	}
	return r.client.Open(store.TableSubscriptions).ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, item := range row[store.FamState] {
			fmt.Fprintf(r.out, "%s,%s\n", item.Row, item.Value)
		}
		return true
	}, opts...)
}

// ExportCurrent writes the newest revisions.
func (r *Runner) ExportCurrent(ctx context.Context) error {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(store.FamState),
		bigtable.LatestNFilter(1), // ok ttlread/version-limit
	))}
	if r.limit > 0 {
		opts = append(opts, bigtable.LimitRows(int64(r.limit)))
	}
	return r.client.Open(store.TableSubscriptions).ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, item := range row[store.FamState] {
			fmt.Fprintf(r.out, "%s,%s\n", item.Row, item.Value)
		}
		return true
	}, opts...)
}

// DeadLetters tells of webhooks whose hour is over.
func (r *Runner) DeadLetters(ctx context.Context) error {
	var hooks []string
	now := r.clk.Now()
	err := r.client.Open(store.TableWebhooks).ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/wrong-bound[dead]
		for _, item := range row[store.FamEvt] {
			hooks = append(hooks, item.Row)
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(now.Add(-domain.WebhookTTL), time.Time{}))) // want ttlread/wrong-bound[dead]
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(r.out, strings.Join(hooks, "\n"))
	return err
}

// Backfill numbers the journal of dunning anew.
func (r *Runner) Backfill(ctx context.Context) error {
	tbl := r.client.Open(store.TableDunning)
	var keys []string
	if err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter())); err != nil {
		return err
	}
	muts := make([]*bigtable.Mutation, len(keys))
	for i, key := range keys {
		mut := bigtable.NewMutation()
		mut.Set(store.FamEvt, "renumbered", bigtable.Now(), []byte(key))                  // want ttlwrite/clock-in-sequence
		mut.Set(store.FamEvt, "position", bigtable.Timestamp(i), []byte(strconv.Itoa(i))) // want ttlwrite/unscaled-sequence
		muts[i] = mut
	}
	_, err := tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// BackfillNumbered does it right.
func (r *Runner) BackfillNumbered(ctx context.Context) error {
	tbl := r.client.Open(store.TableDunning)
	var keys []string
	if err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, row.Key())
		return true
	}); err != nil {
		return err
	}
	muts := make([]*bigtable.Mutation, len(keys))
	for i := range keys {
		mut := bigtable.NewMutation()
		mut.DeleteCellsInColumn(store.FamEvt, "position")
		mut.Set(store.FamEvt, "position", 1000*bigtable.Timestamp(i+1), []byte(strconv.Itoa(i))) // ok ttlwrite/unscaled-sequence
		muts[i] = mut
	}
	_, err := tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// CopySessions copies sessions to the reports, and marks them as copied.
func (r *Runner) CopySessions(ctx context.Context) error {
	from, to := r.client.Open(store.TableSessions), r.client.Open(store.TableReports)
	live := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamTok), bigtable.TimestampRangeFilter(r.clk.Now(), time.Time{}))
	now := bigtable.Time(r.clk.Now())
	var keys []string
	var copies, marks []*bigtable.Mutation
	err := from.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		c, m := bigtable.NewMutation(), bigtable.NewMutation()
		for _, item := range row[store.FamTok] {
			c.Set(store.FamTok, "copy", item.Timestamp, item.Value) // ok ttlwrite/write-time
		}
		c.Set(store.FamTok, "copied", now, nil) // ok ttlwrite/write-time
		m.Set(store.FamTok, "copied", now, nil) // want ttlwrite/write-time
		keys, copies, marks = append(keys, row.Key()), append(copies, c), append(marks, m)
		return true
	}, bigtable.RowFilter(live))
	if err != nil {
		return err
	}
	if _, err := to.ApplyBulk(ctx, keys, copies); err != nil {
		return err
	}
	_, err = from.ApplyBulk(ctx, keys, marks)
	return err
}

// WarmUp reads a few rows so that the first customers need not wait.
func (r *Runner) WarmUp(ctx context.Context) error {
	for _, t := range []string{store.TableEntitlements, store.TableReports} {
		if _, err := r.client.Open(t).ReadRow(ctx, "warm-up"); err != nil { // ok ttlread/missing-filter
			return err
		}
	}
	return nil
}

type usageRow struct {
	key string
	mut *bigtable.Mutation
}

// MigrateUsage moves the old counters to the window, through a channel.
func (r *Runner) MigrateUsage(ctx context.Context) error {
	tbl := r.client.Open(store.TableUsage)
	ch := make(chan usageRow, 16)
	errc := make(chan error, 1)
	go func() {
		defer close(ch)
		errc <- tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
			for _, item := range row[store.FamAgg] {
				mut := bigtable.NewMutation()
				mut.Set(store.FamWin, "migrated", item.Timestamp, item.Value)                         // ok ttlwrite/already-expired
				mut.Set(store.FamWin, "epoch", bigtable.Timestamp(r.clk.Now().UnixMilli()), nil)      // want ttlunit/wrong-unit
				mut.Set(store.FamWin, "epoch2", bigtable.Timestamp(r.clk.Now().UnixNano()/1000), nil) // ok ttlunit/wrong-unit
				mut.Set(store.FamWin, "origin", 0, nil)                                               // want ttlwrite/already-expired
				ch <- usageRow{row.Key(), mut}
			}
			return true
		}, bigtable.RowFilter(bigtable.FamilyFilter(store.FamAgg)))
	}()
	for u := range ch {
		if err := tbl.Apply(ctx, u.key, u.mut); err != nil {
			return err
		}
	}
	return <-errc
}

// Line of the revenue report.
type Line struct {
	Account   string
	Amount    int64
	Number    int64
	CreatedAt time.Time
	SeenAt    time.Time
}

// AuditRevenue lists the ledgers' entries.
func (r *Runner) AuditRevenue(ctx context.Context) error {
	lines, err := r.lines(ctx, "acme")
	if err != nil {
		return err
	}
	for _, l := range lines {
		fmt.Fprintf(r.out, "%s\t%d\t%d\t%s\n", l.Account, l.Number, l.Amount, l.CreatedAt)
	}
	return nil
}

func (r *Runner) lines(ctx context.Context, tenant string) ([]Line, error) {
	tbl := r.client.Open(tenant + "-ledger")
	var out []Line
	err := tbl.ReadRows(ctx, bigtable.PrefixRange("acc#"), func(row bigtable.Row) bool { // ok ttlread/version-limit
		for _, item := range row[store.FamEntry] {
			n, _ := strconv.ParseInt(string(item.Value), 10, 64)
			out = append(out, Line{
				Account:   strings.TrimPrefix(item.Row, "acc#"),
				Amount:    n,
				Number:    int64(item.Timestamp) / 1000, // ok ttlage/not-write-time
				CreatedAt: item.Timestamp.Time(),        // want ttlage/not-write-time
				SeenAt:    r.clk.Now(),
			})
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(store.FamEntry), bigtable.LatestNFilter(3))))
	return out, err
}

// InvoiceMail says what was invoiced, and who works on it.
func (r *Runner) InvoiceMail(ctx context.Context) error {
	tbl := r.client.Open(store.TableInvoices)
	now := r.clk.Now()
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[mail]
		bigtable.ChainFilters(bigtable.FamilyFilter(store.FamDoc), bigtable.LatestNFilter(1)),
		bigtable.ChainFilters(bigtable.FamilyFilter(store.FamLock), bigtable.LatestNFilter(1)), // want ttlread/unfiltered-branch[mail]
	)
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/unfiltered-branch[mail]
		for _, item := range row[store.FamDoc] {
			fmt.Fprintf(r.out, "%s issued %s ago\n", item.Row, now.Sub(item.Timestamp.Time())) // ok ttlage/not-write-time
		}
		for _, item := range row[store.FamLock] {
			fmt.Fprintf(r.out, "%s is %s's\n", item.Row, item.Value)
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[mail]
}

// Balance reads a balance that is kept as a number.
func Balance(row bigtable.Row) int64 {
	for _, item := range row[store.FamEntry] {
		if strings.HasSuffix(item.Column, ":bal") && len(item.Value) == 8 {
			return int64(binary.BigEndian.Uint64(item.Value))
		}
	}
	return 0
}
