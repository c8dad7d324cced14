package btimpl

import (
	"context"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/dao"
	"example.com/meridian/orderhub/internal/domain"
	"example.com/meridian/orderhub/internal/filter"
	"example.com/meridian/orderhub/internal/platform/bt"
	"example.com/meridian/orderhub/internal/platform/clock"
	"example.com/meridian/orderhub/internal/timestamp"
)

// NumberGenerator hands out revision numbers.
type NumberGenerator interface {
	NextNumber(orderID string) int64
}

// AtomicGenerator is a NumberGenerator for one process.
type AtomicGenerator struct {
	n atomic.Int64
}

// NextNumber implements NumberGenerator.
func (g *AtomicGenerator) NextNumber(string) int64 { return g.n.Add(1) }

// BigtableRevisionDAO implements dao.RevisionDAO.
type BigtableRevisionDAO struct {
	table   bt.TableGateway
	clock   clock.Clock
	counter int64
	perID   map[string]int64
	atomics atomic.Int64
	stamps  timestamp.Policy
}

var _ dao.RevisionDAO = (*BigtableRevisionDAO)(nil)

// NewBigtableRevisionDAO returns a BigtableRevisionDAO.
func NewBigtableRevisionDAO(tables bt.TableFactory, c clock.Clock) *BigtableRevisionDAO {
	return &BigtableRevisionDAO{
		table:  tables.CreateTable(constants.TableOrders),
		clock:  c,
		perID:  map[string]int64{},
		stamps: &timestamp.SequencePolicy{},
	}
}

// Append implements dao.RevisionDAO.
func (d *BigtableRevisionDAO) Append(ctx context.Context, orderID string, r domain.Revision) error {
	mut := bigtable.NewMutation()
	ts := timestamp.Sequence(r.Number)
	mut.Set(constants.FamilyRevision, constants.ColPayload, ts, r.Payload)       // ok ttlwrite/unscaled-sequence
	mut.Set(constants.FamilyRevision, constants.ColAuthor, ts, []byte(r.Author)) // ok ttlwrite/unscaled-sequence
	return d.table.Apply(ctx, orderID, mut)
}

// AppendNext takes the number from the policy.
func (d *BigtableRevisionDAO) AppendNext(ctx context.Context, orderID string, payload []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyRevision, constants.ColPayload, d.stamps.Next(), payload) // ok ttlwrite/unscaled-sequence
	return d.table.Apply(ctx, orderID, mut)
}

// AppendCounted counts by itself.
func (d *BigtableRevisionDAO) AppendCounted(ctx context.Context, orderID string, payload []byte) error {
	d.counter++
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyRevision, constants.ColPayload, bigtable.Timestamp(d.counter), payload) // want ttlwrite/unscaled-sequence
	return d.table.Apply(ctx, orderID, mut)
}

// AppendScaled counts by itself, in thousands.
func (d *BigtableRevisionDAO) AppendScaled(ctx context.Context, orderID string, payload []byte) error {
	d.counter++
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyRevision, constants.ColPayload, bigtable.Timestamp(d.counter*1000), payload) // ok ttlwrite/unscaled-sequence
	return d.table.Apply(ctx, orderID, mut)
}

// AppendAtomic counts with an atomic.
func (d *BigtableRevisionDAO) AppendAtomic(ctx context.Context, orderID string, payload []byte) error {
	n := d.atomics.Add(1)
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyRevision, constants.ColPayload, bigtable.Timestamp(n), payload)             // want ttlwrite/unscaled-sequence
	mut.Set(constants.FamilyRevision, constants.ColAuthor, bigtable.Timestamp(n*1e3), []byte("system")) // ok ttlwrite/unscaled-sequence
	return d.table.Apply(ctx, orderID, mut)
}

