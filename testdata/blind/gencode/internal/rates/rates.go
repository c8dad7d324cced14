// Package rates caches quotes of the channel managers beside the rate plans.
package rates

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/hotelbook/gen/btrt"
	"example.com/hotelbook/gen/ratesbt"
	"example.com/hotelbook/internal/btx"
)

const (
	quoteTTL = 6 * time.Hour
	flashTTL = 20 * time.Minute
)

// Quote is what callers see.
type Quote struct {
	Cents    int64     `json:"cents"`
	Currency string    `json:"currency"`
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires"`
}

// Cache reads and writes quotes.
type Cache struct {
	tbl *ratesbt.Table
	log *slog.Logger
	now func() time.Time
}

// NewCache opens the table.
func NewCache(c *bigtable.Client, log *slog.Logger) *Cache {
	return &Cache{tbl: ratesbt.Open(c), log: log, now: time.Now}
}

var cutoff = sync.OnceValue(func() time.Time { return time.Now().Add(-quoteTTL) }) // want ttlread/stale-bound[cutoff]

// Put stores a quote for the usual time.
func (c *Cache) Put(ctx context.Context, k string, q *ratesbt.Quote) error {
	mut := bigtable.NewMutation()
	q.MarshalBigtable(mut, bigtable.ServerTime) // ok ttlwrite/server-timestamp
	return c.tbl.Apply(ctx, k, mut)
}

// PutFlash stores a quote that ends soon.
func (c *Cache) PutFlash(ctx context.Context, k string, q *ratesbt.Quote) error {
	mut := bigtable.NewMutation()
	q.MarshalBigtable(mut, btx.Shifted(flashTTL, quoteTTL)) // ok ttlwrite/already-expired
	return c.tbl.Apply(ctx, k, mut)
}

// PutNow stores quote and plan.
func (c *Cache) PutNow(ctx context.Context, k string, q *ratesbt.Quote, p *ratesbt.Plan) error {
	return c.tbl.PutNow(ctx, &ratesbt.Row{Key: k, Quote: q, Plan: p}) // ok ttlwrite/write-time
}

// PutStale stores what a partner sent late.
func (c *Cache) PutStale(ctx context.Context, k string, q *ratesbt.Quote) error {
	ts := bigtable.Time(c.now().Add(-8 * time.Hour))
	mut := bigtable.NewMutation()
	q.MarshalBigtable(mut, ts) // want ttlwrite/already-expired
	return c.tbl.Apply(ctx, k, mut)
}

// PutHalf stores a quote for half the time.
func (c *Cache) PutHalf(ctx context.Context, k string, q *ratesbt.Quote) error {
	ts := bigtable.Time(c.now().Add(-quoteTTL / 2))
	mut := bigtable.NewMutation()
	q.MarshalBigtable(mut, ts) // ok ttlwrite/already-expired
	return c.tbl.Apply(ctx, k, mut)
}

// PutZero stores the fallback quote.
func (c *Cache) PutZero(ctx context.Context, k string, cents int64) error {
	mut := bigtable.NewMutation()
	ratesbt.SetQuoteAmountCents(mut, 0, cents)           // want ttlwrite/already-expired
	ratesbt.SetPlanCode(mut, bigtable.Now(), "FALLBACK") // ok ttlwrite/already-expired
	return c.tbl.Apply(ctx, k, mut)
}

// PutUnix stores a quote at the partner's time.
func (c *Cache) PutUnix(ctx context.Context, k string, q *ratesbt.Quote, at time.Time) error {
	mut := bigtable.NewMutation()
	q.MarshalBigtable(mut, bigtable.Timestamp(at.UnixMilli())) // want ttlunit/wrong-unit
	return c.tbl.Apply(ctx, k, mut)
}

// PutMicro stores a quote at the partner's time.
func (c *Cache) PutMicro(ctx context.Context, k string, q *ratesbt.Quote, at time.Time) error {
	mut := bigtable.NewMutation()
	q.MarshalBigtable(mut, bigtable.Timestamp(at.UnixMilli()*1000)) // ok ttlunit/wrong-unit
	return c.tbl.Apply(ctx, k, mut)
}

// SavePlan stores a rate plan as of a time.
func (c *Cache) SavePlan(ctx context.Context, k string, p *ratesbt.Plan, at time.Time) error {
	mut := bigtable.NewMutation()
	p.MarshalBigtable(mut, bigtable.Timestamp(at.UnixNano())) // want ttlunit/wrong-unit
	return c.tbl.Apply(ctx, k, mut)
}

// SavePlanMicros stores a rate plan as of a time.
func (c *Cache) SavePlanMicros(ctx context.Context, k string, p *ratesbt.Plan, at time.Time) error {
	mut := bigtable.NewMutation()
	p.MarshalBigtable(mut, bigtable.Timestamp(at.UnixNano()/1000)) // ok ttlunit/wrong-unit
	return c.tbl.Apply(ctx, k, mut)
}

