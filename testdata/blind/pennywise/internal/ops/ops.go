// Package ops is the wallboard and the pages for whoever is on call.
package ops

import (
	"context"
	"fmt"
	"html"
	"io"
	"log"
	"net/http"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
	"pennywise.example/shop/internal/web"
)

// numbers are what the wallboard shows. Loops below refresh them.
type numbers struct {
	sessions atomic.Int64
	commands atomic.Int64
	drafts   atomic.Int64
	missing  atomic.Int64
}

var board numbers

// since is when the wallboard was started; the loops count from there.
var since = clock.Now() // want ttlread/stale-bound[ops]

// Run starts the loops.
func Run(ctx context.Context) {
	loop(ctx, 10*time.Second, func() error { return countSessions(ctx) })
	loop(ctx, 10*time.Second, func() error { return countCommands(ctx) })
	loop(ctx, time.Minute, func() error { return countDrafts(ctx) })
	loop(ctx, time.Minute, func() error {
		n, err := missing(ctx, "de", "at", "nl")
		board.missing.Store(int64(n))
		return err
	})
}

func loop(ctx context.Context, d time.Duration, f func() error) {
	go func() {
		for {
			if err := f(); err != nil {
				log.Printf("ops: %v", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(d):
			}
		}
	}()
}

// countSessions counts users with a session, not sessions.
func countSessions(ctx context.Context) error {
	users := map[string]bool{}
	err := bt.Login.ReadRows(ctx, bigtable.PrefixRange("s"+keys.Sep), func(row bigtable.Row) bool {
		for _, it := range row[bt.FamSess] {
			users[string(it.Value)] = true
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamSess),
		bigtable.ColumnFilter("user"),
		bigtable.TimestampRangeFilter(since, time.Time{}), // want ttlread/stale-bound[ops]
	)))
	board.sessions.Store(int64(len(users)))
	return err
}

// countCommands counts commands by their first word.
func countCommands(ctx context.Context) error {
	n := 0
	now := clock.Now()
	err := bt.Devices.ReadRows(ctx, bigtable.PrefixRange("d"+keys.Sep), func(row bigtable.Row) bool {
		n += len(row[bt.FamCmd])
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamCmd),
		bigtable.TimestampRangeFilter(now, time.Time{}), // ok ttlread/stale-bound
	)))
	board.commands.Store(int64(n))
	return err
}

// countDrafts counts authors of drafts.
func countDrafts(ctx context.Context) error {
	authors := map[string]bool{}
	err := bt.Settings.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		if a := bt.Str(row, bt.FamDraft, "author"); a != "" {
			authors[a] = true
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/limit-before-filter[drafts]
		bigtable.CellsPerRowLimitFilter(50), // want ttlread/limit-before-filter[drafts]
		bt.Within(bt.FamDraft, bt.DraftTTL),
	)))
	board.drafts.Store(int64(len(authors)))
	return err
}

