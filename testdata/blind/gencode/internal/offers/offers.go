// Package offers serves last-minute offers.
package offers

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/hotelbook/gen/btrt"
	"example.com/hotelbook/gen/offersbt"
	"example.com/hotelbook/internal/btx"
)

const offerTTL = 24 * time.Hour

// Shop sells offers.
type Shop struct{ tbl *offersbt.Table }

// NewShop opens the table.
func NewShop(c *bigtable.Client) *Shop { return &Shop{tbl: offersbt.Open(c)} }

func current() *offersbt.Query {
	return offersbt.NewQuery().Where(btx.Within(offerTTL))
}

// Put stores an offer.
func (s *Shop) Put(ctx context.Context, k string, o *offersbt.Offer) error {
	return s.tbl.PutNow(ctx, &offersbt.Row{Key: k, Offer: o}) // ok ttlwrite/write-time
}

// PutFor stores an offer for a while.
func (s *Shop) PutFor(ctx context.Context, k string, o *offersbt.Offer, ttl time.Duration) error {
	return s.tbl.PutAt(ctx, &offersbt.Row{Key: k, Offer: o}, btx.Shifted(ttl, offerTTL)) // ok ttlwrite/already-expired
}

// Withdraw ends an offer.
func (s *Shop) Withdraw(ctx context.Context, k string) error {
	return s.tbl.PutAt(ctx, &offersbt.Row{Key: k, Offer: &offersbt.Offer{}}, btx.Shifted(0, offerTTL)) // want ttlwrite/already-expired
}

// List lists current offers.
func (s *Shop) List(ctx context.Context, hotel string) (out []*offersbt.Row, err error) {
	err = current().Limit(50).Each(ctx, s.tbl, bigtable.PrefixRange(hotel), func(r *offersbt.Row) bool { // ok ttlread/missing-filter
		out = append(out, r)
		return true
	})
	return out, err
}

// ListAll lists every offer.
func (s *Shop) ListAll(ctx context.Context, hotel string) (out []*offersbt.Row, err error) {
	err = offersbt.NewQuery().Limit(500).Each(ctx, s.tbl, bigtable.PrefixRange(hotel), func(r *offersbt.Row) bool { // want ttlread/missing-filter
		out = append(out, r)
		return true
	})
	return out, err
}

// Codes lists the codes of offers.
func (s *Shop) Codes(ctx context.Context) (out []string, err error) {
	q := offersbt.NewQuery().Where(bigtable.ColumnFilter(offersbt.ColOfferCode))      // want ttlread/missing-filter[codes]
	err = q.Each(ctx, s.tbl, bigtable.InfiniteRange(""), func(r *offersbt.Row) bool { // want ttlread/missing-filter[codes]
		out = append(out, r.Offer.Code)
		return true
	})
	return out, err
}

// CurrentCodes lists the codes of current offers.
func (s *Shop) CurrentCodes(ctx context.Context) (out []string, err error) {
	q := current().Where(bigtable.ColumnFilter(offersbt.ColOfferCode))
	err = q.Each(ctx, s.tbl, bigtable.InfiniteRange(""), func(r *offersbt.Row) bool { // ok ttlread/missing-filter
		out = append(out, r.Offer.Code)
		return true
	})
	return out, err
}

// Today lists the offers of the last twelve hours.
func (s *Shop) Today(ctx context.Context, hotel string) ([]offersbt.Row, error) {
	f := btx.Within(12 * time.Hour)                                                                         // want ttlread/wrong-bound[today]
	return btrt.Collect[offersbt.Row](ctx, s.tbl.Raw(), bigtable.PrefixRange(hotel), bigtable.RowFilter(f)) // want ttlread/wrong-bound[today]
}

// Valid reads offers like holds.
func (s *Shop) Valid(ctx context.Context, k string) (*offersbt.Row, error) {
	return s.tbl.ReadRow(ctx, k, bigtable.RowFilter(btx.ReadFilter(true))) // want ttlread/wrong-bound
}

// Any reads an offer.
func (s *Shop) Any(ctx context.Context, k string) (*offersbt.Row, error) {
	return s.tbl.ReadRow(ctx, k, bigtable.RowFilter(btx.ReadFilter(false))) // want ttlread/missing-filter
}

// Current reads an offer.
func (s *Shop) Current(ctx context.Context, k string) (*offersbt.Row, error) {
	return s.tbl.ReadRow(ctx, k, bigtable.RowFilter(btx.Within(offerTTL))) // ok ttlread/wrong-bound
}

// Doubled reads with two filters.
func (s *Shop) Doubled(ctx context.Context, k string) (*offersbt.Row, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(btx.Within(offerTTL))}     // want ttlread/overridden-filter[doubled]
	opts = append(opts, bigtable.RowFilter(bigtable.CellsPerRowLimitFilter(3))) // want ttlread/overridden-filter[doubled]
	return s.tbl.ReadRow(ctx, k, opts...)                                       // want ttlread/overridden-filter[doubled]
}

// ServeHTTP shows an offer.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	row, err := s.tbl.Raw().ReadRow(r.Context(), r.PathValue("id"), bigtable.RowFilter(btx.Within(offerTTL))) // ok ttlread/missing-filter
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	for _, it := range row[offersbt.FamilyOffer] {
		if btrt.Qualifier(it) != offersbt.ColOfferCode {
			continue
		}
		fmt.Fprintf(w, "created %s\n", it.Timestamp.Time().Format(time.RFC3339))            // want ttlage/not-write-time
		fmt.Fprintf(w, "ends %s\n", it.Timestamp.Time().Add(offerTTL).Format(time.RFC3339)) // ok ttlage/not-write-time
		if it.Timestamp == bigtable.ServerTime {                                            // want ttlage/server-sentinel
			continue
		}
		w.Header().Set("Last-Modified", it.Timestamp.Time().UTC().Format(http.TimeFormat))         // want ttlage/not-write-time
		w.Header().Set("Expires", it.Timestamp.Time().Add(offerTTL).UTC().Format(http.TimeFormat)) // ok ttlage/not-write-time
	}
}
