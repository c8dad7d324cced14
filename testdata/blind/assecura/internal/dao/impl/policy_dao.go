package impl

import (
	"context"
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

type policyDaoImpl struct {
	core.AbstractDao
	headers      core.TimestampStrategy
	drafts       core.TimestampStrategy
	endorsements atomic.Int64
}

// NewPolicyDao makes the DAO of the table of policies.
func NewPolicyDao(factory core.TableFactory, clock common.Clock, log *slog.Logger) dao.PolicyDao {
	strategies := core.NewTimestampStrategyFactory(clock)
	return &policyDaoImpl{
		AbstractDao: core.NewAbstractDao(factory, constants.TablePolicies, clock, log),
		headers:     strategies.CreateStrategy(core.StrategyZero),      // ok ttlwrite/clock-in-zero
		drafts:      strategies.CreateStrategy(core.StrategyWallClock), // want ttlwrite/clock-in-sequence[drafts] ttlwrite/clock-in-zero[draftHeader]
	}
}

// SaveVersion implements dao.PolicyDao.
func (d *policyDaoImpl) SaveVersion(ctx context.Context, v *domain.PolicyVersion) error {
	m := bigtable.NewMutation()
	m.Set(constants.Policy.Version, constants.QualifierBody, bigtable.Timestamp(v.Sequence*constants.MicrosPerMilli), v.Body) // ok ttlwrite/unscaled-sequence
	m.Set(constants.Policy.Version, constants.QualifierActor, bigtable.Now(), []byte("portal"))                               // want ttlwrite/clock-in-sequence
	m.Set(constants.Policy.Version, "draft", d.drafts.NextTimestamp(), v.Body)                                                // want ttlwrite/clock-in-sequence[drafts]
	m.Set(constants.Policy.Audit, constants.QualifierActor, bigtable.Now(), []byte("portal"))                                 // ok ttlwrite/clock-in-sequence
	m.Set(constants.Policy.Header, constants.QualifierStatus, d.headers.NextTimestamp(), []byte("active"))                    // ok ttlwrite/clock-in-zero
	m.Set(constants.Policy.Header, "endorsed", bigtable.ServerTime, []byte("y"))                                              // want ttlwrite/clock-in-zero
	return d.Save(ctx, v.Number, m)
}

// SaveVersions implements dao.PolicyDao.
func (d *policyDaoImpl) SaveVersions(ctx context.Context, number string, bodies [][]byte) error {
	m := bigtable.NewMutation()
	for i, body := range bodies {
		m.Set(constants.Policy.Version, constants.QualifierBody, bigtable.Timestamp(i+1), body) // want ttlwrite/unscaled-sequence
		m.Set(constants.Policy.Version, "terms", bigtable.Timestamp((i+1)*1000), body)          // ok ttlwrite/unscaled-sequence
	}
	m.Set(constants.Policy.Version, constants.QualifierStatus, bigtable.Timestamp(len(bodies)), nil) // want ttlwrite/unscaled-sequence
	m.Set(constants.Policy.Version, "imported", bigtable.ServerTime, nil)                            // want ttlwrite/clock-in-sequence
	return d.Save(ctx, number, m)
}

// SaveHeader implements dao.PolicyDao.
func (d *policyDaoImpl) SaveHeader(ctx context.Context, h *domain.PolicyHeader) error {
	m := core.NewRowMutationBuilder().WithFamily(constants.Policy.Header).WithTimestamp(0).
		PutString(constants.QualifierHolder, h.Holder). // ok ttlwrite/clock-in-zero
		PutString(constants.QualifierStatus, h.Status). // ok ttlwrite/clock-in-zero
		Build()
	m.Set(constants.Policy.Header, "changed", bigtable.Time(d.GetClock().Now()), nil)         // want ttlwrite/clock-in-zero
	m.Set(constants.Policy.Header, "draft", d.drafts.NextTimestamp(), nil)                    // want ttlwrite/clock-in-zero[draftHeader]
	m.Set(constants.Policy.Header, constants.QualifierHolder, 0, []byte(h.Holder+" (again)")) // want ttlwrite/same-timestamp
	m.Set(constants.Policy.Header, "lines", bigtable.Timestamp(0), []byte("1"))               // ok ttlwrite/same-timestamp
	return d.Save(ctx, h.Number, m)
}

// SaveAudit implements dao.PolicyDao.
func (d *policyDaoImpl) SaveAudit(ctx context.Context, number string, a *domain.AuditEntry) error {
	m := bigtable.NewMutation()
	m.Set(constants.Policy.Audit, constants.QualifierActor, bigtable.Now(), []byte(a.Actor))                          // ok ttlwrite/clock-in-sequence
	m.Set(constants.Policy.Audit, constants.QualifierEvent, bigtable.Timestamp(a.CreatedAt.Unix()), []byte(a.Action)) // want ttlunit/wrong-unit
	return d.Save(ctx, number, m)
}

// FindCurrent implements dao.PolicyDao.
func (d *policyDaoImpl) FindCurrent(ctx context.Context, number string) (*domain.PolicyVersion, error) {
	row, err := d.FindRow(ctx, number, d.GetFilters().CreateFamilyFilter(constants.Policy.Version, d.GetFilters().CreateLatestFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	v := &domain.PolicyVersion{Number: number}
	for _, item := range row[constants.Policy.Version] {
		v.Sequence = int64(item.Timestamp) / 1000 // ok ttlage/not-write-time
		v.UpdatedAt = item.Timestamp.Time()       // want ttlage/not-write-time
		v.Body = item.Value
	}
	return v, nil
}

// FindHistory implements dao.PolicyDao.
func (d *policyDaoImpl) FindHistory(ctx context.Context, number string) ([]*domain.PolicyVersion, error) {
	row, err := d.FindRow(ctx, number, d.GetFilters().CreateFamilyFilter(constants.Policy.Version, d.GetFilters().CreateLatestFilter(10))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	full, err := d.FindRow(ctx, number, d.GetFilters().CreateFamilyFilter(constants.Policy.Version, nil)) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	kept, err := d.FindRow(ctx, number, bigtable.ChainFilters(bigtable.FamilyFilter(constants.Policy.Version), bigtable.LatestNFilter(constants.PolicyVersions))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []*domain.PolicyVersion
	for _, r := range []bigtable.Row{row, full, kept} {
		for _, item := range r[constants.Policy.Version] {
			out = append(out, &domain.PolicyVersion{Number: number, Sequence: int64(item.Timestamp / 1000), Body: item.Value})
		}
	}
	return out, nil
}

// FindSince implements dao.PolicyDao.
func (d *policyDaoImpl) FindSince(ctx context.Context, number string, since time.Time) ([]*domain.PolicyVersion, error) {
	recent := bigtable.ChainFilters(bigtable.FamilyFilter(constants.Policy.Version), d.GetFilters().CreateYoungerThanFilter(24*time.Hour)) // want ttlread/wrong-bound[recent]
	row, err := d.GetTable().ReadRow(ctx, number, bigtable.RowFilter(recent))                                                              // want ttlread/wrong-bound[recent]
	if err != nil {
		return nil, common.NewTechnicalException("find since", err)
	}
	var out []*domain.PolicyVersion
	for _, item := range row[constants.Policy.Version] {
		out = append(out, &domain.PolicyVersion{Number: number, Body: item.Value})
	}
	lookup := bigtable.ChainFilters(bigtable.FamilyFilter(constants.Policy.Version), bigtable.TimestampRangeFilterMicros(3000, 6000), bigtable.LatestNFilter(3))
	row, err = d.GetTable().ReadRow(ctx, number, bigtable.RowFilter(lookup)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, common.NewTechnicalException("find since", err)
	}
	for _, item := range row[constants.Policy.Version] {
		out = append(out, &domain.PolicyVersion{Number: number, Body: item.Value})
	}
	return out, nil
}

// FindHeader implements dao.PolicyDao.
func (d *policyDaoImpl) FindHeader(ctx context.Context, number string) (*domain.PolicyHeader, error) {
	row, err := d.GetTable().ReadRow(ctx, number) // ok ttlread/missing-filter
	if err != nil {
		return nil, common.NewTechnicalException("find header", err)
	}
	h := &domain.PolicyHeader{Number: number}
	for _, item := range row[constants.Policy.Header] {
		switch item.Column {
		case constants.Policy.Header + ":" + constants.QualifierHolder:
			h.Holder = string(item.Value)
		case constants.Policy.Header + ":" + constants.QualifierStatus:
			h.Status = string(item.Value)
		}
	}
	return h, nil
}

// FindAudit implements dao.PolicyDao.
func (d *policyDaoImpl) FindAudit(ctx context.Context, number string, from, to time.Time) ([]*domain.AuditEntry, error) {
	row, err := d.GetTable().ReadRow(ctx, number, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/wrong-bound
		bigtable.FamilyFilter(constants.Policy.Audit), bigtable.TimestampRangeFilter(from, to)))) // ok ttlread/upper-bound
	if err != nil {
		return nil, common.NewTechnicalException("find audit", err)
	}
	var out []*domain.AuditEntry
	for _, item := range row[constants.Policy.Audit] {
		e := &domain.AuditEntry{Actor: string(item.Value)}
		e.CreatedAt = item.Timestamp.Time() // ok ttlage/not-write-time
		out = append(out, e)
	}
	return out, nil
}

// CountEndorsement implements dao.PolicyDao.
func (d *policyDaoImpl) CountEndorsement(ctx context.Context, number string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(constants.Policy.Version, "log", []byte("endorsed;")) // want ttlwrite/read-modify-write
	rmw.Increment(constants.Policy.Header, "endorsements", 1)             // want ttlwrite/read-modify-write
	rmw.Increment(constants.Policy.Audit, "endorsements", 1)              // ok ttlwrite/read-modify-write
	if _, err := d.GetTable().ApplyReadModifyWrite(ctx, number, rmw); err != nil {
		return common.NewTechnicalException("count endorsement", err)
	}
	m := bigtable.NewMutation()
	n := d.endorsements.Add(1)
	m.Set(constants.Policy.Version, "endorsement", bigtable.Timestamp(n), nil)                         // want ttlwrite/unscaled-sequence
	m.Set(constants.Policy.Version, "endorsed", bigtable.Timestamp(n*1000), nil)                       // ok ttlwrite/unscaled-sequence
	m.Set(constants.Policy.Version, "rank", core.NewSequenceTimestampStrategy(n).NextTimestamp(), nil) // ok ttlwrite/unscaled-sequence
	m.Set(constants.Policy.Version, "first", bigtable.Timestamp(7), nil)                               // want ttlwrite/unscaled-sequence
	m.Set(constants.Policy.Version, "second", bigtable.Timestamp(7000), nil)                           // ok ttlwrite/unscaled-sequence
	m.Set(constants.Policy.Version, "nanos", bigtable.Timestamp(time.Now().UnixNano()), nil)           // want ttlwrite/clock-in-sequence
	return d.Save(ctx, number, m)
}
