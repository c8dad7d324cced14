// Package cart is carts, and the stock that they hold.
//
// Table carts: items stay for two weeks (GC max age 336h). Guests get a day:
// their cells are written with an older timestamp. A hold is a promise of stock
// with the moment it ends as timestamp, GC one second. meta is ordinary.
package cart

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
	"pennywise.example/shop/internal/login"
	"pennywise.example/shop/internal/web"
)

// How long things live.
const (
	guestTTL = 24 * time.Hour
	holdTTL  = 15 * time.Minute
	vipTTL   = 60 * 24 * time.Hour
)

// Item is a line of a cart.
type Item struct {
	SKU   string    `json:"sku"`
	Qty   int       `json:"qty"`
	Note  string    `json:"note,omitempty"`
	Added time.Time `json:"added"`
}

// Show answers with the cart.
func Show(w http.ResponseWriter, r *http.Request) {
	shop, id := r.PathValue("shop"), r.PathValue("cart")
	row, err := bt.Carts.ReadRow(r.Context(), keys.Cart(shop, id), bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamItem),
		bigtable.TimestampRangeFilter(clock.Now().Add(-bt.CartTTL), time.Time{}), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		web.Fail(w, err)
		return
	}
	items := []Item{}
	for _, it := range row[bt.FamItem] {
		var item Item
		if err := json.Unmarshal(it.Value, &item); err != nil {
			log.Printf("cart %s: %s: %v", id, it.Column, err)
			continue
		}
		items = append(items, item)
	}
	web.JSON(w, http.StatusOK, items)
}

