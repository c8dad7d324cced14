// Command purge deletes what a user asked us to delete, and some leftovers.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/config"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/strutil"
)

type report struct {
	sessions, posts, jobs int
	oldest                time.Duration
}

func main() {
	user := flag.String("user", "", "whose data")
	dry := flag.Bool("dry", true, "only count")
	flag.Parse()

	ctx := context.Background()
	cfg := config.Default()
	client, err := bigtable.NewClient(ctx, cfg.Bigtable.Project, cfg.Bigtable.Instance)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	var rep report
	if err := purgeSessions(ctx, client.Open(tables.Sessions), *user, *dry, &rep); err != nil {
		log.Fatal(err)
	}
	if err := oldLeases(ctx, client.Open(tables.Jobs), &rep); err != nil {
		log.Fatal(err)
	}
	if err := exportPosts(ctx, client.Open(tables.Posts), *user); err != nil { // want ttlread/missing-filter[export]
		log.Fatal(err)
	}
	if !*dry {
		if rep.posts, err = bt.DropPrefix(ctx, client.Open(tables.Posts), strutil.Key("p", *user)); err != nil { // ok ttlread/missing-filter
			log.Fatal(err)
		}
	}
	fmt.Printf("%+v\n", rep)
}

// purgeSessions deletes rows; dead ones too.
func purgeSessions(ctx context.Context, tbl *bigtable.Table, user string, dry bool, rep *report) error {
	var keys []string
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(strutil.Key("s", user)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, row.Key())
		rep.sessions++
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	if err != nil || dry {
		return err
	}
	return bt.Drop(ctx, tbl, keys)
}

// oldLeases looks how long leases have been held.
func oldLeases(ctx context.Context, tbl *bigtable.Table, rep *report) error {
	now := time.Now()
	return tbl.ReadRows(ctx, bigtable.PrefixRange("j#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[tables.FamLease] {
			if held := now.Sub(it.Timestamp.Time()); held > rep.oldest { // want ttlage/not-write-time
				rep.oldest = held
			}
			rep.jobs++
		}
		return true
	}, bt.Where(bt.InFamily(tables.FamLease, bt.LiveNow())))
}

// exportPosts prints what goes.
func exportPosts(ctx context.Context, tbl *bigtable.Table, user string) error {
	return tbl.ReadRows(ctx, bigtable.PrefixRange(strutil.Key("p", user)), func(row bigtable.Row) bool { // want ttlread/missing-filter[export]
		for family, items := range row {
			for _, it := range items {
				fmt.Printf("%s %s %s=%q\n", row.Key(), family, it.Column, it.Value)
			}
		}
		return true
	})
}
