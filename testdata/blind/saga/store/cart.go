// Package store keeps the aggregates of the checkout in Bigtable.
package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/bt"
	"example.com/saga/clock"
	"example.com/saga/domain/cart"
	"example.com/saga/policy"
	"example.com/saga/schema"
	"example.com/saga/vo"
)

// CartRepo keeps carts.
type CartRepo struct {
	tbl *bigtable.Table
	clk clock.Clock
}

// NewCartRepo opens the carts.
func NewCartRepo(c *bigtable.Client, clk clock.Clock) *CartRepo {
	return &CartRepo{tbl: c.Open(schema.Carts), clk: clk}
}

func number(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

func numberOf(b []byte) int64 {
	if len(b) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}

// Save registers what changed in a cart.
func (r *CartRepo) Save(u *bt.UnitOfWork, c *cart.Cart) {
	mut := bigtable.NewMutation()
	for _, ev := range c.Take() {
		switch e := ev.(type) {
		case cart.LineAdded:
			mut.Set(schema.FamLine, string(e.SKU), bigtable.Time(e.Until), number(int64(e.Qty))) // ok ttlwrite/write-time
		case cart.LineChanged:
			mut.Set(schema.FamLine, string(e.SKU), bigtable.Time(e.Until), number(int64(e.Qty))) // want ttlwrite/write-time[changed]
		case cart.LineRemoved:
			mut.DeleteCellsInColumn(schema.FamLine, string(e.SKU)) // ok ttlwrite/delete-after-set
		case cart.PriceShown:
			bt.Put(mut, schema.FamLine, "price."+string(e.SKU), bt.ExpiresAt(e.Until), e.Price.String()) // ok ttlwrite/write-time
		case cart.ProfileSet:
			mut.Set(schema.FamProfile, e.Key, bigtable.Time(e.At), []byte(e.Value)) // ok ttlwrite/write-time
		case cart.Opened:
			mut.Set(schema.FamSeen, "by."+e.By, 0, []byte(e.By))                     // ok ttlwrite/clock-in-zero
			mut.Set(schema.FamSeen, "last."+e.By, bt.Stamp(r.clk), []byte("opened")) // want ttlwrite/clock-in-zero
		}
	}
	u.Register(r.tbl, string(c.ID), mut)
}

// liveCart passes live lines, and the other families as they are.
func (r *CartRepo) liveCart() bigtable.Filter {
	return bigtable.InterleaveFilters(
		bt.In(schema.FamLine, bigtable.ChainFilters(bt.Live(r.clk), bigtable.LatestNFilter(1))), // ok ttlread/unfiltered-branch
		bt.In(schema.FamSeen, bt.Newest()),
		bt.In(schema.FamProfile, bt.Newest()),
	)
}

// Load reads a cart.
func (r *CartRepo) Load(ctx context.Context, id vo.CartID, life policy.Lifetime) (*cart.Cart, error) {
	row, err := r.tbl.ReadRow(ctx, string(id), bigtable.RowFilter(r.liveCart())) // ok ttlread/missing-filter
	if err != nil {
		return nil, fmt.Errorf("cart %s: %w", id, err)
	}
	c := cart.New(r.clk, id, life)
	for _, item := range row[schema.FamLine] {
		_, col, _ := strings.Cut(item.Column, ":")
		if strings.HasPrefix(col, "price.") {
			continue
		}
		c.Lines[vo.SKU(col)] = int(numberOf(item.Value))
	}
	return c, nil
}

// Exists tells whether there is such a cart.
func (r *CartRepo) Exists(ctx context.Context, id vo.CartID) (bool, error) {
	row, err := r.tbl.ReadRow(ctx, string(id)) // want ttlread/missing-filter
	if err != nil {
		return false, fmt.Errorf("cart %s: %w", id, err)
	}
	return len(row) > 0, nil
}

// HasLines tells whether a cart has a line that is still valid.
func (r *CartRepo) HasLines(ctx context.Context, id vo.CartID) (bool, error) {
	return bt.Has(ctx, r.tbl, string(id), bt.In(schema.FamLine, bt.Live(r.clk))) // ok ttlread/missing-filter
}

// HasLine tells whether a cart has a line of an article.
func (r *CartRepo) HasLine(ctx context.Context, id vo.CartID, s vo.SKU) (bool, error) {
	return bt.Has(ctx, r.tbl, string(id), bt.Column(schema.FamLine, string(s), bt.Newest())) // want ttlread/missing-filter
}

// Profile is what the customer told us.
func (r *CartRepo) Profile(ctx context.Context, id vo.CartID) (map[string]string, error) {
	row, err := r.tbl.ReadRow(ctx, string(id), bigtable.RowFilter(bt.In(schema.FamProfile, bt.Newest()))) // ok ttlread/missing-filter
	if err != nil {
		return nil, fmt.Errorf("profile of %s: %w", id, err)
	}
	out := map[string]string{}
	for _, item := range row[schema.FamProfile] {
		_, col, _ := strings.Cut(item.Column, ":")
		out[col] = string(item.Value)
	}
	return out, nil
}

// Greeting is the profile's name. It reads the row without a filter and uses the profile only.
func (r *CartRepo) Greeting(ctx context.Context, id vo.CartID) (string, error) {
	row, err := r.tbl.ReadRow(ctx, string(id)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	if it := bt.Cell(row, schema.FamProfile, "name"); it != nil {
		return "hello, " + string(it.Value), nil
	}
	return "hello", nil
}

// Lines are the lines of a cart and who it belongs to.
func (r *CartRepo) Lines(ctx context.Context, id vo.CartID) (map[string]int64, string, error) {
	row, err := r.tbl.ReadRow(ctx, string(id), bigtable.RowFilter(bt.Live(r.clk))) // want ttlread/hides-other-families
	if err != nil {
		return nil, "", err
	}
	out := map[string]int64{}
	for _, item := range row[schema.FamLine] {
		out[item.Column] = numberOf(item.Value)
	}
	owner := ""
	for _, item := range row[schema.FamProfile] {
		if item.Column == schema.FamProfile+":name" {
			owner = string(item.Value)
		}
	}
	return out, owner, nil
}

// Quantities are the lines of a cart.
func (r *CartRepo) Quantities(ctx context.Context, id vo.CartID) (map[string]int64, error) {
	row, err := r.tbl.ReadRow(ctx, string(id), bigtable.RowFilter(bt.Live(r.clk))) // ok ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for _, item := range row[schema.FamLine] {
		out[item.Column] = numberOf(item.Value)
	}
	return out, nil
}

// Abandoned lists the carts whose lines ran out, for the reminder mails.
func (r *CartRepo) Abandoned(ctx context.Context, prefix string) ([]string, error) {
	var keys []string
	f := bt.In(schema.FamLine, bigtable.TimestampRangeFilter(time.Time{}, r.clk.Now()))    // want ttlread/expired-only[aband]
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/expired-only[aband]
		keys = append(keys, row.Key()+" "+strconv.Itoa(len(row[schema.FamLine])))
		return true
	}, bigtable.RowFilter(f)) // want ttlread/expired-only[aband]
	return keys, err
}

