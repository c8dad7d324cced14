package prices

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"sort"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
	"pennywise.example/shop/internal/web"
)

// newest is how everybody reads ticks.
var newest = bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamTick), bigtable.LatestNFilter(1)) // ok ttlread/version-limit

// allKept is for the charts.
var allKept = bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamTick), bigtable.LatestNFilter(keep))) // ok ttlread/version-limit

type priceInfo struct {
	SKU     string    `json:"sku"`
	Price   int64     `json:"price"`
	Seq     int64     `json:"seq,omitempty"`
	Updated time.Time `json:"updated,omitzero"`
}

// Price answers with the price.
func Price(w http.ResponseWriter, r *http.Request) {
	market, sku := r.PathValue("market"), r.PathValue("sku")
	row, err := bt.Prices.ReadRow(r.Context(), keys.Price(market, sku), bigtable.RowFilter(newest)) // ok ttlread/version-limit
	if err != nil {
		web.Fail(w, err)
		return
	}
	it := bt.Cell(row, bt.FamTick, "p")
	if it == nil {
		web.Fail(w, web.ErrNotFound)
		return
	}
	var t Tick
	if err := json.Unmarshal(it.Value, &t); err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, priceInfo{SKU: sku, Price: t.Price, Seq: int64(it.Timestamp) / 1000, Updated: t.Sent}) // ok ttlage/not-write-time
}

// PriceV1 is Price for the old apps.
func PriceV1(w http.ResponseWriter, r *http.Request) {
	market, sku := r.FormValue("market"), r.FormValue("sku")
	row, err := bt.Prices.ReadRow(r.Context(), keys.Price(market, sku)) // want ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	for _, it := range row[bt.FamTick] {
		if it.Column != "tick:p" {
			continue
		}
		var t Tick
		if err := json.Unmarshal(it.Value, &t); err != nil {
			web.Fail(w, err)
			return
		}
		web.JSON(w, http.StatusOK, priceInfo{SKU: sku, Price: t.Price, Updated: it.Timestamp.Time()}) // want ttlage/not-write-time
		return
	}
	web.Fail(w, web.ErrNotFound)
}

// Quick answers with the last price, without anything else.
func Quick(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Prices.ReadRow(r.Context(), keys.Price(r.PathValue("market"), r.PathValue("sku"))) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	p := bt.Str(row, bt.FamLast, "p")
	if p == "" {
		web.Fail(w, web.ErrNotFound)
		return
	}
	n, err := strconv.ParseInt(p, 10, 64)
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, n)
}

// Chart answers with the last ticks.
func Chart(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Prices.ReadRow(r.Context(), keys.Price(r.PathValue("market"), r.PathValue("sku")), allKept) // ok ttlread/version-limit
	if err != nil {
		web.Fail(w, err)
		return
	}
	var res []priceInfo
	for _, it := range row[bt.FamTick] {
		var t Tick
		if err := json.Unmarshal(it.Value, &t); err != nil {
			continue
		}
		res = append(res, priceInfo{Price: t.Price, Seq: t.Seq, Updated: t.Sent})
	}
	sort.Slice(res, func(i, j int) bool { return res[i].Seq < res[j].Seq })
	web.JSON(w, http.StatusOK, res)
}

// History is Chart with more points than there are, sometimes.
func History(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Prices.ReadRow(r.Context(), keys.Price(r.PathValue("market"), r.PathValue("sku")), bigtable.RowFilter(bt.Latest(bt.FamTick, 50))) // want ttlread/version-limit
	if err != nil {
		web.Fail(w, err)
		return
	}
	var res []string
	for _, it := range row[bt.FamTick] {
		res = append(res, string(it.Value))
	}
	web.JSON(w, http.StatusOK, res)
}

// Today is what came since midnight.
func Today(w http.ResponseWriter, r *http.Request) {
	midnight := clock.Midnight(clock.Now())
	row, err := bt.Prices.ReadRow(r.Context(), keys.Price(r.PathValue("market"), r.PathValue("sku")), bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamTick),
		bigtable.TimestampRangeFilter(midnight, time.Time{}), // want ttlread/wrong-bound
		bigtable.LatestNFilter(keep),
	)))
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, len(row[bt.FamTick]))
}

// TodayFeeds are today's sources.
func TodayFeeds(w http.ResponseWriter, r *http.Request) {
	midnight := clock.Midnight(clock.Now())
	row, err := bt.Prices.ReadRow(r.Context(), keys.Price(r.PathValue("market"), r.PathValue("sku")), bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamSrc),
		bigtable.TimestampRangeFilter(midnight, time.Time{}), // ok ttlread/wrong-bound
	)))
	if err != nil {
		web.Fail(w, err)
		return
	}
	var res []string
	for _, it := range row[bt.FamSrc] {
		res = append(res, it.Column+" "+clock.Ago(it.Timestamp.Time())) // ok ttlage/not-write-time
	}
	web.JSON(w, http.StatusOK, res)
}

