package cdc

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

// query builds reads.
type query struct {
	tbl     bigtable.TableAPI
	filters []bigtable.Filter
	opts    []bigtable.ReadOption
}

func from(tbl bigtable.TableAPI) *query { return &query{tbl: tbl} }

func (q *query) family(name string) *query {
	q.filters = append(q.filters, bigtable.FamilyFilter(name))
	return q
}

func (q *query) column(re string) *query {
	q.filters = append(q.filters, bigtable.ColumnFilter(re))
	return q
}

func (q *query) since(t time.Time) *query {
	q.filters = append(q.filters, bigtable.TimestampRangeFilter(t, time.Time{}))
	return q
}

func (q *query) newest(n int) *query {
	q.filters = append(q.filters, bigtable.LatestNFilter(n))
	return q
}

func (q *query) limit(n int64) *query {
	q.opts = append(q.opts, bigtable.LimitRows(n))
	return q
}

func (q *query) options() []bigtable.ReadOption {
	switch len(q.filters) {
	case 0:
		return q.opts
	case 1:
		return append(q.opts, bigtable.RowFilter(q.filters[0]))
	default:
		return append(q.opts, bigtable.RowFilter(bigtable.ChainFilters(q.filters...)))
	}
}

func (q *query) row(ctx context.Context, key string) (bigtable.Row, error) {
	return q.tbl.ReadRow(ctx, key, q.options()...)
}

// Lookup reads what handlers have written.
type Lookup struct {
	dedup, offsets, agg, features bigtable.TableAPI
}

// NewLookup opens the tables.
func NewLookup(c *bigtable.Client) *Lookup {
	return &Lookup{
		dedup:    c.OpenTable(schema.TableDedup),
		offsets:  c.OpenTable(schema.TableOffsets),
		agg:      c.OpenTable(schema.TableAgg),
		features: c.OpenTable(schema.TableFeatures),
	}
}

// Login says whether the user is marked.
func (l *Lookup) Login(ctx context.Context, user string) (bool, error) {
	row, err := from(l.dedup).family(schema.FamSeen).since(time.Now()).row(ctx, user) // ok ttlread/missing-filter
	return len(row[schema.FamSeen]) > 0, err
}

// LoginToday forgets that marks expire.
func (l *Lookup) LoginToday(ctx context.Context, user string) (bool, error) {
	row, err := from(l.dedup).family(schema.FamSeen).column("last").row(ctx, user) // want ttlread/missing-filter
	return len(row[schema.FamSeen]) > 0, err
}

// Position reads the number of the orders.
func (l *Lookup) Position(ctx context.Context) (int64, error) {
	row, err := from(l.offsets).family(schema.FamOffset).column("lsn").newest(1).row(ctx, "cdc-orders") // ok ttlread/version-limit
	if err != nil || len(row[schema.FamOffset]) == 0 {
		return 0, err
	}
	return etl.SeqOf(row[schema.FamOffset][0].Timestamp), nil
}

// Positions reads all numbers.
func (l *Lookup) Positions(ctx context.Context) (map[string]int64, error) {
	row, err := from(l.offsets).family(schema.FamOffset).row(ctx, "cdc-orders") // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for _, it := range row[schema.FamOffset] {
		out[etl.Column(it)] = etl.SeqOf(it.Timestamp)
	}
	return out, nil
}

// Order reads a total.
func (l *Lookup) Order(ctx context.Context, key string) (string, error) {
	row, err := from(l.agg).family(schema.FamAgg).limit(1).row(ctx, key) // ok ttlread/missing-filter
	return string(etl.First(row, schema.FamAgg, "order")), err
}

// liveOpts are the options of reads of online features.
func liveOpts(extra ...bigtable.ReadOption) []bigtable.ReadOption {
	live := bigtable.RowFilter(etl.InFamily(schema.FamOnline, etl.Live()))
	return append([]bigtable.ReadOption{live}, extra...)
}

// Features reads live features.
func (l *Lookup) Features(ctx context.Context, user string) (map[string]string, error) {
	row, err := l.features.ReadRow(ctx, user, liveOpts(bigtable.WithFullReadStats(func(*bigtable.FullReadStats) {}))...) // ok ttlread/overridden-filter
	return strs(row, schema.FamOnline), err
}

// Feature wants one column, and so loses the live filter.
func (l *Lookup) Feature(ctx context.Context, user, name string) (string, error) {
	row, err := l.features.ReadRow(ctx, user, liveOpts(bigtable.RowFilter(bigtable.ColumnFilter(name)))...) // want ttlread/overridden-filter // maybe ttlread/missing-filter
	return string(etl.First(row, schema.FamOnline, name)), err
}
