package ops

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/bt"
	"example.com/saga/schema"
	"example.com/saga/store"
)

var queries = map[string]string{
	"profiles": "SELECT _key, profile['name'] AS name FROM `checkout-carts`",
}

const (
	binding = "SELECT _key, quote FROM `checkout-quotes`(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())"
	asked   = "SELECT _key, quote FROM `checkout-quotes`"
	pending = "SELECT _key, lease['owner'] AS owner FROM `checkout-outbox`(as_of => CURRENT_TIMESTAMP())"
	tries   = "SELECT _key, attempt['outcome'] AS outcome FROM `checkout-payments`"
	allof   = "SELECT _key, attempt FROM `checkout-payments`(with_history => TRUE)"
	three   = "SELECT _key, attempt FROM `checkout-payments`(with_history => TRUE, latest_n => 3)"
)

func (a *App) query(ctx context.Context, q string) error {
	ps, err := a.Client.PrepareStatement(ctx, q, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", q, err)
	}
	bs, err := ps.Bind(nil)
	if err != nil {
		return err
	}
	n := 0
	err = bs.Execute(ctx, func(r bigtable.ResultRow) bool {
		n++
		return true
	})
	fmt.Fprintln(a.Out, n, "rows")
	return err
}

func report(ctx context.Context, a *App, args []string) error {
	if len(args) == 0 {
		return errors.New("which report?")
	}
	switch args[0] {
	case "binding":
		return a.query(ctx, binding) // ok ttlread/sql
	case "asked":
		return a.query(ctx, asked) // want ttlread/sql
	case "pending":
		return a.query(ctx, pending) // want ttlread/sql
	case "tries":
		return errors.Join(a.query(ctx, tries), a.query(ctx, three)) // ok ttlread/sql
	case "alltries":
		return a.query(ctx, allof) // want ttlread/sql
	case "profiles":
		return a.query(ctx, queries["profiles"]) // ok ttlread/sql
	case "revenue":
		return revenue(ctx, a)
	case "holds":
		return holds(ctx, a)
	case "carts":
		return cartReport(ctx, a)
	case "calls":
		return calls(ctx, a)
	case "campaign":
		s, err := store.NewCouponRepo(a.Client, a.Clock).Report(ctx, strings.Join(args[1:], ""))
		fmt.Fprint(a.Out, s)
		return err
	}
	return fmt.Errorf("no report %q", args[0])
}

// revenue sums the totals of all orders.
func revenue(ctx context.Context, a *App) error {
	sums := map[string]int{}
	tbl := a.Client.Open(schema.OrdersTable(a.Conf.Env))
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/version-limit[revenue]
		for _, it := range row[schema.FamRev] {
			sums[string(it.Value)]++
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRev), bigtable.ColumnFilter("total")))) // want ttlread/version-limit[revenue]
	for k, n := range sums {
		fmt.Fprintln(a.Out, k, n)
	}
	return err
}

// holds lists what is held, by article.
func holds(ctx context.Context, a *App) error {
	var opts []bigtable.ReadOption
	opts = append(opts, bigtable.LimitRows(10_000))
	opts = append(opts, bigtable.RowFilter(bigtable.FamilyFilter("hold|level"))) // want ttlread/missing-filter[holds]
	var lines []string
	err := a.Client.Open(schema.Stock).ReadRows(ctx, bigtable.PrefixRange("sku#"), func(row bigtable.Row) bool { // want ttlread/missing-filter[holds]
		lines = append(lines, fmt.Sprintf("%s %d %d", row.Key(), len(row[schema.FamHold]), len(row[schema.FamLevel])))
		for _, it := range row[schema.FamHold] {
			lines = append(lines, "  "+it.Column)
		}
		return true
	}, opts...) // want ttlread/missing-filter[holds]
	sort.Strings(lines)
	fmt.Fprintln(a.Out, strings.Join(lines, "\n"))
	return err
}

// cartReport sums lines and profiles of all carts.
func cartReport(ctx context.Context, a *App) error {
	lines, names := 0, map[string]int{}
	live := bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))                         // want ttlread/hides-other-families[carts]
	err := a.Client.Open(schema.Carts).ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/hides-other-families[carts]
		lines += len(row[schema.FamLine])
		for _, it := range row[schema.FamProfile] {
			names[string(it.Value)]++
		}
		return true
	}, live) // want ttlread/hides-other-families[carts]
	fmt.Fprintln(a.Out, lines, "lines,", len(names), "names")
	return err
}

// calls lists the idempotent calls and when they were made.
func calls(ctx context.Context, a *App) error {
	tbl := a.Client.Open(schema.Payments)
	type call struct {
		key     string
		created time.Time
		age     time.Duration
		until   time.Time
	}
	cs, err := bt.All(ctx, tbl, bigtable.PrefixRange("idem#"), func(row bigtable.Row) (call, error) { // want ttlread/wrong-bound[calls]
		c := call{key: row.Key()}
		for _, it := range row[schema.FamIdem] {
			t := it.Timestamp.Time()
			c.created = t                   // want ttlage/not-write-time
			c.age = a.Clock.Now().Sub(t)    // want ttlage/not-write-time
			c.until = t.Add(schema.IdemTTL) // ok ttlage/not-write-time
		}
		return c, nil
	}, bigtable.RowFilter(bt.In(schema.FamIdem, bt.Since(a.Clock, 48*time.Hour)))) // want ttlread/wrong-bound[calls]
	for _, c := range cs {
		fmt.Fprintln(a.Out, c.key, c.created, c.age, c.until)
	}
	return err
}
