package store

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/clock"
	"example.com/paywell/domain"
)

// Columns of subscriptions.
const (
	colSub     = "sub"
	colNote    = "note"
	colOwner   = "owner"
	colTrial   = "trial"
	colPaused  = "paused"
	colSeats   = "seats"
	colRefresh = "refresh"
)

// Subscriptions keeps every revision of a subscription in the family state,
// numbered from 1 (timestamp = revision × 1000), switches in flags (always at
// zero) and remarks in meta.
type Subscriptions struct {
	tbl rows
	clk clock.Clock

	mu        sync.Mutex
	revisions map[string]int64
	writes    atomic.Int64
	pending   int64
}

// NewSubscriptions returns a store on tbl.
func NewSubscriptions(tbl rows, clk clock.Clock) *Subscriptions {
	return &Subscriptions{tbl: tbl, clk: clk, revisions: make(map[string]int64)}
}

func subscriptionKey(id string) string { return "sub#" + id }

// Save writes the next revision.
func (s *Subscriptions) Save(ctx context.Context, sub *domain.Subscription) error {
	sub.Revision++
	sub.UpdatedAt = s.clk.Now()
	mut := bigtable.NewMutation()
	mut.Set(FamState, colSub, numbered(sub.Revision), encode(sub))      // ok ttlwrite/unscaled-sequence
	mut.Set(FamMeta, colOwner, writtenAt(s.clk), []byte(sub.Account))   // ok ttlwrite/clock-in-sequence
	mut.Set(FamFlags, colTrial, 0, flag(sub.Status == domain.Trialing)) // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, subscriptionKey(sub.ID), mut)
}

// Import takes subscriptions over from the old system, in order.
func (s *Subscriptions) Import(ctx context.Context, id string, history []domain.Subscription) error {
	mut := bigtable.NewMutation()
	for i, old := range history {
		mut.Set(FamState, colSub, bigtable.Timestamp(i+1), encode(old)) // want ttlwrite/unscaled-sequence
	}
	mut.Set(FamMeta, colNote, bigtable.Now(), []byte("imported")) // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, subscriptionKey(id), mut)
}

// ImportNumbered is Import with the numbers as they have to be.
func (s *Subscriptions) ImportNumbered(ctx context.Context, id string, history []domain.Subscription) error {
	mut := bigtable.NewMutation()
	for i, old := range history {
		mut.Set(FamState, colSub, bigtable.Timestamp((i+1)*perNumber), encode(old)) // ok ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, subscriptionKey(id), mut)
}

// Append writes a revision that is counted here.
func (s *Subscriptions) Append(ctx context.Context, sub domain.Subscription) error {
	s.mu.Lock()
	s.revisions[sub.ID]++
	rev := s.revisions[sub.ID]
	s.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(FamState, colSub, bigtable.Timestamp(rev), encode(sub)) // want ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, subscriptionKey(sub.ID), mut)
}

// AppendNumbered writes a revision that is counted here.
func (s *Subscriptions) AppendNumbered(ctx context.Context, sub domain.Subscription) error {
	s.mu.Lock()
	s.revisions[sub.ID]++
	rev := s.revisions[sub.ID] * 1000
	s.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(FamState, colSub, bigtable.Timestamp(rev), encode(sub)) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, subscriptionKey(sub.ID), mut)
}

// Bump writes under a number of the process.
func (s *Subscriptions) Bump(ctx context.Context, id string, seats int) error {
	n := s.writes.Add(1)
	mut := bigtable.NewMutation()
	mut.Set(FamState, colSeats, bare(n), encode(seats)) // want ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, subscriptionKey(id), mut)
}

// BumpNumbered is Bump with the number scaled.
func (s *Subscriptions) BumpNumbered(ctx context.Context, id string, seats int) error {
	n := s.writes.Add(1)
	mut := bigtable.NewMutation()
	mut.Set(FamState, colSeats, numbered(n), encode(seats)) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, subscriptionKey(id), mut)
}

// Cancel writes the last revision, and when.
func (s *Subscriptions) Cancel(ctx context.Context, sub domain.Subscription) error {
	sub.Status = domain.Canceled
	mut := bigtable.NewMutation()
	mut.Set(FamState, colSub, bigtable.Time(s.clk.Now()), encode(sub))        // want ttlwrite/clock-in-sequence
	mut.Set(FamMeta, colNote, bigtable.Time(s.clk.Now()), []byte("canceled")) // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, subscriptionKey(sub.ID), mut)
}