// AppendStepped steps by a thousand.
func (d *BigtableRevisionDAO) AppendStepped(ctx context.Context, orderID string, payloads [][]byte) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Timestamp(0)
	for _, p := range payloads {
		ts += 1000
		mut.Set(constants.FamilyRevision, constants.ColPayload, ts, p) // ok ttlwrite/unscaled-sequence
	}
	return d.table.Apply(ctx, orderID, mut)
}

// AppendPerOrder keeps the numbers in a map.
func (d *BigtableRevisionDAO) AppendPerOrder(ctx context.Context, orderID string, payload []byte) error {
	d.perID[orderID]++
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyRevision, constants.ColPayload, bigtable.Timestamp(d.perID[orderID]), payload) // want ttlwrite/unscaled-sequence
	return d.table.Apply(ctx, orderID, mut)
}

// AppendAll stores a history in one mutation.
func (d *BigtableRevisionDAO) AppendAll(ctx context.Context, orderID string, payloads [][]byte) error {
	mut := bigtable.NewMutation()
	for i, p := range payloads {
		mut.Set(constants.FamilyRevision, constants.ColPayload, bigtable.Timestamp(i), p)                        // want ttlwrite/unscaled-sequence
		mut.Set(constants.FamilyRevision, constants.ColAuthor, bigtable.Timestamp((i+1)*1000), []byte("import")) // ok ttlwrite/unscaled-sequence
	}
	return d.table.Apply(ctx, orderID, mut)
}

// AppendBackwards stores the newest first.
func (d *BigtableRevisionDAO) AppendBackwards(ctx context.Context, orderID string, payloads [][]byte) error {
	mut := bigtable.NewMutation()
	for i := range payloads {
		mut.Set(constants.FamilyRevision, constants.ColPayload, bigtable.Timestamp(len(payloads)-i), payloads[i]) // want ttlwrite/unscaled-sequence
	}
	return d.table.Apply(ctx, orderID, mut)
}

// AppendGenerated uses a generator. The helper scales.
func (d *BigtableRevisionDAO) AppendGenerated(ctx context.Context, g NumberGenerator, orderID string, payload []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyRevision, constants.ColPayload, timestamp.Sequence(g.NextNumber(orderID)), payload) // ok ttlwrite/unscaled-sequence
	return d.table.Apply(ctx, orderID, mut)
}

// Seed stores the first revision.
func (d *BigtableRevisionDAO) Seed(ctx context.Context, orderID string, payload []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyRevision, constants.ColPayload, 1, payload)          // want ttlwrite/unscaled-sequence
	mut.Set(constants.FamilyRevision, constants.ColAuthor, 1000, []byte("seed")) // ok ttlwrite/unscaled-sequence
	return d.table.Apply(ctx, orderID, mut)
}

// AppendNow was what the first version did.
func (d *BigtableRevisionDAO) AppendNow(ctx context.Context, orderID string, payload []byte) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Now()
	mut.Set(constants.FamilyRevision, constants.ColPayload, ts, payload) // want ttlwrite/clock-in-sequence
	mut.Set(constants.FamilyHeader, "revised", ts, []byte("1"))          // ok ttlwrite/clock-in-sequence
	return d.table.Apply(ctx, orderID, mut)
}

// AppendServer left it to the server.
func (d *BigtableRevisionDAO) AppendServer(ctx context.Context, orderID string, payload []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyRevision, constants.ColPayload, bigtable.ServerTime, payload) // want ttlwrite/clock-in-sequence
	return d.table.Apply(ctx, orderID, mut)
}

// AppendAt stores a revision under the time it was made.
func (d *BigtableRevisionDAO) AppendAt(ctx context.Context, orderID string, payload []byte, at time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyRevision, constants.ColPayload, bigtable.Time(at), payload) // want ttlwrite/clock-in-sequence
	return d.table.Apply(ctx, orderID, mut)
}

