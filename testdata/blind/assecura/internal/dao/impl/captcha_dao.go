package impl

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/constants"
	"example.com/assecura/internal/dao"
)

type captchaDaoImpl struct {
	table *bigtable.Table
	admin *bigtable.AdminClient
	clock common.Clock
}

// NewCaptchaDao makes the DAO of the table of challenges, which it creates by itself.
func NewCaptchaDao(client *bigtable.Client, admin *bigtable.AdminClient, clock common.Clock) dao.CaptchaDao {
	return &captchaDaoImpl{table: client.Open(constants.TableCaptcha), admin: admin, clock: clock}
}

// EnsureTable implements dao.CaptchaDao.
func (d *captchaDaoImpl) EnsureTable(ctx context.Context) error {
	return d.admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: constants.TableCaptcha,
		ColumnFamilies: map[string]bigtable.Family{
			constants.FamilyChlg: {GCPolicy: bigtable.MaxAgePolicy(constants.OneSecond)}, // ok ttlgc/age-mismatch
		},
	})
}

// SaveChallenge implements dao.CaptchaDao.
func (d *captchaDaoImpl) SaveChallenge(ctx context.Context, id, answer string) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyChlg, constants.QualifierAnswer, bigtable.Time(d.clock.Now().Add(10*time.Minute)), []byte(answer)) // ok ttlwrite/write-time
	m.Set(constants.FamilyChlg, "shown", bigtable.Now(), nil)                                                                // want ttlwrite/write-time
	return common.NewTechnicalException("save challenge", d.table.Apply(ctx, id, m))
}

// Solve implements dao.CaptchaDao.
func (d *captchaDaoImpl) Solve(ctx context.Context, id, answer string) (bool, error) {
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyChlg), newestOnly))) // want ttlread/missing-filter
	if err != nil {
		return false, common.NewTechnicalException("solve", err)
	}
	for _, item := range row[constants.FamilyChlg] {
		if string(item.Value) == answer {
			return true, nil
		}
	}
	live := bigtable.TimestampRangeFilter(d.clock.Now(), time.Time{})
	row, err = d.table.ReadRow(ctx, "retry#"+id, bigtable.RowFilter(live)) // ok ttlread/missing-filter
	return len(row) > 0, common.NewTechnicalException("solve", err)
}
