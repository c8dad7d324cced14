// Package offsets keeps watermarks and consumer offsets. The timestamps of wm
// and off are numbers, scaled by etl.Seq; collection is by number of versions.
package offsets

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

// Mark is a watermark: everything up to Position has been processed.
type Mark struct {
	Pipeline string    `json:"pipeline"`
	Seq      int64     `json:"seq"`
	Position string    `json:"position"`
	SavedAt  time.Time `json:"saved_at"`
	Note     string    `json:"note,omitempty"`
}

// ErrNone says that a pipeline has no watermark yet.
var ErrNone = errors.New("offsets: no watermark")

// Store is the table.
type Store struct {
	tbl   *bigtable.Table
	log   *slog.Logger
	seq   atomic.Int64
	mu    sync.Mutex
	next  map[string]int64
	saves int64
}

// Open opens the table.
func Open(client *bigtable.Client, log *slog.Logger) *Store {
	return &Store{tbl: client.Open(schema.TableOffsets), log: log, next: map[string]int64{}}
}

// latest is the filter for the newest watermark.
func latest(family string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.LatestNFilter(1))
}

// Load returns the newest watermark.
func (s *Store) Load(ctx context.Context, pipeline string) (*Mark, error) {
	row, err := s.tbl.ReadRow(ctx, pipeline, bigtable.RowFilter(latest(schema.FamWatermark))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	items := row[schema.FamWatermark]
	if len(items) == 0 {
		return nil, ErrNone
	}
	return &Mark{Pipeline: pipeline, Seq: etl.SeqOf(items[0].Timestamp), Position: string(items[0].Value)}, nil // ok ttlage/not-write-time
}

// History returns the watermarks that are kept.
func (s *Store) History(ctx context.Context, pipeline string) ([]Mark, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamWatermark), bigtable.LatestNFilter(schema.WatermarkKeep))
	row, err := s.tbl.ReadRow(ctx, pipeline, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return marks(pipeline, row), nil
}

func marks(pipeline string, row bigtable.Row) []Mark {
	var out []Mark
	for _, it := range row[schema.FamWatermark] {
		out = append(out, Mark{Pipeline: pipeline, Seq: int64(it.Timestamp) / 1000, Position: string(it.Value)})
	}
	return out
}

// HistoryTen asks for more than is kept.
func (s *Store) HistoryTen(ctx context.Context, pipeline string) ([]Mark, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamWatermark), bigtable.LatestNFilter(10)) // want ttlread/version-limit[ten]
	row, err := s.tbl.ReadRow(ctx, pipeline, bigtable.RowFilter(f))                                    // want ttlread/version-limit[ten]
	if err != nil {
		return nil, err
	}
	return marks(pipeline, row), nil
}

// All reads the watermarks of every pipeline for the dashboard.
func (s *Store) All(ctx context.Context) (map[string][]Mark, error) {
	out := map[string][]Mark{}
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/version-limit[m8]
		out[row.Key()] = marks(row.Key(), row)
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamWatermark))) // want ttlread/version-limit[m8]
	return out, err
}

// AllNow is All with marks saved in the last day only.
func (s *Store) AllNow(ctx context.Context) (map[string][]Mark, error) {
	out := map[string][]Mark{}
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/wrong-bound[m9]
		out[row.Key()] = marks(row.Key(), row)
		return true
	}, bigtable.RowFilter(etl.InFamily(schema.FamWatermark, etl.Within(24*time.Hour)))) // want ttlread/wrong-bound[m9]
	return out, err
}

// Between looks up marks by number.
func (s *Store) Between(ctx context.Context, pipeline string, from, to int64) ([]Mark, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamWatermark),
		bigtable.LatestNFilter(schema.WatermarkKeep),
		bigtable.TimestampRangeFilterMicros(etl.Seq(from), etl.Seq(to+1)),
	)
	row, err := s.tbl.ReadRow(ctx, pipeline, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return marks(pipeline, row), nil
}

// Any reads a whole row: watermark, offsets and audit.
func (s *Store) Any(ctx context.Context, pipeline string) ([]Mark, map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, pipeline) // want ttlread/missing-filter
	if err != nil {
		return nil, nil, err
	}
	audit := map[string]string{}
	for _, it := range row[schema.FamAudit] {
		audit[etl.Column(it)] = it.Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
	}
	return marks(pipeline, row), audit, nil
}

// AnyLatest is right for both.
func (s *Store) AnyLatest(ctx context.Context, pipeline string) ([]Mark, error) {
	row, err := s.tbl.ReadRow(ctx, pipeline, bigtable.RowFilter(etl.Newest())) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return marks(pipeline, row), nil
}

