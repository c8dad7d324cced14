// Package core is the persistence layer: tables, factories, base classes of DAOs.
package core

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/constants"
)

// Table is what DAOs need of a table.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// TableFactory opens tables.
type TableFactory interface {
	CreateTable(name string) Table
	CreateMeteredTable(name string) Table
	CreateLedgerTable(tenant string) Table
	GetClient() *bigtable.Client
}

type tableFactoryImpl struct {
	client *bigtable.Client
	meters common.MeterRegistry
}

// NewTableFactory makes the factory.
func NewTableFactory(client *bigtable.Client, meters common.MeterRegistry) TableFactory {
	return &tableFactoryImpl{client: client, meters: meters}
}

// GetClient implements TableFactory.
func (f *tableFactoryImpl) GetClient() *bigtable.Client { return f.client }

// CreateTable implements TableFactory.
func (f *tableFactoryImpl) CreateTable(name string) Table { return f.client.Open(name) }

// CreateMeteredTable implements TableFactory.
func (f *tableFactoryImpl) CreateMeteredTable(name string) Table {
	return &meteredTable{delegate: f.client.Open(name), meters: f.meters, prefix: "table." + name}
}

// CreateLedgerTable implements TableFactory.
func (f *tableFactoryImpl) CreateLedgerTable(tenant string) Table {
	return f.client.Open(tenant + constants.LedgerSuffix)
}

// meteredTable decorates a table.
type meteredTable struct {
	delegate Table
	meters   common.MeterRegistry
	prefix   string
}

func (t *meteredTable) measure(op string, start time.Time) {
	t.meters.Record(t.prefix+"."+op, time.Since(start))
}

// ReadRow implements Table.
func (t *meteredTable) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	defer t.measure("readRow", time.Now())
	return t.delegate.ReadRow(ctx, row, opts...)
}

// ReadRows implements Table.
func (t *meteredTable) ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	defer t.measure("readRows", time.Now())
	return t.delegate.ReadRows(ctx, arg, f, opts...)
}

// Apply implements Table.
func (t *meteredTable) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	defer t.measure("apply", time.Now())
	return t.delegate.Apply(ctx, row, m, opts...)
}

// ApplyBulk implements Table.
func (t *meteredTable) ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error) {
	defer t.measure("applyBulk", time.Now())
	return t.delegate.ApplyBulk(ctx, rowKeys, muts, opts...)
}

// ApplyReadModifyWrite implements Table.
func (t *meteredTable) ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	defer t.measure("rmw", time.Now())
	return t.delegate.ApplyReadModifyWrite(ctx, row, m)
}

// AbstractDao is embedded by the DAOs.
type AbstractDao struct {
	table   Table
	clock   common.Clock
	filters FilterFactory
	log     *slog.Logger
}

// NewAbstractDao makes the base of a DAO over the table called name.
func NewAbstractDao(factory TableFactory, name string, clock common.Clock, log *slog.Logger) AbstractDao {
	return AbstractDao{
		table:   factory.CreateTable(name),
		clock:   clock,
		filters: NewFilterFactory(clock),
		log:     log.With("dao", name),
	}
}

// GetTable returns the table.
func (d *AbstractDao) GetTable() Table { return d.table }

// GetClock returns the clock.
func (d *AbstractDao) GetClock() common.Clock { return d.clock }

// GetFilters returns the factory of filters.
func (d *AbstractDao) GetFilters() FilterFactory { return d.filters }

// GetLogger returns the logger.
func (d *AbstractDao) GetLogger() *slog.Logger { return d.log }

// FindRow reads one row through a filter.
func (d *AbstractDao) FindRow(ctx context.Context, key string, filter bigtable.Filter) (bigtable.Row, error) {
	row, err := d.table.ReadRow(ctx, key, bigtable.RowFilter(filter)) // ok ttlread/missing-filter
	if err != nil {
		return nil, common.NewTechnicalException("read "+key, err)
	}
	if len(row) == 0 {
		return nil, common.NewNotFoundException("row", key)
	}
	return row, nil
}

// ExistsByID says whether there is a row.
func (d *AbstractDao) ExistsByID(ctx context.Context, key string) (bool, error) {
	row, err := d.table.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // want ttlread/missing-filter[exists]
	if err != nil {
		return false, common.NewTechnicalException("exists "+key, err)
	}
	return len(row) > 0, nil
}

// Save applies a mutation.
func (d *AbstractDao) Save(ctx context.Context, key string, m *bigtable.Mutation) error {
	return common.NewTechnicalException("save "+key, d.table.Apply(ctx, key, m)) // ok ttlwrite/write-time
}

// DeleteByID removes a row.
func (d *AbstractDao) DeleteByID(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.DeleteRow()
	return d.Save(ctx, key, m)
}

// CountByPrefix counts keys.
func (d *AbstractDao) CountByPrefix(ctx context.Context, prefix string) (int, error) {
	n := 0
	err := d.table.ReadRows(ctx, bigtable.PrefixRange(prefix), func(bigtable.Row) bool { n++; return true }, bigtable.RowFilter(bigtable.StripValueFilter())) // ok ttlread/missing-filter
	return n, common.NewTechnicalException("count "+prefix, err)
}
