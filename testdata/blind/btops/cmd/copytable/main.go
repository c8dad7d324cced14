// copytable copies rows from one table to another, cell by cell, or with
// another key.
//
//	copytable [-keep] FROM INTO
//	copytable sessions-v2
//	copytable rosters-split LINE
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/progress"
	"github.com/tramway/btops/internal/schema"
)

var (
	opts   btx.Options
	keep   = flag.Bool("keep", true, "keep timestamps")
	only   = flag.String("only", "", "families, a regular expression")
	rename = flag.String("rename", "", "s/regexp/replacement/ for keys, as regexp=replacement")
)

func main() {
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	switch {
	case flag.NArg() == 1 && flag.Arg(0) == "sessions-v2":
		err = sessionsV2(ctx, client)
	case flag.NArg() == 1 && flag.Arg(0) == "profiles":
		err = profiles(ctx, client)
	case flag.NArg() == 2 && flag.Arg(0) == "rosters-split":
		err = splitRoster(ctx, client, flag.Arg(1))
	case flag.NArg() == 2:
		err = plain(ctx, client.Open(flag.Arg(0)), client.Open(flag.Arg(1)))
	default:
		err = errors.New("FROM INTO?")
	}
	btx.Fatal(err)
}

func renamer() (func(string) string, error) {
	if *rename == "" {
		return func(k string) string { return k }, nil
	}
	for i := range *rename {
		if (*rename)[i] == '=' {
			re, err := regexp.Compile((*rename)[:i])
			if err != nil {
				return nil, err
			}
			to := (*rename)[i+1:]
			return func(k string) string { return re.ReplaceAllString(k, to) }, nil
		}
	}
	return nil, fmt.Errorf("-rename %q has no =", *rename)
}

// plain copies everything.
func plain(ctx context.Context, from, into *bigtable.Table) error {
	newKey, err := renamer()
	if err != nil {
		return err
	}
	var ro []bigtable.ReadOption
	if *only != "" {
		ro = append(ro, bigtable.RowFilter(bigtable.FamilyFilter(*only)))
	}
	meter := progress.New(os.Stderr, "rows")
	bulk := btx.NewBulk(into, 0, opts.DryRun)
	var berr error
	err = from.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		size := 0
		for family, items := range r {
			for _, it := range items {
				ts := it.Timestamp
				if !*keep {
					ts = bigtable.Now()
				}
				m.Set(family, it.Column[len(family)+1:], ts, it.Value) // ok ttlwrite/write-time
				size += len(it.Value)
			}
		}
		meter.Add(1, size)
		berr = bulk.Add(ctx, newKey(r.Key()), m)
		return berr == nil
	}, ro...)
	return errors.Join(err, berr, bulk.Flush(ctx))
}

// sessionsV2 takes the sessions of the old table over.
func sessionsV2(ctx context.Context, c *bigtable.Client) error {
	from, into := c.Open("sessions_v2"), c.Open(schema.Sessions)
	bulk := btx.NewBulk(into, 0, opts.DryRun)
	var berr error
	err := from.ReadRows(ctx, bigtable.PrefixRange("s#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		for _, it := range r["token"] {
			m.Set(schema.Token, it.Column[6:], bigtable.Time(it.Timestamp.Time().Add(schema.TokenTTL)), it.Value) // ok ttlwrite/write-time ttlage/not-write-time
		}
		for _, it := range r["device"] {
			m.Set(schema.Device, it.Column[7:], bigtable.Now(), it.Value) // want ttlwrite/write-time
		}
		if len(r["token"]) == 0 {
			m.Set(schema.Token, "none", bigtable.ServerTime, nil) // want ttlwrite/server-timestamp
		}
		for _, it := range r["profile"] {
			if time.Since(it.Timestamp.Time()) > 365*24*time.Hour { // ok ttlage/not-write-time
				continue
			}
			m.Set(schema.Profile, it.Column[8:], it.Timestamp, it.Value)
		}
		berr = bulk.Add(ctx, r.Key(), m)
		return berr == nil
	}, btx.Newest())
	return errors.Join(err, berr, bulk.Flush(ctx))
}

// profiles copies profiles into the table for the newsletter.
func profiles(ctx context.Context, c *bigtable.Client) error {
	from, into := c.Open(schema.Sessions), c.Open("newsletter")
	n := 0
	var aerr error
	err := from.ReadRows(ctx, bigtable.PrefixRange("s#"), func(r bigtable.Row) bool { // want ttlread/missing-filter[newsletter]
		m := bigtable.NewMutation()
		for _, it := range r[schema.Profile] {
			m.Set("person", it.Column[8:], it.Timestamp, it.Value)
		}
		if len(r[schema.Token]) > 0 {
			m.Set("person", "active", bigtable.Now(), []byte("1"))
		}
		aerr = into.Apply(ctx, r.Key(), m)
		n++
		return aerr == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token|profile"), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter[newsletter]
	log.Printf("%d people", n)
	return errors.Join(err, aerr)
}

// splitRoster writes the newest revisions of a line's roster to two lines.
func splitRoster(ctx context.Context, c *bigtable.Client, line string) error {
	tbl := c.Open(schema.Rosters)
	row, err := tbl.ReadRow(ctx, "line#"+line, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("rev"), bigtable.LatestNFilter(3)))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	for _, half := range []string{"a", "b"} {
		m := bigtable.NewMutation()
		for i, it := range row["rev"] {
			m.Set("rev", "plan", it.Timestamp, it.Value)                    // ok ttlwrite/unscaled-sequence
			m.Set("rev", "index", bigtable.Timestamp(i+1), it.Value)        // want ttlwrite/unscaled-sequence
			m.Set("rev", "index2", bigtable.Timestamp((i+1)*1e3), it.Value) // ok ttlwrite/unscaled-sequence
		}
		m.Set("rev", "split", bigtable.Now(), []byte(half))  // want ttlwrite/clock-in-sequence
		m.Set("note", "split", bigtable.Now(), []byte(half)) // ok ttlwrite/clock-in-sequence
		if err := tbl.Apply(ctx, "line#"+line+half, m); err != nil {
			return err
		}
	}
	all, err := tbl.ReadRow(ctx, "line#"+line, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("rev"), bigtable.LatestNFilter(5)))) // want ttlread/version-limit
	if err != nil {
		return err
	}
	log.Printf("%d cells of %s are split", len(all["rev"]), line)
	return nil
}