// Renew writes the next period.
func (s *Subscriptions) Renew(ctx context.Context, sub domain.Subscription, plan domain.Plan) error {
	sub.PeriodEnd = plan.Interval.After(sub.PeriodEnd)
	mut := bigtable.NewMutation()
	mut.Set(FamState, colSub, bigtable.ServerTime, encode(sub)) // want ttlwrite/clock-in-sequence
	mut.Set(FamMeta, colRefresh, bigtable.ServerTime, nil)      // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, subscriptionKey(sub.ID), mut)
}

// SetSeats changes the number of seats. The end of the period says which
// revision is the newer one.
func (s *Subscriptions) SetSeats(ctx context.Context, sub domain.Subscription, seats int) error {
	mut := bigtable.NewMutation()
	mut.Set(FamState, colSeats, bigtable.Time(sub.PeriodEnd), encode(seats)) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, subscriptionKey(sub.ID), mut)
}

// Reset starts over.
func (s *Subscriptions) Reset(ctx context.Context, sub domain.Subscription) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(FamState)
	mut.Set(FamState, colSub, 1, encode(sub)) // want ttlwrite/unscaled-sequence
	mut.Set(FamFlags, colPaused, 0, flag(false))
	return s.tbl.Apply(ctx, subscriptionKey(sub.ID), mut)
}

// ResetTo starts over at the first number.
func (s *Subscriptions) ResetTo(ctx context.Context, sub domain.Subscription) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(FamState)
	mut.Set(FamState, colSub, numbered(1), encode(sub)) // ok ttlwrite/delete-after-set
	mut.Set(FamState, colSeats, 1000, encode(1))        // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, subscriptionKey(sub.ID), mut)
}

// Pause sets the switch.
func (s *Subscriptions) Pause(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(FamFlags, colPaused, bigtable.Now(), flag(true)) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, subscriptionKey(id), mut)
}

// Resume unsets the switch.
func (s *Subscriptions) Resume(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(FamFlags, colPaused, bigtable.Timestamp(0), flag(false)) // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, subscriptionKey(id), mut)
}

// AddSeat counts a seat.
func (s *Subscriptions) AddSeat(ctx context.Context, id string) (bigtable.Row, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamState, colSeats, 1) // want ttlwrite/read-modify-write
	return s.tbl.ApplyReadModifyWrite(ctx, subscriptionKey(id), rmw)
}

// CountTrial counts how often a trial was begun.
func (s *Subscriptions) CountTrial(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamFlags, colTrial, 1) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, subscriptionKey(id), rmw)
	return err
}

// Remark adds to the remarks.
func (s *Subscriptions) Remark(ctx context.Context, id, text string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(FamMeta, colNote, []byte(text+"\n")) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, subscriptionKey(id), rmw)
	return err
}

// Both writes a subscription and its copy under the same number.
func (s *Subscriptions) Both(ctx context.Context, sub, copied domain.Subscription) error {
	sub.Revision++
	ts := numbered(sub.Revision)
	mut := bigtable.NewMutation()
	mut.Set(FamState, colSub, ts, encode(sub))
	mut.Set(FamState, colSub, ts, encode(copied)) // want ttlwrite/same-timestamp
	mut.Set(FamState, colSeats, ts, encode(1))    // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, subscriptionKey(sub.ID), mut)
}

// Get returns the newest revision.
func (s *Subscriptions) Get(ctx context.Context, id string) (domain.Subscription, error) {
	row, err := s.tbl.ReadRow(ctx, subscriptionKey(id), latest(FamState, 1)) // ok ttlread/version-limit
	if err != nil {
		return domain.Subscription{}, err
	}
	item, ok := find(row, FamState, colSub)
	if !ok {
		return domain.Subscription{}, domain.ErrNotFound
	}
	return decode[domain.Subscription](item)
}

// History returns the revisions that are kept.
func (s *Subscriptions) History(ctx context.Context, id string) ([]domain.Subscription, error) {
	row, err := s.tbl.ReadRow(ctx, subscriptionKey(id), latest(FamState, domain.StateVersions)) // ok ttlread/version-limit
	return revisions(row, err)
}

