package btimpl

import (
	"context"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/dao"
	"example.com/meridian/orderhub/internal/domain"
	"example.com/meridian/orderhub/internal/filter"
	"example.com/meridian/orderhub/internal/platform/bt"
	"example.com/meridian/orderhub/internal/platform/clock"
)

// holdStamper decides until when a hold stands.
type holdStamper interface {
	until(h domain.Hold) bigtable.Timestamp
}

type requestedStamper struct{}

func (requestedStamper) until(h domain.Hold) bigtable.Timestamp { return bigtable.Time(h.Until) }

type standardStamper struct{ clock clock.Clock }

func (s standardStamper) until(domain.Hold) bigtable.Timestamp {
	return bigtable.Time(s.clock.Now().Add(constants.HoldTTL))
}

// BigtableHoldDAO implements dao.HoldDAO.
type BigtableHoldDAO struct {
	table    bt.TableGateway
	clock    clock.Clock
	stampers map[string]holdStamper
}

var _ dao.HoldDAO = (*BigtableHoldDAO)(nil)

// NewBigtableHoldDAO returns a BigtableHoldDAO.
func NewBigtableHoldDAO(tables bt.TableFactory, c clock.Clock) *BigtableHoldDAO {
	return &BigtableHoldDAO{
		table: tables.CreateTable(constants.TableOrders),
		clock: c,
		stampers: map[string]holdStamper{
			"requested": requestedStamper{},
			"standard":  standardStamper{clock: c},
		},
	}
}

func encodeHold(h domain.Hold) []byte { return []byte(strconv.Itoa(h.Quantity)) }

// Place implements dao.HoldDAO.
func (d *BigtableHoldDAO) Place(ctx context.Context, orderID string, h domain.Hold) error {
	kind := "standard"
	if !h.Until.IsZero() {
		kind = "requested"
	}
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyHold, h.Sku, d.stampers[kind].until(h), encodeHold(h)) // ok ttlwrite/write-time
	return d.table.Apply(ctx, orderID, mut)
}

// PlaceAll reserves every line of an order.
func (d *BigtableHoldDAO) PlaceAll(ctx context.Context, orderID string, hs []domain.Hold) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Time(d.clock.Now().Add(constants.HoldTTL))
	for _, h := range hs {
		mut.Set(constants.FamilyHold, h.Sku, ts, encodeHold(h)) // ok ttlwrite/same-timestamp
	}
	return d.table.Apply(ctx, orderID, mut)
}

// PlaceLast reserves every line in one column, of which the last stays.
func (d *BigtableHoldDAO) PlaceLast(ctx context.Context, orderID string, hs []domain.Hold) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Time(d.clock.Now().Add(constants.HoldTTL))
	for _, h := range hs {
		mut.Set(constants.FamilyHold, constants.ColSku, ts, []byte(h.Sku)) // want ttlwrite/same-timestamp
	}
	return d.table.Apply(ctx, orderID, mut)
}

// PlaceNow reserves stock for a customer in the shop.
func (d *BigtableHoldDAO) PlaceNow(ctx context.Context, orderID string, h domain.Hold) error {
	mut := bigtable.NewMutation()
	now := d.clock.Now()
	mut.Set(constants.FamilyHold, h.Sku, bigtable.Time(now), encodeHold(h))                          // want ttlwrite/write-time
	mut.Set(constants.FamilyHeader, "held_at", bigtable.Time(now), []byte(now.Format(time.RFC3339))) // ok ttlwrite/write-time
	return d.table.Apply(ctx, orderID, mut)
}

// PlaceSinceBoot reserves relative to the start of the process.
func (d *BigtableHoldDAO) PlaceSinceBoot(ctx context.Context, orderID string, h domain.Hold) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyHold, h.Sku, bigtable.Time(clock.StartedAt().Add(constants.LongHoldTTL)), encodeHold(h)) // want ttlwrite/stale-clock[started]
	return d.table.Apply(ctx, orderID, mut)
}

// PlaceSinceFirst reserves relative to the first call.
func (d *BigtableHoldDAO) PlaceSinceFirst(ctx context.Context, orderID string, h domain.Hold) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyHold, h.Sku, bigtable.Time(clock.BootTime().Add(constants.LongHoldTTL)), encodeHold(h)) // want ttlwrite/stale-clock[booted]
	return d.table.Apply(ctx, orderID, mut)
}