// Save writes a watermark with the number that the pipeline counts.
func (s *Store) Save(ctx context.Context, k Mark) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamWatermark, "pos", etl.Seq(k.Seq), []byte(k.Position))                 // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamAudit, "saved", bigtable.Now(), []byte(strconv.FormatInt(k.Seq, 10))) // ok ttlwrite/clock-in-sequence
	if k.Note != "" {
		m.Set(schema.FamWatermark, "note", bigtable.Now(), []byte(k.Note)) // want ttlwrite/clock-in-sequence
	}
	return s.tbl.Apply(ctx, k.Pipeline, m)
}

// SaveNext counts by itself.
func (s *Store) SaveNext(ctx context.Context, pipeline, position string) (int64, error) {
	n := s.seq.Add(1)
	m := bigtable.NewMutation()
	m.Set(schema.FamWatermark, "pos", bigtable.Timestamp(n), []byte(position)) // want ttlwrite/unscaled-sequence
	return n, s.tbl.Apply(ctx, pipeline, m)
}

// SaveNextScaled is the repaired one; callers move over one by one.
func (s *Store) SaveNextScaled(ctx context.Context, pipeline, position string) (int64, error) {
	n := s.seq.Add(1)
	m := bigtable.NewMutation()
	m.Set(schema.FamWatermark, "pos", bigtable.Timestamp(n*1000), []byte(position)) // ok ttlwrite/unscaled-sequence
	return n, s.tbl.Apply(ctx, pipeline, m)
}

// SaveThousands counts in steps that need no scaling.
func (s *Store) SaveThousands(ctx context.Context, pipeline, position string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamWatermark, "pos", bigtable.Timestamp(s.seq.Add(1000)), []byte(position)) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, pipeline, m)
}

// Commit saves the offsets of a consumer group.
func (s *Store) Commit(ctx context.Context, group string, parts map[int]int64) error {
	s.mu.Lock()
	s.next[group]++
	n := s.next[group]
	s.saves++
	s.mu.Unlock()
	m := bigtable.NewMutation()
	for p, off := range parts {
		m.Set(schema.FamOffset, strconv.Itoa(p), etl.Seq(n), etl.Int64(off)) // ok ttlwrite/unscaled-sequence
	}
	m.Set(schema.FamOffset, "n", etl.RawTS(n), etl.Int64(n)) // want ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, group, m)
}

// CommitAt uses the clock for want of a counter.
func (s *Store) CommitAt(ctx context.Context, group string, parts map[int]int64) error {
	ts := bigtable.Time(time.Now())
	m := bigtable.NewMutation()
	for p, off := range parts {
		m.Set(schema.FamOffset, strconv.Itoa(p), ts, etl.Int64(off)) // want ttlwrite/clock-in-sequence
	}
	return s.tbl.Apply(ctx, group, m)
}

// CommitServer leaves it to the server.
func (s *Store) CommitServer(ctx context.Context, group string, part int, off int64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamOffset, strconv.Itoa(part), bigtable.ServerTime, etl.Int64(off)) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, group, m)
}

// CommitEvent takes the time of the event for its number.
func (s *Store) CommitEvent(ctx context.Context, group string, part int, off int64, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamOffset, strconv.Itoa(part), bigtable.Time(at), etl.Int64(off)) // want ttlwrite/clock-in-sequence
	m.Set(schema.FamAudit, "event", bigtable.Time(at), nil)                        // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, group, m)
}

// CommitNumber passes the offset through time.UnixMilli, which scales it.
func (s *Store) CommitNumber(ctx context.Context, group string, part int, off int64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamOffset, strconv.Itoa(part), bigtable.Time(time.UnixMilli(off)), etl.Int64(off)) // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, group, m)
}

// Advance moves an offset forward by n in place.
func (s *Store) Advance(ctx context.Context, group string, part int, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamOffset, strconv.Itoa(part), n) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, group, rmw)
	return err
}

// Rebalances counts in the ordinary family.
func (s *Store) Rebalances(ctx context.Context, group string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamAudit, "rebalances", 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, group, rmw)
	return err
}

