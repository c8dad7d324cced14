package store

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/bt"
	"example.com/saga/clock"
	"example.com/saga/schema"
	"example.com/saga/vo"
)

// Quote is what a carrier asks for a parcel.
type Quote struct {
	Carrier string    `json:"carrier"`
	Price   vo.Money  `json:"price"`
	Asked   time.Time `json:"asked"`
	Until   time.Time `json:"until"`
}

// QuoteRepo keeps shipping quotes for as long as they bind the carrier.
type QuoteRepo struct {
	tbl   bt.Table
	clk   clock.Clock
	stamp func() bigtable.Timestamp
}

// QuoteOption changes a QuoteRepo.
type QuoteOption func(*QuoteRepo)

// WithStamp makes the timestamps of quotes that carriers send without an end.
func WithStamp(f func() bigtable.Timestamp) QuoteOption {
	return func(r *QuoteRepo) { r.stamp = f }
}

// NewQuoteRepo opens the quotes.
func NewQuoteRepo(c *bigtable.Client, clk clock.Clock, opts ...QuoteOption) *QuoteRepo {
	r := &QuoteRepo{clk: clk}
	r.tbl = bt.Metered{Table: c.Open(schema.Quotes), Calls: func(op string, took time.Duration) {
		slog.Debug("quotes", "op", op, "took", took)
	}}
	r.stamp = func() bigtable.Timestamp { return bt.ExpiresIn(clk, schema.QuoteTTL) }
	for _, o := range opts {
		o(r)
	}
	return r
}

// Save stores a quote until the carrier takes it back.
func (r *QuoteRepo) Save(ctx context.Context, o vo.OrderID, q Quote) error {
	b, err := json.Marshal(q)
	if err != nil {
		return fmt.Errorf("quote of %s: %w", q.Carrier, err)
	}
	mut := bigtable.NewMutation()
	if q.Until.IsZero() {
		mut.Set(schema.FamQuote, q.Carrier, r.stamp(), b) // ok ttlwrite/write-time
	} else {
		mut.Set(schema.FamQuote, q.Carrier, bigtable.Time(q.Until), b) // ok ttlwrite/write-time
	}
	return r.tbl.Apply(ctx, string(o), mut)
}

// Asked stores that we asked a carrier, so that it is not asked twice.
func (r *QuoteRepo) Asked(ctx context.Context, o vo.OrderID, carrier string) error {
	ts := bigtable.Time(r.clk.Now())
	mut := bigtable.NewMutation()
	mut.Set(schema.FamQuote, "asked."+carrier, ts, nil) // want ttlwrite/write-time
	return r.tbl.Apply(ctx, string(o), mut)
}

// AskedUntil does it right.
func (r *QuoteRepo) AskedUntil(ctx context.Context, o vo.OrderID, carrier string) error {
	ts := bigtable.Time(r.clk.Now().Add(30 * time.Second))
	mut := bigtable.NewMutation()
	mut.Set(schema.FamQuote, "asked."+carrier, ts, nil) // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, string(o), mut)
}

// Refuse stores that a carrier does not want the parcel.
func (r *QuoteRepo) Refuse(ctx context.Context, o vo.OrderID, carrier, why string) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Timestamp(r.clk.Now().Add(schema.QuoteTTL).UnixMilli()) // want ttlunit/wrong-unit|ttlwrite/already-expired[ref]
	mut.Set(schema.FamQuote, "refused."+carrier, ts, []byte(why))          // want ttlunit/wrong-unit|ttlwrite/already-expired[ref]
	return r.tbl.Apply(ctx, string(o), mut)
}

// Prefer stores the carrier that the customer chose.
func (r *QuoteRepo) Prefer(ctx context.Context, o vo.OrderID, carrier string) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Now() + bigtable.Timestamp(schema.QuoteTTL) // want ttlunit/wrong-unit
	mut.Set(schema.FamQuote, "preferred", ts, []byte(carrier))
	mut.Set(schema.FamQuote, "chosen", bigtable.Now()+bigtable.Timestamp(schema.QuoteTTL/time.Microsecond), nil) // ok ttlunit/wrong-unit
	return r.tbl.Apply(ctx, string(o), mut)
}