// Extend implements dao.HoldDAO.
func (d *BigtableHoldDAO) Extend(ctx context.Context, orderID, sku string, by time.Duration) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(constants.FamilyHold, sku)
	mut.Set(constants.FamilyHold, sku, clock.ExpiresIn(by), []byte("1")) // ok ttlwrite/write-time
	return d.table.Apply(ctx, orderID, mut)
}

// ExtendMillis is Extend for the warehouse, which counts in milliseconds.
func (d *BigtableHoldDAO) ExtendMillis(ctx context.Context, orderID, sku string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(constants.FamilyHold, sku)
	mut.Set(constants.FamilyHold, sku, bigtable.Timestamp(d.clock.Now().UnixMilli()+constants.HoldTTLMillis), []byte("1")) // want ttlunit/wrong-unit
	return d.table.Apply(ctx, orderID, mut)
}

// ExtendMicros is ExtendMillis, mended.
func (d *BigtableHoldDAO) ExtendMicros(ctx context.Context, orderID, sku string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(constants.FamilyHold, sku)
	mut.Set(constants.FamilyHold, sku, bigtable.Timestamp((d.clock.Now().UnixMilli()+constants.HoldTTLMillis)*1000), []byte("1")) // ok ttlunit/wrong-unit
	return d.table.Apply(ctx, orderID, mut)
}

// ExtendNanos was the third attempt.
func (d *BigtableHoldDAO) ExtendNanos(ctx context.Context, orderID, sku string) error {
	mut := bigtable.NewMutation()
	until := d.clock.Now().Add(constants.HoldTTL)
	mut.DeleteCellsInColumn(constants.FamilyHold, sku)
	mut.Set(constants.FamilyHold, sku, bigtable.Timestamp(until.UnixNano()), []byte("1")) // want ttlunit/wrong-unit
	return d.table.Apply(ctx, orderID, mut)
}

// ExtendMicrosDirect was the last.
func (d *BigtableHoldDAO) ExtendMicrosDirect(ctx context.Context, orderID, sku string) error {
	mut := bigtable.NewMutation()
	until := d.clock.Now().Add(constants.HoldTTL)
	mut.DeleteCellsInColumn(constants.FamilyHold, sku)
	mut.Set(constants.FamilyHold, sku, bigtable.Timestamp(until.UnixMicro()), []byte("1")) // ok ttlunit/wrong-unit
	return d.table.Apply(ctx, orderID, mut)
}

// Release implements dao.HoldDAO.
func (d *BigtableHoldDAO) Release(ctx context.Context, orderID string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(constants.FamilyHold)                            // ok ttlwrite/delete-after-set
	mut.Set(constants.FamilyHeader, "released", bigtable.Now(), []byte("1")) // ok ttlwrite/write-time
	return d.table.Apply(ctx, orderID, mut)
}

// ReleaseAndRemember remembers the release in the family that it clears.
func (d *BigtableHoldDAO) ReleaseAndRemember(ctx context.Context, orderID string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(constants.FamilyHold)
	mut.Set(constants.FamilyHold, "released", bigtable.ServerTime, []byte("1")) // want ttlwrite/server-timestamp
	return d.table.Apply(ctx, orderID, mut)
}