// Audit returns more revisions than are kept.
func (s *Subscriptions) Audit(ctx context.Context, id string) ([]domain.Subscription, error) {
	row, err := s.tbl.ReadRow(ctx, subscriptionKey(id), latest(FamState, 50)) // want ttlread/version-limit
	return revisions(row, err)
}

// Raw returns whatever is there.
func (s *Subscriptions) Raw(ctx context.Context, id string) ([]domain.Subscription, error) {
	row, err := s.tbl.ReadRow(ctx, subscriptionKey(id)) // want ttlread/missing-filter
	return revisions(row, err)
}

// Column returns all revisions of one column.
func (s *Subscriptions) Column(ctx context.Context, id string) ([]domain.Subscription, error) {
	row, err := s.tbl.ReadRow(ctx, subscriptionKey(id), bigtable.RowFilter(only(FamState, colSub))) // want ttlread/version-limit
	return revisions(row, err)
}

func revisions(row bigtable.Row, err error) ([]domain.Subscription, error) {
	if err != nil {
		return nil, err
	}
	var out []domain.Subscription
	for _, item := range row[FamState] {
		if column(item) != colSub {
			continue
		}
		sub, err := decode[domain.Subscription](item)
		if err != nil {
			return nil, err
		}
		sub.Revision = number(item.Timestamp) // ok ttlage/not-write-time
		out = append(out, sub)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Revision > out[j].Revision })
	return out, nil
}

// Changed returns the revision that is in force, and since when.
func (s *Subscriptions) Changed(ctx context.Context, id string) (sub domain.Subscription, err error) {
	row, err := s.tbl.ReadRow(ctx, subscriptionKey(id), latest(FamState, 1)) // ok ttlread/missing-filter
	if err != nil {
		return sub, err
	}
	for _, item := range row[FamState] {
		if sub, err = decode[domain.Subscription](item); err != nil {
			return sub, err
		}
		sub.UpdatedAt = item.Timestamp.Time() // want ttlage/not-write-time
	}
	return sub, nil
}

// Idle is how long ago a subscription was changed.
func (s *Subscriptions) Idle(ctx context.Context, id string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, subscriptionKey(id), latest(FamState, 1))
	if err != nil {
		return 0, err
	}
	item, ok := find(row, FamState, colSub)
	if !ok {
		return 0, domain.ErrNotFound
	}
	return s.clk.Now().Sub(item.Timestamp.Time()), nil // want ttlage/not-write-time
}

// RemarkAge is how long ago the last remark was made.
func (s *Subscriptions) RemarkAge(ctx context.Context, id string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, subscriptionKey(id), bigtable.RowFilter(only(FamMeta, colNote))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	item, ok := find(row, FamMeta, colNote)
	if !ok {
		return 0, domain.ErrNotFound
	}
	return s.clk.Now().Sub(item.Timestamp.Time()), nil // ok ttlage/not-write-time
}

// Since lists what was changed since t.
func (s *Subscriptions) Since(ctx context.Context, d time.Duration) ([]string, error) {
	f := bigtable.ChainFilters( // want ttlread/wrong-bound[since]
		bigtable.FamilyFilter(FamState),
		bigtable.TimestampRangeFilter(s.clk.Now().Add(-d), time.Time{}), // want ttlread/wrong-bound[since]
		bigtable.LatestNFilter(1),
	)
	var ids []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("sub#"), func(row bigtable.Row) bool { // want ttlread/wrong-bound[since]
		for _, item := range row[FamState] {
			ids = append(ids, item.Row)
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[since]
	return ids, err
}

// Between reads the revisions from one number to another.
func (s *Subscriptions) Between(ctx context.Context, id string, from, to int64) ([]domain.Subscription, error) {
	row, err := s.tbl.ReadRow(ctx, subscriptionKey(id), bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(FamState),
		bigtable.LatestNFilter(domain.StateVersions),
		bigtable.TimestampRangeFilterMicros(numbered(from), numbered(to+1)), // ok ttlread/wrong-bound
	)))
	return revisions(row, err)
}