// SavePlanSoon stores a rate plan that starts in an hour.
func (c *Cache) SavePlanSoon(ctx context.Context, k string, p *ratesbt.Plan) error {
	ts := bigtable.Now() + bigtable.Timestamp(time.Hour) // want ttlunit/wrong-unit
	return c.tbl.PutAt(ctx, &ratesbt.Row{Key: k, Plan: p}, ts)
}

// SavePlanLater stores a rate plan that starts in an hour.
func (c *Cache) SavePlanLater(ctx context.Context, k string, p *ratesbt.Plan) error {
	ts := bigtable.Now() + bigtable.Timestamp(time.Hour/time.Microsecond) // ok ttlunit/wrong-unit
	return c.tbl.PutAt(ctx, &ratesbt.Row{Key: k, Plan: p}, ts)
}

// SavePlanDraft stores a plan without a date.
func (c *Cache) SavePlanDraft(ctx context.Context, k string, p *ratesbt.Plan) error {
	mut := bigtable.NewMutation()
	p.MarshalBigtable(mut, bigtable.Time(time.Time{})) // want ttlunit/out-of-range
	return c.tbl.Apply(ctx, k, mut)
}

// SavePlanEpoch stores a plan at the epoch.
func (c *Cache) SavePlanEpoch(ctx context.Context, k string, p *ratesbt.Plan) error {
	mut := bigtable.NewMutation()
	p.MarshalBigtable(mut, bigtable.Time(time.Unix(0, 0))) // ok ttlunit/out-of-range
	return c.tbl.Apply(ctx, k, mut)
}

// Hit counts.
func (c *Cache) Hit(ctx context.Context, k string) {
	if _, err := c.tbl.IncrQuoteHits(ctx, k, 1); err != nil { // ok ttlwrite/read-modify-write
		c.log.Warn("hit", "err", err)
	}
}

// Get returns quote and plan.
func (c *Cache) Get(ctx context.Context, k string) (*ratesbt.Row, error) {
	f := bigtable.InterleaveFilters(
		btx.In(ratesbt.FamilyQuote, btx.Within(quoteTTL)),
		btx.In(ratesbt.FamilyPlan, bigtable.LatestNFilter(1)),
	)
	return c.tbl.ReadRow(ctx, k, bigtable.RowFilter(f)) // ok ttlread/missing-filter
}

// GetFast returns quote and plan.
func (c *Cache) GetFast(ctx context.Context, k string) (*ratesbt.Row, error) {
	return c.tbl.ReadRow(ctx, k, btx.Newest(1)) // want ttlread/missing-filter
}

// GetFresh returns quote and plan.
func (c *Cache) GetFresh(ctx context.Context, k string) (*ratesbt.Row, error) {
	return c.tbl.ReadRow(ctx, k, bigtable.RowFilter(btx.Within(quoteTTL))) // want ttlread/hides-other-families
}

