// Package commerce sells: price quotes with a default age of a quarter of an
// hour, fares, and everything about bags.
package commerce

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"
	"skyward.example/dal/bt"
	"skyward.example/dal/names"
)

const (
	colTotal    = "total"
	colCurrency = "currency"
	colRule     = "rule"
	colTax      = "tax"

	flashFor   = 2 * time.Minute
	lockedFor  = 6 * time.Hour
	oldDefault = 30 * time.Minute // until 2022
)

// ErrNoQuote says that a quote has lapsed.
var ErrNoQuote = errors.New("commerce: no quote")

// Tables are the handles of this service. Some are the library's, some are
// not: the library could not stream when the reports were written.
type Tables struct {
	quotes    *bt.Table
	rawQuotes *bigtable.Table
	bags      *bigtable.Table
	archive   *bigtable.Table
}

// Desk is the commerce service.
type Desk struct {
	Tables
	log  *slog.Logger
	sql  *bigtable.Client
	slow time.Duration
}

// NewDesk opens them.
func NewDesk(c *bt.Client, log *slog.Logger) *Desk {
	return &Desk{
		Tables: Tables{
			quotes:    c.Table(names.TableQuotes),
			rawQuotes: c.Raw().Open(names.TableQuotes),
			bags:      c.Raw().Open(names.TableBags),
			archive:   c.Raw().Open(names.TableArchive),
		},
		log:  log,
		sql:  c.Raw(),
		slow: 200 * time.Millisecond,
	}
}

// Quote is an offer.
type Quote struct {
	Total     string        `json:"total"`
	Currency  string        `json:"currency"`
	Rule      string        `json:"rule,omitempty"`
	CreatedAt time.Time     `json:"created_at,omitzero"`
	Age       time.Duration `json:"age,omitempty"`
	ValidTill time.Time     `json:"valid_till,omitzero"`
}

// Offer writes a quote that lives the usual time.
func (d *Desk) Offer(ctx context.Context, key string, q Quote) error {
	m := bt.NewMut()
	m.PutServer(names.FamPrice, colTotal, []byte(q.Total))       // ok ttlwrite/server-timestamp
	m.PutServer(names.FamPrice, colCurrency, []byte(q.Currency)) // ok ttlwrite/server-timestamp
	m.Put(names.FamFare, colRule, []byte(q.Rule))                // ok ttlwrite/write-time
	return d.quotes.Write(ctx, key, m)
}

// Flash writes a quote of two minutes.
func (d *Desk) Flash(ctx context.Context, key string, q Quote) error {
	m := bt.NewMut().Del(names.FamPrice, colTotal).
		PutShifted(names.FamPrice, colTotal, flashFor, names.QuoteFor, []byte(q.Total)) // ok ttlwrite/already-expired
	return d.quotes.Write(ctx, key, m)
}

// Locked writes a quote of six hours.
func (d *Desk) Locked(ctx context.Context, key string, q Quote) error {
	m := bigtable.NewMutation()
	m.Set(names.FamPrice, colTotal, bigtable.Time(time.Now().Add(lockedFor-names.QuoteFor)), []byte(q.Total)) // ok ttlwrite/already-expired ttlwrite/write-time
	return d.rawQuotes.Apply(ctx, key, m)
}

// Withdraw shifts a quote out of its life, by the default of 2021.
func (d *Desk) Withdraw(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamPrice, colTotal, bigtable.Time(time.Now().Add(-oldDefault)), nil) // want ttlwrite/already-expired
	return d.rawQuotes.Apply(ctx, key, m)
}

// Shorten leaves a quote five minutes.
func (d *Desk) Shorten(ctx context.Context, key, total string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(names.FamPrice, colTotal)
	m.Set(names.FamPrice, colTotal, bigtable.Time(time.Now().Add(-10*time.Minute)), []byte(total)) // ok ttlwrite/already-expired ttlwrite/delete-after-set
	return d.rawQuotes.Apply(ctx, key, m)
}

// Pin writes a quote at zero, so that there is only one.
func (d *Desk) Pin(ctx context.Context, key, total string) error {
	return d.quotes.Write(ctx, key, bt.NewMut().PutOnly(names.FamPrice, colTotal, []byte(total))) // want ttlwrite/already-expired
}

