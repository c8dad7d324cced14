package login

import (
	"context"
	"log"
	"net/http"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
	"pennywise.example/shop/internal/web"
)

// limit is how many requests of a kind an address may make in a while.
type limit struct {
	kind  string
	n     int
	per   time.Duration
	block time.Duration
}

var limits = []limit{
	{kind: "login", n: 10, per: time.Minute, block: 10 * time.Minute},
	{kind: "code", n: 3, per: 5 * time.Minute, block: time.Hour},
	{kind: "reset", n: 3, per: time.Hour, block: 24 * time.Hour},
}

var (
	hits   = map[string][]time.Time{}
	hitsMu sync.Mutex
)

// Limited puts a limit in front of a handler. Counting is per process; the block
// is in the table, for all of them.
func Limited(kind string, next http.HandlerFunc) http.HandlerFunc {
	var l limit
	for _, x := range limits {
		if x.kind == kind {
			l = x
		}
	}
	return func(w http.ResponseWriter, r *http.Request) {
		ip := clientIP(r)
		blocked, err := isBlocked(r.Context(), kind, ip)
		if err != nil {
			log.Printf("limit: %v", err)
		}
		if blocked {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		if over(kind+ip, l.n, l.per) {
			if err := block(r.Context(), kind, ip, l.block); err != nil {
				log.Printf("limit: %v", err)
			}
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		next(w, r)
	}
}

// over counts in memory.
func over(key string, n int, per time.Duration) bool {
	hitsMu.Lock()
	defer hitsMu.Unlock()
	now := clock.Now()
	keep := hits[key][:0]
	for _, t := range hits[key] {
		if now.Sub(t) < per {
			keep = append(keep, t)
		}
	}
	hits[key] = append(keep, now)
	return len(hits[key]) > n
}

func blockKey(kind, ip string) string {
	return "b" + keys.Sep + kind + keys.Sep + ip
}

// block blocks an address for d.
func block(ctx context.Context, kind, ip string, d time.Duration) error {
	until := clock.Now().Add(d)
	mut := bigtable.NewMutation()
	mut.Set(bt.FamOtp, "block", bigtable.Time(until), []byte(kind))                  // ok ttlwrite/write-time
	mut.Set(bt.FamOtp, "until", clock.At(until), []byte(until.Format(time.RFC3339))) // ok ttlwrite/write-time
	mut.Set(bt.FamWho, "blocked", clock.TS(), []byte(kind))                          // ok ttlwrite/write-time
	return bt.Login.Apply(ctx, blockKey(kind, ip), mut)
}

// isBlocked asks the table.
func isBlocked(ctx context.Context, kind, ip string) (bool, error) {
	row, err := bt.Login.ReadRow(ctx, blockKey(kind, ip), bigtable.RowFilter(bt.LiveIn(bt.FamOtp))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[bt.FamOtp]) > 0, nil
}

// Blocked is the page with the blocked addresses. The people at the desk wonder
// why it has so many.
func Blocked(w http.ResponseWriter, r *http.Request) {
	type entry struct {
		Key   string        `json:"key"`
		Kind  string        `json:"kind"`
		Since string        `json:"since"`
		For   time.Duration `json:"for"`
	}
	var res []entry
	err := bt.Login.ReadRows(r.Context(), bigtable.PrefixRange("b"+keys.Sep), func(row bigtable.Row) bool { // want ttlread/missing-filter[blocked]
		e := entry{Key: row.Key(), Kind: bt.Str(row, bt.FamOtp, "block")}
		if it := bt.Cell(row, bt.FamWho, "blocked"); it != nil {
			e.Since = clock.Ago(it.Timestamp.Time()) // ok ttlage/not-write-time
		}
		if it := bt.Cell(row, bt.FamOtp, "block"); it != nil {
			e.For = clock.Now().Sub(it.Timestamp.Time()) // want ttlage/not-write-time
		}
		res = append(res, e)
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)), bigtable.LimitRows(500)) // want ttlread/missing-filter[blocked]
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, res)
}

// Unblock is the button on that page.
func Unblock(w http.ResponseWriter, r *http.Request) {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamWho, "unblocked", bigtable.Now(), []byte(clientIP(r)))
	mut.DeleteCellsInFamily(bt.FamOtp) // ok ttlwrite/delete-after-set
	if err := bt.Login.Apply(r.Context(), r.FormValue("key"), mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Block blocks by hand.
func Block(w http.ResponseWriter, r *http.Request) {
	kind, ip := r.FormValue("kind"), r.FormValue("ip")
	var ts bigtable.Timestamp
	switch r.FormValue("for") {
	case "hour":
		ts = clock.In(time.Hour)
	case "day":
		ts = bigtable.Time(clock.NextMidnight(clock.Now()))
	case "ever":
		ts = bigtable.Time(clock.Now().AddDate(10, 0, 0))
	default:
		ts = bigtable.Now()
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamOtp, "block", ts, []byte(kind))                         // maybe ttlwrite/write-time
	mut.Set(bt.FamOtp, "by", clock.In(24*time.Hour), []byte(clientIP(r))) // ok ttlwrite/write-time
	if err := bt.Login.Apply(r.Context(), blockKey(kind, ip), mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Warn counts warnings of an address on the table, for a day.
func Warn(ctx context.Context, ip string) (int, error) {
	key := blockKey("warn", ip)
	row, err := bt.Login.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamOtp),
		bigtable.TimestampRangeFilter(clock.Now().Add(-time.Second), time.Time{}), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return 0, err
	}
	n, _ := strconv.Atoi(bt.Str(row, bt.FamOtp, "warnings"))
	n++
	ts := clock.In(24 * time.Hour)
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(bt.FamOtp, "warnings")
	mut.Set(bt.FamOtp, "warnings", ts, []byte(strconv.Itoa(n))) // ok ttlwrite/write-time ttlwrite/delete-after-set
	mut.Set(bt.FamOtp, "warnings", ts, []byte(strconv.Itoa(n))) // want ttlwrite/same-timestamp
	return n, bt.Login.Apply(ctx, key, mut)
}