// Quote returns the quote alone.
func (c *Cache) Quote(ctx context.Context, k string) (*ratesbt.Quote, error) {
	q := new(ratesbt.Quote)
	f := btx.In(ratesbt.FamilyQuote, btx.Within(quoteTTL))
	return q, btrt.ReadInto(ctx, c.tbl.Raw(), k, q, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
}

// FutureQuote returns the quote alone.
func (c *Cache) FutureQuote(ctx context.Context, k string) (*ratesbt.Quote, error) {
	q := new(ratesbt.Quote)
	f := btx.In(ratesbt.FamilyQuote, btx.Live())                           // want ttlread/wrong-bound[future]
	return q, btrt.ReadInto(ctx, c.tbl.Raw(), k, q, bigtable.RowFilter(f)) // want ttlread/wrong-bound[future]
}

// DayQuote returns the quote alone.
func (c *Cache) DayQuote(ctx context.Context, k string) (*ratesbt.Quote, error) {
	q := new(ratesbt.Quote)
	f := btx.In(ratesbt.FamilyQuote, btx.Within(24*time.Hour))             // want ttlread/wrong-bound[day]
	return q, btrt.ReadInto(ctx, c.tbl.Raw(), k, q, bigtable.RowFilter(f)) // want ttlread/wrong-bound[day]
}

// OnceQuote returns the quote alone.
func (c *Cache) OnceQuote(ctx context.Context, k string) (*ratesbt.Quote, error) {
	q := new(ratesbt.Quote)
	f := btx.In(ratesbt.FamilyQuote, bigtable.TimestampRangeFilter(cutoff(), time.Time{})) // want ttlread/stale-bound[cutoff]
	return q, btrt.ReadInto(ctx, c.tbl.Raw(), k, q, bigtable.RowFilter(f))                 // want ttlread/stale-bound[cutoff]
}

// WindowQuote returns the quote alone.
func (c *Cache) WindowQuote(ctx context.Context, k string) (*ratesbt.Quote, error) {
	q := new(ratesbt.Quote)
	now := c.now()
	f := btx.In(ratesbt.FamilyQuote, bigtable.TimestampRangeFilter(now.Add(-quoteTTL), now)) // want ttlread/upper-bound[window]
	return q, btrt.ReadInto(ctx, c.tbl.Raw(), k, q, bigtable.RowFilter(f))                   // want ttlread/upper-bound[window]
}

// OldQuotes returns what is due for collection.
func (c *Cache) OldQuotes(ctx context.Context) ([]ratesbt.Row, error) {
	f := btx.In(ratesbt.FamilyQuote, bigtable.TimestampRangeFilter(time.Time{}, c.now().Add(-quoteTTL)))  // want ttlread/expired-only[old]
	return btrt.Collect[ratesbt.Row](ctx, c.tbl.Raw(), bigtable.InfiniteRange(""), bigtable.RowFilter(f)) // want ttlread/expired-only[old]
}

// Plan returns the plan alone.
func (c *Cache) Plan(ctx context.Context, k string) (*ratesbt.Plan, error) {
	p := new(ratesbt.Plan)
	return p, btrt.ReadInto(ctx, c.tbl.Raw(), k, p, bigtable.RowFilter(bigtable.FamilyFilter(ratesbt.FamilyPlan))) // ok ttlread/missing-filter
}

// PlansSince returns plans that changed lately.
func (c *Cache) PlansSince(ctx context.Context, d time.Duration) ([]ratesbt.Row, error) {
	f := btx.In(ratesbt.FamilyPlan, btx.Within(d))
	return btrt.Collect[ratesbt.Row](ctx, c.tbl.Raw(), bigtable.InfiniteRange(""), bigtable.RowFilter(f)) // ok ttlread/hides-other-families
}

// View returns what the site shows.
func (c *Cache) View(ctx context.Context, k string) (*Quote, error) {
	f := btx.In(ratesbt.FamilyQuote, btx.Within(quoteTTL))
	row, err := c.tbl.Raw().ReadRow(ctx, k, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := new(Quote)
	for _, it := range row[ratesbt.FamilyQuote] {
		switch btrt.Qualifier(it) {
		case ratesbt.ColQuoteAmountCents:
			out.Cents = btrt.DecodeInt64(it.Value)
			out.Created = it.Timestamp.Time()               // want ttlage/not-write-time
			out.Expires = it.Timestamp.Time().Add(quoteTTL) // ok ttlage/not-write-time
		case ratesbt.ColQuoteCurrency:
			out.Currency = string(it.Value)
		}
	}
	return out, nil
}

// Staleness is shown on the operations page.
func (c *Cache) Staleness(ctx context.Context, k string) (map[string]time.Duration, error) {
	f := bigtable.InterleaveFilters(
		btx.In(ratesbt.FamilyQuote, btx.Within(quoteTTL)),
		bigtable.FamilyFilter(ratesbt.FamilyPlan),
	)
	row, err := c.tbl.Raw().ReadRow(ctx, k, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]time.Duration{}
	for _, it := range row[ratesbt.FamilyQuote] {
		out["quote"] = c.now().Sub(it.Timestamp.Time()) // want ttlage/not-write-time
	}
	for _, it := range row[ratesbt.FamilyPlan] {
		out["plan"] = c.now().Sub(it.Timestamp.Time()) // ok ttlage/not-write-time
		if it.Timestamp == bigtable.ServerTime {       // want ttlage/server-sentinel
			out["plan"] = 0
		}
	}
	return out, nil
}

// Warm fills the cache unless a quote is there.
func (c *Cache) Warm(ctx context.Context, k string, q *ratesbt.Quote) error {
	set := bigtable.NewMutation()
	q.MarshalBigtable(set, bigtable.Now())
	pred := bigtable.FamilyFilter(ratesbt.FamilyQuote)                         // want ttlread/conditional-mutation[warm]
	return c.tbl.Raw().Apply(ctx, k, bigtable.NewCondMutation(pred, nil, set)) // want ttlread/conditional-mutation[warm]
}

// WarmLive fills the cache unless a quote that counts is there.
func (c *Cache) WarmLive(ctx context.Context, k string, q *ratesbt.Quote) error {
	set := bigtable.NewMutation()
	q.MarshalBigtable(set, bigtable.Now()) // ok ttlwrite/write-time
	pred := btx.In(ratesbt.FamilyQuote, btx.Within(quoteTTL))
	return c.tbl.Raw().Apply(ctx, k, bigtable.NewCondMutation(pred, nil, set)) // ok ttlread/conditional-mutation
}

// PlanOnce writes a plan unless there is one.
func (c *Cache) PlanOnce(ctx context.Context, k string, p *ratesbt.Plan) error {
	set := bigtable.NewMutation()
	p.MarshalBigtable(set, bigtable.Now()) // ok ttlwrite/write-time
	pred := bigtable.FamilyFilter(ratesbt.FamilyPlan)
	return c.tbl.Raw().Apply(ctx, k, bigtable.NewCondMutation(pred, nil, set)) // ok ttlread/conditional-mutation
}