// PinFare writes a fare at zero; ordinary families may.
func (d *Desk) PinFare(ctx context.Context, key, total string) error {
	return d.quotes.Write(ctx, key, bt.NewMut().PutOnly(names.FamFare, colTotal, []byte(total))) // ok ttlwrite/already-expired ttlwrite/clock-in-zero
}

// Import takes quotes of the partner's feed with its Unix seconds.
func (d *Desk) Import(ctx context.Context, key, total string, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set(names.FamFare, colTotal, bigtable.Timestamp(at.UnixNano()), []byte(total)) // want ttlunit/wrong-unit
	m.Set(names.FamFare, colTax, bigtable.Timestamp(at.UnixNano()/1000), nil)        // ok ttlunit/wrong-unit
	return d.rawQuotes.Apply(ctx, key, m)
}

// ImportMillis does it with milliseconds.
func (d *Desk) ImportMillis(ctx context.Context, key, total string, at time.Time) error {
	ts := bigtable.Timestamp(at.UnixMilli()) // want ttlunit/wrong-unit[millis]
	m := bigtable.NewMutation()
	m.Set(names.FamFare, colTotal, ts, []byte(total))                          // want ttlunit/wrong-unit[millis]
	m.Set(names.FamFare, colTax, bigtable.Timestamp(at.UnixMilli()*1000), nil) // ok ttlunit/wrong-unit
	return d.rawQuotes.Apply(ctx, key, m)
}

// ImportSeconds scales, but not enough.
func (d *Desk) ImportSeconds(ctx context.Context, key, total string, at time.Time) error {
	m := bt.NewMut()
	m.PutTS(names.FamFare, colTotal, bigtable.Timestamp(at.Unix()*1000), []byte(total)) // want ttlunit/wrong-unit
	m.PutAt(names.FamFare, colTax, at, nil)                                             // ok ttlunit/wrong-unit
	return d.quotes.Write(ctx, key, m)
}

// Asked counts how often a quote was asked for. It lives as long as the quote.
func (d *Desk) Asked(ctx context.Context, key string) error {
	_, err := d.quotes.Incr(ctx, key, names.FamPrice, "asked", 1) // ok ttlwrite/read-modify-write
	return err
}

// --- reads

// Price reads a live quote.
func (d *Desk) Price(ctx context.Context, key string) (Quote, error) {
	row, err := d.quotes.Get(ctx, key, bt.Family(names.FamPrice), bt.Since(names.QuoteFor), bt.Latest(1)) // ok ttlread/wrong-bound ttlread/missing-filter
	if err != nil {
		return Quote{}, err
	}
	return quoteOf(row), nil
}

func quoteOf(row bigtable.Row) Quote {
	var q Quote
	for col, it := range bt.Cells(row, names.FamPrice) {
		switch col {
		case colTotal:
			q.Total = string(it.Value)
			q.ValidTill = it.Timestamp.Time().Add(names.QuoteFor) // ok ttlage/not-write-time
		case colCurrency:
			q.Currency = string(it.Value)
			q.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		}
	}
	return q
}

// PriceLive reads it with the filter of the holds.
func (d *Desk) PriceLive(ctx context.Context, key string) (Quote, error) {
	row, err := d.quotes.Get(ctx, key, bt.Family(names.FamPrice), bt.Live(), bt.Latest(1)) // want ttlread/wrong-bound
	if err != nil {
		return Quote{}, err
	}
	return quoteOf(row), nil
}

// PriceOld still has the default of 2021.
func (d *Desk) PriceOld(ctx context.Context, key string) (Quote, error) {
	row, err := d.quotes.Get(ctx, key, bt.Family(names.FamPrice), bt.Since(oldDefault), bt.Latest(1)) // want ttlread/wrong-bound
	if err != nil {
		return Quote{}, err
	}
	return quoteOf(row), nil
}

// PriceAny forgot it.
func (d *Desk) PriceAny(ctx context.Context, key string) (Quote, error) {
	row, err := d.quotes.Get(ctx, key, bt.Family(names.FamPrice), bt.Latest(1)) // want ttlread/missing-filter
	if err != nil {
		return Quote{}, err
	}
	return quoteOf(row), nil
}

