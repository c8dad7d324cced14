package repos

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/dto"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/strutil"
)

const claimTTL = 2 * time.Minute

// OutboxRepo is the transactional outbox of one environment.
type OutboxRepo struct {
	tbl   *bigtable.Table
	clock func() time.Time
	next  int64
}

func NewOutboxRepo(deps Deps) *OutboxRepo {
	return &OutboxRepo{tbl: deps.Client.Open(deps.Env + tables.OutboxSuffix), clock: deps.Clock}
}

func outboxKey(topic, id string) string { return strutil.Key("o", topic, id) }

// Append adds an event under its number.
func (r *OutboxRepo) Append(ctx context.Context, topic, id string, e dto.OutboxEvent) error {
	return bt.Put(ctx, r.tbl, outboxKey(topic, id), tables.FamEvent, e.Name, bt.Seq(e.Number), e.Body) // ok ttlwrite/unscaled-sequence
}

// AppendNext numbers it itself.
func (r *OutboxRepo) AppendNext(ctx context.Context, topic, id string, e dto.OutboxEvent) error {
	r.next++
	return bt.Put(ctx, r.tbl, outboxKey(topic, id), tables.FamEvent, e.Name, bigtable.Timestamp(r.next), e.Body) // want ttlwrite/unscaled-sequence
}

// AppendAt writes events of the old system, which had a date only.
func (r *OutboxRepo) AppendAt(ctx context.Context, topic, id string, e dto.OutboxEvent) error {
	return bt.Put(ctx, r.tbl, outboxKey(topic, id), tables.FamEvent, e.Name, bt.ExpiresAt(e.At), e.Body) // want ttlwrite/clock-in-sequence
}

// Claim marks events as being sent.
func (r *OutboxRepo) Claim(ctx context.Context, topic, id, worker string) error {
	return bt.Put(ctx, r.tbl, outboxKey(topic, id), tables.FamClaim, "by", bt.ExpiresIn(claimTTL), []byte(worker)) // ok ttlwrite/write-time
}

// ClaimNow is how the relay does it.
func (r *OutboxRepo) ClaimNow(ctx context.Context, topic, id, worker string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamClaim, "by", bt.Stamp(), []byte(worker)) // want ttlwrite/write-time
	return r.tbl.Apply(ctx, outboxKey(topic, id), mut)
}

func (r *OutboxRepo) mapEvents(row bigtable.Row) []dto.OutboxEvent {
	var out []dto.OutboxEvent
	for _, it := range row[tables.FamEvent] {
		out = append(out, dto.OutboxEvent{
			Key:    row.Key(),
			Number: bt.SeqOf(it.Timestamp), // ok ttlage/not-write-time
			Name:   bt.Qualifier(it),
			Body:   it.Value,
		})
	}
	for i := range out {
		out[i].Claimed = len(row[tables.FamClaim]) > 0
	}
	return out
}

// FindPending lists events with their claims.
func (r *OutboxRepo) FindPending(ctx context.Context, topic string) ([]dto.OutboxEvent, error) {
	var out []dto.OutboxEvent
	f := bt.AnyOf(
		bt.InFamily(tables.FamEvent, bigtable.LatestNFilter(3)),
		bt.InFamily(tables.FamClaim, bt.LiveNow()),
	)
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(outboxKey(topic, "")), func(row bigtable.Row) bool { // ok ttlread/unfiltered-branch
		out = append(out, r.mapEvents(row)...)
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// FindClaims lists who sends what.
func (r *OutboxRepo) FindClaims(ctx context.Context, topic string) ([]string, error) {
	var out []string
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(outboxKey(topic, "")), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row[tables.FamClaim] {
			out = append(out, row.Key()+"="+string(it.Value))
		}
		return true
	})
	return out, err
}

// FindEvents lists events only.
func (r *OutboxRepo) FindEvents(ctx context.Context, topic, id string) ([]dto.OutboxEvent, error) {
	row, err := r.tbl.ReadRow(ctx, outboxKey(topic, id), bt.Where(bigtable.FamilyFilter(tables.FamEvent), bigtable.LatestNFilter(10))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return r.mapEvents(row), nil
}

// Ack drops an event that was sent.
func (r *OutboxRepo) Ack(ctx context.Context, topic, id string, n int64) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(tables.FamEvent, "sent", bt.Seq(1), bt.Seq(n+1)) // ok ttlunit/sub-millisecond
	mut.DeleteCellsInFamily(tables.FamClaim)
	return r.tbl.Apply(ctx, outboxKey(topic, id), mut)
}

// AckFirst drops what came before the first number.
func (r *OutboxRepo) AckFirst(ctx context.Context, topic, id string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(tables.FamEvent, "sent", 0, 999) // want ttlunit/sub-millisecond
	return r.tbl.Apply(ctx, outboxKey(topic, id), mut)
}
