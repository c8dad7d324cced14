package impl

import (
	"context"
	"encoding/binary"
	"log/slog"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/constants"
	"example.com/assecura/internal/core"
	"example.com/assecura/internal/dao"
	"example.com/assecura/internal/domain"
)

// ledgerDaoImpl serves one tenant.
type ledgerDaoImpl struct {
	table   core.Table
	tenant  string
	filters core.FilterFactory
	clock   common.Clock
	log     *slog.Logger
	next    int64
	serial  atomic.Int64
	writer  core.CellWriter
}

// NewLedgerDao makes the DAO of the ledger of a tenant.
func NewLedgerDao(factory core.TableFactory, tenant string, clock common.Clock, log *slog.Logger) dao.LedgerDao {
	return &ledgerDaoImpl{
		table: factory.CreateLedgerTable(tenant), tenant: tenant, filters: core.NewFilterFactory(clock), clock: clock,
		log: log.With("tenant", tenant),
	}
}

// Book implements dao.LedgerDao.
func (d *ledgerDaoImpl) Book(ctx context.Context, e *domain.LedgerEntry) error {
	m := bigtable.NewMutation()
	d.writer.PutInt64(m, constants.FamilyEntry, constants.QualifierAmount, bigtable.Timestamp(e.Number*1000), e.Amount)     // ok ttlwrite/unscaled-sequence
	d.writer.PutInt64(m, constants.FamilyEntry, "day", bigtable.Now(), e.Amount)                                            // want ttlwrite/clock-in-sequence
	d.writer.PutNow(m, constants.FamilyEntry, constants.QualifierCurrency, []byte("EUR"))                                   // want ttlwrite/clock-in-sequence
	if err := d.writer.PutJSON(m, constants.FamilyEntry, "json", bigtable.Timestamp(d.serial.Add(1)*1000), e); err != nil { // ok ttlwrite/unscaled-sequence
		return err
	}
	d.next++
	m.Set(constants.FamilyEntry, "serial", bigtable.Timestamp(d.next), nil) // want ttlwrite/unscaled-sequence
	return common.NewTechnicalException("book", d.table.Apply(ctx, e.Account, m))
}

// BookAll implements dao.LedgerDao.
func (d *ledgerDaoImpl) BookAll(ctx context.Context, account string, amounts []int64) error {
	m := bigtable.NewMutation()
	step := bigtable.Timestamp(0)
	for n := 1; n <= len(amounts); n++ {
		step += 1000
		m.Set(constants.FamilyEntry, constants.QualifierAmount, bigtable.Timestamp(n*1000), binary.BigEndian.AppendUint64(nil, uint64(amounts[n-1]))) // ok ttlwrite/unscaled-sequence
		m.Set(constants.FamilyEntry, "plain", bigtable.Timestamp(n), nil)                                                                             // want ttlwrite/unscaled-sequence
		m.Set(constants.FamilyEntry, "step", step, nil)                                                                                               // ok ttlwrite/unscaled-sequence
	}
	m.Set(constants.FamilyEntry, "at", bigtable.Time(d.clock.Now()), nil)                                                         // want ttlwrite/clock-in-sequence
	m.Set(constants.FamilyEntry, "last", bigtable.Timestamp(int64(len(amounts))*constants.MicrosPerMilli), nil)                   // ok ttlwrite/unscaled-sequence
	b := core.NewRowMutationBuilder().WithFamily(constants.FamilyEntry).WithSequence(int64(len(amounts))).PutString("n", account) // ok ttlwrite/clock-in-sequence
	if err := d.table.Apply(ctx, account, b.Build()); err != nil {
		return common.NewTechnicalException("book all", err)
	}
	return common.NewTechnicalException("book all", d.table.Apply(ctx, account, m))
}

// Correct implements dao.LedgerDao.
func (d *ledgerDaoImpl) Correct(ctx context.Context, e *domain.LedgerEntry) error {
	m := core.NewRowMutationBuilder().WithFamily(constants.FamilyEntry).PutString("corrected", e.ID).Build() // want ttlwrite/clock-in-sequence
	if err := d.table.Apply(ctx, e.Account, m); err != nil {
		return common.NewTechnicalException("correct", err)
	}
	rmw := core.Counters{}.Increment(constants.FamilyEntry, "corrections", 1) // want ttlwrite/read-modify-write
	_, err := d.table.ApplyReadModifyWrite(ctx, e.Account, rmw)
	return common.NewTechnicalException("correct", err)
}

// FindLast implements dao.LedgerDao.
func (d *ledgerDaoImpl) FindLast(ctx context.Context, account string) (*domain.LedgerEntry, error) {
	row, err := d.table.ReadRow(ctx, account, bigtable.RowFilter(d.filters.CreateLatestFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, common.NewTechnicalException("find last", err)
	}
	e := &domain.LedgerEntry{Account: account}
	for _, item := range row[constants.FamilyEntry] {
		e.Number = int64(item.Timestamp) / 1000                                         // ok ttlage/not-write-time
		e.BaseEntity = domain.BaseEntity{ID: account, CreatedAt: item.Timestamp.Time()} // want ttlage/not-write-time
	}
	if e.Number == 0 {
		row, err = d.table.ReadRow(ctx, account) // want ttlread/missing-filter
		if err != nil {
			return nil, common.NewTechnicalException("find last", err)
		}
		for _, item := range row[constants.FamilyEntry] {
			e.Amount += int64(binary.BigEndian.Uint64(item.Value))
		}
	}
	return e, nil
}

// FindRecent implements dao.LedgerDao.
func (d *ledgerDaoImpl) FindRecent(ctx context.Context, account string, n int) ([]*domain.LedgerEntry, error) {
	row, err := d.table.ReadRow(ctx, account, bigtable.RowFilter(d.filters.CreateLatestFilter(n))) // ok ttlread/version-limit
	if err != nil {
		return nil, common.NewTechnicalException("find recent", err)
	}
	all, err := d.table.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ColumnFilter(constants.QualifierAmount))) // want ttlread/version-limit
	if err != nil {
		return nil, common.NewTechnicalException("find recent", err)
	}
	var out []*domain.LedgerEntry
	for _, r := range []bigtable.Row{row, all} {
		for _, item := range r[constants.FamilyEntry] {
			out = append(out, &domain.LedgerEntry{Account: account, Number: int64(item.Timestamp / 1000)})
		}
	}
	return out, nil
}

// FindOfDay implements dao.LedgerDao.
func (d *ledgerDaoImpl) FindOfDay(ctx context.Context, account string, day time.Time) ([]*domain.LedgerEntry, error) {
	start := common.DateUtils{}.StartOfDay(d.clock.Now())
	row, err := d.table.ReadRow(ctx, account, bigtable.RowFilter(bigtable.TimestampRangeFilter(start, start.Add(24*time.Hour)))) // want ttlread/wrong-bound
	if err != nil {
		return nil, common.NewTechnicalException("find of day", err)
	}
	var out []*domain.LedgerEntry
	for _, item := range row[constants.FamilyEntry] {
		out = append(out, &domain.LedgerEntry{Account: account, Number: int64(item.Timestamp / 1000)})
	}
	d.log.Debug("bookings", "day", day, "n", len(out))
	return out, nil
}