// PriceUntilNow thinks that later cells are mistakes.
func (d *Desk) PriceUntilNow(ctx context.Context, key string) (Quote, error) {
	now := time.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamPrice), bigtable.TimestampRangeFilter(now.Add(-names.QuoteFor), now)) // want ttlread/upper-bound[untilnow]
	row, err := d.rawQuotes.ReadRow(ctx, key, bigtable.RowFilter(f))                                                                // want ttlread/upper-bound[untilnow]
	if err != nil {
		return Quote{}, err
	}
	return quoteOf(row), nil
}

// PriceDirect is PriceUntilNow with the end open.
func (d *Desk) PriceDirect(ctx context.Context, key string) (Quote, error) {
	now := time.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamPrice), bigtable.TimestampRangeFilter(now.Add(-names.QuoteFor), time.Time{}))
	row, err := d.rawQuotes.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/upper-bound ttlread/wrong-bound
	if err != nil {
		return Quote{}, err
	}
	return quoteOf(row), nil
}

// PriceDirectNow reads by the clock.
func (d *Desk) PriceDirectNow(ctx context.Context, key string) (Quote, error) {
	now := time.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamPrice), bigtable.TimestampRangeFilter(now, time.Time{})) // want ttlread/wrong-bound[directnow]
	row, err := d.rawQuotes.ReadRow(ctx, key, bigtable.RowFilter(f))                                                   // want ttlread/wrong-bound[directnow]
	if err != nil {
		return Quote{}, err
	}
	return quoteOf(row), nil
}

// Full reads quote and fare, each as it needs.
func (d *Desk) Full(ctx context.Context, key string) (Quote, error) {
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(names.FamPrice), bt.YoungerThan(names.QuoteFor)),
		bigtable.ChainFilters(bigtable.FamilyFilter(names.FamFare), bigtable.LatestNFilter(3)),
	)
	row, err := d.rawQuotes.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch ttlread/missing-filter
	if err != nil {
		return Quote{}, err
	}
	return withFare(row), nil
}

// FullBare uses one range for both.
func (d *Desk) FullBare(ctx context.Context, key string) (Quote, error) {
	row, err := d.rawQuotes.ReadRow(ctx, key, bigtable.RowFilter(bt.YoungerThan(names.QuoteFor))) // want ttlread/hides-other-families
	if err != nil {
		return Quote{}, err
	}
	return withFare(row), nil
}

// FullCond reads quotes alive if there are any.
func (d *Desk) FullCond(ctx context.Context, key string) (Quote, error) {
	f := bigtable.ConditionFilter(
		bigtable.ChainFilters(bigtable.FamilyFilter(names.FamPrice), bt.YoungerThan(names.QuoteFor)),
		bigtable.PassAllFilter(), // want ttlread/unfiltered-branch[fullcond]
		bigtable.FamilyFilter(names.FamFare),
	)
	row, err := d.rawQuotes.ReadRow(ctx, key, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[fullcond]
	if err != nil {
		return Quote{}, err
	}
	return withFare(row), nil
}

func withFare(row bigtable.Row) Quote {
	q := quoteOf(row)
	if v, ok := bt.First(row, names.FamFare, colRule); ok {
		q.Rule = string(v)
	}
	return q
}

// Fares reads the fare family.
func (d *Desk) Fares(ctx context.Context, key string) (map[string]string, error) {
	row, err := d.quotes.Get(ctx, key, bt.Family(names.FamFare), bt.Latest(1)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for col, it := range bt.Cells(row, names.FamFare) {
		out[col] = string(it.Value)
		out[col+"_updated"] = it.Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
	}
	return out, nil
}

// Fresh lists the quotes whose age is under d, by hand.
func (d *Desk) Fresh(ctx context.Context, prefix string, age time.Duration) ([]string, error) {
	limit := time.Now().Add(-names.QuoteFor)
	var out []string
	err := d.rawQuotes.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[names.FamPrice] {
			if it.Timestamp.Time().After(limit) {
				out = append(out, r.Key())
				break
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(names.FamPrice)))
	return out, err
}

// Newest picks the newer of two columns, which is no check.
func (d *Desk) Newest(ctx context.Context, key string) (string, error) {
	row, err := d.rawQuotes.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(names.FamPrice))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	var best bigtable.ReadItem
	for _, it := range row[names.FamPrice] {
		if it.Timestamp > best.Timestamp {
			best = it
		}
	}
	return string(best.Value), nil
}

// Describe adds the age of a quote.
func (d *Desk) Describe(ctx context.Context, key string) ([]byte, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamPrice), bt.YoungerThan(names.QuoteFor), bigtable.LatestNFilter(1))
	row, err := d.rawQuotes.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	q := quoteOf(row)
	for _, it := range row[names.FamPrice] {
		q.Age = time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
	}
	return json.Marshal(q)
}

