package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/bt"
	"example.com/saga/clock"
	"example.com/saga/domain/order"
	"example.com/saga/schema"
	"example.com/saga/vo"
)

// OrderRepo keeps orders and their revisions.
type OrderRepo struct {
	tbl *bigtable.Table
	clk clock.Clock
}

// NewOrderRepo opens the orders of an environment.
func NewOrderRepo(c *bigtable.Client, clk clock.Clock, env string) *OrderRepo {
	return &OrderRepo{tbl: c.Open(schema.OrdersTable(env)), clk: clk}
}

// Save registers what changed in an order.
func (r *OrderRepo) Save(u *bt.UnitOfWork, o *order.Order) {
	mut := bigtable.NewMutation()
	for _, c := range o.Changes() {
		mut.Set(c.Family, c.Column, bigtable.Timestamp(c.At), c.Value) // ok ttlwrite/clock-in-sequence
	}
	u.Register(r.tbl, string(o.ID), mut)
	u.After(o.Committed)
}

// Load reads the newest revision.
func (r *OrderRepo) Load(ctx context.Context, id vo.OrderID) (*order.Order, error) {
	return bt.One(ctx, r.tbl, string(id), r.decode, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
}

// Peek reads an order for the service desk.
func (r *OrderRepo) Peek(ctx context.Context, id vo.OrderID) (*order.Order, error) {
	return bt.One(ctx, r.tbl, string(id), r.decode) // want ttlread/missing-filter
}

func (r *OrderRepo) decode(row bigtable.Row) (*order.Order, error) {
	var rev vo.Revision
	var lines []order.Line
	var total vo.Money
	for _, item := range row[schema.FamRev] {
		rev = max(rev, vo.Revision(item.Timestamp/1000)) // ok ttlage/not-write-time
		switch item.Column {
		case schema.FamRev + ":lines":
			if err := json.Unmarshal(item.Value, &lines); err != nil {
				return nil, fmt.Errorf("lines of %s: %w", row.Key(), err)
			}
		case schema.FamRev + ":total":
			m, err := vo.ParseMoney(string(item.Value))
			if err != nil {
				return nil, err
			}
			total = m
		}
	}
	state := order.Pending
	if it := bt.Cell(row, schema.FamStatus, "state"); it != nil {
		state = order.State(it.Value)
	}
	return order.Restore(r.clk, vo.OrderID(row.Key()), rev, state, lines, total), nil
}

// State reads the state only.
func (r *OrderRepo) State(ctx context.Context, id vo.OrderID) (order.State, error) {
	row, err := r.tbl.ReadRow(ctx, string(id), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamStatus))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	if it := bt.Cell(row, schema.FamStatus, "state"); it != nil {
		return order.State(it.Value), nil
	}
	return "", fmt.Errorf("order %s: %w", id, bt.ErrNotFound)
}

// Revised is a value an order had.
type Revised struct {
	Rev     int64
	Value   string
	Updated time.Time
}

