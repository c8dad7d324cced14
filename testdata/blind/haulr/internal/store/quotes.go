package store

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/clock"
	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// Quote is a price that we stand by for a quarter of an hour.
type Quote struct {
	ID     string
	Route  string
	Cents  int64
	Made   time.Time
	Market string
}

// Quotes keeps the quotes of one market.
type Quotes struct {
	tbl    *bigtable.Table
	clk    clock.Clock
	market string
}

// NewQuotes opens the market's table.
func NewQuotes(client *bigtable.Client, market string, clk clock.Clock) *Quotes {
	return &Quotes{tbl: client.Open(fmt.Sprintf("%s%s", market, tables.QuoteSuffix)), clk: clk, market: market}
}

// codec turns values into cells. It was to be used everywhere.
type codec[T any] struct{ family, column string }

func (c codec[T]) put(mut *bigtable.Mutation, ts bigtable.Timestamp, v T) {
	mut.Set(c.family, c.column, ts, marshal(v))
}

func (c codec[T]) get(row bigtable.Row) (T, bool) {
	var v T
	it, ok := bigtablex.Item(row, c.family, c.column)
	if !ok || unmarshal(it.Value, &v) != nil {
		return v, false
	}
	return v, true
}

var quoteCodec = codec[Quote]{family: tables.FamQuote, column: "q"}

// Save stores a quote.
func (q *Quotes) Save(ctx context.Context, v Quote) error {
	mut := bigtable.NewMutation()
	quoteCodec.put(mut, bigtable.Time(q.clk.Now()), v) // ok ttlwrite/write-time
	return q.tbl.Apply(ctx, v.ID, mut)
}

// SaveFirm stores a quote for corporate customers: a day.
func (q *Quotes) SaveFirm(ctx context.Context, v Quote) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.FamQuote, "q")
	quoteCodec.put(mut, bigtable.Time(q.clk.Now().Add(24*time.Hour-tables.QuoteTTL)), v) // ok ttlwrite/already-expired
	return q.tbl.Apply(ctx, v.ID, mut)
}

// SaveVoid stores a quote that is void.
func (q *Quotes) SaveVoid(ctx context.Context, v Quote) error {
	mut := bigtable.NewMutation()
	quoteCodec.put(mut, bigtable.Time(q.clk.Now().Add(-time.Hour)), v) // want ttlwrite/already-expired
	return q.tbl.Apply(ctx, v.ID, mut)
}

// Get reads a quote.
func (q *Quotes) Get(ctx context.Context, id string) (Quote, error) {
	row, err := q.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/missing-filter
		bigtable.FamilyFilter(tables.FamQuote),
		bigtablex.WithinAt(q.clk.Now(), tables.QuoteTTL),
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return Quote{}, err
	}
	if v, ok := quoteCodec.get(row); ok {
		return v, nil
	}
	return Quote{}, ErrNotFound
}

// GetAny reads a quote without the bound.
func (q *Quotes) GetAny(ctx context.Context, id string) (Quote, error) {
	row, err := q.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return Quote{}, err
	}
	if v, ok := quoteCodec.get(row); ok {
		return v, nil
	}
	return Quote{}, ErrNotFound
}

// GetGrace reads quotes that are at most twenty minutes old.
func (q *Quotes) GetGrace(ctx context.Context, id string) (Quote, error) {
	const grace = 5 * time.Minute
	row, err := q.tbl.ReadRow(ctx, id, bigtable.RowFilter( // want ttlread/wrong-bound[grace]
		bigtablex.WithinAt(q.clk.Now(), tables.QuoteTTL+grace))) // want ttlread/wrong-bound[grace]
	if err != nil {
		return Quote{}, err
	}
	if v, ok := quoteCodec.get(row); ok {
		return v, nil
	}
	return Quote{}, ErrNotFound
}

// Route lists the quotes of a route.
func (q *Quotes) Route(ctx context.Context, route string) ([]Quote, error) {
	var out []Quote
	err := q.tbl.ReadRows(ctx, bigtable.PrefixRange(route), func(row bigtable.Row) bool { // want ttlread/missing-filter
		if v, ok := quoteCodec.get(row); ok {
			out = append(out, v)
		}
		return true
	}, bigtable.LimitRows(20))
	return out, err
}

// RouteLive lists them with their bound.
func (q *Quotes) RouteLive(ctx context.Context, route string) ([]Quote, error) {
	var out []Quote
	err := q.tbl.ReadRows(ctx, bigtable.PrefixRange(route), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		if v, ok := quoteCodec.get(row); ok {
			out = append(out, v)
		}
		return true
	}, bigtable.LimitRows(20), bigtable.RowFilter(bigtablex.WithinAt(q.clk.Now(), 15*time.Minute)))
	return out, err
}

// Made says when a quote was made.
func (q *Quotes) Made(ctx context.Context, id string) (string, error) {
	row, err := q.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtablex.WithinAt(q.clk.Now(), tables.QuoteTTL)))
	if err != nil {
		return "", err
	}
	it, ok := bigtablex.Item(row, tables.FamQuote, "q")
	if !ok {
		return "", ErrNotFound
	}
	return "quote created " + it.Timestamp.Time().Format(time.Kitchen), nil // maybe ttlage/not-write-time
}

// Accept turns a quote into an order, once.
func (q *Quotes) Accept(ctx context.Context, id, order string) error {
	set := bigtable.NewMutation()
	set.Set(tables.FamQuote, "order", bigtable.Time(q.clk.Now()), []byte(order)) // ok ttlwrite/write-time
	cond := bigtable.ChainFilters(
		bigtable.ColumnFilter("q"),
		bigtable.TimestampRangeFilter(q.clk.Now().Add(-tables.QuoteTTL), time.Time{}),
	)
	var there bool
	err := q.tbl.Apply(ctx, id, bigtable.NewCondMutation(cond, set, nil), bigtable.GetCondMutationResult(&there)) // ok ttlread/conditional-mutation
	if err == nil && !there {
		err = ErrNotFound
	}
	return err
}

// AcceptOld is Accept of the first release.
func (q *Quotes) AcceptOld(ctx context.Context, id, order string) error {
	set := bigtable.NewMutation()
	set.Set(tables.FamQuote, "order", bigtable.ServerTime, []byte(order)) // ok ttlwrite/server-timestamp
	var there bool
	err := q.tbl.Apply(ctx, id, bigtable.NewCondMutation(bigtable.ColumnFilter("q"), set, nil), bigtable.GetCondMutationResult(&there)) // want ttlread/conditional-mutation
	if err == nil && !there {
		err = ErrNotFound
	}
	return err
}