// Active implements dao.HoldDAO.
func (d *BigtableHoldDAO) Active(ctx context.Context, orderID string) ([]domain.Hold, error) {
	row, err := d.table.ReadRow(ctx, orderID, filter.Option(filter.LiveFamily(constants.FamilyHold))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeHolds(row), nil
}

// All was Active before the filter came.
func (d *BigtableHoldDAO) All(ctx context.Context, orderID string) ([]domain.Hold, error) {
	row, err := d.table.ReadRow(ctx, orderID, filter.Option(bigtable.FamilyFilter(constants.FamilyHold))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeHolds(row), nil
}

func decodeHolds(row bigtable.Row) []domain.Hold {
	var out []domain.Hold
	for _, item := range row[constants.FamilyHold] {
		n, err := strconv.Atoi(string(item.Value))
		if err != nil {
			continue
		}
		out = append(out, domain.Hold{Sku: item.Column[len(constants.FamilyHold)+1:], Quantity: n, Until: item.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	return out
}

// Standing reads all, and throws away what has run out.
func (d *BigtableHoldDAO) Standing(ctx context.Context, orderID string) ([]domain.Hold, error) {
	row, err := d.table.ReadRow(ctx, orderID, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyHold))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []domain.Hold
	now := d.clock.Now()
	for _, item := range row[constants.FamilyHold] {
		if item.Timestamp.Time().Before(now) {
			continue
		}
		out = append(out, domain.Hold{Sku: item.Column, Until: item.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	return out, nil
}

// Oldest tells how long the oldest hold has stood.
func (d *BigtableHoldDAO) Oldest(ctx context.Context, orderID string) (time.Duration, error) {
	row, err := d.table.ReadRow(ctx, orderID, bigtable.RowFilter(filter.LiveFamily(constants.FamilyHold))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	var oldest time.Duration
	for _, item := range row[constants.FamilyHold] {
		if age := d.clock.Now().Sub(item.Timestamp.Time()); age > oldest { // want ttlage/not-write-time
			oldest = age
		}
	}
	return oldest, nil
}

// Since boot: the filter was moved to a package variable, to save an allocation.
var bootLive = bigtable.TimestampRangeFilter(time.Now(), time.Time{}) // want ttlread/stale-bound[boot]

// ActiveFast is Active without the allocation.
func (d *BigtableHoldDAO) ActiveFast(ctx context.Context, orderID string) ([]domain.Hold, error) {
	row, err := d.table.ReadRow(ctx, orderID, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyHold), bootLive))) // want ttlread/stale-bound[boot]
	if err != nil {
		return nil, err
	}
	return decodeHolds(row), nil
}

// ActiveByMicros asks with timestamps.
func (d *BigtableHoldDAO) ActiveByMicros(ctx context.Context, orderID string) ([]domain.Hold, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyHold), bigtable.TimestampRangeFilterMicros(bigtable.Time(d.clock.Now()), 0))
	row, err := d.table.ReadRow(ctx, orderID, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeHolds(row), nil
}

// ActiveUntilNow got start and end the wrong way round.
func (d *BigtableHoldDAO) ActiveUntilNow(ctx context.Context, orderID string) ([]domain.Hold, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyHold), bigtable.TimestampRangeFilterMicros(0, bigtable.Now())) // want ttlread/expired-only[auntil]
	row, err := d.table.ReadRow(ctx, orderID, bigtable.RowFilter(f))                                                                // want ttlread/expired-only[auntil]
	if err != nil {
		return nil, err
	}
	return decodeHolds(row), nil
}

// Reserve places a hold unless somebody else has.
func (d *BigtableHoldDAO) Reserve(ctx context.Context, orderID string, h domain.Hold) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(constants.FamilyHold, h.Sku, clock.ExpiresIn(constants.HoldTTL), encodeHold(h)) // ok ttlwrite/write-time
	var taken bool
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyHold), bigtable.ColumnFilter(h.Sku))
	cond := bigtable.NewCondMutation(pred, nil, set) // want ttlread/conditional-mutation
	err := d.table.Apply(ctx, orderID, cond, bigtable.GetCondMutationResult(&taken))
	return !taken, err
}

// ReserveLive is Reserve for those who look at the clock.
func (d *BigtableHoldDAO) ReserveLive(ctx context.Context, orderID string, h domain.Hold) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(constants.FamilyHold, h.Sku, clock.ExpiresIn(constants.HoldTTL), encodeHold(h)) // ok ttlwrite/write-time
	var taken bool
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyHold), bigtable.ColumnFilter(h.Sku), filter.Live())
	cond := bigtable.NewCondMutation(pred, nil, set) // ok ttlread/conditional-mutation
	err := d.table.Apply(ctx, orderID, cond, bigtable.GetCondMutationResult(&taken))
	return !taken, err
}

// Bump counts how often a hold was extended.
func (d *BigtableHoldDAO) Bump(ctx context.Context, orderID, sku string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(constants.FamilyHold, sku, []byte("+")) // want ttlwrite/read-modify-write
	_, err := d.table.ApplyReadModifyWrite(ctx, orderID, rmw)
	return err
}

// Forensics reads the holds of an order, the dead ones above all.
//
//ttlvet:ignore ttlread/missing-filter the incident team wants to see what has not been collected yet
func (d *BigtableHoldDAO) Forensics(ctx context.Context, orderID string) ([]domain.Hold, error) {
	row, err := d.table.ReadRow(ctx, orderID, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyHold))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeHolds(row), nil
}

// Tombstone ends a hold at the time it is told.
func (d *BigtableHoldDAO) Tombstone(ctx context.Context, orderID, sku string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(constants.FamilyHold, sku)
	mut.Set(constants.FamilyHold, sku, bigtable.Now(), nil) //nolint:ttlvet // dead on arrival is what is wanted // ok ttlwrite/write-time
	return d.table.Apply(ctx, orderID, mut)
}