// Both stores a price and who saw it.
func (r *QuoteRepo) Both(ctx context.Context, o vo.OrderID, net, gross vo.Money) error {
	ts := bt.ExpiresIn(r.clk, schema.QuoteTTL)
	mut := bigtable.NewMutation()
	mut.Set(schema.FamQuote, "price", ts, []byte(net.String()))
	mut.Set(schema.FamQuote, "price", ts, []byte(gross.String()))       // want ttlwrite/same-timestamp
	mut.Set(schema.FamQuote, "price.gross", ts, []byte(gross.String())) // ok ttlwrite/same-timestamp
	return r.tbl.Apply(ctx, string(o), mut)
}

// Quotes lists what the carriers ask.
func (r *QuoteRepo) Quotes(ctx context.Context, o vo.OrderID) ([]Quote, error) {
	row, err := r.tbl.ReadRow(ctx, string(o), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeQuotes(row)
}

// Binding lists the quotes that still bind.
func (r *QuoteRepo) Binding(ctx context.Context, o vo.OrderID) ([]Quote, error) {
	row, err := r.tbl.ReadRow(ctx, string(o), bigtable.RowFilter(bt.Live(r.clk))) // ok ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	return decodeQuotes(row)
}

// Fallback reads what there is and throws out what has ended.
func (r *QuoteRepo) Fallback(ctx context.Context, o vo.OrderID) ([]Quote, error) {
	row, err := r.tbl.ReadRow(ctx, string(o)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeQuotes(liveOnly(row, r.clk.Now()))
}

func liveOnly(row bigtable.Row, now time.Time) bigtable.Row {
	out := bigtable.Row{}
	for f, items := range row {
		for _, it := range items {
			if it.Timestamp.Time().After(now) { // ok ttlage/not-write-time
				out[f] = append(out[f], it)
			}
		}
	}
	return out
}

func decodeQuotes(row bigtable.Row) ([]Quote, error) {
	var out []Quote
	for _, item := range row[schema.FamQuote] {
		if len(item.Value) == 0 {
			continue
		}
		var q Quote
		if err := json.Unmarshal(item.Value, &q); err != nil {
			return nil, fmt.Errorf("quote %s: %w", item.Column, err)
		}
		if q.Until.IsZero() {
			q.Until = item.Timestamp.Time() // ok ttlage/not-write-time
		}
		out = append(out, q)
	}
	return out, nil
}

// WasAsked tells whether a carrier was asked.
func (r *QuoteRepo) WasAsked(ctx context.Context, o vo.OrderID, carrier string) (bool, error) {
	return bt.Has(ctx, r.tbl, string(o), bigtable.ColumnFilter("asked\\."+carrier)) // want ttlread/missing-filter
}

// IsAsked tells whether a carrier was asked and may still answer.
func (r *QuoteRepo) IsAsked(ctx context.Context, o vo.OrderID, carrier string) (bool, error) {
	return bt.Has(ctx, r.tbl, string(o), bigtable.ChainFilters(bigtable.ColumnFilter("asked\\."+carrier), bt.Live(r.clk))) // ok ttlread/missing-filter
}

// Any tells whether there is anything for an order.
func (r *QuoteRepo) Any(ctx context.Context, o vo.OrderID) (bool, error) {
	return bt.Known(ctx, r.tbl, string(o)) // want ttlread/missing-filter
}

// Age says how old a quote is.
func (r *QuoteRepo) Age(ctx context.Context, o vo.OrderID, carrier string) (time.Duration, error) {
	row, err := r.tbl.ReadRow(ctx, string(o), bigtable.RowFilter(bt.Column(schema.FamQuote, carrier, bt.Live(r.clk)))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it := bt.Cell(row, schema.FamQuote, carrier)
	if it == nil {
		return 0, bt.ErrNotFound
	}
	if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
		return 0, nil
	}
	return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
}