// Count counts the carts of a prefix.
func (r *CartRepo) Count(ctx context.Context, prefix string) (n int, err error) {
	err = r.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return n, err
}

// Popular sums the quantities of all carts by article.
func (r *CartRepo) Popular(ctx context.Context) (map[string]int64, error) {
	sums := map[string]int64{}
	err := r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter[pop]
		for _, item := range row[schema.FamLine] {
			sums[item.Column] += numberOf(item.Value)
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamLine), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter[pop]
	return sums, err
}

// PopularNow does it for lines that are valid, which it looks at itself.
func (r *CartRepo) PopularNow(ctx context.Context) (map[string]int64, error) {
	sums, now := map[string]int64{}, r.clk.Now()
	err := r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, item := range row[schema.FamLine] {
			if item.Timestamp.Time().Before(now) { // ok ttlage/not-write-time
				continue
			}
			sums[item.Column] += numberOf(item.Value)
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamLine)))
	return sums, err
}

// Touch counts visits.
func (r *CartRepo) Touch(ctx context.Context, id vo.CartID) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamProfile, "visits", 1) // ok ttlwrite/read-modify-write
	rmw.Increment(schema.FamLine, "visits", 1)    // want ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, string(id), rmw)
	return err
}

// Merge copies the lines of a guest's cart into a customer's.
func (r *CartRepo) Merge(ctx context.Context, u *bt.UnitOfWork, guest, customer vo.CartID) error {
	row, err := r.tbl.ReadRow(ctx, string(guest), bigtable.RowFilter(r.liveCart())) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	mut, del := bigtable.NewMutation(), bigtable.NewMutation()
	for _, item := range row[schema.FamLine] {
		_, col, _ := strings.Cut(item.Column, ":")
		mut.Set(schema.FamLine, col, item.Timestamp, item.Value) // ok ttlwrite/write-time
	}
	for _, item := range row[schema.FamProfile] {
		_, col, _ := strings.Cut(item.Column, ":")
		mut.Set(schema.FamProfile, col, bigtable.ServerTime, item.Value) // ok ttlwrite/server-timestamp
	}
	mut.Set(schema.FamLine, "merged", bigtable.ServerTime, []byte(guest)) // want ttlwrite/server-timestamp
	del.DeleteRow()
	u.Register(r.tbl, string(customer), mut)
	u.Register(r.tbl, string(guest), del)
	return nil
}

