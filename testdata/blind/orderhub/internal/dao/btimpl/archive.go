package btimpl

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/platform/bt"
)

// ArchiveDAO keeps for seven years what the other tables forget. Nothing there expires.
type ArchiveDAO struct {
	table *bigtable.Table
}

// NewArchiveDAO returns an ArchiveDAO.
func NewArchiveDAO(client *bigtable.Client) *ArchiveDAO {
	return &ArchiveDAO{table: client.Open(constants.TableArchive)}
}

// StoreSession archives a session.
func (d *ArchiveDAO) StoreSession(ctx context.Context, id string, jwt []byte) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyToken, constants.Session.JWT, bigtable.ServerTime, jwt) // ok ttlwrite/server-timestamp
	m.Set(constants.FamilyDevice, "main", bigtable.Now(), nil)                    // ok ttlwrite/write-time
	return d.table.Apply(ctx, id, m)
}

// StoreOrder archives an order.
func (d *ArchiveDAO) StoreOrder(ctx context.Context, id string, payload []byte) error {
	m := bigtable.NewMutation()
	now := bigtable.Now()
	m.Set(constants.FamilyRevision, constants.ColPayload, now, payload) // ok ttlwrite/clock-in-sequence
	m.Set(constants.FamilyState, constants.ColStatus, now, nil)         // ok ttlwrite/clock-in-zero
	return d.table.Apply(ctx, id, m)
}

// Sessions reads what was archived.
func (d *ArchiveDAO) Sessions(ctx context.Context, id string) ([]byte, time.Time, error) {
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyToken))) // ok ttlread/missing-filter
	if err != nil {
		return nil, time.Time{}, err
	}
	for _, item := range row[constants.FamilyToken] {
		archivedAt := item.Timestamp.Time()
		_ = time.Since(archivedAt) // ok ttlage/not-write-time
		return item.Value, archivedAt, nil
	}
	return nil, time.Time{}, bt.ErrNotFound
}

// Count counts accesses.
func (d *ArchiveDAO) Count(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(constants.FamilyState, "reads", 1) // ok ttlwrite/read-modify-write
	_, err := d.table.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// ReadBoth passes two filters to a table that nobody registered.
func (d *ArchiveDAO) ReadBoth(ctx context.Context, id string) (bigtable.Row, error) {
	return d.table.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1)), bigtable.RowFilter(bigtable.FamilyFilter("hdr"))) // want ttlread/overridden-filter
}

// Replace writes, and deletes what it wrote.
func (d *ArchiveDAO) Replace(ctx context.Context, id string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set("blob", "v", bigtable.Now(), v) // want ttlwrite/delete-after-set[replace]
	m.DeleteCellsInFamily("blob")         // want ttlwrite/delete-after-set[replace]
	return d.table.Apply(ctx, id, m)
}

// Sum adds to an aggregate, which takes no server time.
func (d *ArchiveDAO) Sum(ctx context.Context, id string, n int64) error {
	m := bigtable.NewMutation()
	m.AddIntToCell("sums", "total", bigtable.ServerTime, n) // want ttlwrite/aggregate-server-time
	m.AddIntToCell("sums", "count", 0, 1)                   // ok ttlwrite/aggregate-server-time
	return d.table.Apply(ctx, id, m)
}

// ArchiveFactoryDAO is the ArchiveDAO of the other team, which gets its table from the factory.
type ArchiveFactoryDAO struct {
	bt.AbstractDAO
}

// NewArchiveFactoryDAO returns an ArchiveFactoryDAO.
func NewArchiveFactoryDAO(tables bt.TableFactory) *ArchiveFactoryDAO {
	return &ArchiveFactoryDAO{AbstractDAO: bt.NewAbstractDAO(tables, constants.TableArchive)}
}

// StoreHold archives a hold.
func (d *ArchiveFactoryDAO) StoreHold(ctx context.Context, id, sku string) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyHold, sku, bigtable.Now(), nil) // ok ttlwrite/write-time
	m.Set(constants.FamilyInbox, sku, 0, nil)             // ok ttlwrite/already-expired
	return d.Store(ctx, id, m)
}

// Holds reads archived holds.
func (d *ArchiveFactoryDAO) Holds(ctx context.Context, id string) (int, error) {
	row, err := d.Fetch(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyHold))) // ok ttlread/missing-filter
	return len(row[constants.FamilyHold]), err
}
