// stats counts: taps by gate and hour in a table with aggregate families, and
// visits by rider in ordinary ones.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"sort"
	"strconv"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/schema"
	"github.com/tramway/btops/internal/tenant"
)

var (
	opts   btx.Options
	envID  = flag.String("env", "prod", "environment")
	tid    = flag.String("tenant", "north", "tenant")
	top    = flag.Int("top", 10, "lines of the report")
	amount = flag.Int64("amount", 1, "how many")
)

// hour is the cell of an hour: all adds of it meet there.
func hour(t time.Time) bigtable.Timestamp { return bigtable.Time(t.Truncate(time.Hour)) }

func main() {
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	c := &counters{
		stats:  client.Open("stats"),
		passes: client.Open(tenant.PassesName(*tid)),
		ledger: client.Open(tenant.LedgerName(*envID, *tid)),
	}
	switch args := flag.Args(); {
	case len(args) == 2 && args[0] == "tap":
		err = c.tap(ctx, args[1])
	case len(args) == 2 && args[0] == "rider":
		err = c.rider(ctx, args[1])
	case len(args) == 1 && args[0] == "top":
		err = c.top(ctx)
	case len(args) == 2 && args[0] == "invoice":
		err = c.invoice(ctx, args[1])
	case len(args) == 1 && args[0] == "setup":
		err = setup(ctx)
	default:
		err = errors.New("tap GATE, rider RIDER, top, invoice ACCOUNT or setup?")
	}
	btx.Fatal(err)
}

// setup creates the table of counters.
func setup(ctx context.Context) error {
	admin, err := opts.Admin(ctx)
	if err != nil {
		return err
	}
	defer admin.Close()
	sum := bigtable.AggregateType{Input: bigtable.Int64Type{}, Aggregator: bigtable.SumAggregator{}}
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "stats",
		ColumnFamilies: map[string]bigtable.Family{
			"hourly": {GCPolicy: bigtable.MaxAgePolicy(90 * 24 * time.Hour), ValueType: sum}, // ok ttlunit/age-unit
			"total":  {GCPolicy: bigtable.MaxAgePolicy(90 * 24 * time.Hour), ValueType: sum}, // ok ttlgc/age-on-zero
			"recent": {GCPolicy: bigtable.MaxAgePolicy(-24 * time.Hour), ValueType: sum},     // want ttlunit/age-unit
		},
	})
}

type counters struct {
	stats, passes, ledger *bigtable.Table
	sent                  atomic.Int64
	line                  int64
}

func (c *counters) tap(ctx context.Context, gate string) error {
	now := time.Now()
	m := bigtable.NewMutation()
	m.AddIntToCell("hourly", gate, hour(now), *amount)            // ok ttlwrite/aggregate-server-time
	m.AddIntToCell("hourly", "all", bigtable.ServerTime, *amount) // want ttlwrite/aggregate-server-time
	m.AddIntToCell("total", gate, 0, *amount)                     // ok ttlwrite/aggregate-server-time
	m.MergeBytesToCell("total", "hll", -1, []byte(gate))          // want ttlwrite/aggregate-server-time
	return c.stats.Apply(ctx, "gate", m)
}

// rider counts a visit of a rider, in the row of the passes.
func (c *counters) rider(ctx context.Context, rider string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.Pass, "visits", *amount)   // want ttlwrite/read-modify-write
	rmw.Increment(schema.Usage, "visits", *amount)  // ok ttlwrite/read-modify-write
	rmw.Increment(schema.Holder, "visits", *amount) // ok ttlwrite/read-modify-write
	row, err := c.passes.ApplyReadModifyWrite(ctx, "r#"+rider, rmw)
	if err != nil {
		return err
	}
	for _, it := range row[schema.Usage] {
		fmt.Println(it.Column, btx.ToInt(it.Value))
	}
	log := bigtable.NewReadModifyWrite()
	log.AppendValue(schema.Pass, "log", []byte(time.Now().Format(time.RFC3339)+"\n")) // want ttlwrite/read-modify-write
	if _, err := c.passes.ApplyReadModifyWrite(ctx, "r#"+rider, log); err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.Pass, "seen", bigtable.ServerTime, nil)         // want ttlwrite/server-timestamp
	m.Set(schema.Pass, "until", btx.Expiry(schema.PassTTL), nil) // ok ttlwrite/write-time
	m.Set(schema.Usage, "seen", bigtable.ServerTime, nil)        // ok ttlwrite/server-timestamp
	return c.passes.Apply(ctx, "r#"+rider, m)
}