// Gift marks a line as a gift.
func (r *CartRepo) Gift(u *bt.UnitOfWork, id vo.CartID, s vo.SKU, text string) {
	mut := bigtable.NewMutation()
	bt.Put(mut, schema.FamLine, "gift."+string(s), bt.Stamp(r.clk), text) // want ttlwrite/write-time
	bt.Put(mut, schema.FamProfile, "gift", bt.Stamp(r.clk), text)         // ok ttlwrite/write-time
	u.Register(r.tbl, string(id), mut)
}

// Wrap marks a line to be wrapped.
func (r *CartRepo) Wrap(u *bt.UnitOfWork, id vo.CartID, s vo.SKU, paper string) {
	mut := bigtable.NewMutation()
	bt.Put(mut, schema.FamLine, "wrap."+string(s), bt.ExpiresIn(r.clk, schema.CartTTL), paper) // ok ttlwrite/write-time
	u.Register(r.tbl, string(id), mut)
}

// Clear empties a cart and says why.
func (r *CartRepo) Clear(u *bt.UnitOfWork, id vo.CartID, why string) {
	mut := bigtable.NewMutation()
	bt.PutUntil(mut, schema.FamLine, "cleared", r.clk.Now().Add(time.Hour), why) // ok ttlwrite/write-time
	mut.DeleteCellsInFamily(schema.FamLine)                                      // want ttlwrite/delete-after-set
	mut.DeleteCellsInFamily(schema.FamSeen)                                      // ok ttlwrite/delete-after-set
	u.Register(r.tbl, string(id), mut)
}

// Reset empties a cart the other way round.
func (r *CartRepo) Reset(u *bt.UnitOfWork, id vo.CartID, why string) {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(schema.FamLine) // ok ttlwrite/delete-after-set
	bt.PutUntil(mut, schema.FamLine, "cleared", r.clk.Now().Add(time.Hour), why)
	u.Register(r.tbl, string(id), mut)
}

// LineView is a line as the admin page shows it.
type LineView struct {
	SKU       string
	Qty       int64
	ExpiresAt time.Time
	UpdatedAt time.Time
}