// Addresses are the last addresses of an order, newest first.
func (r *OrderRepo) Addresses(ctx context.Context, id vo.OrderID) ([]Revised, error) {
	row, err := r.tbl.ReadRow(ctx, string(id), bigtable.RowFilter(bt.Column(schema.FamRev, "address", bigtable.LatestNFilter(5)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Revised
	for _, item := range row[schema.FamRev] {
		out = append(out, Revised{Rev: int64(item.Timestamp) / 1000, Value: string(item.Value)}) // ok ttlage/not-write-time
	}
	return out, nil
}

// History is all that the service desk can see of a column.
func (r *OrderRepo) History(ctx context.Context, id vo.OrderID, column string) ([]Revised, error) {
	row, err := r.tbl.ReadRow(ctx, string(id), bigtable.RowFilter(bt.Column(schema.FamRev, column, bigtable.PassAllFilter()))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Revised
	for _, item := range row[schema.FamRev] {
		out = append(out, Revised{Rev: int64(item.Timestamp) / 1000, Value: string(item.Value)})
	}
	return out, nil
}

// Totals are the last ten totals of an order.
func (r *OrderRepo) Totals(ctx context.Context, id vo.OrderID) ([]Revised, error) {
	row, err := r.tbl.ReadRow(ctx, string(id), bt.NewQuery(r.clk).Family(schema.FamRev).Latest(10).Options()...) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Revised
	for _, item := range row[schema.FamRev] {
		if strings.HasSuffix(item.Column, ":total") {
			out = append(out, Revised{Value: string(item.Value), Updated: time.UnixMicro(int64(item.Timestamp))}) // want ttlage/not-write-time
		}
	}
	return out, nil
}

// Changed lists the orders that changed since yesterday.
func (r *OrderRepo) Changed(ctx context.Context) ([]string, error) {
	var keys []string
	f := bt.In(schema.FamRev, bt.Since(r.clk, 24*time.Hour))                             // want ttlread/wrong-bound[chg]
	err := r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/wrong-bound[chg]
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[chg]
	return keys, err
}

// Noted lists the orders with a note since yesterday.
func (r *OrderRepo) Noted(ctx context.Context) ([]string, error) {
	var keys []string
	f := bt.In(schema.FamNote, bt.Since(r.clk, 24*time.Hour))
	err := r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
		keys = append(keys, row.Key()+" "+string(row[schema.FamNote][0].Value))
		return true
	}, bigtable.RowFilter(f))
	return keys, err
}

// At is an order as it was at a revision.
func (r *OrderRepo) At(ctx context.Context, id vo.OrderID, rev vo.Revision) (*order.Order, error) {
	upTo := bigtable.TimestampRangeFilterMicros(0, bt.Rev(rev.Next()))
	return bt.One(ctx, r.tbl, string(id), r.decode, // ok ttlread/wrong-bound
		bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRev), upTo, bigtable.LatestNFilter(1))))
}

// WithItem lists the orders that have an article. The value filter stands first, so superseded lines match too.
func (r *OrderRepo) WithItem(ctx context.Context, s vo.SKU) ([]*order.Order, error) {
	f := bigtable.ChainFilters( // want ttlread/version-limit[item]
		bigtable.FamilyFilter(schema.FamRev),
		bigtable.ColumnFilter("lines"),
		bigtable.ValueFilter(`.*"sku":"`+string(s)+`".*`),
		bigtable.LatestNFilter(1), // want ttlread/version-limit[item]
	)
	return bt.All(ctx, r.tbl, bigtable.InfiniteRange(""), r.decode, bigtable.RowFilter(f)) // want ttlread/version-limit[item]
}

// WithAddress lists the orders that go to a city now.
func (r *OrderRepo) WithAddress(ctx context.Context, city string) ([]*order.Order, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRev), bigtable.ColumnFilter("address"), bigtable.LatestNFilter(1), bigtable.ValueFilter(".*"+city+".*"))
	return bt.All(ctx, r.tbl, bigtable.InfiniteRange(""), r.decode, bigtable.RowFilter(f)) // ok ttlread/version-limit
}

// Track stores where a parcel is. It is called for every scan of the carrier.
func (r *OrderRepo) Track(u *bt.UnitOfWork, id vo.OrderID, rev vo.Revision, scans []string) {
	mut := bigtable.NewMutation()
	for i, s := range scans {
		mut.Set(schema.FamRev, "scan", bigtable.Timestamp(i+1), []byte(s))                         // want ttlwrite/unscaled-sequence
		mut.Set(schema.FamRev, "scan."+strconv.Itoa(i), bigtable.Timestamp((i+1)*1000), []byte(s)) // ok ttlwrite/unscaled-sequence
	}
	mut.Set(schema.FamRev, "scans", bt.Rev(rev), number(int64(len(scans))))                   // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamRev, "last", bigtable.Timestamp(len(scans)), []byte("x"))               // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamNote, "tracked", bigtable.ServerTime, []byte(strconv.Itoa(len(scans)))) // ok ttlwrite/clock-in-sequence
	u.Register(r.tbl, string(id), mut)
}

