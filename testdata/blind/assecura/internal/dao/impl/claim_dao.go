package impl

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/constants"
	"example.com/assecura/internal/core"
	"example.com/assecura/internal/dao"
	"example.com/assecura/internal/domain"
	"example.com/assecura/internal/mutations"
)

type claimDaoImpl struct {
	table   core.Table
	clock   common.Clock
	filters core.FilterFactory
	events  mutations.EventMutationFactory
	reader  core.CellReader
	log     *slog.Logger
	numbers map[string]int64
}

// NewClaimDao makes the DAO of the table of claims.
func NewClaimDao(factory core.TableFactory, clock common.Clock, log *slog.Logger) dao.ClaimDao {
	return &claimDaoImpl{
		table:   factory.CreateMeteredTable(constants.TableClaims),
		clock:   clock,
		filters: core.NewFilterFactory(clock),
		events:  mutations.NewEventMutationFactory(),
		log:     log,
		numbers: map[string]int64{},
	}
}

// AppendEvent implements dao.ClaimDao.
func (d *claimDaoImpl) AppendEvent(ctx context.Context, e *domain.ClaimEvent) error {
	family := constants.ClaimEvent.ColumnFamily()
	d.numbers[e.ClaimID]++
	m := bigtable.NewMutation()
	m.Set(family, constants.QualifierEvent, bigtable.Timestamp(e.Sequence*1000), []byte(e.Kind))                 // ok ttlwrite/unscaled-sequence
	m.Set(family, constants.QualifierAmount, bigtable.Time(d.clock.Now()), strconv.AppendInt(nil, e.Amount, 10)) // want ttlwrite/clock-in-sequence
	m.Set(family, "local", bigtable.Timestamp(d.numbers[e.ClaimID]), []byte(e.Kind))                             // want ttlwrite/unscaled-sequence
	m.Set(family, "scaled", bigtable.Timestamp(d.numbers[e.ClaimID]*1000), []byte(e.Kind))                       // ok ttlwrite/unscaled-sequence
	m.Set(constants.ClaimState.ColumnFamily(), constants.QualifierStatus, 0, []byte(e.Kind))                     // ok ttlwrite/clock-in-zero
	m.Set(constants.ClaimState.ColumnFamily(), "since", bigtable.Now(), []byte(e.Kind))                          // want ttlwrite/clock-in-zero
	if err := d.table.Apply(ctx, e.ClaimID, m); err != nil {
		return common.NewTechnicalException("append event", err)
	}
	if err := d.table.Apply(ctx, e.ClaimID, d.events.CreateNumberedEvent("copy", e.Sequence, nil)); err != nil { // ok ttlwrite/clock-in-sequence
		return common.NewTechnicalException("append event", err)
	}
	return common.NewTechnicalException("append event", d.table.Apply(ctx, e.ClaimID, d.events.CreateTimedEvent("notified", nil))) // want ttlwrite/clock-in-sequence
}

// LockClaim implements dao.ClaimDao.
func (d *claimDaoImpl) LockClaim(ctx context.Context, claimID, owner string) (bool, error) {
	lock := constants.ClaimLock.ColumnFamily()
	set := bigtable.NewMutation()
	set.DeleteCellsInColumn(lock, constants.QualifierOwner)
	set.Set(lock, constants.QualifierOwner, bigtable.Time(d.clock.Now().Add(constants.LockTTL)), []byte(owner)) // ok ttlwrite/write-time
	held := bigtable.ChainFilters(bigtable.FamilyFilter(lock), bigtable.ColumnFilter(constants.QualifierOwner), d.filters.CreateLiveFilter())
	var taken bool
	err := d.table.Apply(ctx, claimID, bigtable.NewCondMutation(held, nil, set), bigtable.GetCondMutationResult(&taken)) // ok ttlread/conditional-mutation
	if err != nil {
		return false, common.NewTechnicalException("lock", err)
	}
	if taken {
		return false, nil
	}
	steal := bigtable.NewMutation()
	steal.Set(lock, "stolen", bigtable.Time(d.clock.Now().Add(constants.LockTTL)), []byte(owner)) // ok ttlwrite/write-time
	mine := bigtable.ChainFilters(bigtable.FamilyFilter(lock), bigtable.ValueFilter(owner))       // want ttlread/conditional-mutation[mine]
	cond := bigtable.NewCondMutation(mine, steal, nil)                                            // want ttlread/conditional-mutation[mine]
	return true, common.NewTechnicalException("lock", d.table.Apply(ctx, claimID, cond))
}

// UnlockClaim implements dao.ClaimDao.
func (d *claimDaoImpl) UnlockClaim(ctx context.Context, claimID, owner string) error {
	lock := constants.ClaimLock.ColumnFamily()
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(lock)
	mine := bigtable.ChainFilters(bigtable.FamilyFilter(lock), bigtable.ValueFilter(owner))
	if err := d.table.Apply(ctx, claimID, bigtable.NewCondMutation(mine, del, nil)); err != nil { // ok ttlread/conditional-mutation
		return common.NewTechnicalException("unlock", err)
	}
	m := bigtable.NewMutation()
	m.Set(lock, "released", bigtable.ServerTime, []byte(owner))                                  // want ttlwrite/server-timestamp
	m.Set(constants.ClaimEvent.ColumnFamily(), "released", bigtable.ServerTime, []byte(owner))   // want ttlwrite/clock-in-sequence
	m.Set(constants.ClaimState.ColumnFamily(), "released", bigtable.Timestamp(0), []byte(owner)) // ok ttlwrite/clock-in-zero
	return common.NewTechnicalException("unlock", d.table.Apply(ctx, claimID, m))
}

