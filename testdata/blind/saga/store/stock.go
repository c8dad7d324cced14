package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/bt"
	"example.com/saga/clock"
	"example.com/saga/policy"
	"example.com/saga/schema"
	"example.com/saga/vo"
)

// StockRepo keeps stock levels and the reservations that expire.
type StockRepo struct {
	tbl    *bigtable.Table
	legacy *bigtable.Table
	clk    clock.Clock
	hold   policy.Lifetime
}

// NewStockRepo opens the stock. Holds live for as long as hold says.
func NewStockRepo(c *bigtable.Client, clk clock.Clock, hold policy.Lifetime) *StockRepo {
	return &StockRepo{tbl: c.Open(schema.Stock), legacy: c.Open(schema.LegacyHolds), clk: clk, hold: hold}
}

func stockKey(s vo.SKU) string { return "sku#" + string(s) }

// Reservation is stock that is kept for an order.
type Reservation struct {
	Order   vo.OrderID
	SKU     vo.SKU
	Qty     int
	Until   time.Time
	Created time.Time
}

// Reserve holds stock for an order.
func (r *StockRepo) Reserve(ctx context.Context, o vo.OrderID, s vo.SKU, qty int) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamHold, string(o), bigtable.Time(r.hold.Until(r.clk.Now())), number(int64(qty))) // ok ttlwrite/write-time
	mut.Set(schema.FamLog, string(o), bigtable.ServerTime, []byte("reserved"))                       // ok ttlwrite/server-timestamp
	if err := r.tbl.Apply(ctx, stockKey(s), mut); err != nil {
		return fmt.Errorf("reserve %s: %w", s, err)
	}
	return nil
}

// ReserveFor holds stock for longer, for customers on the phone.
func (r *StockRepo) ReserveFor(ctx context.Context, o vo.OrderID, s vo.SKU, qty int, agent string) error {
	mut := bigtable.NewMutation()
	until := bt.ExpiresIn(r.clk, 4*schema.HoldTTL)
	mut.Set(schema.FamHold, string(o), until, number(int64(qty)))                           // ok ttlwrite/write-time
	mut.Set(schema.FamHold, string(o)+".agent", bigtable.ServerTime, []byte(agent))         // want ttlwrite/server-timestamp
	mut.Set(schema.FamLog, string(o)+".agent", bigtable.Now(), []byte("reserved by agent")) // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, stockKey(s), mut)
}

// ReserveLegacy mirrors a hold for the old warehouse, which times out by itself.
func (r *StockRepo) ReserveLegacy(ctx context.Context, o vo.OrderID, s vo.SKU, qty int) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamHold, string(o), bigtable.Now(), number(int64(qty))) // ok ttlwrite/write-time
	mut.Set(schema.FamLine, string(s), bigtable.ServerTime, nil)           // ok ttlwrite/server-timestamp
	return r.legacy.Apply(ctx, stockKey(s), mut)
}

// LegacyHolds lists what the old warehouse holds.
func (r *StockRepo) LegacyHolds(ctx context.Context, s vo.SKU) (int, error) {
	row, err := r.legacy.ReadRow(ctx, stockKey(s)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return len(row[schema.FamHold]), nil
}

// Held sums the holds of an article.
func (r *StockRepo) Held(ctx context.Context, s vo.SKU) (int64, error) {
	row, err := r.tbl.ReadRow(ctx, stockKey(s), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamHold))) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	var n int64
	for _, item := range row[schema.FamHold] {
		n += numberOf(item.Value)
	}
	return n, nil
}

// Available is the level minus the live holds.
func (r *StockRepo) Available(ctx context.Context, s vo.SKU) (int64, error) {
	now := r.clk.Now()
	row, err := r.tbl.ReadRow(ctx, stockKey(s), bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/missing-filter
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamLevel), bigtable.LatestNFilter(1)),
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHold), bigtable.TimestampRangeFilter(now, time.Time{})), // ok ttlread/unfiltered-branch
	)))
	if err != nil {
		return 0, err
	}
	var n int64
	if it := bt.Cell(row, schema.FamLevel, "onhand"); it != nil {
		n = numberOf(it.Value)
	}
	for _, item := range row[schema.FamHold] {
		n -= numberOf(item.Value)
	}
	return n, nil
}