// AppendNumbered uses time.UnixMilli to turn a number into a timestamp, which is fine.
func (d *BigtableRevisionDAO) AppendNumbered(ctx context.Context, orderID string, payload []byte, n int64) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyRevision, constants.ColPayload, bigtable.Time(time.UnixMilli(n)), payload) // ok ttlwrite/clock-in-sequence
	return d.table.Apply(ctx, orderID, mut)
}

// AppendClocked uses milliseconds as numbers.
func (d *BigtableRevisionDAO) AppendClocked(ctx context.Context, orderID string, payload []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyRevision, constants.ColPayload, bigtable.Timestamp(d.clock.Now().UnixMilli()*1000), payload) // want ttlwrite/clock-in-sequence
	return d.table.Apply(ctx, orderID, mut)
}

// Note appends a note to the text.
func (d *BigtableRevisionDAO) Note(ctx context.Context, orderID, note string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(constants.FamilyRevision, constants.ColPayload, []byte(note)) // want ttlwrite/read-modify-write
	_, err := d.table.ApplyReadModifyWrite(ctx, orderID, rmw)
	return err
}

// Latest implements dao.RevisionDAO.
func (d *BigtableRevisionDAO) Latest(ctx context.Context, orderID string) (*domain.Revision, error) {
	row, err := d.table.ReadRow(ctx, orderID, bigtable.RowFilter(filter.Revisions(1))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	for _, item := range row[constants.FamilyRevision] {
		if item.Column == constants.FamilyRevision+":"+constants.ColPayload {
			return &domain.Revision{Number: timestamp.Number(item.Timestamp), Payload: item.Value}, nil // ok ttlage/not-write-time
		}
	}
	return nil, bt.ErrNotFound
}

// History implements dao.RevisionDAO.
func (d *BigtableRevisionDAO) History(ctx context.Context, orderID string) ([]domain.Revision, error) {
	row, err := d.table.ReadRow(ctx, orderID, bigtable.RowFilter(filter.Revisions(constants.RevisionVersions))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return decodeRevisions(row), nil
}

// FullHistory wants more than there is.
func (d *BigtableRevisionDAO) FullHistory(ctx context.Context, orderID string) ([]domain.Revision, error) {
	row, err := d.table.ReadRow(ctx, orderID, bigtable.RowFilter(filter.Revisions(10))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return decodeRevisions(row), nil
}

// Payloads has a filter, but no limit.
func (d *BigtableRevisionDAO) Payloads(ctx context.Context, orderID string) ([]domain.Revision, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyRevision), bigtable.ColumnFilter(constants.ColPayload)) // want ttlread/version-limit[payloads]
	row, err := d.table.ReadRow(ctx, orderID, bigtable.RowFilter(f))                                                         // want ttlread/version-limit[payloads]
	if err != nil {
		return nil, err
	}
	return decodeRevisions(row), nil
}

// Raw has no filter at all.
func (d *BigtableRevisionDAO) Raw(ctx context.Context, orderID string) ([]domain.Revision, error) {
	row, err := d.table.ReadRow(ctx, orderID) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeRevisions(row), nil
}

// Since wants the revisions of the last day.
func (d *BigtableRevisionDAO) Since(ctx context.Context, orderID string) ([]domain.Revision, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(constants.FamilyRevision),
		bigtable.TimestampRangeFilter(d.clock.Now().Add(-24*time.Hour), time.Time{}), // want ttlread/wrong-bound[since]
		bigtable.LatestNFilter(3),
	)
	row, err := d.table.ReadRow(ctx, orderID, bigtable.RowFilter(f)) // want ttlread/wrong-bound[since]
	if err != nil {
		return nil, err
	}
	return decodeRevisions(row), nil
}

// Between looks revisions up by number.
func (d *BigtableRevisionDAO) Between(ctx context.Context, orderID string, from, to int64) ([]domain.Revision, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(constants.FamilyRevision),
		bigtable.LatestNFilter(constants.RevisionVersions),
		bigtable.TimestampRangeFilterMicros(timestamp.Sequence(from), timestamp.Sequence(to+1)),
	)
	row, err := d.table.ReadRow(ctx, orderID, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return decodeRevisions(row), nil
}

