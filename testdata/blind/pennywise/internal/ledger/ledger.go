// Package ledger is the audit ledger: who did what to an account.
//
// There is a table per region, REGION-audit. An entry has the account's running
// number * 1000 as timestamp; the column is the kind. GC keeps one version, so
// the newest entry of a kind is what counts. state has one cell at 0. note is
// what support writes, ordinary.
package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
	"pennywise.example/shop/internal/login"
	"pennywise.example/shop/internal/web"
)

const (
	famEntry = "entry"
	famState = "state"
	famNote  = "note"
)

var (
	tblAudit *bigtable.Table

	// seqs are the numbers of the accounts that this process has seen.
	seqs   = map[string]int64{}
	seqsMu sync.Mutex
)

// Entry is an entry.
type Entry struct {
	Account string    `json:"account"`
	Kind    string    `json:"kind"`
	Who     string    `json:"who"`
	Amount  int64     `json:"amount"`
	At      time.Time `json:"at"`
	Seq     int64     `json:"seq"`
}

// Init opens the region's table.
func Init(c *bigtable.Client) {
	region := os.Getenv("REGION")
	if region == "" {
		region = "eu"
	}
	tblAudit = c.Open(region + "-audit")
}

// nextSeq counts up in memory. The account lock makes that enough.
func nextSeq(account string) int64 {
	seqsMu.Lock()
	defer seqsMu.Unlock()
	seqs[account]++
	return seqs[account]
}

// Append writes an entry.
func Append(ctx context.Context, e Entry) error {
	if e.Seq == 0 {
		e.Seq = nextSeq(e.Account)
	}
	e.At = clock.Now()
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(famEntry, e.Kind, clock.Seq(e.Seq), raw)                  // ok ttlwrite/unscaled-sequence
	mut.Set(famState, "last", 0, []byte(e.Kind))                      // ok ttlwrite/clock-in-zero
	mut.Set(famState, "at", 0, []byte(e.At.Format(time.RFC3339Nano))) // ok ttlwrite/clock-in-zero
	if err := tblAudit.Apply(ctx, keys.Account(e.Account), mut); err != nil {
		return fmt.Errorf("audit %s: %w", e.Account, err)
	}
	return nil
}

// AppendFast is Append for the payment callback, which must not wait for a lock.
func AppendFast(ctx context.Context, account, kind string, amount int64) error {
	raw, err := json.Marshal(Entry{Account: account, Kind: kind, Amount: amount, At: time.Now()})
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(famEntry, kind, bigtable.ServerTime, raw) // want ttlwrite/clock-in-sequence
	mut.Set(famState, "last", 0, []byte(kind))        // ok ttlwrite/clock-in-zero
	return tblAudit.Apply(ctx, keys.Account(account), mut)
}

// AppendMany writes entries of one account in one mutation.
func AppendMany(ctx context.Context, account string, list []Entry) error {
	mut := bigtable.NewMutation()
	for i, e := range list {
		raw, err := json.Marshal(e)
		if err != nil {
			return err
		}
		mut.Set(famEntry, e.Kind, bigtable.Timestamp(seqs[account]+int64(i)), raw) // want ttlwrite/unscaled-sequence
	}
	mut.Set(famState, "count", bigtable.Now(), bt.PackInt(int64(len(list)))) // want ttlwrite/clock-in-zero
	return tblAudit.Apply(ctx, keys.Account(account), mut)
}

