package btimpl

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/dao"
	"example.com/meridian/orderhub/internal/domain"
	"example.com/meridian/orderhub/internal/filter"
	"example.com/meridian/orderhub/internal/platform/bt"
	"example.com/meridian/orderhub/internal/platform/clock"
	"example.com/meridian/orderhub/internal/timestamp"
)

// deviceFamilies: index 0 is where the device is, index 1 where its owner is.
var deviceFamilies = []string{constants.FamilyDevice, constants.FamilyProfile}

// BigtableDeviceDAO implements dao.DeviceDAO.
type BigtableDeviceDAO struct {
	bt.AbstractDAO
	stamps timestamp.Policy
	clock  clock.Clock
}

var _ dao.DeviceDAO = (*BigtableDeviceDAO)(nil)

// NewBigtableDeviceDAO returns a BigtableDeviceDAO.
func NewBigtableDeviceDAO(tables bt.TableFactory, c clock.Clock) *BigtableDeviceDAO {
	return &BigtableDeviceDAO{
		AbstractDAO: bt.NewAbstractDAO(tables, constants.TableSessions),
		stamps:      timestamp.NewExpiryPolicy(c, constants.DeviceTTL),
		clock:       c,
	}
}

// Register implements dao.DeviceDAO.
func (d *BigtableDeviceDAO) Register(ctx context.Context, customer string, dev domain.Device) error {
	mut := bigtable.NewMutation()
	fam := deviceFamilies[0]
	ts := d.stamps.Next()
	mut.Set(fam, dev.Fingerprint, ts, []byte(dev.PushToken))      // ok ttlwrite/write-time
	mut.Set(fam, dev.Fingerprint+".agent", ts, []byte(dev.Agent)) // ok ttlwrite/same-timestamp
	return d.Store(ctx, customer, mut)
}

// RegisterUntil registers a device that says itself how long it stays.
func (d *BigtableDeviceDAO) RegisterUntil(ctx context.Context, customer string, dev domain.Device) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(constants.FamilyDevice, dev.Fingerprint)
	mut.Set(constants.FamilyDevice, dev.Fingerprint, bigtable.Time(dev.ExpiresAt), []byte(dev.PushToken)) // ok ttlwrite/write-time
	return d.Store(ctx, customer, mut)
}

// Touch implements dao.DeviceDAO.
func (d *BigtableDeviceDAO) Touch(ctx context.Context, customer, fingerprint string) error {
	mut := bigtable.NewMutation()
	fam := deviceFamilies[0]
	ts := bigtable.Now()
	mut.Set(fam, fingerprint+".seen", ts, []byte("1"))  // want ttlwrite/write-time
	mut.Set(deviceFamilies[1], "seen", ts, []byte("1")) // ok ttlwrite/write-time
	return d.Store(ctx, customer, mut)
}

// Rename stores a new name for a device.
func (d *BigtableDeviceDAO) Rename(ctx context.Context, customer, fingerprint, name string) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyDevice, fingerprint+".name", bigtable.ServerTime, []byte(name)) // want ttlwrite/server-timestamp
	return d.Store(ctx, customer, mut)
}

// RenameOwner stores a new name for the owner.
func (d *BigtableDeviceDAO) RenameOwner(ctx context.Context, customer, name string) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyProfile, constants.Session.Name, bigtable.ServerTime, []byte(name)) // ok ttlwrite/server-timestamp
	return d.Store(ctx, customer, mut)
}

// Trust marks a device for a day.
func (d *BigtableDeviceDAO) Trust(ctx context.Context, customer, fingerprint string) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Now() + bigtable.Timestamp(24*time.Hour)                  // want ttlunit/wrong-unit[trust]
	mut.Set(constants.FamilyDevice, fingerprint+".trusted", ts, []byte("1")) // want ttlunit/wrong-unit[trust]
	return d.Store(ctx, customer, mut)
}

// TrustHour is Trust for an hour.
func (d *BigtableDeviceDAO) TrustHour(ctx context.Context, customer, fingerprint string) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Now() + bigtable.Timestamp(time.Hour/time.Microsecond)    // ok ttlunit/wrong-unit
	mut.Set(constants.FamilyDevice, fingerprint+".trusted", ts, []byte("1")) // ok ttlwrite/write-time
	return d.Store(ctx, customer, mut)
}

// Forget lets a device expire at once.
func (d *BigtableDeviceDAO) Forget(ctx context.Context, customer, fingerprint string) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyDevice, fingerprint, 0, nil) // want ttlwrite/already-expired
	return d.Store(ctx, customer, mut)
}

// Remove deletes a device.
func (d *BigtableDeviceDAO) Remove(ctx context.Context, customer, fingerprint string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(constants.FamilyDevice, fingerprint)          // ok ttlwrite/delete-after-set
	mut.DeleteCellsInColumn(constants.FamilyDevice, fingerprint+".agent") // ok ttlwrite/delete-after-set
	return d.Store(ctx, customer, mut)
}

// Block marks a device twice, since somebody had doubts about the first.
func (d *BigtableDeviceDAO) Block(ctx context.Context, customer, fingerprint, reason string) error {
	mut := bigtable.NewMutation()
	ts := d.stamps.Next()
	mut.Set(constants.FamilyDevice, "blocked", ts, []byte(fingerprint)) // ok ttlwrite/same-timestamp
	mut.Set(constants.FamilyDevice, "blocked", ts, []byte(reason))      // want ttlwrite/same-timestamp
	return d.Store(ctx, customer, mut)
}

