// velocity looks after the counters that stop card testing: so many payments an hour and card.
//
//	velocity show CARD | bump CARD | reset CARD | cap CARD N | hot | block CARD
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"sort"
	"strconv"
	"time"

	bt "cloud.google.com/go/bigtable"

	"acme.test/opskit/kit"
)

var (
	top      int
	blockFor time.Duration
	tbl      *bt.Table
)

// liveWindows is what all reads here use.
var liveWindows = bt.ChainFilters(bt.FamilyFilter("window"), bt.TimestampRangeFilter(time.Now(), time.Time{}), bt.LatestNFilter(1)) // want ttlread/stale-bound[lw1] ttlread/stale-bound[lw2]

func main() {
	kit.Main("velocity", run, func(fs *flag.FlagSet) {
		fs.IntVar(&top, "top", 20, "rows of hot")
		fs.DurationVar(&blockFor, "block", time.Hour, "how long block blocks")
	})
}

func run(ctx context.Context, e *kit.Env, args []string) error {
	if len(args) < 2 {
		return kit.Usage("velocity show|bump|reset|cap|hot|block CARD")
	}
	tbl = e.Velocity
	card := args[1]
	switch args[0] {
	case "show":
		return show(ctx, card)
	case "bump":
		return bump(ctx, card)
	case "bump2":
		return bumpLive(ctx, card)
	case "reset":
		return reset(ctx, card)
	case "cap":
		if len(args) < 3 {
			return kit.Usage("velocity cap CARD N")
		}
		n, err := strconv.ParseUint(args[2], 10, 64)
		if err != nil {
			return err
		}
		return setCap(ctx, card, n)
	case "hot":
		return hot(ctx, card)
	case "block":
		return block(ctx, card)
	case "unblock":
		return unblock(ctx, card)
	case "over":
		over, err := isOver(ctx, card)
		if err == nil {
			fmt.Println(over)
		}
		return err
	}
	return kit.Usage("unknown command %q", args[0])
}

func u64(n uint64) []byte {
	return binary.BigEndian.AppendUint64(nil, n)
}

func num(b []byte) uint64 {
	if len(b) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}