// Paused reads the switch, which has one version only.
func (s *Subscriptions) Paused(ctx context.Context, id string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, subscriptionKey(id), bigtable.RowFilter(bigtable.FamilyFilter(FamFlags))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	item, ok := find(row, FamFlags, colPaused)
	return ok && string(item.Value) == "1", nil
}

// WithStatus lists the subscriptions of a status.
func (s *Subscriptions) WithStatus(ctx context.Context, status domain.Status) ([]string, error) {
	var ids []string
	pattern := fmt.Sprintf(`.*"status":"%s".*`, status)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("sub#"), func(row bigtable.Row) bool { // want ttlread/version-limit[status]
		for _, item := range row[FamState] {
			ids = append(ids, item.Row)
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/version-limit[status]
		only(FamState, colSub),
		bigtable.ValueFilter(pattern), // want ttlread/version-limit[status]
		bigtable.LatestNFilter(1),     // want ttlread/version-limit[status]
	)))
	return ids, err
}

// InStatus has the limit first.
func (s *Subscriptions) InStatus(ctx context.Context, status domain.Status) ([]string, error) {
	var ids []string
	pattern := fmt.Sprintf(`.*"status":"%s".*`, status)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("sub#"), func(row bigtable.Row) bool { // ok ttlread/version-limit
		for _, item := range row[FamState] {
			ids = append(ids, item.Row)
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		only(FamState, colSub),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(pattern),
	)))
	return ids, err
}

// SaveIfNew writes the first revision unless there is one.
func (s *Subscriptions) SaveIfNew(ctx context.Context, sub domain.Subscription) error {
	first := bigtable.NewMutation()
	first.Set(FamState, colSub, numbered(1), encode(sub))
	var exists bool
	cond := bigtable.NewCondMutation(only(FamState, colSub), nil, first) // ok ttlread/conditional-mutation
	if err := s.tbl.Apply(ctx, subscriptionKey(sub.ID), cond, bigtable.GetCondMutationResult(&exists)); err != nil {
		return err
	}
	if exists {
		return fmt.Errorf("subscription %s: %w", sub.ID, domain.ErrConflict)
	}
	return nil
}

// CompareAndSave writes a revision if the one before is in force.
func (s *Subscriptions) CompareAndSave(ctx context.Context, before, after domain.Subscription) error {
	then := bigtable.NewMutation()
	then.Set(FamState, colSub, numbered(before.Revision+1), encode(after))
	var same bool
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(
		only(FamState, colSub),
		bigtable.LatestNFilter(1), // ok ttlread/conditional-mutation
		bigtable.ValueFilter(string(encode(before))),
	), then, nil)
	if err := s.tbl.Apply(ctx, subscriptionKey(before.ID), cond, bigtable.GetCondMutationResult(&same)); err != nil {
		return err
	}
	if !same {
		return domain.ErrConflict
	}
	return nil
}

// ErrNoRevision is returned where a revision has to be given.
var ErrNoRevision = errors.New("store: no revision")

// Enqueue writes changes in the order in which they came.
func (s *Subscriptions) Enqueue(ctx context.Context, id string, changes ...domain.Status) error {
	if len(changes) == 0 {
		return ErrNoRevision
	}
	mut := bigtable.NewMutation()
	for _, c := range changes {
		s.pending++
		mut.Set(FamState, "status", bigtable.Timestamp(s.pending), []byte(c)) // want ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, subscriptionKey(id), mut)
}

// EnqueueStepped counts in steps of 1000.
func (s *Subscriptions) EnqueueStepped(ctx context.Context, id string, changes ...domain.Status) error {
	mut := bigtable.NewMutation()
	var next bigtable.Timestamp
	for _, c := range changes {
		next += 1000
		mut.Set(FamState, "status", next, []byte(c)) // ok ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, subscriptionKey(id), mut)
}

// EnqueueSame forgets to count.
func (s *Subscriptions) EnqueueSame(ctx context.Context, sub domain.Subscription, changes ...domain.Status) error {
	ts := numbered(sub.Revision)
	mut := bigtable.NewMutation()
	for _, c := range changes {
		mut.Set(FamState, "status", ts, []byte(c)) // want ttlwrite/same-timestamp
	}
	return s.tbl.Apply(ctx, subscriptionKey(sub.ID), mut)
}

func flag(on bool) []byte {
	if on {
		return []byte("1")
	}
	return []byte("0")
}