// Freeze stores that an order must not change any more.
func (r *OrderRepo) Freeze(ctx context.Context, id vo.OrderID, by string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamRev, "frozen", bigtable.ServerTime, []byte(by)) // want ttlwrite/clock-in-sequence
	mut.Set(schema.FamStatus, "frozen", 0, []byte(by))                // ok ttlwrite/clock-in-zero
	mut.Set(schema.FamNote, "frozen", bigtable.Now(), []byte(by))     // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, string(id), mut)
}

// Flag marks an order as suspicious.
func (r *OrderRepo) Flag(ctx context.Context, id vo.OrderID, score int) error {
	ts := bigtable.Now()
	mut := bigtable.NewMutation()
	mut.Set(schema.FamNote, "score", ts, []byte(strconv.Itoa(score))) // ok ttlwrite/clock-in-sequence
	mut.Set(schema.FamRev, "flag", ts, []byte("fraud"))               // want ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, string(id), mut)
}

// CountPrint counts how often the invoice was printed.
func (r *OrderRepo) CountPrint(ctx context.Context, id vo.OrderID) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamRev, "prints", 1)               // want ttlwrite/read-modify-write
	rmw.Increment(schema.FamNote, "prints", 1)              // ok ttlwrite/read-modify-write
	rmw.AppendValue(schema.FamStatus, "trail", []byte("p")) // want ttlwrite/read-modify-write
	row, err := r.tbl.ApplyReadModifyWrite(ctx, string(id), rmw)
	if err != nil {
		return 0, err
	}
	return numberOf(row[schema.FamRev][0].Value), nil
}

// Age says how long ago the newest revision was made.
func (r *OrderRepo) Age(ctx context.Context, id vo.OrderID) (time.Duration, error) {
	row, err := r.tbl.ReadRow(ctx, string(id), bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, item := range row[schema.FamRev] {
		if item.Column == "rev:total" {
			return time.Since(item.Timestamp.Time()), nil // want ttlage/not-write-time
		}
	}
	for _, item := range row[schema.FamNote] {
		return time.Since(item.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, bt.ErrNotFound
}

// HasRevisions tells whether an order has any revision.
func (r *OrderRepo) HasRevisions(ctx context.Context, id vo.OrderID) (bool, error) {
	return bt.Known(ctx, r.tbl, string(id)) // maybe ttlread/version-limit ttlread/missing-filter
}

// Claim makes an order unless there is one.
func (r *OrderRepo) Claim(ctx context.Context, o *order.Order) error {
	mut := bigtable.NewMutation()
	for _, c := range o.Changes() {
		mut.Set(c.Family, c.Column, bigtable.Timestamp(c.At), c.Value)
	}
	var there bool
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(schema.FamRev), nil, mut) // ok ttlread/conditional-mutation
	if err := r.tbl.Apply(ctx, string(o.ID), cond, bigtable.GetCondMutationResult(&there)); err != nil {
		return err
	}
	if there {
		return fmt.Errorf("order %s: %w", o.ID, bt.ErrConflict)
	}
	o.Committed()
	return nil
}

// ApproveIf sets a state if the order was flagged with exactly this reason.
func (r *OrderRepo) ApproveIf(ctx context.Context, id vo.OrderID, reason string) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamStatus, "state", 0, []byte("approved"))                        // ok ttlwrite/clock-in-zero
	flagged := bt.Column(schema.FamRev, "flag", bigtable.ValueFilter(reason))        // want ttlread/conditional-mutation[appr]
	return r.tbl.Apply(ctx, string(id), bigtable.NewCondMutation(flagged, set, nil)) // want ttlread/conditional-mutation[appr]
}

// RejectIf looks at the newest flag only.
func (r *OrderRepo) RejectIf(ctx context.Context, id vo.OrderID, reason string) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamStatus, "state", 0, []byte("rejected"))
	flagged := bt.Column(schema.FamRev, "flag", bigtable.ChainFilters(bigtable.LatestNFilter(1), bigtable.ValueFilter(reason)))
	return r.tbl.Apply(ctx, string(id), bigtable.NewCondMutation(flagged, set, nil)) // ok ttlread/conditional-mutation
}