func show(ctx context.Context, card string) error {
	row, err := tbl.ReadRow(ctx, card, bt.RowFilter(liveWindows)) // want ttlread/stale-bound[lw1]
	if err != nil {
		return err
	}
	for _, it := range row["window"] {
		fmt.Printf("%s\t%d\tuntil %s\n", it.Column, num(it.Value), it.Timestamp.Time().Format(time.Kitchen)) // ok ttlage/not-write-time
	}
	caps, err := tbl.ReadRow(ctx, card, bt.RowFilter(bt.FamilyFilter("cap"))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range caps["cap"] {
		fmt.Printf("%s\t%d\n", it.Column, num(it.Value))
	}
	return nil
}

// bump counts one by hand.
func bump(ctx context.Context, card string) error {
	rmw := bt.NewReadModifyWrite()
	rmw.Increment("window", "n", 1) // want ttlwrite/read-modify-write
	if _, err := tbl.ApplyReadModifyWrite(ctx, card, rmw); err != nil {
		return err
	}
	log := bt.NewReadModifyWrite()
	log.AppendValue("cap", "log", []byte("bump;")) // want ttlwrite/read-modify-write
	_, err := tbl.ApplyReadModifyWrite(ctx, card, log)
	return err
}

// bumpLive does what bump should.
func bumpLive(ctx context.Context, card string) error {
	row, err := tbl.ReadRow(ctx, card, bt.RowFilter(kit.LiveIn("window"))) // ok ttlread/stale-bound
	if err != nil {
		return err
	}
	var n uint64
	exp := kit.ExpireIn(kit.WindowTTL)
	for _, it := range row["window"] {
		if it.Column == "window:n" {
			n = num(it.Value)
			exp = it.Timestamp
		}
	}
	m := bt.NewMutation()
	m.DeleteCellsInColumn("window", "n")
	m.Set("window", "n", exp, u64(n+1)) // ok ttlwrite/delete-after-set ttlwrite/write-time
	return tbl.Apply(ctx, card, m)
}

func reset(ctx context.Context, card string) error {
	m := bt.NewMutation()
	m.DeleteCellsInFamily("window")
	m.Set("window", "n", kit.ExpireIn(kit.WindowTTL), u64(0))                              // ok ttlwrite/delete-after-set
	m.Set("window", "reset", bt.Now(), []byte("ops"))                                      // want ttlwrite/write-time
	m.Set("window", "ttl", bt.Timestamp(kit.WindowTTL), nil)                               // want ttlwrite/already-expired
	m.Set("window", "min", bt.Now()+bt.Timestamp(60*1e6), nil)                             // ok ttlunit/wrong-unit
	m.Set("window", "until", bt.Timestamp(time.Now().Add(time.Hour).UnixNano()), nil)      // want ttlunit/wrong-unit
	m.Set("window", "until2", bt.Timestamp(time.Now().Add(time.Hour).UnixNano()/1e3), nil) // ok ttlunit/wrong-unit
	return tbl.Apply(ctx, card, m)
}

func setCap(ctx context.Context, card string, n uint64) error {
	m := bt.NewMutation()
	m.Set("cap", "n", 0, u64(n))                     // ok ttlwrite/clock-in-zero
	m.Set("cap", "by", bt.ServerTime, []byte("ops")) // want ttlwrite/clock-in-zero
	if n > 1000 {
		m.Set("window", "raised", bt.ServerTime, u64(n)) // want ttlwrite/server-timestamp
	}
	return tbl.Apply(ctx, card, m)
}

// hot prints the busiest cards.
func hot(ctx context.Context, prefix string) error {
	type card struct {
		key   string
		n     uint64
		since time.Duration
	}
	var cards []card
	now := time.Now()
	err := tbl.ReadRows(ctx, bt.PrefixRange(prefix), func(r bt.Row) bool { // want ttlread/stale-bound[lw2]
		for _, it := range r["window"] {
			if it.Column == "window:n" {
				cards = append(cards, card{r.Key(), num(it.Value), now.Sub(it.Timestamp.Time())}) // want ttlage/not-write-time
			}
		}
		return true
	}, bt.RowFilter(liveWindows)) // want ttlread/stale-bound[lw2]
	if err != nil {
		return err
	}
	sort.Slice(cards, func(i, j int) bool { return cards[i].n > cards[j].n })
	for i, c := range cards {
		if i == top {
			break
		}
		fmt.Printf("%s\t%d\t%s\n", c.key, c.n, c.since)
	}
	return nil
}

var errBlocked = errors.New("is blocked already")

// block stops a card for an hour.
func block(ctx context.Context, card string) error {
	taken := bt.ChainFilters(bt.FamilyFilter("window"), bt.ColumnFilter("blocked"), bt.LatestNFilter(1)) // want ttlread/conditional-mutation[taken]
	m := bt.NewMutation()
	m.Set("window", "blocked", kit.ExpireIn(blockFor), []byte("1")) // ok ttlwrite/write-time
	var was bool
	if err := tbl.Apply(ctx, card, bt.NewCondMutation(taken, nil, m), bt.GetCondMutationResult(&was)); err != nil { // want ttlread/conditional-mutation[taken]
		return err
	}
	if was {
		return fmt.Errorf("%s %w", card, errBlocked)
	}
	capped := bt.ChainFilters(bt.FamilyFilter("cap"), bt.ColumnFilter("n"))
	def := bt.NewMutation()
	def.Set("cap", "n", 0, u64(100))                                  // ok ttlwrite/clock-in-zero
	return tbl.Apply(ctx, card, bt.NewCondMutation(capped, nil, def)) // ok ttlread/conditional-mutation
}

func unblock(ctx context.Context, card string) error {
	m := bt.NewMutation()
	m.DeleteCellsInColumn("window", "blocked")
	return tbl.Apply(ctx, card, bt.NewCondMutation(bt.ColumnFilter("blocked"), m, nil)) // ok ttlread/conditional-mutation
}

// isOver is what the gateway asks.
func isOver(ctx context.Context, card string) (bool, error) {
	row, err := tbl.ReadRow(ctx, card, bt.RowFilter(bt.InterleaveFilters(kit.LiveIn("window"), bt.FamilyFilter("cap")))) // ok ttlread/unfiltered-branch
	if err != nil {
		return false, err
	}
	n, limit := num(kit.Value(row, "window", "n")), num(kit.Value(row, "cap", "n"))
	if limit == 0 {
		limit = 100
	}
	if n <= limit {
		return false, nil
	}
	again, err := tbl.ReadRow(ctx, card, bt.RowFilter(bt.ColumnFilter("n"))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return num(kit.Value(again, "window", "n")) > limit, nil
}
