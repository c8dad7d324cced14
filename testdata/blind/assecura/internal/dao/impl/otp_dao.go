package impl

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/constants"
	"example.com/assecura/internal/core"
	"example.com/assecura/internal/dao"
	"example.com/assecura/internal/domain"
)

type otpDaoImpl struct {
	table      *bigtable.Table
	clock      common.Clock
	timestamps core.TimestampStrategy
	legacy     core.TimestampStrategy
	log        *slog.Logger
}

// NewOtpDao makes the DAO of the table of one-time codes.
func NewOtpDao(client *bigtable.Client, clock common.Clock, log *slog.Logger) dao.OtpDao {
	return &otpDaoImpl{
		table:      client.Open(constants.TableOtp),
		clock:      clock,
		timestamps: core.NewExpiryTimestampStrategy(clock, constants.OtpTTL), // ok ttlwrite/write-time
		legacy:     core.NewWallClockTimestampStrategy(clock),                // want ttlwrite/write-time[otpLegacy]
		log:        log,
	}
}

// bootTime is what the JVM's start time was.
var (
	bootOnce sync.Once
	bootTime time.Time // want ttlwrite/stale-clock[boot]
)

func boot() time.Time {
	bootOnce.Do(func() { bootTime = time.Now() }) // want ttlwrite/stale-clock[boot]
	return bootTime
}

// SaveCode implements dao.OtpDao.
func (d *otpDaoImpl) SaveCode(ctx context.Context, c *domain.OneTimeCode) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(constants.FamilyCode)
	m.Set(constants.FamilyCode, constants.QualifierSecret, d.timestamps.NextTimestamp(), []byte(c.Secret)) // ok ttlwrite/write-time
	m.Set(constants.FamilyCode, "channel", d.timestamps.NextTimestamp(), []byte("sms"))                    // ok ttlwrite/write-time
	return common.NewTechnicalException("save code", d.table.Apply(ctx, c.UserID, m))
}

// SaveCodeLegacy implements dao.OtpDao.
func (d *otpDaoImpl) SaveCodeLegacy(ctx context.Context, userID, secret string) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyCode, constants.QualifierSecret, d.legacy.NextTimestamp(), []byte(secret))         // want ttlwrite/write-time[otpLegacy]
	m.Set(constants.FamilyCode, "boot", bigtable.Time(boot().Add(constants.OtpTTL)), []byte(secret))         // want ttlwrite/stale-clock[boot]
	m.Set(constants.FamilyCode, "until", bigtable.Time(d.clock.Now().Add(constants.OtpTTL)), []byte(secret)) // ok ttlwrite/stale-clock
	m.Set(constants.FamilyCode, "sent", bigtable.ServerTime, nil)                                            // want ttlwrite/server-timestamp
	return common.NewTechnicalException("save code", d.table.Apply(ctx, userID, m))
}

// ResendCode implements dao.OtpDao.
func (d *otpDaoImpl) ResendCode(ctx context.Context, userID, secret string, minutes int) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(constants.FamilyCode, constants.QualifierSecret)
	m.Set(constants.FamilyCode, constants.QualifierSecret, bigtable.Now()+bigtable.Timestamp(constants.OtpTTL), []byte(secret))                 // want ttlunit/wrong-unit
	m.Set(constants.FamilyCode, "again", bigtable.Now()+bigtable.Timestamp(constants.OtpTTL.Microseconds()), []byte(secret))                    // ok ttlunit/wrong-unit
	m.Set(constants.FamilyCode, "minutes", bigtable.Time(d.clock.Now().Add(time.Duration(minutes)*time.Minute)), []byte(secret))                // ok ttlwrite/write-time
	m.Set(constants.FamilyCode, constants.QualifierAttempts, bigtable.Timestamp(d.clock.Now().Add(constants.OtpTTL).Unix()), []byte{0})         // want ttlunit/wrong-unit
	m.Set(constants.FamilyCode, "reason", bigtable.Timestamp(d.clock.Now().Add(constants.OtpTTL).UnixNano()/1000), []byte("user asked for it")) // ok ttlunit/wrong-unit
	return common.NewTechnicalException("resend code", d.table.Apply(ctx, userID, m))
}

// FindCode implements dao.OtpDao.
func (d *otpDaoImpl) FindCode(ctx context.Context, userID string) (*domain.OneTimeCode, error) {
	row, err := d.table.ReadRow(ctx, userID, bigtable.RowFilter(bigtable.TimestampRangeFilter(d.clock.Now(), time.Time{}))) // ok ttlread/missing-filter
	if err != nil {
		return nil, common.NewTechnicalException("find code", err)
	}
	c := &domain.OneTimeCode{UserID: userID}
	for _, item := range row[constants.FamilyCode] {
		c.Secret = string(item.Value)
		c.ValidUntil = item.Timestamp.Time() // ok ttlage/not-write-time
	}
	return c, nil
}

// VerifyCode implements dao.OtpDao.
func (d *otpDaoImpl) VerifyCode(ctx context.Context, userID, secret string) (bool, error) {
	row, err := d.table.ReadRow(ctx, userID) // want ttlread/missing-filter
	if err != nil {
		return false, common.NewTechnicalException("verify code", err)
	}
	for _, item := range row[constants.FamilyCode] {
		if item.Column == "code:secret" && string(item.Value) == secret {
			d.log.Info("code verified", "user", userID, "age", time.Since(item.Timestamp.Time())) // want ttlage/not-write-time
			return true, nil
		}
	}
	return false, nil
}

// ConsumeCode implements dao.OtpDao.
func (d *otpDaoImpl) ConsumeCode(ctx context.Context, userID, secret string) (bool, error) {
	row, err := d.table.ReadRow(ctx, userID) // ok ttlread/missing-filter
	if err != nil {
		return false, common.NewTechnicalException("consume code", err)
	}
	now := d.clock.Now()
	ok := false
	for _, item := range row[constants.FamilyCode] {
		if item.Timestamp.Time().Before(now) { // ok ttlage/not-write-time
			continue
		}
		ok = ok || string(item.Value) == secret
	}
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(constants.FamilyCode)
	match := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyCode), bigtable.ValueFilter(secret))
	if err := d.table.Apply(ctx, userID, bigtable.NewCondMutation(match, del, nil)); err != nil { // ok ttlread/conditional-mutation
		return false, common.NewTechnicalException("consume code", err)
	}
	return ok, nil
}

// CountAttempt implements dao.OtpDao.
func (d *otpDaoImpl) CountAttempt(ctx context.Context, userID string) (int64, error) {
	row, err := d.table.ApplyReadModifyWrite(ctx, userID, core.Counters{}.Increment(constants.FamilyCode, constants.QualifierAttempts, 1)) // want ttlwrite/read-modify-write
	if err != nil {
		return 0, common.NewTechnicalException("count attempt", err)
	}
	return core.CellReader{}.GetInt64(row, constants.FamilyCode, constants.QualifierAttempts), nil
}

// ListPending implements dao.OtpDao.
func (d *otpDaoImpl) ListPending(ctx context.Context) ([]string, error) {
	var out []string
	pending := bigtable.TimestampRangeFilter(time.Time{}, d.clock.Now())                   // want ttlread/expired-only[pending]
	err := d.table.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/expired-only[pending]
		out = append(out, string(row[constants.FamilyCode][0].Value))
		return true
	}, bigtable.RowFilter(pending)) // want ttlread/expired-only[pending]
	return out, common.NewTechnicalException("list pending", err)
}
