package btimpl

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/dao"
	"example.com/meridian/orderhub/internal/domain"
	"example.com/meridian/orderhub/internal/platform/bt"
	"example.com/meridian/orderhub/internal/platform/clock"
)

// BigtableOrderDAO implements dao.OrderDAO.
type BigtableOrderDAO struct {
	bt.AbstractDAO
	clock clock.Clock
}

var _ dao.OrderDAO = (*BigtableOrderDAO)(nil)

// NewBigtableOrderDAO returns a BigtableOrderDAO.
func NewBigtableOrderDAO(tables bt.TableFactory, c clock.Clock) *BigtableOrderDAO {
	return &BigtableOrderDAO{AbstractDAO: bt.NewAbstractDAO(tables, constants.TableOrders), clock: c}
}

// Insert implements dao.OrderDAO.
func (d *BigtableOrderDAO) Insert(ctx context.Context, o *domain.Order) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Time(d.clock.Now())
	mut.Set(constants.FamilyHeader, constants.ColCustomer, ts, []byte(o.Customer()))                          // ok ttlwrite/write-time
	mut.Set(constants.FamilyHeader, constants.ColTotal, ts, []byte(strconv.FormatInt(o.Total().Amount, 10)))  // ok ttlwrite/write-time
	mut.Set(constants.FamilyHeader, constants.ColCurrency, ts, []byte(o.Total().Currency))                    // ok ttlwrite/write-time
	mut.Set(constants.FamilyHeader, constants.ColPlacedAt, ts, []byte(o.PlacedAt().Format(time.RFC3339Nano))) // ok ttlwrite/write-time
	mut.Set(constants.FamilyState, constants.ColStatus, 0, []byte(domain.StatePlaced))                        // ok ttlwrite/clock-in-zero
	v := &lineWriter{mut: mut, ts: ts}
	if err := o.Accept(v); err != nil {
		return err
	}
	return d.Store(ctx, o.ID(), mut)
}

// lineWriter is the visitor that writes the lines of an order.
type lineWriter struct {
	mut *bigtable.Mutation
	ts  bigtable.Timestamp
	n   int
}

// VisitOrder implements domain.OrderVisitor.
func (w *lineWriter) VisitOrder(*domain.Order) error { return nil }

// VisitLine implements domain.OrderVisitor.
func (w *lineWriter) VisitLine(_ *domain.Order, l domain.Line) error {
	w.n++
	w.mut.Set(constants.FamilyHeader, fmt.Sprintf("line%03d", w.n), w.ts, []byte(l.Sku)) // ok ttlwrite/write-time
	return nil
}

// Find implements dao.OrderDAO.
func (d *BigtableOrderDAO) Find(ctx context.Context, id string) (*domain.Order, error) {
	row, err := d.Fetch(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyHeader), bigtable.LatestNFilter(1)))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeOrder(id, row)
}

func decodeOrder(id string, row bigtable.Row) (*domain.Order, error) {
	b := domain.NewOrderBuilder().WithID(id)
	var total domain.Money
	for _, item := range row[constants.FamilyHeader] {
		switch item.Column[len(constants.FamilyHeader)+1:] {
		case constants.ColCustomer:
			b.WithCustomer(string(item.Value))
		case constants.ColTotal:
			n, err := strconv.ParseInt(string(item.Value), 10, 64)
			if err != nil {
				return nil, err
			}
			total.Amount = n
		case constants.ColCurrency:
			total.Currency = string(item.Value)
		case constants.ColPlacedAt:
			t, err := time.Parse(time.RFC3339Nano, string(item.Value))
			if err != nil {
				return nil, err
			}
			b.PlacedAt(t)
		}
	}
	return b.WithTotal(total).Build()
}

// UpdateState implements dao.OrderDAO.
func (d *BigtableOrderDAO) UpdateState(ctx context.Context, id string, state domain.OrderState, reason string) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyState, constants.ColStatus, 0, []byte(state))  // ok ttlwrite/clock-in-zero
	mut.Set(constants.FamilyState, constants.ColReason, 0, []byte(reason)) // ok ttlwrite/clock-in-zero
	return d.Store(ctx, id, mut)
}

// Cancel was added by another team.
func (d *BigtableOrderDAO) Cancel(ctx context.Context, id, reason string) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyState, constants.ColStatus, bigtable.Now(), []byte(domain.StateCancelled))               // want ttlwrite/clock-in-zero
	mut.Set(constants.FamilyState, constants.ColReason, bigtable.ServerTime, []byte(reason))                         // want ttlwrite/clock-in-zero
	mut.Set(constants.FamilyHeader, "cancelled_at", bigtable.ServerTime, []byte(d.clock.Now().Format(time.RFC3339))) // ok ttlwrite/server-timestamp
	return d.Store(ctx, id, mut)
}

// Reopen undoes Cancel.
func (d *BigtableOrderDAO) Reopen(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(constants.FamilyState, constants.ColReason)                // ok ttlwrite/delete-after-set
	mut.Set(constants.FamilyState, constants.ColStatus, 0, []byte(domain.StatePlaced)) // ok ttlwrite/delete-after-set
	mut.Set(constants.FamilyState, constants.ColStatus, 0, []byte(domain.StatePaid))   // want ttlwrite/same-timestamp
	return d.Store(ctx, id, mut)
}

