// Package audience keeps memberships, which lapse after thirty days, and the
// numbered outputs of the models.
package audience

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/bt"
	"adcap.example/platform/internal/filters"
	"adcap.example/platform/internal/mutate"
	"adcap.example/platform/internal/schema"
)

// Repository is generic over the decoded value.
type Repository[T any] struct {
	tbl    bt.Table
	family string
	decode func(bigtable.ReadItem) (T, error)
	bound  func(time.Time) bigtable.Filter
}

// Read reads one row with the bound of the repository.
func (r *Repository[T]) Read(ctx context.Context, key string) ([]T, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(r.family), r.bound(time.Now()))
	row, err := r.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // want ttlread/wrong-bound[legacymembers]
	if err != nil {
		return nil, err
	}
	out := make([]T, 0, len(row[r.family]))
	for _, it := range row[r.family] {
		v, err := r.decode(it)
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", it.Column, key, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// Member is a membership.
type Member struct {
	Segment string
	Weight  int64
}

// Service has both repositories.
type Service struct {
	tbl     bt.Table
	members *Repository[Member]
	models  *Repository[int64]
}

// NewService opens the table.
func NewService(c *bigtable.Client) *Service {
	tbl := c.Open(schema.TableAudience)
	return &Service{
		tbl: tbl,
		members: &Repository[Member]{
			tbl: tbl, family: schema.FamMember, decode: decodeMember,
			bound: func(now time.Time) bigtable.Filter { return filters.Since(now, schema.MemberTTL) }, // ok ttlread/wrong-bound
		},
		models: &Repository[int64]{
			tbl: tbl, family: schema.FamModel, decode: decodeModel,
			bound: func(time.Time) bigtable.Filter { return bigtable.LatestNFilter(1) }, // ok ttlread/version-limit
		},
	}
}

func decodeMember(it bigtable.ReadItem) (Member, error) {
	return Member{Segment: it.Column, Weight: mutate.ParseInt(it.Value)}, nil
}

func decodeModel(it bigtable.ReadItem) (int64, error) { return mutate.ParseInt(it.Value), nil }

// Join makes the user a member for the usual time.
func (s *Service) Join(ctx context.Context, user string, m Member) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamMember, m.Segment, bigtable.ServerTime, mutate.Int(m.Weight)) // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, user, mut)
}

// JoinFor makes the user a member for another time.
func (s *Service) JoinFor(ctx context.Context, user string, m Member, life time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamMember, m.Segment, mutate.Shifted(time.Now(), life, schema.MemberTTL), mutate.Int(m.Weight)) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, user, mut)
}

// JoinHour is a trial membership.
func (s *Service) JoinHour(ctx context.Context, user string, m Member) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamMember, m.Segment, mutate.Shifted(time.Now(), time.Hour, schema.MemberTTL), mutate.Int(m.Weight)) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, user, mut)
}

// JoinPast shifts by the whole lifetime, so that nothing is left.
func (s *Service) JoinPast(ctx context.Context, user string, m Member) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamMember, m.Segment, bigtable.Time(time.Now().Add(-schema.MemberTTL)), mutate.Int(m.Weight)) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, user, mut)
}

// JoinZero writes at zero as in the consent table.
func (s *Service) JoinZero(ctx context.Context, user string, m Member) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamMember, m.Segment, 0, mutate.Int(m.Weight)) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, user, mut)
}

// Leave deletes the membership.
func (s *Service) Leave(ctx context.Context, user, segment string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(schema.FamMember, segment) // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, user, mut)
}

// Publish writes the output of a model run.
func (s *Service) Publish(ctx context.Context, model string, run int64, score []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamModel, "score", mutate.Seq(run), score) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, "m#"+model, mut)
}

// PublishServer is the notebook's version.
func (s *Service) PublishServer(ctx context.Context, model string, score []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamModel, "score", bigtable.ServerTime, score) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, "m#"+model, mut)
}

// PublishTimed is the nightly job's version.
func (s *Service) PublishTimed(ctx context.Context, model string, scores [][]byte) error {
	ts := bigtable.Time(time.Now())
	for i, score := range scores {
		mut := bigtable.NewMutation()
		mut.Set(schema.FamModel, fmt.Sprint("score", i), ts, score) // want ttlwrite/clock-in-sequence
		if err := s.tbl.Apply(ctx, "m#"+model, mut); err != nil {
			return err
		}
	}
	return nil
}

// PublishShards numbers the shards.
func (s *Service) PublishShards(ctx context.Context, model string, shards [][]byte) error {
	mut := bigtable.NewMutation()
	for i := 0; i < len(shards); i++ {
		mut.Set(schema.FamModel, "shard", bigtable.Timestamp(i+1), shards[i]) // want ttlwrite/unscaled-sequence
		mut.Set(schema.FamModel, "copy", mutate.Seq(int64(i+1)), shards[i])   // ok ttlwrite/unscaled-sequence
	}
	mut.Set(schema.FamModel, "count", bigtable.Timestamp(len(shards)), nil)      // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamModel, "total", bigtable.Timestamp(len(shards)*1000), nil) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, "m#"+model, mut)
}