// Replay writes a list of positions as history, oldest first.
func (s *Store) Replay(ctx context.Context, pipeline string, positions []string) error {
	m := bigtable.NewMutation()
	for i, p := range positions {
		m.Set(schema.FamWatermark, "pos", bigtable.Timestamp(i), []byte(p)) // want ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, pipeline, m)
}

// ReplayScaled is right.
func (s *Store) ReplayScaled(ctx context.Context, pipeline string, positions []string) error {
	m := bigtable.NewMutation()
	for i, p := range positions {
		m.Set(schema.FamWatermark, "pos", etl.Seq(int64(i)+1), []byte(p)) // ok ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, pipeline, m)
}

// Reset writes the first watermark of a pipeline.
func (s *Store) Reset(ctx context.Context, pipeline string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(schema.FamWatermark)
	m.DeleteCellsInFamily(schema.FamOffset)
	m.Set(schema.FamWatermark, "pos", 0, nil)        // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamOffset, "0", 1, etl.Int64(0))    // want ttlwrite/unscaled-sequence
	m.Set(schema.FamOffset, "n", 1000, etl.Int64(0)) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, pipeline, m)
}

// Truncate cuts the history to the newest n.
func (s *Store) Truncate(ctx context.Context, pipeline string, n int) error {
	ms, err := s.History(ctx, pipeline)
	if err != nil {
		return err
	}
	sort.Slice(ms, func(i, j int) bool { return ms[i].Seq > ms[j].Seq })
	if len(ms) <= n {
		return nil
	}
	m := bigtable.NewMutation()
	m.DeleteTimestampRange(schema.FamWatermark, "pos", 0, etl.Seq(ms[n-1].Seq))
	return s.tbl.Apply(ctx, pipeline, m)
}

// Stuck lists pipelines whose watermark did not move for d.
func (s *Store) Stuck(ctx context.Context, d time.Duration) ([]string, error) {
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamWatermark] {
			if time.Since(it.Timestamp.Time()) > d { // want ttlage/not-write-time
				out = append(out, row.Key())
				break
			}
		}
		return true
	}, bigtable.RowFilter(latest(schema.FamWatermark)))
	return out, err
}

// StuckAudit asks the audit family, which knows.
func (s *Store) StuckAudit(ctx context.Context, d time.Duration) ([]string, error) {
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamAudit] {
			if it.Column == "audit:saved" && time.Since(it.Timestamp.Time()) > d { // ok ttlage/not-write-time
				out = append(out, row.Key())
				break
			}
		}
		return true
	}, bigtable.RowFilter(latest(schema.FamAudit)))
	return out, err
}

// Export returns marks for the status page.
func (s *Store) Export(ctx context.Context) ([]Mark, error) {
	var out []Mark
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamWatermark] {
			out = append(out, Mark{
				Pipeline: row.Key(),
				Seq:      etl.SeqOf(it.Timestamp),
				Position: string(it.Value),
				SavedAt:  it.Timestamp.Time(), // maybe ttlage/not-write-time
			})
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamWatermark), bigtable.LatestNFilter(1))))
	return out, err
}

// Init writes a first mark unless there is one. Whether any cell exists is
// the same for superseded ones.
func (s *Store) Init(ctx context.Context, pipeline string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(schema.FamWatermark, "pos", 1000, []byte("begin"))
	var had bool
	err := s.tbl.Apply(ctx, pipeline, bigtable.NewCondMutation(bigtable.FamilyFilter(schema.FamWatermark), nil, set), bigtable.GetCondMutationResult(&had)) // ok ttlread/conditional-mutation
	if err != nil {
		return false, fmt.Errorf("offsets: init %s: %w", pipeline, err)
	}
	return !had, nil
}

// SaveIf writes if the position is still the one that was read.
func (s *Store) SaveIf(ctx context.Context, k Mark, old string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(schema.FamWatermark, "pos", etl.Seq(k.Seq), []byte(k.Position))
	same := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamWatermark),
		bigtable.ColumnFilter("pos"),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(old),
	)
	var ok bool
	err := s.tbl.Apply(ctx, k.Pipeline, bigtable.NewCondMutation(same, set, nil), bigtable.GetCondMutationResult(&ok)) // ok ttlread/conditional-mutation
	return ok, err
}

// SaveIfAny has no limit: a superseded version with the old value matches.
func (s *Store) SaveIfAny(ctx context.Context, k Mark, old string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(schema.FamWatermark, "pos", etl.Seq(k.Seq), []byte(k.Position))
	same := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamWatermark), bigtable.ColumnFilter("pos"), bigtable.ValueFilter(old)) // want ttlread/conditional-mutation[saveif]
	var ok bool
	err := s.tbl.Apply(ctx, k.Pipeline, bigtable.NewCondMutation(same, set, nil), bigtable.GetCondMutationResult(&ok)) // want ttlread/conditional-mutation[saveif]
	return ok, err
}
