// Package cartsvc has carts and the holds on listings while a buyer pays.
package cartsvc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"marketmap.example/market/internal/mapper"
	"marketmap.example/market/internal/model"
	"marketmap.example/market/internal/schema"
)

// Errors of this package.
var (
	ErrHeld  = errors.New("cartsvc: the listing is held for somebody else")
	ErrEmpty = errors.New("cartsvc: the cart is empty")
)

// Line is a line of a cart as the API shows it.
type Line struct {
	SKU   string        `json:"sku"`
	Qty   int64         `json:"qty"`
	Left  time.Duration `json:"left"`
	Added time.Time     `json:"added"`
}

// Info is what a support agent sees of a cell.
type Info struct {
	Column    string    `json:"column"`
	CreatedAt time.Time `json:"created_at,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// Service has carts.
type Service struct {
	tbl    *bigtable.Table
	legacy *bigtable.Table
	now    func() time.Time
	log    *slog.Logger

	items        *mapper.Repo[*model.CartItem]
	coupons      *mapper.Repo[*model.CartCoupon]
	saved        *mapper.Repo[*model.SavedItem]
	holds        *mapper.Repo[*model.Hold]
	reservations *mapper.Repo[*model.Reservation]
	meta         *mapper.Repo[*model.CartMeta]
	old          *mapper.Repo[*model.LegacyHold]

	mu      sync.Mutex
	pending map[string]int
}

// New makes the service.
func New(client *bigtable.Client, log *slog.Logger) *Service {
	tbl := client.Open(schema.TableCarts)
	legacy := client.Open(schema.TableLegacyCarts)
	audit := func(ctx context.Context, e mapper.Entity) error {
		log.DebugContext(ctx, "save", "family", e.Family(), "key", e.Key())
		return ctx.Err()
	}
	return &Service{
		tbl:          tbl,
		legacy:       legacy,
		now:          time.Now,
		log:          log,
		items:        mapper.NewRepo[*model.CartItem](tbl, mapper.WithHook(audit), mapper.WithLog(log)),
		coupons:      mapper.NewRepo[*model.CartCoupon](tbl, mapper.WithLog(log)), // want ttlread/missing-filter[eachcoupon]
		saved:        mapper.NewRepo[*model.SavedItem](tbl, mapper.WithLog(log)),
		holds:        mapper.NewRepo[*model.Hold](tbl, mapper.WithHook(audit), mapper.WithLog(log)), // want ttlread/missing-filter[gethold] ttlread/conditional-mutation[insert]
		reservations: mapper.NewRepo[*model.Reservation](tbl, mapper.WithLog(log)),                  // want ttlread/conditional-mutation[insert]
		meta:         mapper.NewRepo[*model.CartMeta](tbl),
		old:          mapper.NewRepo[*model.LegacyHold](legacy),
		pending:      map[string]int{},
	}
}

// expiry is the timestamp of a cell that lives for d.
func expiry(d time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) }

// live passes what has not expired.
func live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

// liveIn is live for one family.
func liveIn(family string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), live(), bigtable.LatestNFilter(1))
}

func cartKey(buyer string) string   { return "cart#" + buyer }
func holdKey(listing string) string { return "hold#" + listing }

// AddItem puts an article into the cart.
func (s *Service) AddItem(ctx context.Context, buyer, sku string, qty int64) error {
	if qty <= 0 {
		return fmt.Errorf("cartsvc: quantity %d", qty)
	}
	if err := s.items.Save(ctx, model.NewCartItem(buyer, sku, qty)); err != nil { // want ttlwrite/write-time[additem]
		return err
	}
	return s.meta.Save(ctx, &model.CartMeta{Buyer: buyer, Currency: "EUR", Channel: "web"}) // ok ttlwrite/server-timestamp
}

// Restore puts back what a buyer removed by mistake.
func (s *Service) Restore(ctx context.Context, buyer string, lines []Line) error {
	for _, l := range lines {
		item := model.NewCartItem(buyer, l.SKU, l.Qty)
		if err := s.items.Replace(ctx, item); err != nil { // want ttlwrite/write-time[reitem]
			return err
		}
	}
	return nil
}

// Import takes over the lines of another channel in one go.
func (s *Service) Import(ctx context.Context, buyer string, skus []string) error {
	u := mapper.NewUnit(s.tbl)
	for _, sku := range skus {
		u.Add(model.NewCartItem(buyer, sku, 1)) // want ttlwrite/write-time[unititem]
	}
	return u.Flush(ctx)
}

// SaveForLater moves articles to the list for later.
func (s *Service) SaveForLater(ctx context.Context, buyer string, skus ...string) error {
	u := mapper.NewUnit(s.tbl)
	for _, sku := range skus {
		u.Add(model.NewSavedItem(buyer, sku)) // ok ttlwrite/write-time
	}
	u.Add(&model.CartMeta{Buyer: buyer, Channel: "later"}) // ok ttlwrite/server-timestamp
	return u.Flush(ctx)
}

// Redeem puts a coupon into the cart.
func (s *Service) Redeem(ctx context.Context, buyer, code string) error {
	return s.coupons.Save(ctx, model.NewCartCoupon(buyer, code)) // want ttlwrite/server-timestamp[coupon]
}

// RedeemAt puts a coupon into the cart that goes at midnight.
func (s *Service) RedeemAt(ctx context.Context, buyer, code string) error {
	midnight := s.now().Truncate(24 * time.Hour).Add(24 * time.Hour)
	return s.coupons.SaveAt(ctx, model.NewCartCoupon(buyer, code), bigtable.Time(midnight)) // ok ttlwrite/write-time
}

// Staff puts a coupon into the carts of the staff.
func (s *Service) Staff(ctx context.Context, code string, staff []string) error {
	for _, buyer := range staff {
		if err := s.coupons.SaveAt(ctx, model.NewCartCoupon(buyer, code), bigtable.Now()); err != nil { // want ttlwrite/write-time
			return err
		}
	}
	return nil
}

// Gift marks a line as a gift.
func (s *Service) Gift(ctx context.Context, buyer, sku, text string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamItem, "gift:"+sku, bigtable.ServerTime, []byte(text)) // want ttlwrite/server-timestamp
	mut.Set(schema.FamMeta, "gift", bigtable.ServerTime, []byte("1"))       // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, cartKey(buyer), mut)
}

// SetQty changes a quantity; the line lives on from now.
func (s *Service) SetQty(ctx context.Context, buyer, sku string, qty int64) error {
	mut := bigtable.NewMutation()
	if qty == 0 {
		mut.DeleteCellsInColumn(schema.FamItem, "sku:"+sku)
		mut.DeleteCellsInColumn(schema.FamItem, "qty:"+sku)
		return s.tbl.Apply(ctx, cartKey(buyer), mut)
	}
	ts := expiry(schema.ItemTTL)
	mut.Set(schema.FamItem, "sku:"+sku, ts, []byte(sku))                     // ok ttlwrite/write-time
	mut.Set(schema.FamItem, "qty:"+sku, ts, strconv.AppendInt(nil, qty, 10)) // ok ttlwrite/same-timestamp
	mut.Set(schema.FamMeta, "touched", bigtable.Now(), []byte(sku))          // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, cartKey(buyer), mut)
}

// Touch notes that the buyer looked at the cart.
func (s *Service) Touch(ctx context.Context, buyer string) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Time(s.now())
	mut.Set(schema.FamMeta, "seen", ts, []byte("1"))   // ok ttlwrite/write-time
	mut.Set(schema.FamItem, "cursor", ts, []byte("0")) // want ttlwrite/write-time
	return s.tbl.Apply(ctx, cartKey(buyer), mut)
}

// Bundle adds the articles of a bundle.
func (s *Service) Bundle(ctx context.Context, buyer string, skus []string) error {
	mut := bigtable.NewMutation()
	until := s.now().Add(schema.ItemTTL)
	for i, sku := range skus {
		mut.Set(schema.FamItem, fmt.Sprintf("bundle:%d", i), bigtable.Time(until), []byte(sku)) // ok ttlwrite/same-timestamp
	}
	mut.Set(schema.FamItem, "bundle", bigtable.Time(until), []byte(strconv.Itoa(len(skus)))) // ok ttlwrite/write-time
	mut.Set(schema.FamItem, "bundle", bigtable.Time(until), []byte(strings.Join(skus, ","))) // want ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, cartKey(buyer), mut)
}

// Clear empties a cart and leaves a marker for the recommendations.
func (s *Service) Clear(ctx context.Context, buyer, why string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamItem, "cleared", expiry(time.Hour), []byte(why))
	mut.DeleteCellsInFamily(schema.FamItem) // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, cartKey(buyer), mut)
}

// Reset empties a cart for a new one.
func (s *Service) Reset(ctx context.Context, buyer, currency string) error {
	mut := bigtable.NewMutation()
	mut.DeleteRow() // ok ttlwrite/delete-after-set
	mut.Set(schema.FamMeta, "currency", bigtable.Now(), []byte(currency))
	return s.tbl.Apply(ctx, cartKey(buyer), mut)
}

// Count adds to the counter of a line.
func (s *Service) Count(ctx context.Context, buyer, sku string, by int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamItem, "n:"+sku, by) // want ttlwrite/read-modify-write
	rmw.Increment(schema.FamMeta, "clicks", 1)  // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, cartKey(buyer), rmw)
	return err
}

// More takes one more of an article.
func (s *Service) More(ctx context.Context, buyer, sku string) (int64, error) {
	return s.items.Bump(ctx, model.NewCartItem(buyer, sku, 0), "qty", 1) // want ttlwrite/read-modify-write[more]
}

// Visit counts visits of a cart.
func (s *Service) Visit(ctx context.Context, buyer string) (int64, error) {
	return s.meta.Bump(ctx, &model.CartMeta{Buyer: buyer}, "visits", 1) // ok ttlwrite/read-modify-write
}

// Lines are the lines of a cart.
func (s *Service) Lines(ctx context.Context, buyer string) ([]Line, error) {
	row, err := s.tbl.ReadRow(ctx, cartKey(buyer)) // want ttlread/missing-filter
	if err != nil {
		return nil, fmt.Errorf("cart of %s: %w", buyer, err)
	}
	var out []Line
	for _, it := range row[schema.FamItem] {
		sku, ok := strings.CutPrefix(it.Column, schema.FamItem+":sku:")
		if !ok {
			continue
		}
		out = append(out, Line{SKU: sku, Qty: 1})
	}
	if len(out) == 0 {
		return nil, ErrEmpty
	}
	return out, nil
}

// LiveLines are the lines that count at checkout.
func (s *Service) LiveLines(ctx context.Context, buyer string) ([]Line, error) {
	row, err := s.tbl.ReadRow(ctx, cartKey(buyer), bigtable.RowFilter(liveIn(schema.FamItem))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []Line
	for _, it := range row[schema.FamItem] {
		out = append(out, Line{
			SKU:  strings.TrimPrefix(it.Column, schema.FamItem+":sku:"),
			Left: time.Until(it.Timestamp.Time()), // ok ttlage/not-write-time
		})
	}
	return out, nil
}

// Expiring are the lines that go within the next hours, for the reminder mails.
func (s *Service) Expiring(ctx context.Context, within time.Duration) (map[string][]string, error) {
	out := map[string][]string{}
	limit := s.now().Add(within)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("cart#"), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamItem] {
			t := it.Timestamp.Time()
			if t.Before(s.now()) || t.After(limit) {
				continue
			}
			out[row.Key()] = append(out[row.Key()], it.Column)
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamItem))) // ok ttlread/missing-filter
	return out, err
}

// Abandoned are carts that nobody touched for an hour, for the reminder mails.
func (s *Service) Abandoned(ctx context.Context) ([]string, error) {
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamItem), live())
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("cart#"), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamItem] {
			if time.Since(it.Timestamp.Time()) > time.Hour { // want ttlage/not-write-time
				out = append(out, row.Key())
				break
			}
		}
		return true
	}, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	return out, err
}

// Channel is where the cart was started.
func (s *Service) Channel(ctx context.Context, buyer string) (string, time.Time, error) {
	row, err := s.tbl.ReadRow(ctx, cartKey(buyer)) // ok ttlread/missing-filter
	if err != nil {
		return "", time.Time{}, err
	}
	for _, it := range row[schema.FamMeta] {
		if it.Column == schema.FamMeta+":channel" {
			created := it.Timestamp.Time() // ok ttlage/not-write-time
			return string(it.Value), created, nil
		}
	}
	return "", time.Time{}, nil
}

// Carts counts the carts.
func (s *Service) Carts(ctx context.Context) (n int, err error) {
	err = s.tbl.ReadRows(ctx, bigtable.PrefixRange("cart#"), func(row bigtable.Row) bool {
		n++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // ok ttlread/missing-filter
	return n, err
}

// HasCart says whether a buyer has something in the cart.
func (s *Service) HasCart(ctx context.Context, buyer string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamItem), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()) // want ttlread/missing-filter[hascart]
	row, err := s.tbl.ReadRow(ctx, cartKey(buyer), bigtable.RowFilter(f))                                                              // want ttlread/missing-filter[hascart]
	return len(row) > 0, err
}

// Coupons are the coupons in the carts.
func (s *Service) Coupons(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	err := s.coupons.Each(ctx, "cart#", func() *model.CartCoupon { return new(model.CartCoupon) }, // want ttlread/missing-filter[eachcoupon]
		mapper.Where().Family(schema.FamItem).Column("coupon").Latest(1), // want ttlread/missing-filter[eachcoupon]
		func(c *model.CartCoupon) bool {
			out[c.Code]++
			return true
		})
	return out, err
}

// SavedBy is what a buyer saved for later.
func (s *Service) SavedBy(ctx context.Context, prefix string) ([]string, error) {
	var out []string
	q := mapper.Where().Family(schema.FamItem).Column("saved").Live().Latest(1)
	err := s.saved.Each(ctx, cartKey(prefix), func() *model.SavedItem { return new(model.SavedItem) }, q, func(i *model.SavedItem) bool { // ok ttlread/missing-filter
		out = append(out, i.SKU)
		return true
	})
	return out, err
}

// LongLines are lines that have more than a day left.
func (s *Service) LongLines(ctx context.Context, buyer string) ([]*model.CartItem, error) {
	var out []*model.CartItem
	q := mapper.Where().Family(schema.FamItem).Since(s.now().Add(-schema.ItemTTL))                                                    // want ttlread/wrong-bound[longlines]
	err := s.items.Each(ctx, cartKey(buyer), func() *model.CartItem { return new(model.CartItem) }, q, func(i *model.CartItem) bool { // want ttlread/wrong-bound[longlines]
		out = append(out, i)
		return true
	})
	return out, err
}

// Dump is the whole cart for the support tool.
func (s *Service) Dump(ctx context.Context, buyer string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, cartKey(buyer), bigtable.RowFilter(live())) // want ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(row, "", "  ")
}

// DumpAll is the whole cart, with what is not about lines.
func (s *Service) DumpAll(ctx context.Context, buyer string) ([]byte, error) {
	f := bigtable.InterleaveFilters(
		bigtable.FamilyFilter(schema.FamMeta),
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamItem+"|"+schema.FamHold), live()),
	)
	row, err := s.tbl.ReadRow(ctx, cartKey(buyer), bigtable.RowFilter(f)) // ok ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(row, "", "  ")
}

// Inspect shows a support agent when things in a cart were put there.
func (s *Service) Inspect(ctx context.Context, buyer string) ([]Info, error) {
	f := bigtable.InterleaveFilters(
		bigtable.FamilyFilter(schema.FamMeta),
		bigtable.FamilyFilter(schema.FamItem), // want ttlread/unfiltered-branch[inspect]
	)
	row, err := s.tbl.ReadRow(ctx, cartKey(buyer), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[inspect]
	if err != nil {
		return nil, err
	}
	var out []Info
	for _, it := range row[schema.FamItem] {
		out = append(out, Info{Column: it.Column, CreatedAt: it.Timestamp.Time()}) // want ttlage/not-write-time
	}
	for _, it := range row[schema.FamMeta] {
		out = append(out, Info{Column: it.Column, UpdatedAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	return out, nil
}

// Gifts are the gift texts of a cart, with the last cursor.
func (s *Service) Gifts(ctx context.Context, buyer string) ([]string, error) {
	row, err := s.tbl.ReadRow(ctx, cartKey(buyer), // want ttlread/overridden-filter[gifts] // maybe ttlread/missing-filter
		bigtable.RowFilter(live()),                           // want ttlread/overridden-filter[gifts] // maybe ttlread/missing-filter
		bigtable.RowFilter(bigtable.ColumnFilter("gift:.*"))) // want ttlread/overridden-filter[gifts] // maybe ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[schema.FamItem] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// Purge deletes carts whose lines have all expired.
func (s *Service) Purge(ctx context.Context, prefix string) (int, error) {
	var keys []string
	var muts []*bigtable.Mutation
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(cartKey(prefix)), func(row bigtable.Row) bool {
		m := bigtable.NewMutation()
		m.DeleteRow()
		keys = append(keys, row.Key())
		muts = append(muts, m)
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamItem), bigtable.TimestampRangeFilter(time.Time{}, time.Now())))) // ok ttlread/expired-only
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	errs, err := s.tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return 0, err
	}
	return len(keys), errors.Join(errs...)
}

// Meta is what we know about a cart for good.
func (s *Service) Meta(ctx context.Context, buyer string) (*model.CartMeta, error) {
	m := &model.CartMeta{Buyer: buyer}
	if err := s.meta.Get(ctx, cartKey(buyer), m); err != nil { // ok ttlread/missing-filter
		return nil, err
	}
	return m, nil
}

// tagged is for the old import; the mapper's tags say everything.
type tagged struct {
	SKU  string `bt:"item:sku,stamp=server"`
	Note string `bt:"meta:note,stamp=now"`
}

// ImportTagged takes a line of the nightly import.
func (s *Service) ImportTagged(ctx context.Context, buyer, sku, note string) error {
	return mapper.Put(ctx, s.tbl, cartKey(buyer), &tagged{SKU: sku, Note: note}) // ok ttlwrite/server-timestamp
}

// ReadTagged reads a line of the nightly import.
func (s *Service) ReadTagged(ctx context.Context, buyer string) (string, error) {
	var v tagged
	if err := mapper.Fetch(ctx, s.tbl, cartKey(buyer), &v); err != nil { // ok ttlread/missing-filter
		return "", err
	}
	return v.SKU + " " + v.Note, nil
}
