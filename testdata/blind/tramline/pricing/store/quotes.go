package store

import (
	"context"
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"

	"tramline.example/dal"
	"tramline.example/pricing"
)

// bound is what a generic Store asks of the strategy of its family.
type bound interface {
	live(now time.Time) bigtable.Filter
	stamp(now time.Time, life time.Duration) bigtable.Timestamp
}

// shifted is the strategy of families with a default lifetime.
type shifted struct{ def time.Duration }

func (s shifted) live(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now.Add(-s.def), time.Time{})
}

func (s shifted) stamp(now time.Time, life time.Duration) bigtable.Timestamp {
	return bigtable.Time(now.Add(life - s.def))
}

// expiring is the strategy of families whose timestamps are the expiry.
type expiring struct{}

func (expiring) live(now time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilter(now, time.Time{})
}

func (expiring) stamp(now time.Time, life time.Duration) bigtable.Timestamp {
	return bigtable.Time(now.Add(life))
}

// Keyed is what can be stored under a key of its own.
type Keyed interface{ Key() string }

// Timed is a store of entities with a lifetime, for one family.
type Timed[T Keyed, B bound] struct {
	tbl    dal.Table
	family string
	b      B
	clock  dal.Clock
}

// Put writes an entity.
func (t *Timed[T, B]) Put(ctx context.Context, v T, life time.Duration) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(t.family, "v", t.b.stamp(t.clock.Now(), life), b) // ok ttlwrite/already-expired
	return t.tbl.Apply(ctx, v.Key(), m)
}

// Get reads an entity.
func (t *Timed[T, B]) Get(ctx context.Context, key string) (v T, err error) {
	row, err := t.tbl.ReadRow(ctx, key, bigtable.RowFilter(dal.Family(t.family, t.b.live(t.clock.Now())))) // ok ttlread/missing-filter
	if err != nil {
		return v, err
	}
	for _, it := range row[t.family] {
		return v, json.Unmarshal(it.Value, &v)
	}
	return v, dal.ErrNotFound
}

type quoteRow struct{ pricing.Quote }

// Key implements Keyed.
func (q quoteRow) Key() string { return q.ID }

// Quotes implements pricing.Quotes.
type Quotes struct {
	timed *Timed[quoteRow, shifted]
	group *Timed[quoteRow, expiring]
	tbl   dal.Table
	clock dal.Clock
}

var _ pricing.Quotes = (*Quotes)(nil)

// NewQuotes returns the adapter over the table "quotes".
func NewQuotes(c *dal.Client) *Quotes {
	return &Quotes{
		timed: &Timed[quoteRow, shifted]{tbl: c.Quotes(), family: dal.FamQuote, b: shifted{dal.QuoteTTL}, clock: c.Clock()}, // ok ttlread/wrong-bound
		group: &Timed[quoteRow, expiring]{tbl: c.Quotes(), family: dal.FamQuote, clock: c.Clock()},                          // want ttlread/wrong-bound[group]
		tbl:   c.Quotes(),
		clock: c.Clock(),
	}
}

// OfferGroup stores a quote for a group.
func (q *Quotes) OfferGroup(ctx context.Context, o pricing.Quote, life time.Duration) error {
	o.Group = true
	return q.group.Put(ctx, quoteRow{o}, life)
}

// GroupQuote reads a quote for a group.
func (q *Quotes) GroupQuote(ctx context.Context, id string) (pricing.Quote, error) {
	r, err := q.group.Get(ctx, id) // want ttlread/wrong-bound[group]
	return r.Quote, err
}

// Offer stores a quote.
func (q *Quotes) Offer(ctx context.Context, o pricing.Quote, life time.Duration) error {
	return q.timed.Put(ctx, quoteRow{o}, life)
}

// Quote reads a quote.
func (q *Quotes) Quote(ctx context.Context, id string) (pricing.Quote, error) {
	r, err := q.timed.Get(ctx, id)
	return r.Quote, err
}

