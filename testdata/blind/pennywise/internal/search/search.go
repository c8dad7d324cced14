// Package search is the search index's side table: what people looked for and
// what they clicked. The table search is an ordinary one: timestamps are the
// time of writing, and the GC takes items after a week and sessions after two
// hours. It has families that are called like those of login and carts, from the
// time when there was only one table.
package search

import (
	"context"
	"encoding/json"
	"net/http"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
	"pennywise.example/shop/internal/web"
)

// Query is a search.
type Query struct {
	Text   string    `json:"text"`
	Hits   int       `json:"hits"`
	At     time.Time `json:"at"`
	Clicks []string  `json:"clicks,omitempty"`
}

// Track stores a search.
func Track(w http.ResponseWriter, r *http.Request) {
	var q Query
	if !web.Read(w, r, &q) {
		return
	}
	raw, err := json.Marshal(q)
	if err != nil {
		web.Fail(w, err)
		return
	}
	id := r.PathValue("sid")
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSess, "last", bigtable.Now(), raw)               // ok ttlwrite/write-time
	mut.Set(bt.FamSess, "ip", bigtable.ServerTime, nil)            // ok ttlwrite/server-timestamp
	mut.Set(bt.FamItem, keys.NewToken(), bigtable.Time(q.At), raw) // ok ttlwrite/already-expired
	if err := bt.Search.Apply(r.Context(), "q"+keys.Sep+id, mut); err != nil {
		web.Fail(w, err)
		return
	}
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamSess, "n", 1) // ok ttlwrite/read-modify-write
	if _, err := bt.Search.ApplyReadModifyWrite(r.Context(), "q"+keys.Sep+id, rmw); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Click stores a click of the app, which sends milliseconds.
func Click(w http.ResponseWriter, r *http.Request) {
	at := time.UnixMilli(int64(web.Int(r, "at", 0)))
	mut := bigtable.NewMutation()
	mut.Set(bt.FamItem, "click", bigtable.Timestamp(at.Unix()), []byte(r.FormValue("sku")))       // want ttlunit/wrong-unit
	mut.Set(bt.FamItem, "click2", bigtable.Timestamp(at.UnixMicro()), []byte(r.FormValue("sku"))) // ok ttlunit/wrong-unit
	mut.Set(bt.FamItem, "click3", bigtable.Timestamp(at.Unix()*1000), []byte(r.FormValue("sku"))) // want ttlunit/wrong-unit
	mut.Set(bt.FamItem, "click4", clock.FromMillis(at.UnixMilli()), []byte(r.FormValue("sku")))   // ok ttlunit/wrong-unit
	if err := bt.Search.Apply(r.Context(), "q"+keys.Sep+r.PathValue("sid"), mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Recent lists the searches of a visitor.
func Recent(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Search.ReadRow(r.Context(), "q"+keys.Sep+r.PathValue("sid")) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	var res []string
	for _, it := range row[bt.FamItem] {
		res = append(res, clock.Ago(it.Timestamp.Time())+": "+string(it.Value)) // ok ttlage/not-write-time
	}
	web.JSON(w, http.StatusOK, res)
}

// Top are the most frequent searches of the last hour.
func Top(ctx context.Context, n int) ([]string, error) {
	counts := map[string]int{}
	to := clock.Now()
	err := bt.Search.ReadRows(ctx, bigtable.PrefixRange("q"+keys.Sep), func(row bigtable.Row) bool {
		for _, it := range row[bt.FamItem] {
			var q Query
			if json.Unmarshal(it.Value, &q) == nil {
				counts[strings.ToLower(q.Text)]++
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamItem),
		bigtable.TimestampRangeFilter(to.Add(-time.Hour), to), // ok ttlread/wrong-bound ttlread/upper-bound
	)))
	if err != nil {
		return nil, err
	}
	var res []string
	for text := range counts {
		res = append(res, text)
	}
	sort.Slice(res, func(i, j int) bool { return counts[res[i]] > counts[res[j]] })
	return res[:min(n, len(res))], nil
}

// Visitor shows sessions. Two filters, because one is for the column.
func Visitor(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Search.ReadRow(r.Context(), "q"+keys.Sep+r.PathValue("sid"), // want ttlread/overridden-filter[visitor]
		bigtable.RowFilter(bigtable.FamilyFilter(bt.FamSess)), // want ttlread/overridden-filter[visitor]
		bigtable.RowFilter(bigtable.LatestNFilter(1)))         // want ttlread/overridden-filter[visitor]
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, row)
}

// Forget deletes a visitor, and notes it.
func Forget(w http.ResponseWriter, r *http.Request) {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(bt.FamItem)
	mut.Set(bt.FamSess, "forgotten", bigtable.Now(), nil)
	mut.DeleteCellsInColumn(bt.FamSess, "last") // ok ttlwrite/delete-after-set
	mut.DeleteCellsInColumn(bt.FamSess, "ip")   // ok ttlwrite/delete-after-set
	if err := bt.Search.Apply(r.Context(), "q"+keys.Sep+r.PathValue("sid"), mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Window answers with the numbers that the A/B test used, a fixed week of 2023.
func Window(ctx context.Context, sid string) (int, error) {
	from := time.Date(2023, 4, 10, 0, 0, 0, 0, time.UTC)
	to := time.Date(2023, 4, 3, 0, 0, 0, 0, time.UTC)
	row, err := bt.Search.ReadRow(ctx, "q"+keys.Sep+sid, bigtable.RowFilter(bigtable.TimestampRangeFilter(from, to))) // want ttlunit/empty-range
	if err != nil {
		return 0, err
	}
	return len(row[bt.FamItem]), nil
}

// Window2 is Window the right way round.
func Window2(ctx context.Context, sid string) (int, error) {
	from := time.Date(2023, 4, 3, 0, 0, 0, 0, time.UTC)
	to := time.Date(2023, 4, 10, 0, 0, 0, 0, time.UTC)
	row, err := bt.Search.ReadRow(ctx, "q"+keys.Sep+sid, bigtable.RowFilter(bigtable.TimestampRangeFilter(from, to))) // ok ttlunit/empty-range
	if err != nil {
		return 0, err
	}
	return len(row[bt.FamItem]), nil
}

// Sample is for the data people: one of everything, or the chain of one that
// they asked for.
func Sample(ctx context.Context, p float64) ([]string, error) {
	var res []string
	err := bt.Search.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		res = append(res, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.RowSampleFilter(p)))) // want ttlunit/invalid-filter
	return res, err
}

// SampleAll is Sample with nothing of the row.
func SampleAll(ctx context.Context, p float64) ([]string, error) {
	var res []string
	err := bt.Search.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		res = append(res, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.RowSampleFilter(p), bigtable.StripValueFilter()))) // ok ttlunit/invalid-filter
	return res, err
}

// None reads nothing of a row, to see whether it can be read.
func None(ctx context.Context) error {
	_, err := bt.Search.ReadRow(ctx, "q", bigtable.RowFilter(bigtable.LatestNFilter(0))) // want ttlunit/invalid-filter
	return err
}