// Train counts the runs.
func (s *Service) Train(ctx context.Context, model string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamModel, "runs", 1) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, "m#"+model, rmw)
	return err
}

// Members reads through the repository.
func (s *Service) Members(ctx context.Context, user string) ([]Member, error) {
	return s.members.Read(ctx, user) // ok ttlread/missing-filter
}

// Score reads through the other one.
func (s *Service) Score(ctx context.Context, model string) (int64, error) {
	v, err := s.models.Read(ctx, "m#"+model) // ok ttlread/version-limit
	if err != nil || len(v) == 0 {
		return 0, err
	}
	return v[0], nil
}

// MembersRaw reads all cells of the family.
func (s *Service) MembersRaw(ctx context.Context, user string) (out []Member, err error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamMember))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[schema.FamMember] {
		m, _ := decodeMember(it)
		out = append(out, m)
	}
	return out, nil
}

// MembersLive takes the family for one with moments of expiry.
func (s *Service) MembersLive(ctx context.Context, user string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, user, filters.For(schema.FamMember).From(time.Now()).Option()) // want ttlread/wrong-bound
}

// MembersWeek uses the lifetime of exposures.
func (s *Service) MembersWeek(ctx context.Context, user string) (bigtable.Row, error) {
	f := filters.For(schema.FamMember).From(time.Now().Add(-schema.SeenLifetime)).Build() // want ttlread/wrong-bound[membersweek]
	return s.tbl.ReadRow(ctx, user, bigtable.RowFilter(f))                                // want ttlread/wrong-bound[membersweek]
}

// MembersMonth uses the right one.
func (s *Service) MembersMonth(ctx context.Context, user string) (bigtable.Row, error) {
	f := filters.For(schema.FamMember).From(time.Now().AddDate(0, 0, -30)).Build() // ok ttlread/wrong-bound
	return s.tbl.ReadRow(ctx, user, bigtable.RowFilter(f))                         // ok ttlread/wrong-bound
}

// MembersBounded ends the range at now and hides prolonged memberships.
func (s *Service) MembersBounded(ctx context.Context, user string) (bigtable.Row, error) {
	now := time.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamMember), bigtable.TimestampRangeFilter(now.Add(-schema.MemberTTL), now)) // want ttlread/upper-bound[membersbounded]
	return s.tbl.ReadRow(ctx, user, bigtable.RowFilter(f))                                                                              // want ttlread/upper-bound[membersbounded]
}

// Lapsed lists what the policy deletes next.
func (s *Service) Lapsed(ctx context.Context, user string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamMember), bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-schema.MemberTTL))) // want ttlread/expired-only[lapsed]
	return s.tbl.ReadRow(ctx, user, bigtable.RowFilter(f))                                                                                             // want ttlread/expired-only[lapsed]
}

// Scores reads the model family with more versions than are kept.
func (s *Service) Scores(ctx context.Context, model string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "m#"+model, filters.For(schema.FamModel).Newest(10).Option()) // want ttlread/version-limit
}

// ScoresKept reads what is kept.
func (s *Service) ScoresKept(ctx context.Context, model string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "m#"+model, filters.For(schema.FamModel).Newest(2).Option()) // ok ttlread/version-limit
}

// ScoresRecent bounds them by the clock.
func (s *Service) ScoresRecent(ctx context.Context, model string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "m#"+model, filters.For(schema.FamModel).From(time.Now().Add(-time.Hour)).Newest(1).Option()) // want ttlread/wrong-bound
}

// BySegment scans the members of a segment.
func (s *Service) BySegment(ctx context.Context, segment string) iter.Seq[string] {
	return func(yield func(string) bool) {
		f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamMember), bigtable.ColumnFilter(segment), filters.Since(time.Now(), schema.MemberTTL))
		for row, err := range bt.Rows(ctx, s.tbl, bigtable.InfiniteRange(""), bigtable.RowFilter(f)) { // ok ttlread/missing-filter ttlread/wrong-bound
			if err != nil || !yield(row.Key()) {
				return
			}
		}
	}
}

// Weights sums the weights, of all cells ever written.
func (s *Service) Weights(ctx context.Context, segment string) (total int64, err error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamMember), bigtable.ColumnFilter(segment)))}
	err = s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range r[schema.FamMember] {
			total += mutate.ParseInt(it.Value)
		}
		return true
	}, opts...)
	return total, err
}

// Columns lists the segments of a user, sorted.
func (s *Service) Columns(ctx context.Context, user string) ([]string, error) {
	ms, err := s.Members(ctx, user)
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, len(ms))
	for _, m := range ms {
		out = append(out, m.Segment)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