// Shelf is what the shop's page shows: it only needs a rough number.
func (r *StockRepo) Shelf(ctx context.Context, s vo.SKU) (onhand, held int64, err error) {
	f := bigtable.InterleaveFilters(
		bt.In(schema.FamLevel, bt.Newest()),
		bt.In(schema.FamHold, bt.Newest()), // want ttlread/unfiltered-branch[shelf]
	)
	row, err := r.tbl.ReadRow(ctx, stockKey(s), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[shelf]
	if err != nil {
		return 0, 0, err
	}
	for _, item := range row[schema.FamLevel] {
		onhand = numberOf(item.Value)
	}
	for _, item := range row[schema.FamHold] {
		held += numberOf(item.Value)
	}
	return onhand, held, nil
}

// Level is the stock on hand.
func (r *StockRepo) Level(ctx context.Context, s vo.SKU) (int64, error) {
	row, err := r.tbl.ReadRow(ctx, stockKey(s), bigtable.RowFilter(bt.Column(schema.FamLevel, "onhand", bt.Newest()))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	if it := bt.Cell(row, schema.FamLevel, "onhand"); it != nil {
		return numberOf(it.Value), nil
	}
	return 0, fmt.Errorf("stock of %s: %w", s, bt.ErrNotFound)
}

// SetLevel stores a count of the shelf.
func (r *StockRepo) SetLevel(ctx context.Context, s vo.SKU, n int64, who string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLevel, "onhand", 0, number(n))                         // ok ttlwrite/clock-in-zero
	mut.Set(schema.FamLevel, "counted", bigtable.Now(), []byte(who))         // want ttlwrite/clock-in-zero
	mut.Set(schema.FamLog, "count", bigtable.Time(r.clk.Now()), []byte(who)) // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, stockKey(s), mut)
}

// Adjust adds to the level, or takes from it.
func (r *StockRepo) Adjust(ctx context.Context, s vo.SKU, delta int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamLevel, "onhand", delta) // want ttlwrite/read-modify-write
	row, err := r.tbl.ApplyReadModifyWrite(ctx, stockKey(s), rmw)
	if err != nil {
		return 0, err
	}
	return numberOf(row[schema.FamLevel][0].Value), nil
}

// Audit appends to the log.
func (r *StockRepo) Audit(ctx context.Context, s vo.SKU, text string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(schema.FamLog, "audit", []byte(text+"\n")) // ok ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, stockKey(s), rmw)
	return err
}

// AddToHold raises a hold.
func (r *StockRepo) AddToHold(ctx context.Context, o vo.OrderID, s vo.SKU, qty int) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamHold, string(o), int64(qty)) // want ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, stockKey(s), rmw)
	return err
}

// Renew starts the time of a hold anew, if it is there.
func (r *StockRepo) Renew(ctx context.Context, o vo.OrderID, s vo.SKU, qty int) error {
	set := bigtable.NewMutation()
	bt.Replace(set, schema.FamHold, string(o), bt.ExpiresIn(r.clk, schema.HoldTTL), number(int64(qty)))                                // ok ttlwrite/write-time
	there := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHold), bigtable.ColumnFilter(string(o)), bigtable.LatestNFilter(1)) // want ttlread/conditional-mutation[renew]
	cond := bigtable.NewCondMutation(there, set, nil)                                                                                  // want ttlread/conditional-mutation[renew]
	var found bool
	if err := r.tbl.Apply(ctx, stockKey(s), cond, bigtable.GetCondMutationResult(&found)); err != nil { // want ttlread/conditional-mutation[renew]
		return err
	}
	if !found {
		return fmt.Errorf("hold %s of %s: %w", s, o, bt.ErrNotFound)
	}
	return nil
}

// Confirm turns a live hold into a sale.
func (r *StockRepo) Confirm(ctx context.Context, o vo.OrderID, s vo.SKU) error {
	sold := bigtable.NewMutation()
	sold.DeleteCellsInColumn(schema.FamHold, string(o))
	sold.Set(schema.FamLog, string(o), bigtable.ServerTime, []byte("sold")) // ok ttlwrite/server-timestamp
	live := bt.Column(schema.FamHold, string(o), bt.Live(r.clk))
	var found bool
	err := r.tbl.Apply(ctx, stockKey(s), bigtable.NewCondMutation(live, sold, nil), bigtable.GetCondMutationResult(&found)) // ok ttlread/conditional-mutation
	if err == nil && !found {
		err = fmt.Errorf("hold %s of %s: %w", s, o, bt.ErrNotFound)
	}
	return err
}

// Release is the compensation of Reserve.
func (r *StockRepo) Release(ctx context.Context, o vo.OrderID, s vo.SKU) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInColumn(schema.FamHold, string(o))
	mine := bt.Column(schema.FamHold, string(o), bigtable.PassAllFilter())
	return r.tbl.Apply(ctx, stockKey(s), bigtable.NewCondMutation(mine, del, nil)) // ok ttlread/conditional-mutation
}

// Expire ends a hold at once, but leaves it visible to whoever still looks.
func (r *StockRepo) Expire(ctx context.Context, o vo.OrderID, s vo.SKU) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamHold, string(o), bigtable.Time(r.clk.Now().Add(-time.Minute)), nil) // want ttlwrite/already-expired
	return r.tbl.Apply(ctx, stockKey(s), mut)
}

