// export writes a table, or some of it, as text, CSV or JSON lines.
//
//	export sessions [-prefix-key s#] [-format csv]
//	export journeys -rider R
//	export ledger -tenant north -account 12
//	export audit -since 24h
//	export raw TABLE
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/report"
	"github.com/tramway/btops/internal/schema"
	"github.com/tramway/btops/internal/tenant"
)

var (
	opts    btx.Options
	format  = flag.String("format", "text", "text, csv or json")
	keys    = flag.String("prefix-key", "", "rows that start so")
	rider   = flag.String("rider", "", "one rider")
	account = flag.String("account", "", "one account")
	tid     = flag.String("tenant", "north", "tenant")
	envName = flag.String("env", "prod", "environment")
	since   = flag.Duration("since", 24*time.Hour, "how far back")
	expired = flag.Bool("expired", false, "show what has expired, too")
	limit   = flag.Int64("limit", 0, "rows at most")
	asOf    = flag.String("as-of", "", "moment, RFC 3339")
)

// startedAt decides what is live in this export: all of it by one clock.
var startedAt = time.Now() // want ttlread/stale-bound[startedat]

type exporter struct {
	client *bigtable.Client
	out    report.Writer
	rows   int
}

func main() {
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	out, err := report.Open(os.Stdout, *format)
	btx.Fatal(err)
	e := &exporter{client: client, out: out}
	commands := map[string]func(context.Context) error{
		"sessions": e.sessions,
		"devices":  e.devices,
		"codes":    e.codes,
		"journeys": e.journeys,
		"ledger":   e.ledger,
		"totals":   e.totals,
		"audit":    e.audit,
		"rosters":  e.rosters,
		"gates":    e.gates,
		"vehicles": e.vehicles,
		"profiles": e.profiles,
		"raw":      func(ctx context.Context) error { return e.raw(ctx, flag.Arg(1)) },
	}
	cmd, ok := commands[flag.Arg(0)]
	if !ok {
		var names []string
		for n := range commands {
			names = append(names, n)
		}
		sort.Strings(names)
		btx.Fatal(fmt.Errorf("which: %s?", strings.Join(names, ", ")))
	}
	btx.Fatal(cmd(ctx))
	btx.Fatal(out.Close())
	fmt.Fprintf(os.Stderr, "%d rows after %s\n", e.rows, btx.Elapsed())
}

// options are the read options that flags ask for, beside the filter.
func options(f bigtable.Filter) []bigtable.ReadOption {
	ro := []bigtable.ReadOption{bigtable.RowFilter(f)}
	if *limit > 0 {
		ro = append(ro, bigtable.LimitRows(*limit))
	}
	return ro
}

func (e *exporter) sessions(ctx context.Context) error {
	tbl := e.client.Open(opts.Table(schema.Sessions))
	e.out.Header("rider", "token", "expires", "name")
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(startedAt, time.Time{}), bigtable.LatestNFilter(1)), // want ttlread/stale-bound[startedat]
		bigtable.ChainFilters(bigtable.FamilyFilter("profile"), bigtable.LatestNFilter(1)),                                                      // ok ttlread/unfiltered-branch
	)
	return tbl.ReadRows(ctx, bigtable.PrefixRange(*keys), func(r bigtable.Row) bool { // want ttlread/stale-bound[startedat]
		e.rows++
		var token, expires string
		for _, it := range r["token"] {
			if it.Column == "token:jwt" {
				token = string(it.Value)
				expires = it.Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
			}
		}
		e.out.Row(r.Key(), token, expires, btx.Value(r, "profile", "name"))
		return true
	}, options(f)...) // want ttlread/stale-bound[startedat]
}

func (e *exporter) devices(ctx context.Context) error {
	tbl := e.client.Open(schema.Sessions)
	e.out.Header("rider", "device", "model", "expires")
	f := bigtable.ChainFilters(bigtable.FamilyFilter("device"), bigtable.LatestNFilter(1)) // want ttlread/missing-filter[exportdevices]
	if !*expired {
		f = bigtable.ChainFilters(f, btx.Live())
	}
	return tbl.ReadRows(ctx, bigtable.PrefixRange(*keys), func(r bigtable.Row) bool { // want ttlread/missing-filter[exportdevices]
		e.rows++
		for _, it := range r["device"] {
			e.out.Row(r.Key(), it.Column, string(it.Value), it.Timestamp.Time().Format(time.RFC3339)) // ok ttlage/not-write-time
		}
		return true
	}, options(f)...) // want ttlread/missing-filter[exportdevices]
}