// List implements dao.DeviceDAO.
func (d *BigtableDeviceDAO) List(ctx context.Context, customer string) ([]domain.Device, error) {
	row, err := d.Fetch(ctx, customer, bigtable.RowFilter(filter.LiveFamily(constants.FamilyDevice))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []domain.Device
	for _, item := range row[constants.FamilyDevice] {
		out = append(out, domain.Device{
			Fingerprint: item.Column[len(constants.FamilyDevice)+1:],
			PushToken:   string(item.Value),
			ExpiresAt:   item.Timestamp.Time(), // ok ttlage/not-write-time
		})
	}
	return out, nil
}

// ListAll is what the console shows.
func (d *BigtableDeviceDAO) ListAll(ctx context.Context, customer string) ([]string, error) {
	row, err := d.Fetch(ctx, customer) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, item := range row[constants.FamilyDevice] {
		updatedAt := item.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
		out = append(out, item.Column+" "+updatedAt)
	}
	return out, nil
}

// Owner reads the owner.
func (d *BigtableDeviceDAO) Owner(ctx context.Context, customer string) (string, error) {
	row, err := d.Fetch(ctx, customer, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, item := range row[constants.FamilyProfile] {
		if item.Column == constants.FamilyProfile+":"+constants.Session.Name {
			return string(item.Value), nil
		}
	}
	return "", bt.ErrNotFound
}

// PushTokens collects the push tokens of many customers.
func (d *BigtableDeviceDAO) PushTokens(ctx context.Context, prefix string) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := d.Scan(ctx, prefix, func(r bigtable.Row) bool { // want ttlread/missing-filter[push]
		for _, item := range r[constants.FamilyDevice] {
			out[item.Row] = item.Value
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyDevice), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter[push]
	return out, err
}

// LivePushTokens is PushTokens, for the ones that still work.
func (d *BigtableDeviceDAO) LivePushTokens(ctx context.Context, prefix string) (map[string][]byte, error) {
	out := map[string][]byte{}
	f := filter.NewBuilder().Family(constants.FamilyDevice).Live(d.clock.Now()).Latest(1).Build()
	err := d.Scan(ctx, prefix, func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, item := range r[constants.FamilyDevice] {
			out[item.Row] = item.Value
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Recent reads the devices that were seen lately, which their timestamps do not tell.
func (d *BigtableDeviceDAO) Recent(ctx context.Context, customer string) ([]domain.Device, error) {
	weekAgo := time.Now().Add(-7 * 24 * time.Hour)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyDevice), bigtable.TimestampRangeFilter(weekAgo, time.Time{})) // want ttlread/wrong-bound[recentdev]
	row, err := d.Fetch(ctx, customer, bigtable.RowFilter(f))                                                                      // want ttlread/wrong-bound[recentdev]
	if err != nil {
		return nil, err
	}
	var out []domain.Device
	for _, item := range row[constants.FamilyDevice] {
		out = append(out, domain.Device{PushToken: string(item.Value)})
	}
	return out, nil
}

// BulkDeviceWriter collects mutations, and writes them in one call.
type BulkDeviceWriter struct {
	table  bt.TableGateway
	stamps timestamp.Policy
	keys   []string
	muts   []*bigtable.Mutation
}

// NewBulkDeviceWriter returns a BulkDeviceWriter.
func NewBulkDeviceWriter(tables bt.TableFactory, p timestamp.Policy) *BulkDeviceWriter {
	return &BulkDeviceWriter{table: tables.CreateTable(constants.TableSessions), stamps: p}
}

// Add adds a device. The policy decides how long it lives.
func (w *BulkDeviceWriter) Add(customer string, dev domain.Device) {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyDevice, dev.Fingerprint, w.stamps.Next(), []byte(dev.PushToken))
	w.keys, w.muts = append(w.keys, customer), append(w.muts, m)
}

// Flush writes.
func (w *BulkDeviceWriter) Flush(ctx context.Context) error {
	errs, err := w.table.ApplyBulk(ctx, w.keys, w.muts)
	w.keys, w.muts = nil, nil
	if err != nil {
		return err
	}
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return nil
}

// ImportDevices is used by the migration from the old system.
func ImportDevices(ctx context.Context, tables bt.TableFactory, c clock.Clock, devices map[string]domain.Device) error {
	w := NewBulkDeviceWriter(tables, timestamp.NewExpiryPolicy(c, constants.DeviceTTL)) // ok ttlwrite/server-timestamp
	for customer, dev := range devices {
		w.Add(customer, dev)
	}
	return w.Flush(ctx)
}

// ReimportDevices was copied from ImportDevices in a hurry.
func ReimportDevices(ctx context.Context, tables bt.TableFactory, devices map[string]domain.Device) error {
	w := NewBulkDeviceWriter(tables, timestamp.ServerPolicy{}) // want ttlwrite/server-timestamp
	for customer, dev := range devices {
		w.Add(customer, dev)
	}
	return w.Flush(ctx)
}