// Note writes support's note.
func Note(w http.ResponseWriter, r *http.Request) {
	who, err := login.Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	mut := bigtable.NewMutation()
	mut.Set(famNote, who, bigtable.Now(), []byte(r.FormValue("text"))) // ok ttlwrite/clock-in-sequence
	mut.Set(famNote, "latest", bigtable.ServerTime, []byte(who))       // ok ttlwrite/server-timestamp
	mut.Set(famState, "noted", clock.TS(), []byte(who))                // want ttlwrite/clock-in-zero
	if err := tblAudit.Apply(r.Context(), keys.Account(r.PathValue("account")), mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Close closes an account: a last entry that nothing can come after.
func Close(ctx context.Context, account string) error {
	mut := bigtable.NewMutation()
	mut.Set(famEntry, "closed", clock.At(time.Now()), []byte("1")) // want ttlwrite/clock-in-sequence
	mut.Set(famState, "closed", 0, []byte("1"))
	return tblAudit.Apply(ctx, keys.Account(account), mut)
}

// Adjust counts adjustments.
func Adjust(ctx context.Context, account string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(famState, "adjustments", 1) // want ttlwrite/read-modify-write
	row, err := tblAudit.ApplyReadModifyWrite(ctx, keys.Account(account), rmw)
	if err != nil {
		return 0, err
	}
	return bt.Int(row, famState, "adjustments"), nil
}

// Trail appends to the account's free text.
func Trail(ctx context.Context, account, text string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(famEntry, "trail", []byte(text+"\n")) // want ttlwrite/read-modify-write
	rmw.AppendValue(famNote, "trail", []byte(text+"\n"))  // ok ttlwrite/read-modify-write
	_, err := tblAudit.ApplyReadModifyWrite(ctx, keys.Account(account), rmw)
	return err
}

// Account shows an account.
func Account(w http.ResponseWriter, r *http.Request) {
	row, err := tblAudit.ReadRow(r.Context(), keys.Account(r.PathValue("account")), bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		web.Fail(w, err)
		return
	}
	if len(row) == 0 {
		web.Fail(w, web.ErrNotFound)
		return
	}
	var res struct {
		Entries []Entry           `json:"entries"`
		State   map[string]string `json:"state"`
		Notes   []string          `json:"notes"`
	}
	res.State = map[string]string{}
	for _, it := range row[famEntry] {
		var e Entry
		if err := json.Unmarshal(it.Value, &e); err != nil {
			log.Printf("audit: %s %s: %v", row.Key(), it.Column, err)
			continue
		}
		e.Seq = int64(it.Timestamp / 1000) // ok ttlage/not-write-time
		res.Entries = append(res.Entries, e)
	}
	for _, it := range row[famState] {
		res.State[it.Column] = string(it.Value)
	}
	for _, it := range row[famNote] {
		res.Notes = append(res.Notes, it.Timestamp.Time().Format(time.DateTime)+": "+string(it.Value)) // ok ttlage/not-write-time
	}
	web.JSON(w, http.StatusOK, res)
}

// AccountCSV is Account as a table. The auditors like it.
func AccountCSV(w http.ResponseWriter, r *http.Request) {
	row, err := tblAudit.ReadRow(r.Context(), keys.Account(r.PathValue("account"))) // want ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/csv")
	for _, it := range row[famEntry] {
		written := it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
		fmt.Fprintf(w, "%s;%s;%s\n", it.Column, written, it.Value)
	}
}

// State is the account's state, one word.
func State(ctx context.Context, account string) (string, error) {
	row, err := tblAudit.ReadRow(ctx, keys.Account(account), bigtable.RowFilter(bigtable.FamilyFilter(famState))) // ok ttlread/version-limit
	if err != nil {
		return "", err
	}
	return bt.Str(row, famState, "last"), nil
}

// Resume loads the running numbers at start.
func Resume(ctx context.Context) error {
	seqsMu.Lock()
	defer seqsMu.Unlock()
	return tblAudit.ReadRows(ctx, bigtable.PrefixRange("a"+keys.Sep), func(row bigtable.Row) bool {
		_, account := keys.Split(row.Key())
		for _, it := range row[famEntry] {
			if n := int64(it.Timestamp) / 1000; n > seqs[account] { // ok ttlage/not-write-time
				seqs[account] = n
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(famEntry),
		bigtable.LatestNFilter(1), // ok ttlread/version-limit
		bigtable.StripValueFilter(),
	)))
}

// Since lists the accounts with entries of the last days.
func Since(ctx context.Context, days int) ([]string, error) {
	var res []string
	from := clock.Now().AddDate(0, 0, -days)
	err := tblAudit.ReadRows(ctx, bigtable.PrefixRange("a"+keys.Sep), func(row bigtable.Row) bool {
		for range row[famEntry] {
			res = append(res, row.Key())
			break
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(famEntry),
		bigtable.TimestampRangeFilter(from, time.Time{}), // want ttlread/wrong-bound
		bigtable.LatestNFilter(1),
	)))
	return res, err
}

// NotedSince lists the accounts with notes of the last days.
func NotedSince(ctx context.Context, days int) ([]string, error) {
	var res []string
	from := clock.Now().AddDate(0, 0, -days)
	err := tblAudit.ReadRows(ctx, bigtable.PrefixRange("a"+keys.Sep), func(row bigtable.Row) bool {
		for range row[famNote] {
			res = append(res, row.Key())
			break
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(famNote),
		bigtable.TimestampRangeFilter(from, time.Time{}), // ok ttlread/wrong-bound
	)))
	return res, err
}

// Verify compares numbers and values. Run by hand.
func Verify(ctx context.Context) error {
	var bad []error
	err := tblAudit.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/version-limit[verify]
		for _, it := range row[famEntry] {
			var e Entry
			if err := json.Unmarshal(it.Value, &e); err != nil {
				bad = append(bad, err)
				continue
			}
			if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
				bad = append(bad, fmt.Errorf("%s: %s: no number", row.Key(), it.Column))
			}
			if it.Timestamp != clock.Seq(e.Seq) { // ok ttlage/server-sentinel
				bad = append(bad, fmt.Errorf("%s: %s: number %d", row.Key(), it.Column, e.Seq))
			}
		}
		return len(bad) < 100
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famEntry), bigtable.LatestNFilter(3)))) // want ttlread/version-limit[verify]
	return errors.Join(append(bad, err)...)
}

// Compact rewrites an account's entries with fresh numbers.
func Compact(ctx context.Context, account string) error {
	key := keys.Account(account)
	row, err := bt.Get(ctx, tblAudit, key, bigtable.RowFilter(bt.Latest(famEntry, 1))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(famEntry)
	n := int64(0)
	for _, it := range row[famEntry] {
		n++
		mut.Set(famEntry, it.Column[len("entry:"):], bigtable.Timestamp(n), it.Value) // want ttlwrite/unscaled-sequence
	}
	mut.Set(famState, "compacted", 0, bt.PackInt(n)) // ok ttlwrite/clock-in-zero
	return tblAudit.Apply(ctx, key, mut)
}

// CompactAll is Compact with a step, for all. It replaced Compact in the cron
// but not in the admin page.
func CompactAll(ctx context.Context) error {
	var list []string
	err := tblAudit.ReadRows(ctx, bigtable.PrefixRange("a"+keys.Sep), func(row bigtable.Row) bool {
		list = append(list, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter())) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	for _, key := range list {
		row, err := bt.Get(ctx, tblAudit, key, bigtable.RowFilter(bt.Latest(famEntry, 1)))
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		mut.DeleteCellsInFamily(famEntry)
		var ts bigtable.Timestamp
		for _, it := range row[famEntry] {
			ts += 1000
			mut.Set(famEntry, it.Column[len("entry:"):], ts, it.Value) // ok ttlwrite/unscaled-sequence
		}
		if err := tblAudit.Apply(ctx, key, mut); err != nil {
			return err
		}
	}
	return nil
}