// missing counts prices without a source in the last hour, all markets at once.
func missing(ctx context.Context, markets ...string) (int, error) {
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		n    int
		fail error
	)
	for _, m := range markets {
		wg.Go(func() {
			err := bt.Prices.ReadRows(ctx, bigtable.PrefixRange(m+keys.Sep), func(row bigtable.Row) bool {
				it := bt.Cell(row, bt.FamSrc, "received")
				if it == nil || time.Since(it.Timestamp.Time()) > time.Hour { // ok ttlage/not-write-time
					mu.Lock()
					n++
					mu.Unlock()
				}
				return true
			}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamSrc), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
			if err != nil {
				mu.Lock()
				fail = err
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return n, fail
}

// Board is the page.
func Board(w http.ResponseWriter, r *http.Request) {
	web.JSON(w, http.StatusOK, map[string]int64{
		"sessions": board.sessions.Load(),
		"commands": board.commands.Load(),
		"drafts":   board.drafts.Load(),
		"missing":  board.missing.Load(),
	})
}

// Row shows a row of any of the tables as HTML.
func Row(w http.ResponseWriter, r *http.Request) {
	tables := map[string]*bigtable.Table{
		"search": bt.Search,
		"prices": bt.Prices,
	}
	tbl := tables[r.PathValue("table")]
	if tbl == nil {
		web.Fail(w, web.ErrNotFound)
		return
	}
	row, err := tbl.ReadRow(r.Context(), r.FormValue("key"), bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	printRow(w, row)
}

// User shows all about a user: sessions and codes that count, and the profile.
func User(w http.ResponseWriter, r *http.Request) {
	live := clock.Now()
	row, err := bt.Login.ReadRow(r.Context(), keys.User(r.PathValue("user")), bigtable.RowFilter(bigtable.ConditionFilter( // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamWho), bigtable.ColumnFilter("blocked")),
		bigtable.FamilyFilter(bt.FamWho),
		bigtable.InterleaveFilters(
			bigtable.FamilyFilter(bt.FamWho),
			bigtable.ChainFilters(bigtable.FamilyFilter("sess|otp"), bigtable.TimestampRangeFilter(live, time.Time{})), // ok ttlread/wrong-bound
		),
	)))
	if err != nil {
		web.Fail(w, err)
		return
	}
	printRow(w, row)
}

// Flag shows all about a flag.
func Flag(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Settings.ReadRow(r.Context(), keys.Setting("prod", r.PathValue("name")), bigtable.RowFilter(bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[flag]
		bigtable.FamilyFilter(bt.FamFlag), // ok ttlread/unfiltered-branch
		bt.Latest(bt.FamHist, 3),          // ok ttlread/version-limit
		bt.Latest(bt.FamDraft, 1),         // want ttlread/unfiltered-branch[flag]
	)))
	if err != nil {
		web.Fail(w, err)
		return
	}
	printRow(w, row)
}

// Cart shows all of a cart that counts.
func Cart(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Carts.ReadRow(r.Context(), r.PathValue("key"), bigtable.RowFilter(bigtable.TimestampRangeFilter(clock.Now().Add(-bt.CartTTL), time.Time{}))) // want ttlread/wrong-bound|ttlread/hides-other-families
	if err != nil {
		web.Fail(w, err)
		return
	}
	printRow(w, row)
}

// CartItems shows the items only.
func CartItems(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Carts.ReadRow(r.Context(), r.PathValue("key"), bigtable.RowFilter(bigtable.TimestampRangeFilter(clock.Now().Add(-bt.CartTTL), time.Time{}))) // ok ttlread/hides-other-families ttlread/wrong-bound
	if err != nil {
		web.Fail(w, err)
		return
	}
	for _, it := range row[bt.FamItem] {
		fmt.Fprintf(w, "%s\n", html.EscapeString(string(it.Value)))
	}
}

// Heartbeats shows a device's heartbeats with the telemetry of the same time.
func Heartbeats(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Devices.ReadRow(r.Context(), keys.Device(r.PathValue("serial")), bigtable.RowFilter(bigtable.TimestampRangeFilter(clock.Now().Add(-bt.BeatTTL), time.Time{}))) // want ttlread/hides-other-families
	if err != nil {
		web.Fail(w, err)
		return
	}
	for _, it := range row[bt.FamBeat] {
		fmt.Fprintf(w, "%s %s\n", it.Column, it.Value)
	}
	for _, it := range row[bt.FamRaw] {
		fmt.Fprintf(w, "%s %s %s\n", it.Timestamp.Time().Format(time.TimeOnly), it.Column, it.Value) // ok ttlage/not-write-time
	}
}

// printRow prints a row, columns in order.
func printRow(w io.Writer, row bigtable.Row) {
	var lines []string
	for _, items := range row {
		for _, it := range items {
			lines = append(lines, fmt.Sprintf("%s\t%d\t%s", it.Column, it.Timestamp, it.Value))
		}
	}
	sort.Strings(lines)
	fmt.Fprintf(w, "<pre>%s</pre>\n", html.EscapeString(strings.Join(lines, "\n")))
}

// TakeOver makes somebody the one on call, if nobody is. It is a cell in the
// login table with the end of the shift as timestamp.
func TakeOver(ctx context.Context, who string) (bool, error) {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSess, "oncall", bigtable.Time(clock.NextMidnight(clock.Now())), []byte(who)) // ok ttlwrite/write-time
	var taken bool
	err := bt.Login.Apply(ctx, "ops", bigtable.NewCondMutation(bt.LiveIn(bt.FamSess), nil, mut), bigtable.GetCondMutationResult(&taken)) // ok ttlread/conditional-mutation
	return !taken, err
}

// TakeOverV0 is what the pager calls.
func TakeOverV0(ctx context.Context, who string) (bool, error) {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSess, "oncall", bigtable.Time(clock.NextMidnight(clock.Now())), []byte(who)) // ok ttlwrite/write-time
	var taken bool
	err := bt.Login.Apply(ctx, "ops", bigtable.NewCondMutation(bigtable.PassAllFilter(), nil, mut), bigtable.GetCondMutationResult(&taken)) // want ttlread/conditional-mutation
	return !taken, err
}

// OnCall is who it is.
func OnCall(ctx context.Context) (string, error) {
	row, err := bt.Login.ReadRow(ctx, "ops", bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return bt.Str(row, bt.FamSess, "oncall"), nil
}

// HandOver gives the rest of the shift to somebody else.
func HandOver(ctx context.Context, who string) error {
	row, err := bt.Login.ReadRow(ctx, "ops", bigtable.RowFilter(bt.LiveIn(bt.FamSess))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	it := bt.Cell(row, bt.FamSess, "oncall")
	if it == nil {
		return web.ErrNotFound
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSess, "oncall", it.Timestamp, []byte(who))      // ok ttlwrite/write-time
	mut.Set(bt.FamSess, "before", bigtable.Now(), it.Value)       // want ttlwrite/write-time
	mut.Set(bt.FamSess, "before2", it.Timestamp, it.Value)        // ok ttlwrite/same-timestamp
	mut.Set(bt.FamWho, "handover", bigtable.ServerTime, it.Value) // ok ttlwrite/server-timestamp
	return bt.Login.Apply(ctx, "ops", mut)
}