func (c *counters) top(ctx context.Context) error {
	sums := map[string]int64{}
	err := c.stats.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r["hourly"] {
			sums[it.Column] += btx.ToInt(it.Value)
		}
		for _, it := range r["total"] {
			sums[it.Column] += btx.ToInt(it.Value)
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-24*time.Hour), time.Now()))) // ok ttlread/wrong-bound
	if err != nil {
		return err
	}
	// How many riders have a pass.
	riders := 0
	err = c.passes.ReadRows(ctx, bigtable.PrefixRange("r#"), func(r bigtable.Row) bool { // want ttlread/missing-filter[toppasses]
		if len(r[schema.Pass]) > 0 {
			riders++
			sums["pass:"+r[schema.Pass][0].Column]++
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("pass|holder"), bigtable.StripValueFilter()))) // want ttlread/missing-filter[toppasses]
	if err != nil {
		return err
	}
	var names []string
	for n := range sums {
		names = append(names, n)
	}
	sort.Slice(names, func(i, j int) bool { return sums[names[i]] > sums[names[j]] })
	for i, n := range names {
		if i == *top {
			break
		}
		fmt.Printf("%10d %s\n", sums[n], n)
	}
	fmt.Fprintln(os.Stderr, riders, "riders with a pass")
	return nil
}

// invoice writes the lines of an invoice into the ledger.
func (c *counters) invoice(ctx context.Context, account string) error {
	row, err := c.ledger.ReadRow(ctx, "a#"+account, bigtable.RowFilter(bigtable.PassAllFilter())) // want ttlread/missing-filter|ttlread/version-limit
	if err != nil {
		return err
	}
	base := bigtable.Timestamp(0)
	if items := row[schema.Entry]; len(items) > 0 {
		base = items[0].Timestamp
	}
	m := bigtable.NewMutation()
	for i, text := range []string{"passes", "trips", "fees"} {
		c.line++
		m.Set(schema.Entry, "line", base+bigtable.Timestamp(1000*(i+1)), []byte(text))   // ok ttlwrite/unscaled-sequence
		m.Set(schema.Entry, "nr", bigtable.Timestamp(c.line), []byte(text))              // want ttlwrite/unscaled-sequence
		m.Set(schema.Entry, "nr2", bigtable.Timestamp(1000*c.line), []byte(text))        // ok ttlwrite/unscaled-sequence
		m.Set(schema.Entry, "sent", bigtable.Timestamp(c.sent.Add(1)), []byte(text))     // want ttlwrite/unscaled-sequence
		m.Set(schema.Entry, "sent2", bigtable.Timestamp(c.sent.Add(1000)), []byte(text)) // ok ttlwrite/unscaled-sequence
		m.Set(schema.Entry, "first", 1000, []byte(text))                                 // want ttlwrite/same-timestamp
	}
	m.Set(schema.Entry, "date", bigtable.Time(time.Now()), []byte(strconv.FormatInt(c.line, 10))) // want ttlwrite/clock-in-sequence
	m.Set(schema.Total, "invoice", 0, []byte(strconv.FormatInt(c.line, 10)))                      // ok ttlwrite/clock-in-zero
	m.Set(schema.Total, "invoiced", hour(time.Now()), nil)                                        // want ttlwrite/clock-in-zero
	return c.ledger.Apply(ctx, "a#"+account, m)
}
