package impl

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/constants"
	"example.com/assecura/internal/dao"
)

// archiveDaoImpl works on tables of the old portal, which have ordinary families.
type archiveDaoImpl struct {
	sessions *bigtable.Table
	policies *bigtable.Table
	clock    common.Clock
}

// NewArchiveDao makes the DAO of the tables of the old portal.
func NewArchiveDao(client *bigtable.Client, clock common.Clock) dao.ArchiveDao {
	return &archiveDaoImpl{
		sessions: client.Open(constants.TableLegacySessions),
		policies: client.Open(constants.TablePolicyArchive),
		clock:    clock,
	}
}

// CopySession implements dao.ArchiveDao.
func (d *archiveDaoImpl) CopySession(ctx context.Context, userID, jwt string) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyToken, constants.QualifierJWT, bigtable.Now(), []byte(jwt)) // ok ttlwrite/write-time
	m.Set(constants.FamilyToken, constants.QualifierSeen, bigtable.ServerTime, nil)   // ok ttlwrite/server-timestamp
	m.Set(constants.FamilyToken, "at", bigtable.Timestamp(d.clock.Now().Unix()), nil) // want ttlunit/wrong-unit
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(constants.FamilyToken, constants.QualifierHits, 1) // ok ttlwrite/read-modify-write
	if _, err := d.sessions.ApplyReadModifyWrite(ctx, userID, rmw); err != nil {
		return common.NewTechnicalException("copy session", err)
	}
	return common.NewTechnicalException("copy session", d.sessions.Apply(ctx, userID, m))
}

// FindOldSession implements dao.ArchiveDao.
func (d *archiveDaoImpl) FindOldSession(ctx context.Context, userID string) (string, error) {
	row, err := d.sessions.ReadRow(ctx, userID) // ok ttlread/missing-filter
	if err != nil {
		return "", common.NewTechnicalException("find old session", err)
	}
	for _, item := range row[constants.FamilyToken] {
		return string(item.Value), nil
	}
	return "", nil
}

// ArchiveVersion implements dao.ArchiveDao.
func (d *archiveDaoImpl) ArchiveVersion(ctx context.Context, number string, body []byte) error {
	m := bigtable.NewMutation()
	m.Set(constants.Policy.Version, constants.QualifierBody, bigtable.Time(d.clock.Now()), body) // ok ttlwrite/clock-in-sequence
	m.Set(constants.Policy.Version, constants.QualifierActor, bigtable.ServerTime, nil)          // ok ttlwrite/clock-in-sequence
	m.Set(constants.Policy.Version, constants.QualifierActor, bigtable.Timestamp(1000), nil)
	m.DeleteCellsInFamily(constants.Policy.Version) // want ttlwrite/delete-after-set
	return common.NewTechnicalException("archive version", d.policies.Apply(ctx, number, m))
}

// FindArchived implements dao.ArchiveDao.
func (d *archiveDaoImpl) FindArchived(ctx context.Context, number string) ([]byte, error) {
	week := bigtable.TimestampRangeFilter(d.clock.Now().Add(-7*24*time.Hour), d.clock.Now())
	row, err := d.policies.ReadRow(ctx, number, bigtable.RowFilter(week)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, common.NewTechnicalException("find archived", err)
	}
	for _, item := range row[constants.Policy.Version] {
		return item.Value, nil
	}
	return nil, nil
}
