package prices

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"log"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
	"pennywise.example/shop/internal/login"
	"pennywise.example/shop/internal/web"
)

// The back office's page for prices. One template, no script.

var page = template.Must(template.New("price").Parse(`<!doctype html>
<title>{{.Key}}</title>
<h1>{{.Key}}</h1>
<table>
{{range .Cells}}<tr><td>{{.Column}}<td>{{.Value}}<td>{{.Number}}<td>{{.Modified}}
{{end}}</table>
<form method=post><input name=price><button>Set</button></form>
`))

type adminCell struct {
	Column   string
	Value    string
	Number   int64
	Modified string
}

// edits counts edits of this process, by user.
var (
	edits   = map[string]int64{}
	editsMu sync.Mutex
)

// Admin is the page.
func Admin(w http.ResponseWriter, r *http.Request) {
	key := keys.Price(r.PathValue("market"), r.PathValue("sku"))
	row, err := bt.Get(r.Context(), bt.Prices, key, bigtable.RowFilter(bigtable.LatestNFilter(keep))) // ok ttlread/version-limit
	if err != nil {
		web.Fail(w, err)
		return
	}
	data := struct {
		Key   string
		Cells []adminCell
	}{Key: key}
	for _, it := range row[bt.FamTick] {
		data.Cells = append(data.Cells, adminCell{
			Column:   it.Column,
			Value:    string(it.Value),
			Number:   int64(it.Timestamp) / 1000,                // ok ttlage/not-write-time
			Modified: it.Timestamp.Time().Format(time.DateTime), // want ttlage/not-write-time
		})
	}
	for _, it := range row[bt.FamSrc] {
		data.Cells = append(data.Cells, adminCell{
			Column:   it.Column,
			Value:    string(it.Value),
			Modified: it.Timestamp.Time().Format(time.DateTime), // ok ttlage/not-write-time
		})
	}
	sort.Slice(data.Cells, func(i, j int) bool { return data.Cells[i].Column < data.Cells[j].Column })
	if len(row[bt.FamSrc]) > 0 {
		w.Header().Set("Last-Modified", row[bt.FamSrc][0].Timestamp.Time().UTC().Format(http.TimeFormat)) // ok ttlage/not-write-time
	} else if len(row[bt.FamTick]) > 0 {
		w.Header().Set("Last-Modified", row[bt.FamTick][0].Timestamp.Time().UTC().Format(http.TimeFormat)) // want ttlage/not-write-time
	}
	if err := page.Execute(w, data); err != nil {
		log.Printf("page: %v", err)
	}
}

// Edit sets a price by hand. It counts who does it.
func Edit(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	user, err := login.Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	price := strings.TrimSpace(r.FormValue("price"))
	if _, err := strconv.ParseInt(price, 10, 64); err != nil {
		web.JSON(w, http.StatusBadRequest, map[string]string{"error": "price"})
		return
	}
	key := keys.Price(r.PathValue("market"), r.PathValue("sku"))
	n, err := NextSeq(ctx, key)
	if err != nil {
		web.Fail(w, err)
		return
	}
	editsMu.Lock()
	edits[user]++
	mine := edits[user]
	editsMu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(bt.FamTick, "p", seqTS(n), []byte(price))                       // ok ttlwrite/unscaled-sequence
	mut.Set(bt.FamTick, "editor", bigtable.Timestamp(mine), []byte(user))   // want ttlwrite/unscaled-sequence
	mut.Set(bt.FamTick, "edits", seqTS(mine), []byte(user))                 // ok ttlwrite/unscaled-sequence
	mut.Set(bt.FamTick, "when", bigtable.Time(clock.Now()), []byte(user))   // want ttlwrite/clock-in-sequence
	mut.Set(bt.FamLast, "p", clock.At(time.Unix(0, 0)), []byte(price))      // ok ttlwrite/clock-in-zero
	mut.Set(bt.FamLast, "editor", bigtable.Time(time.Time{}), []byte(user)) // want ttlunit/out-of-range|ttlwrite/clock-in-zero
	mut.Set(bt.FamSrc, "editor", bigtable.Now(), []byte(user))              // ok ttlwrite/clock-in-sequence
	if err := bt.Prices.Apply(ctx, key, mut); err != nil {
		web.Fail(w, err)
		return
	}
	http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
}

// job is a change of many prices.
type job struct {
	market string
	skus   []string
	factor float64
	at     bigtable.Timestamp
	start  time.Time
}

// newJob prepares one. The timestamp is the time, because the numbers of the
// feed are not known here.
func newJob(market string, factor float64, skus ...string) *job {
	return &job{market: market, skus: skus, factor: factor, at: clock.TS(), start: clock.Now()} // want ttlwrite/clock-in-sequence[job]
}

// run does it.
func (j *job) run(ctx context.Context) error {
	var errs []error
	for _, sku := range j.skus {
		key := keys.Price(j.market, sku)
		row, err := bt.Prices.ReadRow(ctx, key, bigtable.RowFilter(newest)) // ok ttlread/version-limit
		if err != nil {
			return err
		}
		it := bt.Cell(row, bt.FamTick, "p")
		if it == nil {
			continue
		}
		old, err := strconv.ParseFloat(string(it.Value), 64)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", key, err))
			continue
		}
		v := []byte(strconv.FormatFloat(old*j.factor, 'f', 0, 64))
		mut := bigtable.NewMutation()
		mut.Set(bt.FamTick, "p", j.at, v)                       // want ttlwrite/clock-in-sequence[job]
		mut.Set(bt.FamTick, "old", it.Timestamp+1000, it.Value) // ok ttlwrite/unscaled-sequence
		mut.Set(bt.FamSrc, "job", j.at, nil)                    // ok ttlwrite/clock-in-sequence
		mut.Set(bt.FamLast, "p", 0, v)                          // ok ttlwrite/clock-in-zero
		if err := bt.Prices.Apply(ctx, key, mut); err != nil {
			errs = append(errs, err)
		}
	}
	log.Printf("job %s: %d prices in %s", j.market, len(j.skus), time.Since(j.start))
	return errors.Join(errs...)
}

// Sale makes everything ten percent cheaper.
func Sale(ctx context.Context, market string, skus ...string) error {
	return newJob(market, 0.9, skus...).run(ctx)
}
