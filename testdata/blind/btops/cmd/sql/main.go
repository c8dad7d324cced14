// sql runs the reports that are kept as GoogleSQL statements.
//
//	sql tokens RIDER
//	sql legs RIDER
//	sql balances
//	sql nightly
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/report"
)

var (
	opts   btx.Options
	format = flag.String("format", "text", "text, csv or json")
)

const (
	tokenQuery = "SELECT _key, token['jwt'] AS jwt FROM sessions WHERE _key = @key"                                                                             // want ttlread/sql[sqltoken]
	tokenLive  = "SELECT _key, token['jwt'] AS jwt FROM sessions(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP(), latest_n => 1) WHERE _key = @key" // ok ttlread/sql
	nameQuery  = "SELECT _key, profile['name'] AS name FROM sessions WHERE _key = @key"                                                                         // ok ttlread/sql
	legQuery   = "SELECT _key, leg FROM journeys WHERE STARTS_WITH(_key, @key)"                                                                                 // want ttlread/sql[sqlleg]
	metaQuery  = "SELECT _key, meta['class'] FROM journeys WHERE STARTS_WITH(_key, @key)"                                                                       // ok ttlread/sql
)

// check is a statement of the nightly report: it counts rows.
type check struct {
	name string
	sql  string
}

var nightly = []check{
	{"riders", "SELECT _key, profile FROM sessions"},                                 // ok ttlread/sql
	{"codes", "SELECT _key, code['sms'] FROM passcodes"},                             // want ttlread/sql[nightly1]
	{"old", "SELECT _key, token FROM sessions_v2"},                                   // ok ttlread/sql
	{"gates", "SELECT _key, state['open'] FROM gates(as_of => CURRENT_TIMESTAMP())"}, // want ttlread/sql[nightly2]
	{"vehicles", "SELECT _key, state['pos'] FROM vehicles"},                          // ok ttlread/sql
	{"settings", "SELECT _key, cur FROM settings"},                                   // ok ttlread/sql
	{"rosters", "SELECT _key, rev['plan'] FROM rosters(with_history => TRUE)"},       // want ttlread/sql[nightly3]
	{"rosters now", "SELECT _key, rev['plan'] FROM rosters"},                         // ok ttlread/sql
	{"audit", "SELECT _key, event FROM audit"},                                       // ok ttlread/sql
}

func main() {
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	switch args := flag.Args(); {
	case len(args) == 2 && args[0] == "tokens":
		err = tokens(ctx, client, args[1])
	case len(args) == 2 && args[0] == "legs":
		err = legs(ctx, client, args[1])
	case len(args) == 1 && args[0] == "nightly":
		err = runNightly(ctx, client)
	case len(args) == 1 && args[0] == "tiles":
		err = tiles(ctx, client)
	default:
		err = errors.New("tokens, legs, tiles or nightly?")
	}
	btx.Fatal(err)
}

// query prints every row of a statement with one key.
func query(ctx context.Context, c *bigtable.Client, sql, key string, columns ...string) error {
	out, err := report.Open(os.Stdout, *format)
	if err != nil {
		return err
	}
	defer out.Close()
	ps, err := c.PrepareStatement(ctx, sql, map[string]bigtable.SQLType{"key": bigtable.BytesSQLType{}})
	if err != nil {
		return err
	}
	bs, err := ps.Bind(map[string]any{"key": []byte(key)})
	if err != nil {
		return err
	}
	out.Header(columns...)
	return bs.Execute(ctx, func(r bigtable.ResultRow) bool {
		var vals []string
		for i := range columns {
			var b []byte
			if err := r.GetByIndex(i, &b); err != nil {
				b = []byte("?")
			}
			vals = append(vals, string(b))
		}
		return out.Row(vals...) == nil
	})
}

func tokens(ctx context.Context, c *bigtable.Client, rider string) error {
	key := "s#" + rider
	if err := query(ctx, c, tokenQuery, key, "key", "jwt"); err != nil { // want ttlread/sql[sqltoken]
		return err
	}
	if err := query(ctx, c, tokenLive, key, "key", "jwt"); err != nil { // ok ttlread/sql
		return err
	}
	return query(ctx, c, nameQuery, key, "key", "name") // ok ttlread/sql
}

func legs(ctx context.Context, c *bigtable.Client, rider string) error {
	if err := query(ctx, c, legQuery, rider+"#", "key", "leg"); err != nil { // want ttlread/sql[sqlleg]
		return err
	}
	return query(ctx, c, metaQuery, rider+"#", "key", "class") // ok ttlread/sql
}

// tiles counts tiles, with and without those that are stale.
func tiles(ctx context.Context, c *bigtable.Client) error {
	all, err := count(ctx, c, "SELECT _key, png['v2'] FROM tiles") // want ttlread/sql
	if err != nil {
		return err
	}
	fresh, err := count(ctx, c, "SELECT _key, png['v2'] FROM tiles(with_history => TRUE, after_or_equal => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 6 HOUR))") // ok ttlread/sql
	if err != nil {
		return err
	}
	fmt.Println(strconv.Itoa(all), "tiles,", fresh, "fresh")
	return nil
}

func count(ctx context.Context, c *bigtable.Client, sql string) (int, error) {
	ps, err := c.PrepareStatement(ctx, sql, nil)
	if err != nil {
		return 0, err
	}
	bs, err := ps.Bind(nil)
	if err != nil {
		return 0, err
	}
	n := 0
	err = bs.Execute(ctx, func(bigtable.ResultRow) bool { n++; return true })
	return n, err
}

func runNightly(ctx context.Context, c *bigtable.Client) error {
	for _, q := range nightly {
		n, err := count(ctx, c, q.sql) // want ttlread/sql[nightly1] ttlread/sql[nightly2] ttlread/sql[nightly3]
		if err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
		fmt.Printf("%-12s %8d\n", q.name, n)
	}
	return nil
}