// By looks for an author. The value filter comes first, so superseded revisions are found.
func (d *BigtableRevisionDAO) By(ctx context.Context, orderID, author string) (bool, error) {
	f := bigtable.ChainFilters( // want ttlread/version-limit[by]
		bigtable.FamilyFilter(constants.FamilyRevision),
		bigtable.ColumnFilter(constants.ColAuthor),
		bigtable.ValueFilter(author),
		bigtable.LatestNFilter(1), // want ttlread/version-limit[by]
	)
	row, err := d.table.ReadRow(ctx, orderID, bigtable.RowFilter(f)) // want ttlread/version-limit[by]
	return len(row) > 0, err
}

// LatestBy is By in the right order.
func (d *BigtableRevisionDAO) LatestBy(ctx context.Context, orderID, author string) (bool, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(constants.FamilyRevision),
		bigtable.ColumnFilter(constants.ColAuthor),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(author),
	)
	row, err := d.table.ReadRow(ctx, orderID, bigtable.RowFilter(f)) // ok ttlread/version-limit
	return len(row) > 0, err
}

// AppendIfNone stores a first revision. Any cell will do, since an old one implies a newer one.
func (d *BigtableRevisionDAO) AppendIfNone(ctx context.Context, orderID string, payload []byte) error {
	set := bigtable.NewMutation()
	set.Set(constants.FamilyRevision, constants.ColPayload, 1000, payload)                      // ok ttlwrite/unscaled-sequence
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(constants.FamilyRevision), nil, set) // ok ttlread/conditional-mutation
	return d.table.Apply(ctx, orderID, cond)
}

// AppendIfBy stores a revision if the author is right, whichever revision that is found in.
func (d *BigtableRevisionDAO) AppendIfBy(ctx context.Context, orderID, author string, n int64, payload []byte) error {
	set := bigtable.NewMutation()
	set.Set(constants.FamilyRevision, constants.ColPayload, timestamp.Sequence(n), payload) // ok ttlwrite/unscaled-sequence
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyRevision), bigtable.ColumnFilter(constants.ColAuthor), bigtable.ValueFilter(author))
	cond := bigtable.NewCondMutation(pred, set, nil) // want ttlread/conditional-mutation
	return d.table.Apply(ctx, orderID, cond)
}

// AppendIfLatestBy looks only at the latest.
func (d *BigtableRevisionDAO) AppendIfLatestBy(ctx context.Context, orderID, author string, n int64, payload []byte) error {
	set := bigtable.NewMutation()
	set.Set(constants.FamilyRevision, constants.ColPayload, timestamp.Sequence(n), payload) // ok ttlwrite/unscaled-sequence
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyRevision), bigtable.ColumnFilter(constants.ColAuthor), bigtable.LatestNFilter(1), bigtable.ValueFilter(author))
	cond := bigtable.NewCondMutation(pred, set, nil) // ok ttlread/conditional-mutation
	return d.table.Apply(ctx, orderID, cond)
}

// Age tells how old the latest revision is, or so its author believed.
func (d *BigtableRevisionDAO) Age(ctx context.Context, orderID string) (time.Duration, error) {
	row, err := d.table.ReadRow(ctx, orderID, bigtable.RowFilter(filter.Revisions(1))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, item := range row[constants.FamilyRevision] {
		written := item.Timestamp.Time()       // want ttlage/not-write-time[revage]
		return d.clock.Now().Sub(written), nil // want ttlage/not-write-time[revage]
	}
	return 0, bt.ErrNotFound
}

func decodeRevisions(row bigtable.Row) []domain.Revision {
	var out []domain.Revision
	for _, item := range row[constants.FamilyRevision] {
		out = append(out, domain.Revision{Number: timestamp.Number(item.Timestamp), Payload: item.Value}) // ok ttlage/not-write-time
	}
	return out
}
