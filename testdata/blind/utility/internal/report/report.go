// Package report asks Bigtable with SQL and prints sheets.
package report

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	bm "nordkraft.example/grid/internal/btmodel"
)

const (
	qTokens  = "SELECT _key, sess['token'] AS token FROM meter_sessions"                                                              // want ttlread/sql[tokens]
	qDevices = "SELECT _key, dev['model'] AS model FROM meter_sessions"                                                               // ok ttlread/sql
	qNotices = "SELECT _key, notice['text'] AS text FROM outages"                                                                     // want ttlread/sql[notices]
	qLive    = "SELECT _key, sess['token'] AS token FROM meter_sessions(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())" // ok ttlread/sql
	qTariffs = "SELECT _key, rev['body'] AS body FROM tariffs"                                                                        // ok ttlread/sql
)

// Sheet is a table of strings.
type Sheet struct {
	Rows    int
	Updated time.Time
}

func run(ctx context.Context, c *bigtable.Client, q string) (*Sheet, error) {
	ps, err := c.PrepareStatement(ctx, q, nil)
	if err != nil {
		return nil, err
	}
	bs, err := ps.Bind(nil)
	if err != nil {
		return nil, err
	}
	s := new(Sheet)
	err = bs.Execute(ctx, func(bigtable.ResultRow) bool { s.Rows++; return true })
	return s, err
}

// Tokens counts sessions.
func Tokens(ctx context.Context, c *bigtable.Client) (*Sheet, error) {
	return run(ctx, c, qTokens) // want ttlread/sql[tokens]
}

// Notices counts notices.
func Notices(ctx context.Context, c *bigtable.Client) (*Sheet, error) {
	return run(ctx, c, qNotices) // want ttlread/sql[notices]
}

// Quiet are those that are right.
func Quiet(ctx context.Context, c *bigtable.Client) (n int, err error) {
	for _, q := range []string{qDevices, qLive, qTariffs} { // ok ttlread/sql
		s, err := run(ctx, c, q) // ok ttlread/sql
		if err != nil {
			return n, err
		}
		n += s.Rows
	}
	return n, nil
}

// Offers dates a sheet by its newest offer.
func Offers(ctx context.Context, t *bm.Contracts) (*Sheet, error) {
	s := new(Sheet)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(bm.ContractsFamilyOffer), bigtable.TimestampRangeFilter(time.Now().Add(-bm.ContractsOfferTTL), time.Time{})) // ok ttlread/wrong-bound
	err := t.Table().ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		for _, it := range r[bm.ContractsFamilyOffer] {
			s.Rows++
			s.Updated = it.Timestamp.Time() // want ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	return s, err
}