// Raw reads a quote without its bound, in a closure.
func (q *Quotes) Raw(ctx context.Context, id string) (out pricing.Quote, err error) {
	read := func(opts ...bigtable.ReadOption) error {
		row, err := q.tbl.ReadRow(ctx, id, opts...) // want ttlread/missing-filter[raw]
		if err != nil {
			return err
		}
		for _, it := range row[dal.FamQuote] {
			return json.Unmarshal(it.Value, &out)
		}
		return dal.ErrNotFound
	}
	return out, read(bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[raw]
}

// RawLive is Raw with a bound.
func (q *Quotes) RawLive(ctx context.Context, id string) (out pricing.Quote, err error) {
	read := func(opts ...bigtable.ReadOption) error {
		row, err := q.tbl.ReadRow(ctx, id, opts...) // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		for _, it := range row[dal.FamQuote] {
			return json.Unmarshal(it.Value, &out)
		}
		return dal.ErrNotFound
	}
	return out, read(bigtable.RowFilter(dal.Younger(q.clock, dal.QuoteTTL)))
}

// readFilter chooses by a flag.
func (q *Quotes) readFilter(expired bool) bigtable.Filter {
	if expired {
		return bigtable.FamilyFilter(dal.FamQuote)
	}
	return dal.Family(dal.FamQuote, dal.Younger(q.clock, dal.QuoteTTL))
}

func (q *Quotes) scan(ctx context.Context, prefix string, f bigtable.Filter) (out []pricing.Quote, err error) {
	err = q.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		for _, it := range r[dal.FamQuote] {
			var o pricing.Quote
			if json.Unmarshal(it.Value, &o) == nil {
				out = append(out, o)
			}
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Open lists the quotes of a zone.
func (q *Quotes) Open(ctx context.Context, zone string) ([]pricing.Quote, error) {
	return q.scan(ctx, zone, q.readFilter(false)) // ok ttlread/missing-filter
}

// Ever lists them with those that are over.
func (q *Quotes) Ever(ctx context.Context, zone string) ([]pricing.Quote, error) {
	return q.scan(ctx, zone, q.readFilter(true)) // want ttlread/missing-filter
}

// Hour lists those of the last hour, which are not there any more.
func (q *Quotes) Hour(ctx context.Context, zone string) ([]pricing.Quote, error) {
	return q.scan(ctx, zone, dal.Younger(q.clock, time.Hour)) // want ttlread/wrong-bound
}

// Now lists those that are in the future.
func (q *Quotes) Now(ctx context.Context, zone string) ([]pricing.Quote, error) {
	return q.scan(ctx, zone, dal.Live(q.clock)) // want ttlread/wrong-bound
}

// Ten lists those of the last ten minutes.
func (q *Quotes) Ten(ctx context.Context, zone string) ([]pricing.Quote, error) {
	return q.scan(ctx, zone, dal.Younger(q.clock, 600*time.Second)) // ok ttlread/wrong-bound
}

// Keys lists keys only.
func (q *Quotes) Keys(ctx context.Context, zone string) (keys []string, err error) {
	err = q.tbl.ReadRows(ctx, bigtable.PrefixRange(zone), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, r.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return keys, err
}

// Cancel ends a quote early. The family keeps ten minutes.
func (q *Quotes) Cancel(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set(dal.FamQuote, "v", bigtable.Time(q.clock.Now().Add(-10*time.Minute)), nil) // want ttlwrite/already-expired
	m.Set(dal.FamQuote, "w", bigtable.Time(q.clock.Now().Add(-9*time.Minute)), nil)  // ok ttlwrite/already-expired
	m.Set(dal.FamQuote, "x", bigtable.Now(), nil)                                    // ok ttlwrite/write-time
	return q.tbl.Apply(ctx, id, m)
}

const (
	sqlQuotes = "SELECT _key, quote['v'] AS v FROM `quotes` WHERE STARTS_WITH(_key, @zone)"
	sqlRates  = "SELECT _key, rate['t'] AS t FROM `tariffs` WHERE _key = @zone"
)

// Report runs statements for the monthly report.
func Report(ctx context.Context, c *bigtable.Client, zone string, each func(bigtable.ResultRow) bool) error {
	types := map[string]bigtable.SQLType{"zone": bigtable.StringSQLType{}}
	for _, open := range []func() (*bigtable.PreparedStatement, error){
		func() (*bigtable.PreparedStatement, error) { return c.PrepareStatement(ctx, sqlQuotes, types) }, // want ttlread/sql
		func() (*bigtable.PreparedStatement, error) { return c.PrepareStatement(ctx, sqlRates, types) },  // ok ttlread/sql
	} {
		ps, err := open()
		if err != nil {
			return err
		}
		bs, err := ps.Bind(map[string]any{"zone": zone})
		if err != nil {
			return err
		}
		if err := bs.Execute(ctx, each); err != nil {
			return err
		}
	}
	return nil
}