// Add puts an item into the cart.
func Add(w http.ResponseWriter, r *http.Request) {
	shop, id := r.PathValue("shop"), r.PathValue("cart")
	var item Item
	if !web.Read(w, r, &item) {
		return
	}
	item.Added = clock.Now()
	raw, err := json.Marshal(item)
	if err != nil {
		web.Fail(w, err)
		return
	}
	mut := bigtable.NewMutation()
	ts := bigtable.Now()
	if _, err := login.Current(r); err != nil {
		// a guest: the cell looks 13 days old and has one day left
		ts = bigtable.Time(clock.Now().Add(guestTTL - bt.CartTTL))
	}
	mut.Set(bt.FamItem, item.SKU, ts, raw)                                           // ok ttlwrite/write-time ttlwrite/already-expired
	mut.Set(bt.FamMeta, "touched", bigtable.Now(), []byte(r.UserAgent()))            // ok ttlwrite/write-time
	mut.Set(bt.FamHold, item.SKU, clock.In(holdTTL), []byte(strconv.Itoa(item.Qty))) // ok ttlwrite/write-time
	if err := bt.Carts.Apply(r.Context(), keys.Cart(shop, id), mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

// AddVIP is Add for the concierge's customers: their carts stay for 60 days.
func AddVIP(w http.ResponseWriter, r *http.Request) {
	shop, id := r.PathValue("shop"), r.PathValue("cart")
	var item Item
	if !web.Read(w, r, &item) {
		return
	}
	raw, err := json.Marshal(item)
	if err != nil {
		web.Fail(w, err)
		return
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamItem, item.SKU, bigtable.Time(clock.Now().Add(vipTTL-bt.CartTTL)), raw) // ok ttlwrite/write-time
	mut.Set(bt.FamHold, item.SKU, bigtable.ServerTime, []byte(strconv.Itoa(item.Qty)))    // want ttlwrite/server-timestamp
	mut.Set(bt.FamMeta, "vip", bigtable.ServerTime, []byte("1"))                          // ok ttlwrite/server-timestamp
	if err := bt.Carts.Apply(r.Context(), keys.Cart(shop, id), mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

// Remove takes an item out.
func Remove(w http.ResponseWriter, r *http.Request) {
	shop, id, sku := r.PathValue("shop"), r.PathValue("cart"), r.PathValue("sku")
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(bt.FamItem, sku)
	mut.DeleteCellsInColumn(bt.FamHold, sku)
	mut.Set(bt.FamMeta, "removed", bigtable.Now(), []byte(sku)) // ok ttlwrite/delete-after-set
	if err := bt.Carts.Apply(r.Context(), keys.Cart(shop, id), mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Empty empties the cart and remembers that it was emptied.
func Empty(w http.ResponseWriter, r *http.Request) {
	shop, id := r.PathValue("shop"), r.PathValue("cart")
	mut := bigtable.NewMutation()
	mut.Set(bt.FamMeta, "emptied", bigtable.Now(), []byte("1"))
	mut.DeleteCellsInFamily(bt.FamItem) // ok ttlwrite/delete-after-set
	mut.DeleteCellsInFamily(bt.FamHold) // ok ttlwrite/delete-after-set
	mut.DeleteCellsInFamily(bt.FamMeta) // want ttlwrite/delete-after-set
	if err := bt.Carts.Apply(r.Context(), keys.Cart(shop, id), mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// SetQty changes a quantity.
func SetQty(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	shop, id, sku := r.PathValue("shop"), r.PathValue("cart"), r.PathValue("sku")
	key := keys.Cart(shop, id)
	row, err := bt.Carts.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/missing-filter[qty]
		bigtable.ColumnRangeFilter(bt.FamItem, sku, sku+"\x00"), // want ttlread/missing-filter[qty]
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		web.Fail(w, err)
		return
	}
	old := bt.Cell(row, bt.FamItem, sku)
	if old == nil {
		web.Fail(w, web.ErrNotFound)
		return
	}
	var item Item
	if err := json.Unmarshal(old.Value, &item); err != nil {
		web.Fail(w, err)
		return
	}
	item.Qty = web.Int(r, "qty", 1)
	raw, err := json.Marshal(item)
	if err != nil {
		web.Fail(w, err)
		return
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(bt.FamItem, sku)
	mut.Set(bt.FamItem, sku, old.Timestamp, raw) // ok ttlwrite/delete-after-set
	if err := bt.Carts.Apply(ctx, key, mut); err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, item)
}

// Checkout takes the cart to the order desk: items and holds, and nothing that
// is over.
func Checkout(w http.ResponseWriter, r *http.Request) {
	shop, id := r.PathValue("shop"), r.PathValue("cart")
	now := clock.Now()
	row, err := bt.Carts.ReadRow(r.Context(), keys.Cart(shop, id), bigtable.RowFilter(bigtable.InterleaveFilters(
		bigtable.ChainFilters(
			bigtable.FamilyFilter(bt.FamItem),
			bigtable.TimestampRangeFilter(now.Add(-bt.CartTTL), time.Time{}), // ok ttlread/wrong-bound
			bigtable.LatestNFilter(1),
		),
		bigtable.ChainFilters(
			bigtable.FamilyFilter(bt.FamHold),
			bigtable.TimestampRangeFilter(now, time.Time{}), // ok ttlread/wrong-bound
			bigtable.LatestNFilter(1),
		),
	)))
	if err != nil {
		web.Fail(w, err)
		return
	}
	held := map[string]int{}
	for _, it := range row[bt.FamHold] {
		n, _ := strconv.Atoi(string(it.Value))
		held[strings.TrimPrefix(it.Column, bt.FamHold+":")] = n
	}
	var short []string
	for _, it := range row[bt.FamItem] {
		var item Item
		if err := json.Unmarshal(it.Value, &item); err != nil {
			web.Fail(w, err)
			return
		}
		if held[item.SKU] < item.Qty {
			short = append(short, item.SKU)
		}
	}
	if len(short) > 0 {
		web.JSON(w, http.StatusConflict, map[string]any{"short": short})
		return
	}
	order := bigtable.NewMutation()
	order.Set(bt.FamMeta, "order", bigtable.Now(), []byte(keys.NewToken()))
	order.DeleteCellsInFamily(bt.FamHold)
	if err := bt.Carts.Apply(r.Context(), keys.Cart(shop, id), order); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// CheckoutV1 is for apps before 4.0. They are not going away.
func CheckoutV1(w http.ResponseWriter, r *http.Request) {
	shop, id := r.FormValue("shop"), r.FormValue("cart")
	row, err := bt.Carts.ReadRow(r.Context(), keys.Cart(shop, id), bigtable.RowFilter(bigtable.InterleaveFilters(
		bigtable.ChainFilters(
			bigtable.FamilyFilter(bt.FamItem),
			bigtable.TimestampRangeFilter(clock.Now(), time.Time{}), // want ttlread/wrong-bound
			bigtable.LatestNFilter(1),
		),
		bt.LiveIn(bt.FamHold), // ok ttlread/wrong-bound
	)))
	if err != nil {
		web.Fail(w, err)
		return
	}
	total := 0
	for range row[bt.FamItem] {
		total++
	}
	web.JSON(w, http.StatusOK, map[string]int{"items": total, "held": len(row[bt.FamHold])})
}

// Badge is the number on the cart icon. It has to be fast.
func Badge(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Get(r.Context(), bt.Carts, keys.Cart(r.PathValue("shop"), r.PathValue("cart"))) // want ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, map[string]int{"items": len(row[bt.FamItem])})
}

// Badges is Badge for the shop overview.
func Badges(w http.ResponseWriter, r *http.Request) {
	var list bigtable.RowList
	for _, id := range r.URL.Query()["cart"] {
		list = append(list, keys.Cart(r.PathValue("shop"), id))
	}
	res := map[string]int{}
	err := bt.Carts.ReadRows(r.Context(), list, func(row bigtable.Row) bool {
		res[row.Key()] = len(row[bt.FamItem])
		return true
	}, bigtable.RowFilter(bt.Within(bt.FamItem, bt.CartTTL))) // ok ttlread/missing-filter ttlread/wrong-bound
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, res)
}

// Hold renews the holds of a cart when the customer is at the payment page.
func Hold(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	key := keys.Cart(r.PathValue("shop"), r.PathValue("cart"))
	row, err := bt.Carts.ReadRow(ctx, key, bigtable.RowFilter(bt.LiveIn(bt.FamHold))) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	if len(row[bt.FamHold]) == 0 {
		web.Fail(w, web.ErrConflict)
		return
	}
	until := bigtable.Time(clock.Now().Add(holdTTL))
	mut := bigtable.NewMutation()
	for _, it := range row[bt.FamHold] {
		mut.Set(bt.FamHold, strings.TrimPrefix(it.Column, bt.FamHold+":"), until, it.Value) // ok ttlwrite/write-time
	}
	if err := bt.Carts.Apply(ctx, key, mut); err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, map[string]any{"until": until.Time()})
}

// Release gives stock back.
func Release(ctx context.Context, key string, skus ...string) error {
	mut := bigtable.NewMutation()
	for _, sku := range skus {
		mut.DeleteCellsInColumn(bt.FamHold, sku)
	}
	return bt.Carts.Apply(ctx, key, mut)
}

// MoreHold adds to a hold without reading it.
func MoreHold(ctx context.Context, key, sku string, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamHold, sku, n)       // want ttlwrite/read-modify-write
	rmw.Increment(bt.FamMeta, "holds", 1)   // ok ttlwrite/read-modify-write
	rmw.AppendValue(bt.FamItem, "log", nil) // ok ttlwrite/read-modify-write
	_, err := bt.Carts.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Merge puts a guest's cart into the user's at login.
func Merge(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	shop := r.PathValue("shop")
	user, err := login.Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	guest, err := bt.Carts.ReadRow(ctx, keys.Cart(shop, r.FormValue("guest")), bigtable.RowFilter(bigtable.FamilyFilter(bt.FamItem+"|"+bt.FamMeta))) // want ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	mut := bigtable.NewMutation()
	for _, it := range guest[bt.FamItem] {
		mut.Set(bt.FamItem, strings.TrimPrefix(it.Column, bt.FamItem+":"), bigtable.Now(), it.Value) // ok ttlwrite/write-time
	}
	for _, it := range guest[bt.FamMeta] {
		mut.Set(bt.FamMeta, strings.TrimPrefix(it.Column, bt.FamMeta+":"), it.Timestamp, it.Value)
	}
	if err := bt.Carts.Apply(ctx, keys.Cart(shop, user), mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Abandoned lists carts that nobody touched for a day, for the reminder mails.
func Abandoned(ctx context.Context, shop string) ([]string, error) {
	var res []string
	err := bt.Carts.ReadRows(ctx, bigtable.PrefixRange(shop+keys.Sep), func(row bigtable.Row) bool {
		var newest time.Time
		for _, it := range row[bt.FamItem] {
			if t := it.Timestamp.Time(); t.After(newest) {
				newest = t
			}
		}
		if time.Since(newest) > 24*time.Hour { // want ttlage/not-write-time
			res = append(res, row.Key())
		}
		return true
	}, bigtable.RowFilter(bt.Within(bt.FamItem, bt.CartTTL))) // ok ttlread/wrong-bound
	return res, err
}

// AbandonedByMeta is Abandoned by the time that the cart was touched.
func AbandonedByMeta(ctx context.Context, shop string) ([]string, error) {
	var res []string
	err := bt.Carts.ReadRows(ctx, bigtable.PrefixRange(shop+keys.Sep), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		if it := bt.Cell(row, bt.FamMeta, "touched"); it != nil && time.Since(it.Timestamp.Time()) > 24*time.Hour { // ok ttlage/not-write-time
			res = append(res, row.Key())
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamMeta), bigtable.LatestNFilter(1))))
	return res, err
}

// Remind sends the mails. Cron.
func Remind(ctx context.Context) error {
	for _, shop := range []string{"de", "at", "nl"} {
		list, err := Abandoned(ctx, shop)
		if err != nil {
			return fmt.Errorf("abandoned in %s: %w", shop, err)
		}
		for _, key := range list {
			if err := login.SendMail(key, "Your cart is waiting", ""); err != nil {
				log.Printf("remind %s: %v", key, err)
				continue
			}
			// not again for a week
			if err := bt.Put(ctx, bt.Carts, key, bt.FamHold, "reminded", clock.In(7*24*time.Hour), nil); err != nil { // ok ttlwrite/write-time
				return err
			}
		}
	}
	return nil
}

// Coupon puts a coupon into the cart. It is worth something until midnight.
func Coupon(w http.ResponseWriter, r *http.Request) {
	key := keys.Cart(r.PathValue("shop"), r.PathValue("cart"))
	code := r.FormValue("code")
	midnight := clock.NextMidnight(clock.Now())
	mut := bigtable.NewMutation()
	switch {
	case strings.HasPrefix(code, "DAY"):
		mut.Set(bt.FamHold, "coupon", bigtable.Time(midnight), []byte(code)) // ok ttlwrite/write-time
	case strings.HasPrefix(code, "HOUR"):
		mut.Set(bt.FamHold, "coupon", bigtable.Timestamp(midnight.UnixMilli()), []byte(code)) // want ttlunit/wrong-unit|ttlwrite/already-expired
	case strings.HasPrefix(code, "NOW"):
		mut.Set(bt.FamHold, "coupon", bigtable.Timestamp(clock.Now().UnixMicro()), []byte(code)) // want ttlwrite/write-time
	case strings.HasPrefix(code, "OLD"):
		mut.Set(bt.FamHold, "coupon", 0, []byte(code)) // want ttlwrite/already-expired
	default:
		web.Fail(w, web.ErrNotFound)
		return
	}
	if err := bt.Carts.Apply(r.Context(), key, mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// HasCoupon says whether there is one.
func HasCoupon(ctx context.Context, key string) (bool, error) {
	row, err := bt.Carts.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ColumnFilter("coupon")), bigtable.RowFilter(bt.Live())) // want ttlread/overridden-filter
	if err != nil {
		return false, err
	}
	return len(row[bt.FamHold]) > 0, nil
}

// HasCoupon2 is HasCoupon with the filters in a chain.
func HasCoupon2(ctx context.Context, key string) (bool, error) {
	row, err := bt.Carts.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter("coupon"), bt.Live()))) // ok ttlread/overridden-filter ttlread/hides-other-families
	if err != nil {
		return false, err
	}
	return len(row[bt.FamHold]) > 0, nil
}
