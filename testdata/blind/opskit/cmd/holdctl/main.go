// holdctl looks at and changes authorisation holds.
//
//	holdctl place KEY AMOUNT | extend KEY | show KEY | release KEY | list MERCHANT | dead MERCHANT | claim KEY
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"acme.test/opskit/kit"
)

var (
	reason  = flag.String("reason", "", "goes into the audit note")
	asJSON  bool
	limit   int64
	ticket  string
	payment *bigtable.Table
)

// Hold is what list and show print.
type Hold struct {
	Key       string    `json:"key"`
	Amount    int64     `json:"amount"`
	Currency  string    `json:"currency"`
	ExpiresAt time.Time `json:"expires_at"`
	CreatedAt time.Time `json:"created_at"`
}

func main() {
	kit.Main("holdctl", run, func(fs *flag.FlagSet) {
		fs.BoolVar(&asJSON, "json", false, "print JSON")
		fs.Int64Var(&limit, "limit", 100, "rows to list")
		fs.StringVar(&ticket, "ticket", "", "ticket of the change")
	})
}

func run(ctx context.Context, e *kit.Env, args []string) error {
	payment = e.Payments
	if len(args) < 2 {
		return kit.Usage("holdctl place|extend|show|release|list|dead|claim KEY")
	}
	key := args[1]
	switch args[0] {
	case "place":
		if len(args) < 3 {
			return kit.Usage("holdctl place KEY AMOUNT")
		}
		amount, err := strconv.ParseInt(args[2], 10, 64)
		if err != nil {
			return err
		}
		return place(ctx, key, amount)
	case "place-manual":
		return placeManual(ctx, key)
	case "extend":
		return extend(ctx, key)
	case "extend-all":
		return extendAll(ctx, e, key)
	case "show":
		return show(ctx, key)
	case "release":
		return release(ctx, key)
	case "capture":
		return capture(ctx, key)
	case "list":
		return list(ctx, key)
	case "list-soon":
		return soon(ctx, key)
	case "dead":
		return dead(ctx, key)
	case "claim":
		ok, err := claim(ctx, key)
		if err == nil {
			fmt.Println(ok)
		}
		return err
	case "claim2":
		ok, err := claimOnce(ctx, key)
		if err == nil {
			fmt.Println(ok)
		}
		return err
	default:
		return kit.Usage("unknown command %q", args[0])
	}
}

// place writes a hold as the gateway would.
func place(ctx context.Context, key string, amount int64) error {
	exp := bigtable.Time(time.Now().Add(kit.HoldTTL))
	m := bigtable.NewMutation()
	m.Set(kit.FamHold, "amount", exp, []byte(strconv.FormatInt(amount, 10)))                      // ok ttlwrite/write-time
	m.Set(kit.FamHold, "currency", exp, []byte("EUR"))                                            // ok ttlwrite/same-timestamp
	m.Set(kit.FamHold, "ops_ticket", bigtable.Now(), []byte(ticket))                              // want ttlwrite/write-time
	m.Set(kit.FamDetail, "ops_ticket", bigtable.Now(), []byte(ticket))                            // ok ttlwrite/write-time
	m.Set(kit.FamDetail, "held_at", bigtable.ServerTime, []byte(time.Now().Format(time.RFC3339))) // ok ttlwrite/server-timestamp
	return kit.Retry(ctx, 3, func() error { return payment.Apply(ctx, key, m) })
}

// placeManual is for when the gateway is down.
func placeManual(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(kit.FamHold, "amount", bigtable.ServerTime, []byte("0"))   // want ttlwrite/server-timestamp
	m.Set(kit.FamHold, "manual", -1, []byte("1"))                    // want ttlwrite/server-timestamp
	m.Set(kit.FamDetail, "manual", bigtable.ServerTime, []byte("1")) // ok ttlwrite/server-timestamp
	until := time.Now().Add(kit.HoldTTL)
	m.Set(kit.FamIdem, "manual:"+key, bigtable.Timestamp(until.UnixMilli()), []byte(ticket)) // want ttlunit/wrong-unit
	m.Set(kit.FamIdem, "hold:"+key, bigtable.Timestamp(until.UnixMicro()), []byte(ticket))   // ok ttlunit/wrong-unit
	m.Set(kit.FamIdem, "ops:"+key, bigtable.Timestamp(until.Unix()*1e6), []byte(ticket))     // ok ttlunit/wrong-unit
	return payment.Apply(ctx, key, m)
}

// extend gives a hold another quarter of an hour.
func extend(ctx context.Context, key string) error {
	row, err := payment.ReadRow(ctx, key, bigtable.RowFilter(kit.LiveIn(kit.FamHold))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for _, it := range row[kit.FamHold] {
		col := it.Column[len(kit.FamHold)+1:]
		later := it.Timestamp + bigtable.Timestamp(kit.HoldTTL)                  // want ttlunit/wrong-unit
		right := it.Timestamp + bigtable.Timestamp(kit.HoldTTL/time.Microsecond) // ok ttlunit/wrong-unit
		if col == "amount" {
			later = right
		}
		m.DeleteCellsInColumn(kit.FamHold, col)
		m.Set(kit.FamHold, col, later, it.Value) // ok ttlwrite/delete-after-set
	}
	return payment.Apply(ctx, key, m)
}

// extendAll gives every hold of a merchant another quarter of an hour from now.
func extendAll(ctx context.Context, e *kit.Env, merchant string) error {
	w := e.NewWriter(e.Payments, 500)
	n, err := kit.Scan(ctx, e.Payments, merchant+"#", bigtable.FamilyFilter(kit.FamHold), func(r bigtable.Row) error { // want ttlread/missing-filter
		m := bigtable.NewMutation()
		for _, it := range r[kit.FamHold] {
			m.Set(kit.FamHold, it.Column[5:], kit.ExpireIn(kit.HoldTTL), it.Value) // ok ttlwrite/write-time
		}
		kit.Touch(m, kit.FamHold, "holdctl")   // want ttlwrite/server-timestamp
		kit.Touch(m, kit.FamDetail, "holdctl") // ok ttlwrite/server-timestamp
		return w.Add(ctx, r.Key(), m)
	})
	if err != nil {
		return err
	}
	e.Log.Info("extended", "rows", n)
	return w.Flush(ctx)
}

func show(ctx context.Context, key string) error {
	row, err := kit.Get(ctx, payment, key) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	h := Hold{Key: key}
	if it, ok := kit.Cell(row, kit.FamHold, "amount"); ok {
		h.Amount, _ = strconv.ParseInt(string(it.Value), 10, 64)
		h.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
		h.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
	}
	h.Currency = string(kit.Value(row, kit.FamHold, "currency"))
	return printHold(h)
}

func printHold(h Hold) error {
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(h)
	}
	fmt.Printf("%s\t%d %s\tuntil %s\n", h.Key, h.Amount, h.Currency, h.ExpiresAt.Format(time.RFC3339))
	return nil
}