// Views are the lines of a cart for the admin page.
func (r *CartRepo) Views(ctx context.Context, id vo.CartID) ([]LineView, error) {
	row, err := r.tbl.ReadRow(ctx, string(id), bigtable.RowFilter(bt.In(schema.FamLine, bt.Live(r.clk)))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []LineView
	for _, item := range row[schema.FamLine] {
		_, col, _ := strings.Cut(item.Column, ":")
		out = append(out, LineView{
			SKU:       col,
			Qty:       numberOf(item.Value),
			ExpiresAt: item.Timestamp.Time(), // ok ttlage/not-write-time
			UpdatedAt: item.Timestamp.Time(), // want ttlage/not-write-time
		})
	}
	return out, nil
}

// Idle says how long nothing happened in a cart.
func (r *CartRepo) Idle(ctx context.Context, id vo.CartID) (time.Duration, error) {
	row, err := r.tbl.ReadRow(ctx, string(id), bigtable.RowFilter(r.liveCart())) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	idle := time.Duration(-1)
	for _, item := range row[schema.FamLine] {
		if d := r.clk.Now().Sub(item.Timestamp.Time()); idle < 0 || d < idle { // want ttlage/not-write-time
			idle = d
		}
	}
	return idle, nil
}

// ProfileAge says how old the oldest entry of the profile is.
func (r *CartRepo) ProfileAge(ctx context.Context, id vo.CartID) (time.Duration, error) {
	row, err := r.tbl.ReadRow(ctx, string(id), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamProfile))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	var age time.Duration
	for _, item := range row[schema.FamProfile] {
		age = max(age, r.clk.Now().Sub(item.Timestamp.Time())) // ok ttlage/not-write-time
	}
	return age, nil
}

// Left says how long the first line of a cart is still valid.
func (r *CartRepo) Left(ctx context.Context, id vo.CartID) (time.Duration, error) {
	row, err := r.tbl.ReadRow(ctx, string(id), bt.NewQuery(r.clk).Family(schema.FamLine).Live().Latest(1).Options()...) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	left := schema.CartTTL
	for _, item := range row[schema.FamLine] {
		left = min(left, item.Timestamp.Time().Sub(r.clk.Now())) // ok ttlage/not-write-time
	}
	return left, nil
}

// Recent lists the keys of carts with a line of the last minutes.
func (r *CartRepo) Recent(ctx context.Context, n int64) ([]string, error) {
	var keys []string
	err := r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/wrong-bound[recent]
		for _, item := range row[schema.FamLine] {
			keys = append(keys, row.Key()+"/"+item.Column)
		}
		return true
	}, bt.NewQuery(r.clk).Family(schema.FamLine).Since(10*time.Minute).Limit(n).Options()...) // want ttlread/wrong-bound[recent]
	return keys, err
}

// Lock puts a marker into the cart unless another one is there.
func (r *CartRepo) Lock(ctx context.Context, id vo.CartID, owner string) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamLine, "lock", bt.ExpiresIn(r.clk, time.Minute), []byte(owner))                        // ok ttlwrite/write-time
	cond := bigtable.NewCondMutation(bt.Column(schema.FamLine, "lock", bigtable.PassAllFilter()), nil, set) // want ttlread/conditional-mutation
	var held bool
	if err := r.tbl.Apply(ctx, string(id), cond, bigtable.GetCondMutationResult(&held)); err != nil {
		return err
	}
	if held {
		return fmt.Errorf("cart %s: %w", id, bt.ErrConflict)
	}
	return nil
}

// Extend prolongs the marker of its owner.
func (r *CartRepo) Extend(ctx context.Context, id vo.CartID, owner string) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamLine, "lock", bt.ExpiresIn(r.clk, time.Minute), []byte(owner))
	mine := bt.Column(schema.FamLine, "lock", bigtable.ChainFilters(bt.Live(r.clk), bigtable.ValueFilter(owner)))
	var held bool
	err := r.tbl.Apply(ctx, string(id), bigtable.NewCondMutation(mine, set, nil), bigtable.GetCondMutationResult(&held)) // ok ttlread/conditional-mutation
	if err == nil && !held {
		err = fmt.Errorf("cart %s: %w", id, bt.ErrConflict)
	}
	return err
}

// Unlock takes the marker away.
func (r *CartRepo) Unlock(ctx context.Context, id vo.CartID, owner string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInColumn(schema.FamLine, "lock")
	mine := bt.Column(schema.FamLine, "lock", bigtable.ValueFilter(owner))
	return r.tbl.Apply(ctx, string(id), bigtable.NewCondMutation(mine, del, nil)) // ok ttlread/conditional-mutation
}