// SetState implements dao.ClaimDao.
func (d *claimDaoImpl) SetState(ctx context.Context, claimID, state string) error {
	family := constants.ClaimState.ColumnFamily()
	m := bigtable.NewMutation()
	m.Set(family, constants.QualifierStatus, 0, []byte(state)) // ok ttlwrite/clock-in-zero
	m.Set(family, "changes", 0, nil)                           // ok ttlwrite/clock-in-zero
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, "changes", 1) // want ttlwrite/read-modify-write
	if _, err := d.table.ApplyReadModifyWrite(ctx, claimID, rmw); err != nil {
		return common.NewTechnicalException("set state", err)
	}
	opened := bigtable.NewMutation()
	opened.Set(family, "opened", 0, nil) // ok ttlwrite/clock-in-zero
	exists := bigtable.ChainFilters(bigtable.FamilyFilter(constants.ClaimEvent.ColumnFamily()), bigtable.StripValueFilter())
	if err := d.table.Apply(ctx, claimID, bigtable.NewCondMutation(exists, opened, nil)); err != nil { // ok ttlread/conditional-mutation
		return common.NewTechnicalException("set state", err)
	}
	return common.NewTechnicalException("set state", d.table.Apply(ctx, claimID, m))
}

// GetState implements dao.ClaimDao.
func (d *claimDaoImpl) GetState(ctx context.Context, claimID string) (string, error) {
	row, err := d.table.ReadRow(ctx, claimID, bigtable.RowFilter(d.filters.CreateFamilyFilter(constants.ClaimState.ColumnFamily(), nil))) // ok ttlread/missing-filter
	if err != nil {
		return "", common.NewTechnicalException("get state", err)
	}
	return d.reader.GetString(row, constants.ClaimState.ColumnFamily(), constants.QualifierStatus), nil
}

// FindLastEvent implements dao.ClaimDao.
func (d *claimDaoImpl) FindLastEvent(ctx context.Context, claimID string) (*domain.ClaimEvent, error) {
	row, err := d.table.ReadRow(ctx, claimID) // want ttlread/missing-filter
	if err != nil {
		return nil, common.NewTechnicalException("find last event", err)
	}
	e := &domain.ClaimEvent{ClaimID: claimID}
	for _, item := range row[constants.ClaimEvent.ColumnFamily()] {
		e.Kind = string(item.Value)
		e.Sequence = int64(item.Timestamp) / 1000   // ok ttlage/not-write-time
		e.CreatedAt = item.Timestamp.Time()         // want ttlage/not-write-time
		d.log.Debug("event", "seq", item.Timestamp) // ok ttlage/not-write-time
		if item.Timestamp == bigtable.ServerTime {  // want ttlage/server-sentinel
			e.Sequence = 0
		}
		if item.Timestamp == bigtable.Timestamp(1000) { // ok ttlage/server-sentinel
			e.Kind = "opened"
		}
	}
	return e, nil
}

// FindLock implements dao.ClaimDao.
func (d *claimDaoImpl) FindLock(ctx context.Context, claimID string) (string, error) {
	lock := constants.ClaimLock.ColumnFamily()
	now := d.clock.Now()
	first := bigtable.ChainFilters( // want ttlread/limit-before-filter[first]
		bigtable.FamilyFilter(lock),
		bigtable.CellsPerRowLimitFilter(1),              // want ttlread/limit-before-filter[first]
		bigtable.TimestampRangeFilter(now, time.Time{})) // want ttlread/limit-before-filter[first]
	row, err := d.table.ReadRow(ctx, claimID, bigtable.RowFilter(first)) // want ttlread/limit-before-filter[first]
	if err != nil {
		return "", common.NewTechnicalException("find lock", err)
	}
	if owner := d.reader.GetString(row, lock, constants.QualifierOwner); owner != "" {
		return owner, nil
	}
	last := bigtable.ChainFilters(bigtable.FamilyFilter(lock), bigtable.TimestampRangeFilter(now, time.Time{}), bigtable.CellsPerRowLimitFilter(1))
	row, err = d.table.ReadRow(ctx, claimID, bigtable.RowFilter(last)) // ok ttlread/limit-before-filter
	if err != nil {
		return "", common.NewTechnicalException("find lock", err)
	}
	return d.reader.GetString(row, lock, constants.QualifierOwner), nil
}

// FindClaim implements dao.ClaimDao: all that the clerk sees.
func (d *claimDaoImpl) FindClaim(ctx context.Context, claimID string) (bigtable.Row, error) {
	perFamily := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(constants.ClaimEvent.ColumnFamily()), bigtable.LatestNFilter(constants.ClaimVersions)),
		bigtable.ChainFilters(bigtable.FamilyFilter(constants.ClaimLock.ColumnFamily()), d.filters.CreateLiveFilter()),
		bigtable.FamilyFilter(constants.ClaimState.ColumnFamily()),
	)
	row, err := d.table.ReadRow(ctx, claimID, bigtable.RowFilter(perFamily)) // ok ttlread/unfiltered-branch
	if err != nil || len(row) > 0 {
		return row, common.NewTechnicalException("find claim", err)
	}
	// The archive import left some claims without state.
	loose := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[loose]
		bigtable.ChainFilters(bigtable.FamilyFilter(constants.ClaimEvent.ColumnFamily()), bigtable.LatestNFilter(constants.ClaimVersions)),
		bigtable.FamilyFilter(constants.ClaimLock.ColumnFamily()), // want ttlread/unfiltered-branch[loose]
	)
	row, err = d.table.ReadRow(ctx, claimID, bigtable.RowFilter(loose)) // want ttlread/unfiltered-branch[loose]
	return row, common.NewTechnicalException("find claim", err)
}