// release drops the hold and notes why.
func release(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(kit.FamHold)
	m.Set(kit.FamHold, "released", kit.ExpireIn(kit.HoldTTL), []byte(*reason)) // ok ttlwrite/delete-after-set
	m.Set(kit.FamDetail, "released", bigtable.Now(), []byte(*reason))          // ok ttlwrite/write-time
	return payment.Apply(ctx, key, m)
}

// capture turns a hold into a capture.
func capture(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(kit.FamDetail, "captured", bigtable.Now(), []byte(ticket)) // ok ttlwrite/write-time
	m.Set(kit.FamHold, "state", kit.ExpireIn(kit.HoldTTL), []byte("captured"))
	m.DeleteCellsInFamily(kit.FamHold) // want ttlwrite/delete-after-set
	return payment.Apply(ctx, key, m)
}

func list(ctx context.Context, merchant string) error {
	var out []Hold
	err := payment.ReadRows(ctx, bigtable.PrefixRange(merchant+"#"), func(r bigtable.Row) bool {
		h := Hold{Key: r.Key()}
		for _, it := range r[kit.FamHold] {
			if it.Column == "hold:amount" {
				h.Amount, _ = strconv.ParseInt(string(it.Value), 10, 64)
				h.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
			}
		}
		out = append(out, h)
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})), bigtable.LimitRows(limit)) // ok ttlread/hides-other-families
	if err != nil {
		return err
	}
	for _, h := range out {
		if err := printHold(h); err != nil {
			return err
		}
	}
	return nil
}

// soon lists the holds that go within five minutes.
func soon(ctx context.Context, merchant string) error {
	now := time.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamHold), bigtable.TimestampRangeFilter(now, now.Add(5*time.Minute))) // want ttlread/upper-bound[soon]
	n := 0
	err := payment.ReadRows(ctx, bigtable.PrefixRange(merchant+"#"), func(r bigtable.Row) bool { // want ttlread/upper-bound[soon]
		for _, it := range r[kit.FamHold] {
			fmt.Printf("%s\t%s\tin %s\n", r.Key(), it.Column, it.Timestamp.Time().Sub(now)) // ok ttlage/not-write-time
		}
		n++
		return true
	}, bigtable.RowFilter(f)) // want ttlread/upper-bound[soon]
	fmt.Printf("%d rows\n", n)
	return err
}

// dead lists what GC has still to collect.
func dead(ctx context.Context, merchant string) error {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamHold), bigtable.TimestampRangeFilter(time.Time{}, time.Now())) // want ttlread/expired-only[dead]
	n, err := kit.Scan(ctx, payment, merchant+"#", f, func(r bigtable.Row) error {                                         // want ttlread/expired-only[dead]
		for _, it := range r[kit.FamHold] {
			age := time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
			fmt.Printf("%s\t%s\t%s old\n", r.Key(), it.Column, age.Round(time.Second))
		}
		return nil
	})
	fmt.Printf("%d dead rows\n", n)
	return err
}

var errTaken = errors.New("somebody else has it")

// claim takes the idempotency key of a manual capture.
func claim(ctx context.Context, key string) (bool, error) {
	row, err := payment.ReadRow(ctx, key, bigtable.RowFilter(kit.Cols(kit.FamIdem, "claim"))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	if len(row) > 0 {
		return false, errTaken
	}
	return true, kit.Put(ctx, payment, key, kit.FamIdem, "claim", kit.Stamp(), []byte(ticket)) // want ttlwrite/write-time
}

// claimOnce is claim without the race.
func claimOnce(ctx context.Context, key string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(kit.FamIdem, "claim", kit.ExpireIn(kit.IdemTTL), []byte(ticket)) // ok ttlwrite/write-time
	live := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamIdem), bigtable.ColumnFilter("claim"), kit.Live())
	cond := bigtable.NewCondMutation(live, nil, set) // ok ttlread/conditional-mutation
	var taken bool
	err := kit.Retry(ctx, 3, func() error {
		return payment.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&taken))
	})
	if err != nil || taken {
		return false, err
	}
	audit := bigtable.NewMutation()
	audit.Set(kit.FamDetail, "claimed_by", bigtable.Now(), []byte(os.Getenv("USER")))                // ok ttlwrite/write-time
	seen := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamIdem), bigtable.ColumnFilter("seen")) // want ttlread/conditional-mutation[seen]
	err = payment.Apply(ctx, key, bigtable.NewCondMutation(seen, nil, audit))                        // want ttlread/conditional-mutation[seen]
	return err == nil, err
}