// Archive copies a quote to the archive's family of the same name.
func (d *Desk) Archive(ctx context.Context, key string) error {
	q, err := d.Price(ctx, key)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(names.FamPrice, colTotal, 0, []byte(q.Total)) // ok ttlwrite/already-expired
	return d.archive.Apply(ctx, key, m)
}

// Archived reads from there.
func (d *Desk) Archived(ctx context.Context, key string) (Quote, error) {
	row, err := d.archive.ReadRow(ctx, key) // ok ttlread/missing-filter
	if err != nil {
		return Quote{}, err
	}
	var q Quote
	for _, it := range row[names.FamPrice] {
		q.Total = string(it.Value)
		q.Age = time.Since(it.Timestamp.Time()) // ok ttlage/not-write-time
	}
	return q, nil
}

// Reprice changes a quote that lives.
func (d *Desk) Reprice(ctx context.Context, key, total string) error {
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamPrice), bt.YoungerThan(names.QuoteFor))
	m := bigtable.NewMutation()
	m.Set(names.FamPrice, colTotal, bigtable.ServerTime, []byte(total))        // ok ttlwrite/server-timestamp
	return d.rawQuotes.Apply(ctx, key, bigtable.NewCondMutation(pred, m, nil)) // ok ttlread/conditional-mutation
}

// RepriceAny changes a quote that was ever there.
func (d *Desk) RepriceAny(ctx context.Context, key, total string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamPrice, colTotal, bigtable.ServerTime, []byte(total))                                   // ok ttlwrite/server-timestamp
	return d.rawQuotes.Apply(ctx, key, bigtable.NewCondMutation(bigtable.ColumnFilter(colTotal), m, nil)) // want ttlread/conditional-mutation
}

// --- SQL

// bareSQL is what the analysts' page runs.
const bareSQL = "SELECT _key, price['total'] AS total FROM quotes WHERE STARTS_WITH(_key, @prefix)" // want ttlread/sql[totals]

// fareSQL reads the ordinary family.
const fareSQL = "SELECT _key, fare['rule'] AS rule FROM quotes WHERE STARTS_WITH(_key, @prefix)"

// Totals reads totals by SQL.
func (d *Desk) Totals(ctx context.Context, prefix string) (map[string]string, error) {
	ps, err := d.sql.PrepareStatement(ctx, bareSQL, map[string]bigtable.SQLType{"prefix": bigtable.StringSQLType{}}) // want ttlread/sql[totals]
	if err != nil {
		return nil, fmt.Errorf("commerce: prepare: %w", err)
	}
	return d.collect(ctx, ps, prefix)
}

// Rules reads fare rules by SQL.
func (d *Desk) Rules(ctx context.Context, prefix string) (map[string]string, error) {
	ps, err := d.sql.PrepareStatement(ctx, fareSQL, map[string]bigtable.SQLType{"prefix": bigtable.StringSQLType{}}) // ok ttlread/sql
	if err != nil {
		return nil, fmt.Errorf("commerce: prepare: %w", err)
	}
	return d.collect(ctx, ps, prefix)
}

func (d *Desk) collect(ctx context.Context, ps *bigtable.PreparedStatement, prefix string) (map[string]string, error) {
	bs, err := ps.Bind(map[string]any{"prefix": prefix})
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	begin := time.Now()
	err = bs.Execute(ctx, func(rr bigtable.ResultRow) bool {
		var k, v string
		if rr.GetByName("_key", &k) != nil || rr.GetByIndex(1, &v) != nil {
			return false
		}
		out[k] = v
		return true
	})
	if took := time.Since(begin); took > d.slow {
		d.log.Warn("slow query", "ms", strconv.FormatInt(took.Milliseconds(), 10))
	}
	return out, err
}
