package impl

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/constants"
	"example.com/assecura/internal/core"
	"example.com/assecura/internal/dao"
	"example.com/assecura/internal/domain"
)

type customerDaoImpl struct {
	base core.AbstractDao
}

// NewCustomerDao makes the DAO of the table of customers.
func NewCustomerDao(factory core.TableFactory, clock common.Clock, log *slog.Logger) dao.CustomerDao {
	return &customerDaoImpl{base: core.NewAbstractDao(factory, constants.TableCustomers, clock, log)}
}

// Save implements dao.CustomerDao.
func (d *customerDaoImpl) Save(ctx context.Context, c *domain.Customer) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyPerson, constants.QualifierName, bigtable.Now(), []byte(c.Name))                          // ok ttlwrite/write-time
	m.Set(constants.FamilyPerson, constants.QualifierEmail, bigtable.Time(c.UpdatedAt), []byte(c.Email))            // ok ttlunit/wrong-unit
	m.Set(constants.FamilyPerson, "synced", bigtable.Timestamp(c.UpdatedAt.UnixNano()), nil)                        // want ttlunit/wrong-unit
	m.Set(constants.FamilyPerson, "checked", bigtable.Timestamp(c.UpdatedAt.UnixNano()/1e3), nil)                   // ok ttlunit/wrong-unit
	m.Set(constants.FamilyPerson, "review", bigtable.Now()+bigtable.Timestamp(24*time.Hour), nil)                   // want ttlunit/wrong-unit
	m.Set(constants.FamilyPerson, "renewal", bigtable.Now()+bigtable.Timestamp((24*time.Hour).Microseconds()), nil) // ok ttlunit/wrong-unit
	m.Set(constants.FamilyPerson, "seen", bigtable.Timestamp(time.Since(c.CreatedAt)), nil)                         // want ttlunit/wrong-unit
	m.Set(constants.FamilyPerson, "born", bigtable.Time(time.Date(1956, 4, 1, 0, 0, 0, 0, time.UTC)), nil)          // want ttlunit/out-of-range
	m.Set(constants.FamilyPerson, "joined", bigtable.Time(time.Date(1996, 4, 1, 0, 0, 0, 0, time.UTC)), nil)        // ok ttlunit/out-of-range
	m.Set(constants.FamilyPerson, "tick", bigtable.Timestamp(1500), nil)                                            // want ttlunit/sub-millisecond
	m.Set(constants.FamilyPerson, "tock", bigtable.Timestamp(2000), nil)                                            // ok ttlunit/sub-millisecond
	return d.base.Save(ctx, c.ID, m)
}

// Find implements dao.CustomerDao.
func (d *customerDaoImpl) Find(ctx context.Context, id string) (*domain.Customer, error) {
	row, err := d.base.GetTable().ReadRow(ctx, id, bigtable.RowFilter(newestOnly)) // ok ttlread/missing-filter
	if err != nil {
		return nil, common.NewTechnicalException("find customer", err)
	}
	c := &domain.Customer{}
	c.ID = id
	for _, item := range row[constants.FamilyPerson] {
		c.UpdatedAt = item.Timestamp.Time()        // ok ttlage/not-write-time
		if item.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			c.UpdatedAt = time.Time{}
		}
		if item.Column == constants.FamilyPerson+":"+constants.QualifierName {
			c.Name = string(item.Value)
		}
	}
	if ok, err := d.base.ExistsByID(ctx, "merged#"+id); err != nil || ok { // ok ttlread/missing-filter
		return c, err
	}
	return c, nil
}

// GiveConsent implements dao.CustomerDao.
func (d *customerDaoImpl) GiveConsent(ctx context.Context, id, purpose string) error {
	m := core.NewRowMutationBuilder().WithFamily(constants.FamilyCnsent).PutString(purpose, "yes").Build() // ok ttlwrite/server-timestamp
	m.DeleteTimestampRange(constants.FamilyCnsent, purpose, 0, 999)                                        // want ttlunit/sub-millisecond
	m.DeleteTimestampRange(constants.FamilyCnsent, "old", 0, 1000)                                         // ok ttlunit/sub-millisecond
	return d.base.Save(ctx, id, m)
}

// HasConsent implements dao.CustomerDao.
func (d *customerDaoImpl) HasConsent(ctx context.Context, id, purpose string) (bool, error) {
	never := bigtable.TimestampRangeFilterMicros(5000, 5000)                                                                                        // want ttlunit/empty-range[never]
	row, err := d.base.GetTable().ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyCnsent), never))) // want ttlunit/empty-range[never]
	if err != nil {
		return false, common.NewTechnicalException("consent", err)
	}
	if len(row) > 0 {
		return true, nil
	}
	row, err = d.base.GetTable().ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyCnsent), bigtable.ColumnFilter(purpose)))) // ok ttlread/missing-filter
	if err != nil {
		return false, common.NewTechnicalException("consent", err)
	}
	for _, item := range row[constants.FamilyCnsent] {
		if time.Since(item.Timestamp.Time()) < constants.ConsentMaxAge { // ok ttlage/not-write-time
			return true, nil
		}
	}
	one, err := d.base.GetTable().ReadRow(ctx, fmt.Sprintf("c#%s", id), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyCnsent), bigtable.LatestNFilter(0)))) // want ttlunit/invalid-filter
	return len(one) > 0, common.NewTechnicalException("consent", err)
}