// Between answers with the ticks of two numbers: a lookup.
func Between(w http.ResponseWriter, r *http.Request) {
	from, to := int64(web.Int(r, "from", 1)), int64(web.Int(r, "to", 1))
	row, err := bt.Prices.ReadRow(r.Context(), keys.Price(r.PathValue("market"), r.PathValue("sku")), bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamTick),
		bigtable.LatestNFilter(keep),
		bigtable.TimestampRangeFilterMicros(clock.Seq(from), clock.Seq(to)), // ok ttlread/wrong-bound
	)))
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, row[bt.FamTick])
}

// Market lists a whole market.
func Market(w http.ResponseWriter, r *http.Request) {
	var res []priceInfo
	err := bt.Prices.ReadRows(r.Context(), bigtable.PrefixRange(r.PathValue("market")+keys.Sep), func(row bigtable.Row) bool { // want ttlread/version-limit[market]
		for _, it := range row[bt.FamTick] {
			var t Tick
			if json.Unmarshal(it.Value, &t) == nil {
				res = append(res, priceInfo{SKU: t.SKU, Price: t.Price})
			}
		}
		return len(res) < 1000
	}, bigtable.RowFilter(bigtable.FamilyFilter(bt.FamTick))) // want ttlread/version-limit[market]
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, res)
}

// MarketLast lists a whole market by the last prices.
func MarketLast(w http.ResponseWriter, r *http.Request) {
	res := map[string]string{}
	err := bt.Prices.ReadRows(r.Context(), bigtable.PrefixRange(r.PathValue("market")+keys.Sep), func(row bigtable.Row) bool {
		res[row.Key()] = bt.Str(row, bt.FamLast, "p")
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(bt.FamLast))) // ok ttlread/version-limit
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, res)
}

// Stale lists what got no tick for a while. The wallboard shows it.
func Stale(ctx context.Context, market string, d time.Duration) ([]string, error) {
	var res []string
	err := bt.Prices.ReadRows(ctx, bigtable.PrefixRange(market+keys.Sep), func(row bigtable.Row) bool {
		it := bt.Cell(row, bt.FamTick, "p")
		if it != nil && clock.Now().Sub(it.Timestamp.Time()) > d { // want ttlage/not-write-time
			res = append(res, row.Key())
		}
		return true
	}, bigtable.RowFilter(newest))
	return res, err
}

// StaleSrc is Stale by the time at which the message came in.
func StaleSrc(ctx context.Context, market string, d time.Duration) ([]string, error) {
	var res []string
	err := bt.Prices.ReadRows(ctx, bigtable.PrefixRange(market+keys.Sep), func(row bigtable.Row) bool {
		it := bt.Cell(row, bt.FamSrc, "received")
		if it != nil && clock.Now().Sub(it.Timestamp.Time()) > d { // ok ttlage/not-write-time
			res = append(res, row.Key())
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamSrc), bigtable.LatestNFilter(1))))
	return res, err
}

// HasPrice asks whether there was ever a tick and marks the row when not.
func HasPrice(ctx context.Context, key string) (bool, error) {
	mark := bigtable.NewMutation()
	mark.Set(bt.FamLast, "missing", 0, []byte("1")) // ok ttlwrite/clock-in-zero
	var has bool
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamTick), bigtable.ColumnFilter("p")), nil, mark) // ok ttlread/conditional-mutation
	err := bt.Prices.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&has))
	return has, err
}

// Swap sets the last price if the newest tick is what the caller saw.
func Swap(ctx context.Context, key, seen, price string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(bt.FamLast, "p", 0, []byte(price))
	var done bool
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bt.Latest(bt.FamTick, 1), bigtable.ColumnFilter("p"), bigtable.ValueFilter(seen)), set, nil) // ok ttlread/conditional-mutation
	err := bt.Prices.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&done))
	return done, err
}

// SwapAny is Swap as it was. The batch import still uses it.
func SwapAny(ctx context.Context, key, seen, price string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(bt.FamLast, "p", 0, []byte(price))
	var done bool
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamTick), bigtable.ValueFilter(seen)), set, nil) // want ttlread/conditional-mutation
	err := bt.Prices.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&done))
	return done, err
}

// Find looks for a price in the newest ticks.
func Find(w http.ResponseWriter, r *http.Request) {
	price := strconv.Itoa(web.Int(r, "price", 0))
	var keysFound []string
	err := bt.Prices.ReadRows(r.Context(), bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/version-limit[find]
		for range row[bt.FamTick] {
			keysFound = append(keysFound, row.Key())
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/version-limit[find]
		bigtable.FamilyFilter(bt.FamTick),
		bigtable.ValueFilter(`.*"price":`+price+`,.*`), // want ttlread/version-limit[find]
		bigtable.LatestNFilter(1),                      // want ttlread/version-limit[find]
	)))
	if err != nil {
		log.Printf("find: %v", err)
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, keysFound)
}

// Both answers with tick and last, for comparing them.
func Both(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Get(r.Context(), bt.Prices, keys.Price(r.PathValue("market"), r.PathValue("sku")), bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, map[string]string{
		"tick": bt.Str(row, bt.FamTick, "p"),
		"last": bt.Str(row, bt.FamLast, "p"),
	})
}
