package impl

import (
	"context"
	"encoding/binary"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/constants"
	"example.com/assecura/internal/core"
	"example.com/assecura/internal/dao"
	"example.com/assecura/internal/domain"
)

type tariffDaoImpl struct {
	core.AbstractDao
	zero       core.TimestampStrategy
	server     core.TimestampStrategy
	discounts  core.Repository[domain.Discount]
	promotions core.Repository[domain.Discount]
}

// NewTariffDao makes the DAO of the table of tariffs.
func NewTariffDao(factory core.TableFactory, clock common.Clock, log *slog.Logger) dao.TariffDao {
	d := &tariffDaoImpl{
		AbstractDao: core.NewAbstractDao(factory, constants.TableTariffs, clock, log),
		zero:        core.NewZeroTimestampStrategy(),   // ok ttlwrite/clock-in-zero
		server:      core.NewServerTimestampStrategy(), // want ttlwrite/clock-in-zero[rateServer]
	}
	d.discounts = core.NewGenericRepository[domain.Discount](d.GetTable(), discountRowMapper{}, d.live)                   // ok ttlread/wrong-bound
	d.promotions = core.NewGenericRepository[domain.Discount](d.GetTable(), discountRowMapper{}, func() bigtable.Filter { // want ttlread/wrong-bound[repoDisc]
		return bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyDisc), d.GetFilters().CreateLiveFilter()) // want ttlread/wrong-bound[repoDisc]
	})
	return d
}

func (d *tariffDaoImpl) live() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(constants.FamilyDisc),
		bigtable.TimestampRangeFilter(d.GetClock().Now().Add(-constants.DiscountTTL), time.Time{}),
	)
}

// SaveRate implements dao.TariffDao.
func (d *tariffDaoImpl) SaveRate(ctx context.Context, product string, rate int64) error {
	v := binary.BigEndian.AppendUint64(nil, uint64(rate))
	m := bigtable.NewMutation()
	m.Set(constants.FamilyRate, constants.QualifierAmount, d.zero.NextTimestamp(), v)       // ok ttlwrite/clock-in-zero
	m.Set(constants.FamilyRate, "previous", d.server.NextTimestamp(), v)                    // want ttlwrite/clock-in-zero[rateServer]
	m.Set(constants.FamilyRate, "approved", bigtable.Timestamp(1000), v)                    // want ttlwrite/clock-in-zero
	m.Set(constants.FamilyRate, "valid_from", 0, []byte(d.GetClock().Now().Format("2006"))) // ok ttlwrite/clock-in-zero
	return d.Save(ctx, product, m)
}

// SaveDiscount implements dao.TariffDao.
func (d *tariffDaoImpl) SaveDiscount(ctx context.Context, disc *domain.Discount) error {
	v := binary.BigEndian.AppendUint64(nil, uint64(disc.Percent))
	m := bigtable.NewMutation()
	m.Set(constants.FamilyDisc, constants.QualifierAmount, d.server.NextTimestamp(), v)                                         // ok ttlwrite/server-timestamp
	m.Set(constants.FamilyDisc, "approved", bigtable.Time(d.GetClock().Now()), nil)                                             // ok ttlwrite/write-time
	m.Set(constants.FamilyDisc, "campaign", bigtable.Time(d.GetClock().Now().Add(-100*24*time.Hour)), []byte(disc.Code))        // want ttlwrite/already-expired
	m.Set(constants.FamilyDisc, "weekend", bigtable.Time(d.GetClock().Now().AddDate(0, 0, 2).Add(-constants.DiscountTTL)), nil) // ok ttlwrite/already-expired
	return d.Save(ctx, disc.Code, m)
}

// GetRate implements dao.TariffDao.
func (d *tariffDaoImpl) GetRate(ctx context.Context, product string) (int64, error) {
	row, err := d.GetTable().ReadRow(ctx, product) // ok ttlread/missing-filter
	if err != nil {
		return 0, common.NewTechnicalException("get rate", err)
	}
	return core.CellReader{}.GetInt64(row, constants.FamilyRate, constants.QualifierAmount), nil
}

// GetDiscount implements dao.TariffDao.
func (d *tariffDaoImpl) GetDiscount(ctx context.Context, code string) (*domain.Discount, error) {
	if disc, err := d.discounts.FindByID(ctx, code); err == nil { // ok ttlread/missing-filter
		return disc, nil
	}
	row, err := d.FindRow(ctx, code, bigtable.FamilyFilter(constants.FamilyDisc)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return discountRowMapper{}.MapRow(row)
}

// FindDiscounts implements dao.TariffDao.
func (d *tariffDaoImpl) FindDiscounts(ctx context.Context, prefix string) ([]*domain.Discount, error) {
	a, err := d.discounts.FindAll(ctx, prefix, 100) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	b, err := d.promotions.FindAll(ctx, "promo#"+prefix, 100) // want ttlread/wrong-bound[repoDisc]
	return append(a, b...), err
}

// BumpRate implements dao.TariffDao.
func (d *tariffDaoImpl) BumpRate(ctx context.Context, product string, delta int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(constants.FamilyRate, constants.QualifierAmount, delta) // want ttlwrite/read-modify-write
	rmw.Increment(constants.FamilyDisc, "bumps", 1)                       // ok ttlwrite/read-modify-write
	_, err := d.GetTable().ApplyReadModifyWrite(ctx, product, rmw)
	return common.NewTechnicalException("bump rate", err)
}

type discountRowMapper struct{}

// MapRow implements core.RowMapper.
func (discountRowMapper) MapRow(row bigtable.Row) (*domain.Discount, error) {
	disc := &domain.Discount{Code: row.Key()}
	for _, item := range row[constants.FamilyDisc] {
		switch item.Column {
		case constants.FamilyDisc + ":" + constants.QualifierAmount:
			disc.Percent = int64(binary.BigEndian.Uint64(item.Value))
			disc.UpdatedAt = item.Timestamp.Time() // want ttlage/not-write-time
		case constants.FamilyDisc + ":" + constants.QualifierCreatedAt:
			if at, err := time.Parse(time.RFC3339, string(item.Value)); err == nil {
				disc.CreatedAt = at // ok ttlage/not-write-time
			}
		}
	}
	return disc, nil
}