// Reset removes what was known of a state.
func (d *BigtableOrderDAO) Reset(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyState, constants.ColStatus, 0, []byte(domain.StatePlaced)) // want ttlwrite/delete-after-set[reset]
	mut.DeleteCellsInFamily(constants.FamilyState)                                     // want ttlwrite/delete-after-set[reset]
	return d.Store(ctx, id, mut)
}

// CountAttempt counts attempts to pay.
func (d *BigtableOrderDAO) CountAttempt(ctx context.Context, id string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(constants.FamilyState, "attempts", 1) // want ttlwrite/read-modify-write
	row, err := d.Gateway.ApplyReadModifyWrite(ctx, id, rmw)
	if err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(bt.Column(row, constants.FamilyState, "attempts"))), nil
}

// CountView counts views in the header.
func (d *BigtableOrderDAO) CountView(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(constants.FamilyHeader, "views", 1) // ok ttlwrite/read-modify-write
	_, err := d.Gateway.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// State implements dao.OrderDAO. Whatever is at zero is a single cell, and needs no filter.
func (d *BigtableOrderDAO) State(ctx context.Context, id string) (domain.OrderState, error) {
	row, err := d.Fetch(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyState))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return domain.OrderState(bt.Text(row, constants.FamilyState, constants.ColStatus)), nil
}

// StateSince tells since when an order is in its state.
func (d *BigtableOrderDAO) StateSince(ctx context.Context, id string) (time.Duration, error) {
	row, err := d.Fetch(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyState))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	now := d.clock.Now()
	for _, item := range row[constants.FamilyState] {
		if item.Column == constants.FamilyState+":"+constants.ColStatus {
			return now.Sub(item.Timestamp.Time()), nil // want ttlage/not-write-time
		}
	}
	return 0, bt.ErrNotFound
}

// PlacedSince tells how old an order is. The header keeps real time.
func (d *BigtableOrderDAO) PlacedSince(ctx context.Context, id string) (time.Duration, error) {
	row, err := d.Fetch(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyHeader))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, item := range row[constants.FamilyHeader] {
		return time.Since(item.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, bt.ErrNotFound
}

// Dump reads all of an order, for the support desk.
func (d *BigtableOrderDAO) Dump(ctx context.Context, id string) (map[string]string, error) {
	row, err := d.Gateway.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[dump]
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, items := range row {
		for _, item := range items {
			out[item.Column] = string(item.Value)
		}
	}
	return out, nil
}

// DumpLive is Dump with every family bounded.
func (d *BigtableOrderDAO) DumpLive(ctx context.Context, id string) (map[string]string, error) {
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter("hdr|rev|state"), bigtable.LatestNFilter(1)),
		bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyHold), bigtable.TimestampRangeFilter(d.clock.Now(), time.Time{}), bigtable.LatestNFilter(1)),
	)
	row, err := d.Gateway.ReadRow(ctx, id, bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, items := range row {
		for _, item := range items {
			out[item.Column] = string(item.Value)
		}
	}
	return out, nil
}

// Ids lists orders.
func (d *BigtableOrderDAO) Ids(ctx context.Context, prefix string) ([]string, error) {
	var out []string
	err := d.Scan(ctx, prefix, func(r bigtable.Row) bool { // ok ttlread/missing-filter
		out = append(out, r.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return out, err
}

// Window reads the orders that were placed in a window.
func (d *BigtableOrderDAO) Window(ctx context.Context, prefix string, from, to time.Time) ([]string, error) {
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyHeader), bigtable.TimestampRangeFilter(from, to))
	err := d.Scan(ctx, prefix, func(r bigtable.Row) bool { // ok ttlread/upper-bound
		out = append(out, bt.Text(r, constants.FamilyHeader, constants.ColCustomer))
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// CompareAndSetState changes the state if it is the one expected.
func (d *BigtableOrderDAO) CompareAndSetState(ctx context.Context, id string, from, to domain.OrderState) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(constants.FamilyState, constants.ColStatus, 0, []byte(to)) // ok ttlwrite/clock-in-zero
	var matched bool
	pred := bigtable.ChainFilters(
		bigtable.FamilyFilter(constants.FamilyState),
		bigtable.ColumnFilter(constants.ColStatus),
		bigtable.ValueFilter(string(from)),
	)
	err := d.Gateway.Apply(ctx, id, bigtable.NewCondMutation(pred, set, nil), bigtable.GetCondMutationResult(&matched)) // ok ttlread/conditional-mutation
	return matched, err
}

// Delete implements dao.OrderDAO.
func (d *BigtableOrderDAO) Delete(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.DeleteRow() // ok ttlwrite/delete-after-set
	return d.Store(ctx, id, mut)
}

// Anonymize removes the customer.
func (d *BigtableOrderDAO) Anonymize(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyHeader, "anonymized", bigtable.Now(), []byte("1")) // want ttlwrite/delete-after-set[anon]
	mut.DeleteCellsInColumn(constants.FamilyHeader, constants.ColCustomer)     // ok ttlwrite/delete-after-set
	mut.DeleteRow()                                                            // want ttlwrite/delete-after-set[anon]
	return d.Store(ctx, id, mut)
}
