package impl

import (
	"context"
	"encoding/binary"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/constants"
	"example.com/assecura/internal/dao"
	"example.com/assecura/internal/domain"
	"example.com/assecura/internal/mutations"
)

const familyEvent = "evt"

type telemetryDaoImpl struct {
	table  *bigtable.Table
	events mutations.EventMutationFactory
	log    *slog.Logger
}

// NewTelemetryDao makes the DAO of the table of telematics.
func NewTelemetryDao(client *bigtable.Client, log *slog.Logger) dao.TelemetryDao {
	return &telemetryDaoImpl{table: client.Open(constants.TableTelemetry), events: mutations.NewEventMutationFactory(), log: log}
}

// SaveSample implements dao.TelemetryDao.
func (d *telemetryDaoImpl) SaveSample(ctx context.Context, s *domain.Sample) error {
	m := bigtable.NewMutation()
	m.Set(familyEvent, constants.QualifierSpeed, bigtable.Time(s.At), binary.BigEndian.AppendUint64(nil, uint64(s.Speed))) // ok ttlwrite/clock-in-sequence
	m.Set(familyEvent, "received", bigtable.Now(), nil)                                                                    // ok ttlwrite/clock-in-sequence
	m.Set(familyEvent, "acked", bigtable.ServerTime, nil)                                                                  // ok ttlwrite/clock-in-sequence
	if s.Harsh {
		m.Set(familyEvent, constants.QualifierHarsh, bigtable.Timestamp(s.At.UnixMilli()), []byte{1}) // want ttlunit/wrong-unit
	}
	if err := d.table.Apply(ctx, s.Vehicle, m); err != nil {
		return common.NewTechnicalException("save sample", err)
	}
	return common.NewTechnicalException("save sample", d.table.Apply(ctx, s.Vehicle, d.events.CreateTimedEvent("raw", nil))) // ok ttlwrite/clock-in-sequence
}

// SaveBatch implements dao.TelemetryDao.
func (d *telemetryDaoImpl) SaveBatch(ctx context.Context, samples []*domain.Sample) error {
	var keys []string
	var muts []*bigtable.Mutation
	for _, s := range samples {
		m := bigtable.NewMutation()
		m.Set(familyEvent, constants.QualifierSpeed, bigtable.Timestamp(s.At.Unix()*1000000), nil) // ok ttlunit/wrong-unit
		m.Set(familyEvent, "batch", bigtable.Timestamp(s.At.Unix()*1000), nil)                     // want ttlunit/wrong-unit
		keys, muts = append(keys, s.Vehicle), append(muts, m)
	}
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(familyEvent, "batches", 1) // ok ttlwrite/read-modify-write
	if _, err := d.table.ApplyReadModifyWrite(ctx, "stats", rmw); err != nil {
		return common.NewTechnicalException("save batch", err)
	}
	_, err := d.table.ApplyBulk(ctx, keys, muts)
	return common.NewTechnicalException("save batch", err)
}

// FindSamples implements dao.TelemetryDao.
func (d *telemetryDaoImpl) FindSamples(ctx context.Context, vehicle string, from, to time.Time) ([]*domain.Sample, error) {
	row, err := d.table.ReadRow(ctx, vehicle, bigtable.RowFilter(bigtable.TimestampRangeFilter(from, to))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, common.NewTechnicalException("find samples", err)
	}
	var out []*domain.Sample
	for _, item := range row[familyEvent] {
		s := &domain.Sample{Vehicle: vehicle, At: item.Timestamp.Time()}
		s.CreatedAt = item.Timestamp.Time() // ok ttlage/not-write-time
		out = append(out, s)
	}
	return out, nil
}

// FindLatest implements dao.TelemetryDao.
func (d *telemetryDaoImpl) FindLatest(ctx context.Context, vehicle string) (*domain.Sample, error) {
	row, err := d.table.ReadRow(ctx, vehicle, bigtable.RowFilter(bigtable.FamilyFilter(familyEvent)), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/overridden-filter
	if err != nil {
		return nil, common.NewTechnicalException("find latest", err)
	}
	for _, item := range row[familyEvent] {
		d.log.Info("latest sample", "age", time.Since(item.Timestamp.Time())) // ok ttlage/not-write-time
		return &domain.Sample{Vehicle: vehicle, At: item.Timestamp.Time()}, nil
	}
	row, err = d.table.ReadRow(ctx, vehicle, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(familyEvent), bigtable.LatestNFilter(1)))) // ok ttlread/overridden-filter
	if err != nil || len(row) == 0 {
		return nil, common.NewTechnicalException("find latest", err)
	}
	return &domain.Sample{Vehicle: vehicle}, nil
}