// Reservations lists the holds of an article.
func (r *StockRepo) Reservations(ctx context.Context, s vo.SKU) ([]Reservation, error) {
	row, err := r.tbl.ReadRow(ctx, stockKey(s), bigtable.RowFilter(bt.In(schema.FamHold, bt.Live(r.clk)))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []Reservation
	for _, item := range row[schema.FamHold] {
		_, o, _ := strings.Cut(item.Column, ":")
		if strings.HasSuffix(o, ".agent") {
			continue
		}
		res := Reservation{Order: vo.OrderID(o), SKU: s, Qty: int(numberOf(item.Value)), Until: item.Timestamp.Time()} // ok ttlage/not-write-time
		res.Created = item.Timestamp.Time()                                                                            // want ttlage/not-write-time
		out = append(out, res)
	}
	return out, nil
}

// Log is a line of the stock's log.
type Log struct {
	What    string
	Written time.Time
}

// Logs lists the log of an article.
func (r *StockRepo) Logs(ctx context.Context, s vo.SKU) ([]Log, error) {
	row, err := r.tbl.ReadRow(ctx, stockKey(s), bigtable.RowFilter(bt.In(schema.FamLog, bt.Since(r.clk, 7*24*time.Hour)))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []Log
	for _, item := range row[schema.FamLog] {
		out = append(out, Log{What: string(item.Value), Written: item.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	return out, nil
}

// FreshHolds lists orders whose holds were made in the last five minutes.
func (r *StockRepo) FreshHolds(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	f := bt.In(schema.FamHold, bt.Since(r.clk, 5*time.Minute))                             // want ttlread/wrong-bound[fresh]
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange("sku#"), func(row bigtable.Row) bool { // want ttlread/wrong-bound[fresh]
		for _, item := range row[schema.FamHold] {
			out[item.Column]++
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[fresh]
	return out, err
}

// SoonFree lists when holds end: no hold is made for longer than the window.
func (r *StockRepo) SoonFree(ctx context.Context, s vo.SKU) (map[string]int64, error) {
	now := r.clk.Now()
	row, err := r.tbl.ReadRow(ctx, stockKey(s), bigtable.RowFilter(bt.In(schema.FamHold, bt.Between(now, now.Add(schema.HoldTTL))))) // ok ttlread/upper-bound
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for _, item := range row[schema.FamHold] {
		out[item.Column] = numberOf(item.Value)
	}
	return out, nil
}

// Current lists the holds of an article that are valid now.
func (r *StockRepo) Current(ctx context.Context, s vo.SKU) (map[string]int64, error) {
	now := r.clk.Now()
	window := bigtable.TimestampRangeFilter(now, now.Add(10*time.Minute))                          // want ttlread/upper-bound[cur]
	row, err := r.tbl.ReadRow(ctx, stockKey(s), bigtable.RowFilter(bt.In(schema.FamHold, window))) // want ttlread/upper-bound[cur]
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for _, item := range row[schema.FamHold] {
		out[item.Column] = numberOf(item.Value)
	}
	return out, nil
}

// AnyHold tells whether anything is held.
func (r *StockRepo) AnyHold(ctx context.Context, s vo.SKU) (bool, error) {
	row, err := r.tbl.ReadRow(ctx, stockKey(s), // want ttlread/limit-before-filter[any]
		bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHold), bigtable.CellsPerRowLimitFilter(1), bt.Live(r.clk)))) // want ttlread/limit-before-filter[any]
	return len(row) > 0, err
}

// AnyLive does it in the other order.
func (r *StockRepo) AnyLive(ctx context.Context, s vo.SKU) (bool, error) {
	row, err := r.tbl.ReadRow(ctx, stockKey(s),
		bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHold), bt.Live(r.clk), bigtable.CellsPerRowLimitFilter(1)))) // ok ttlread/limit-before-filter
	return len(row) > 0, err
}

// HoldOf is the hold of one order.
func (r *StockRepo) HoldOf(ctx context.Context, o vo.OrderID, s vo.SKU) (int64, error) {
	row, err := r.tbl.ReadRow(ctx, stockKey(s), // want ttlread/overridden-filter[holdof]
		bigtable.RowFilter(bt.In(schema.FamHold, bt.Live(r.clk))), // want ttlread/overridden-filter[holdof] // ok ttlread/limit-before-filter
		bigtable.RowFilter(bigtable.ColumnFilter(string(o))))      // want ttlread/overridden-filter[holdof]
	if err != nil {
		return 0, err
	}
	if it := bt.Cell(row, schema.FamHold, string(o)); it != nil {
		return numberOf(it.Value), nil
	}
	return 0, bt.ErrNotFound
}

// Sweep deletes the rows of articles that have no stock and no log.
func (r *StockRepo) Sweep(ctx context.Context, u *bt.UnitOfWork, gone func(vo.SKU) bool) error {
	return r.tbl.ReadRows(ctx, bigtable.PrefixRange("sku#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		if s := vo.SKU(strings.TrimPrefix(row.Key(), "sku#")); gone(s) {
			del := bigtable.NewMutation()
			del.DeleteRow()
			u.Register(r.tbl, row.Key(), del)
		}
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
}
