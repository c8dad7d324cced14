// Command backfill rewrites rows after the incidents of the year.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	"skyward.example/dal/bt"
	"skyward.example/dal/clock"
	"skyward.example/dal/names"
)

type job struct {
	c   *bt.Client
	dry bool
}

func main() {
	what := flag.String("what", "", "revs, holds, passes, gates or prices")
	dry := flag.Bool("dry", false, "do not write")
	flag.Parse()
	ctx := context.Background()
	cfg, err := bt.FromEnv()
	if err != nil {
		fatal(err)
	}
	c, err := bt.Dial(ctx, cfg, slog.Default())
	if err != nil {
		fatal(err)
	}
	defer c.Close()
	j := &job{c: c, dry: *dry}
	jobs := map[string]func(context.Context, []string) error{
		"revs": j.revs, "holds": j.holds, "passes": j.passes, "gates": j.gates, "prices": j.prices,
	}
	run, ok := jobs[*what]
	if !ok {
		fatal(errors.New("no such job"))
	}
	var keys []string
	sc := bufio.NewScanner(os.Stdin)
	for sc.Scan() {
		if k := strings.TrimSpace(sc.Text()); k != "" {
			keys = append(keys, k)
		}
	}
	if err := errors.Join(sc.Err(), run(ctx, keys)); err != nil {
		fatal(err)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "backfill:", err)
	os.Exit(1)
}

func (j *job) write(ctx context.Context, table string, entries []bt.Entry) error {
	if j.dry {
		slog.Info("dry run", "table", table, "entries", len(entries))
		return nil
	}
	return j.c.Table(table).WriteAll(ctx, entries)
}

// revs renumbers revisions from the oldest.
func (j *job) revs(ctx context.Context, keys []string) error {
	var out []bt.Entry
	for _, k := range keys {
		row, err := j.c.Table(names.TableFlights).Get(ctx, k, bt.Family(names.FamRev)) // want ttlread/version-limit
		if err != nil {
			return err
		}
		cells := row[names.FamRev]
		m := bt.NewMut()
		for i, it := range cells {
			m.PutTS(names.FamRev, "state", bigtable.Timestamp(len(cells)-i), it.Value) // want ttlwrite/unscaled-sequence
			m.PutTS(names.FamRev, "renum", bt.Revision(int64(len(cells)-i)), it.Value) // ok ttlwrite/unscaled-sequence
		}
		m.Put(names.FamRev, "backfilled", []byte("1")) // want ttlwrite/clock-in-sequence
		m.Put(names.FamOps, "backfilled", []byte("1")) // ok ttlwrite/clock-in-sequence
		out = append(out, bt.Entry{Key: k, Mut: m})
	}
	return j.write(ctx, names.TableFlights, out)
}

// holds writes lost holds again.
func (j *job) holds(ctx context.Context, keys []string) error {
	var out []bt.Entry
	for _, k := range keys {
		m := bt.NewMut()
		m.PutAt(names.FamHold, "by", clock.In(names.HoldFor), []byte("BACKFILL")) // ok ttlwrite/write-time
		m.PutAt(names.FamHold, "reason", clock.Ago(time.Hour), []byte("lost"))    // want ttlwrite/already-expired[bfholds]
		m.PutAt(names.FamSeat, "reason", clock.Ago(time.Hour), []byte("lost"))    // ok ttlwrite/already-expired
		out = append(out, bt.Entry{Key: k, Mut: m})
	}
	return j.write(ctx, names.TableHolds, out) // want ttlwrite/already-expired[bfholds]
}

// passes writes the passes of the night of the outage.
func (j *job) passes(ctx context.Context, keys []string) error {
	outage := time.Date(2023, 11, 4, 2, 0, 0, 0, time.UTC)
	var out []bt.Entry
	for i, k := range keys {
		m := bt.NewMut()
		m.PutServer(names.FamPass, "bcbp", []byte(k))                   // want ttlwrite/server-timestamp
		m.PutAt(names.FamPass, "outage", outage, []byte(fmt.Sprint(i))) // want ttlwrite/already-expired
		m.PutAt(names.FamPax, "outage", outage, []byte(fmt.Sprint(i)))  // ok ttlwrite/already-expired
		out = append(out, bt.Entry{Key: k, Mut: m})
	}
	return j.write(ctx, names.TableCheckin, out)
}

// gates writes unknown gates.
func (j *job) gates(ctx context.Context, keys []string) error {
	var out []bt.Entry
	for _, k := range keys {
		out = append(out, bt.Entry{Key: k, Mut: bt.NewMut().PutServer(names.FamGate, "stand", []byte("?"))}) // want ttlwrite/clock-in-zero
		out = append(out, bt.Entry{Key: k, Mut: bt.NewMut().PutOnly(names.FamGate, "stand", []byte("?"))})   // ok ttlwrite/clock-in-zero
	}
	return j.write(ctx, names.TableFlights, out)
}

// prices copies live prices under the new key scheme; it needs a reader by hand.
func (j *job) prices(ctx context.Context, keys []string) error {
	tbl := j.c.Raw().Open(names.TableQuotes)
	for _, k := range keys {
		row, err := tbl.ReadRow(ctx, k, bigtable.RowFilter(bigtable.ColumnFilter("total"))) // want ttlread/missing-filter
		if err != nil {
			return err
		}
		m := bigtable.NewMutation()
		for _, it := range row[names.FamPrice] {
			m.Set(names.FamPrice, "total", it.Timestamp, it.Value) // ok ttlwrite/write-time ttlwrite/already-expired
		}
		if err := tbl.Apply(ctx, "v2#"+k, m); err != nil {
			return err
		}
	}
	return nil
}