func (e *exporter) codes(ctx context.Context) error {
	tbl := e.client.Open(schema.Passcodes)
	e.out.Header("phone", "code", "state")
	now := time.Now()
	return tbl.ReadRows(ctx, bigtable.PrefixRange(*keys), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		e.rows++
		for _, it := range r["code"] {
			state := "live"
			if it.Timestamp.Time().Before(now) { // ok ttlage/not-write-time
				if !*expired {
					continue
				}
				state = "expired"
			}
			e.out.Row(r.Key(), string(it.Value), state)
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

func (e *exporter) journeys(ctx context.Context) error {
	tbl := e.client.Open(schema.Journeys)
	e.out.Header("journey", "gate", "time", "created")
	rng := bigtable.PrefixRange(*rider + "#")
	return tbl.ReadRows(ctx, rng, func(r bigtable.Row) bool { // ok ttlread/missing-filter
		e.rows++
		for _, it := range r["leg"] {
			created := it.Timestamp.Time()                                                // want ttlage/not-write-time[exportcreated]
			e.out.Row(r.Key(), it.Column, string(it.Value), created.Format(time.RFC3339)) // want ttlage/not-write-time[exportcreated]
		}
		return true
	}, bigtable.RowFilter(btx.Filters(btx.Family("leg"), btx.Within(schema.LegTTL), bigtable.LatestNFilter(1)))) // ok ttlread/wrong-bound
}

// ledgerLine is a row of the ledger's export.
type ledgerLine struct {
	Account   string
	Seq       int64
	CreatedAt time.Time
	Body      json.RawMessage
}

func (e *exporter) ledger(ctx context.Context) error {
	tbl := e.client.Open(tenant.LedgerName(*envName, *tid))
	e.out.Header("account", "seq", "body")
	var lines []ledgerLine
	err := tbl.ReadRows(ctx, bigtable.PrefixRange("a#"+*account), func(r bigtable.Row) bool { // want ttlread/missing-filter
		e.rows++
		for _, it := range r["entry"] {
			lines = append(lines, ledgerLine{
				Account:   r.Key(),
				Seq:       int64(it.Timestamp) / 1000,
				CreatedAt: it.Timestamp.Time(), // want ttlage/not-write-time
				Body:      it.Value,
			})
		}
		return true
	})
	if err != nil {
		return err
	}
	for _, l := range lines {
		e.out.Row(l.Account, strconv.FormatInt(l.Seq, 10), string(l.Body))
	}
	return nil
}

func (e *exporter) totals(ctx context.Context) error {
	tbl := e.client.Open(tenant.LedgerName(*envName, *tid))
	e.out.Header("account", "total", "cents")
	return tbl.ReadRows(ctx, bigtable.PrefixRange("a#"+*account), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		e.rows++
		for _, it := range r["total"] {
			e.out.Row(r.Key(), it.Column, string(it.Value))
		}
		return true
	})
}

func (e *exporter) audit(ctx context.Context) error {
	tbl := e.client.Open(schema.Audit)
	e.out.Header("event", "time", "body")
	end := time.Now()
	if *asOf != "" {
		t, err := time.Parse(time.RFC3339, *asOf)
		if err != nil {
			return err
		}
		end = t
	}
	window := bigtable.TimestampRangeFilter(end.Add(-*since), end)                      // ok ttlread/upper-bound
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(*keys), func(r bigtable.Row) bool { // ok ttlread/missing-filter // want ttlread/overridden-filter[auditwindow]
		e.rows++
		for _, it := range r["event"] {
			created := it.Timestamp.Time() // ok ttlage/not-write-time
			e.out.Row(r.Key(), created.Format(time.RFC3339), string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter("event")), bigtable.RowFilter(window)) // want ttlread/overridden-filter[auditwindow]
}

func (e *exporter) rosters(ctx context.Context) error {
	tbl := e.client.Open(schema.Rosters)
	e.out.Header("line", "rev", "body", "note")
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(*keys), func(r bigtable.Row) bool { // ok ttlread/version-limit
		e.rows++
		notes := btx.Values(r, "note")
		for _, it := range r["rev"] {
			e.out.Row(r.Key(), strconv.FormatInt(btx.SeqOf(it.Timestamp), 10), string(it.Value), notes["note:"+it.Column])
		}
		return true
	}, options(bigtable.LatestNFilter(3))...)
}

func (e *exporter) gates(ctx context.Context) error {
	tbl := e.client.Open(schema.Gates)
	e.out.Header("gate", "held by")
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(*keys), e.state, options(bigtable.LatestNFilter(1))...) // want ttlread/missing-filter
}

func (e *exporter) vehicles(ctx context.Context) error {
	tbl := e.client.Open(schema.Vehicles)
	e.out.Header("vehicle", "state")
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(*keys), e.state, options(bigtable.LatestNFilter(1))...) // ok ttlread/missing-filter
}

func (e *exporter) state(r bigtable.Row) bool {
	e.rows++
	for _, it := range r["state"] {
		e.out.Row(r.Key(), string(it.Value))
	}
	return true
}

func (e *exporter) profiles(ctx context.Context) error {
	tbl := e.client.Open(schema.Sessions)
	e.out.Header("rider", "name", "updated")
	return tbl.ReadRows(ctx, bigtable.PrefixRange(*keys), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		e.rows++
		for _, it := range r["profile"] {
			updated := it.Timestamp.Time() // ok ttlage/not-write-time
			e.out.Row(r.Key(), string(it.Value), updated.Format(time.RFC3339))
		}
		return true
	}, options(bigtable.LatestNFilter(1))...)
}

// raw writes every cell of any table, for a look at what is there.
func (e *exporter) raw(ctx context.Context, name string) error {
	if name == "" {
		return errors.New("which table?")
	}
	tbl := e.client.Open(name)
	e.out.Header("key", "column", "timestamp", "value")
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(*keys), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		e.rows++
		for _, items := range r {
			for _, it := range items {
				e.out.Row(it.Row, it.Column, fmt.Sprint(int64(it.Timestamp)), base64.StdEncoding.EncodeToString(it.Value))
			}
		}
		return true
	})
}
