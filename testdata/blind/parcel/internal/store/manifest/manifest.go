// Package manifest keeps the loading lists of tours.
//
// The table's name is configured. "stop" holds numbered versions (timestamp = number × 1000, ten are kept), "doc" the papers.
package manifest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/bt"
)

const (
	famStop = "stop"
	famDoc  = "doc"

	versions = 10
)

// Stop is a stop of a tour.
type Stop struct {
	Number    int       `json:"number"`
	Address   string    `json:"address"`
	Parcels   []string  `json:"parcels"`
	Revision  int64     `json:"revision"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}

// Paper is a document of a tour.
type Paper struct {
	Name      string
	Body      []byte
	CreatedAt time.Time
}

// Store keeps manifests.
type Store struct {
	tbl  *bigtable.Table
	log  *slog.Logger
	now  func() time.Time
	read bigtable.Filter

	seq atomic.Int64

	mu   sync.Mutex
	revs map[string]int64
}

// Option configures a Store.
type Option func(*Store)

// WithLogger sets a logger.
func WithLogger(l *slog.Logger) Option { return func(s *Store) { s.log = l } }

// WithClock replaces time.Now.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// WithVersions says how many revisions Stops returns.
func WithVersions(n int) Option {
	return func(s *Store) { s.read = bigtable.LatestNFilter(n) }
}

// New returns a Store on a table whose name comes from the configuration.
func New(c *bigtable.Client, table string, opts ...Option) *Store {
	s := &Store{
		tbl:  c.Open(table),
		log:  slog.Default(),
		now:  time.Now,
		read: bigtable.LatestNFilter(1),
		revs: map[string]int64{},
	}
	for _, o := range opts {
		o(s)
	}
	return s
}

func column(n int) string { return fmt.Sprintf("s%03d", n) }

// Plan writes the first revision of a tour.
func (s *Store) Plan(ctx context.Context, tour string, stops []Stop) error {
	m := bigtable.NewMutation()
	for _, st := range stops {
		raw, err := json.Marshal(st)
		if err != nil {
			return err
		}
		m.Set(famStop, column(st.Number), 1000, raw) // ok ttlwrite/unscaled-sequence ttlwrite/same-timestamp
	}
	m.Set(famDoc, "planned", bigtable.Now(), []byte(tour)) // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, tour, m)
}

// Revise writes the next revision of a stop.
func (s *Store) Revise(ctx context.Context, tour string, st Stop) error {
	raw, err := json.Marshal(st)
	if err != nil {
		return err
	}
	n := s.seq.Add(1)
	m := bigtable.NewMutation()
	m.Set(famStop, column(st.Number), bigtable.Timestamp(n*1000), raw) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, tour, m)
}

// ReviseFast is Revise without the check of the papers.
func (s *Store) ReviseFast(ctx context.Context, tour string, st Stop) error {
	raw, err := json.Marshal(st)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(famStop, column(st.Number), bigtable.Timestamp(s.seq.Add(1)), raw) // want ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, tour, m)
}

// ReviseLocal numbers the revisions of a tour in this process.
func (s *Store) ReviseLocal(ctx context.Context, tour string, st Stop, raw []byte) error {
	s.mu.Lock()
	s.revs[tour]++
	rev := s.revs[tour]
	s.mu.Unlock()
	m := bigtable.NewMutation()
	m.Set(famStop, column(st.Number), bigtable.Timestamp(rev), raw) // want ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, tour, m)
}

// ReviseStep numbers the revisions of a tour in steps that the table keeps apart.
func (s *Store) ReviseStep(ctx context.Context, tour string, st Stop, raw []byte) error {
	s.mu.Lock()
	s.revs[tour] += 1000
	rev := s.revs[tour]
	s.mu.Unlock()
	m := bigtable.NewMutation()
	m.Set(famStop, column(st.Number), bigtable.Timestamp(rev), raw) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, tour, m)
}

// ReviseAt writes a revision whose number the dispatcher gives.
func (s *Store) ReviseAt(ctx context.Context, tour string, st Stop, rev int64, raw []byte) error {
	m := bigtable.NewMutation()
	m.Set(famStop, column(st.Number), bigtable.Timestamp(rev), raw) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, tour, m)
}

// History rewrites all revisions of a stop, oldest first.
func (s *Store) History(ctx context.Context, tour string, n int, revs [][]byte) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(famStop, column(n))
	for i, raw := range revs {
		m.Set(famStop, column(n), bigtable.Timestamp(i+1), raw) // want ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, tour, m)
}

// HistoryScaled is History as it should be.
func (s *Store) HistoryScaled(ctx context.Context, tour string, n int, revs [][]byte) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(famStop, column(n))
	for i, raw := range revs {
		m.Set(famStop, column(n), bt.Seq(int64(i)+1), raw) // ok ttlwrite/unscaled-sequence ttlwrite/delete-after-set
	}
	return s.tbl.Apply(ctx, tour, m)
}

// HistoryDown rewrites revisions that come newest first.
func (s *Store) HistoryDown(ctx context.Context, tour string, n int, revs [][]byte) error {
	m := bigtable.NewMutation()
	for i := range revs {
		m.Set(famStop, column(n), bt.Ordinal(len(revs)-i), revs[i]) // want ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, tour, m)
}

// Append writes a stop after the others.
func (s *Store) Append(ctx context.Context, tour string, existing []Stop, raw []byte) error {
	m := bigtable.NewMutation()
	m.Set(famStop, column(len(existing)), bigtable.Timestamp(len(existing)), raw) // want ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, tour, m)
}

// Touch writes a stop again, so that the app notices.
func (s *Store) Touch(ctx context.Context, tour string, st Stop, raw []byte) error {
	m := bigtable.NewMutation()
	m.Set(famStop, column(st.Number), bigtable.Now(), raw) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, tour, m)
}

// Complete marks a stop as done.
func (s *Store) Complete(ctx context.Context, tour string, n int, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set(famStop, column(n)+"/done", bigtable.Time(at), []byte{1}) // want ttlwrite/clock-in-sequence
	m.Set(famDoc, column(n)+"/done", bigtable.Time(at), []byte{1})  // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, tour, m)
}

// Skip marks a stop as skipped.
func (s *Store) Skip(ctx context.Context, tour string, n int) error {
	m := bigtable.NewMutation()
	m.Set(famStop, column(n)+"/skip", bigtable.ServerTime, []byte{1}) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, tour, m)
}

// Numbered writes a revision at a timestamp made of its number.
func (s *Store) Numbered(ctx context.Context, tour string, n int, rev int64, raw []byte) error {
	m := bigtable.NewMutation()
	m.Set(famStop, column(n), bigtable.Time(time.UnixMilli(rev)), raw) // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, tour, m)
}

// CountLoad counts what was loaded at a stop.
func (s *Store) CountLoad(ctx context.Context, tour string, n int) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(famStop, column(n)+"/loaded", 1) // want ttlwrite/read-modify-write
	rmw.Increment(famDoc, "loaded", 1)             // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, tour, rmw)
	return err
}

// Attach stores a paper.
func (s *Store) Attach(ctx context.Context, tour string, p Paper) error {
	m := bigtable.NewMutation()
	m.Set(famDoc, p.Name, bigtable.ServerTime, p.Body) // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, tour, m)
}

// Stops returns the stops of a tour.
func (s *Store) Stops(ctx context.Context, tour string) ([]Stop, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famStop), s.read)
	row, err := s.tbl.ReadRow(ctx, tour, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return stops(row)
}

func stops(row bigtable.Row) ([]Stop, error) {
	out := make([]Stop, 0, len(row[famStop]))
	for _, it := range row[famStop] {
		var st Stop
		if err := json.Unmarshal(it.Value, &st); err != nil {
			return nil, fmt.Errorf("manifest: %s: %w", it.Column, err)
		}
		st.Revision = int64(it.Timestamp) / 1000 // ok ttlage/not-write-time
		out = append(out, st)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Number < out[j].Number })
	return out, nil
}

// Load returns everything of a tour.
func (s *Store) Load(ctx context.Context, tour string) ([]Stop, []Paper, error) {
	row, err := s.tbl.ReadRow(ctx, tour) // want ttlread/missing-filter
	if err != nil {
		return nil, nil, err
	}
	var papers []Paper
	for _, it := range row[famDoc] {
		papers = append(papers, Paper{Name: it.Column, Body: it.Value, CreatedAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	st, err := stops(row)
	return st, papers, err
}

// LoadLatest is Load with the newest of everything.
func (s *Store) LoadLatest(ctx context.Context, tour string) ([]Stop, error) {
	row, err := s.tbl.ReadRow(ctx, tour, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return stops(row)
}

// Papers returns the papers of a tour.
func (s *Store) Papers(ctx context.Context, tour string) ([]Paper, error) {
	row, err := s.tbl.ReadRow(ctx, tour, bigtable.RowFilter(bigtable.FamilyFilter(famDoc))) // strict ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []Paper
	for _, it := range row[famDoc] {
		out = append(out, Paper{Name: it.Column, Body: it.Value, CreatedAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	return out, nil
}

// StopAt returns one stop.
func (s *Store) StopAt(ctx context.Context, tour string, n int) (*Stop, error) {
	row, err := s.tbl.ReadRow(ctx, tour, bigtable.RowFilter(bt.Column(famStop, column(n)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	for _, it := range row[famStop] {
		st := &Stop{Number: n, UpdatedAt: it.Timestamp.Time()} // want ttlage/not-write-time
		return st, json.Unmarshal(it.Value, st)
	}
	return nil, bt.ErrNotFound
}

// Revisions returns the revisions of a stop.
func (s *Store) Revisions(ctx context.Context, tour string, n int) ([][]byte, error) {
	f := bigtable.ChainFilters(bt.Column(famStop, column(n)), bigtable.LatestNFilter(versions))
	row, err := s.tbl.ReadRow(ctx, tour, bigtable.RowFilter(f)) // ok ttlread/version-limit
	var out [][]byte
	for _, it := range row[famStop] {
		out = append(out, it.Value)
	}
	return out, err
}

// RevisionsLong returns more revisions than there are.
func (s *Store) RevisionsLong(ctx context.Context, tour string, n int) (map[int64][]byte, error) {
	f := bigtable.ChainFilters(bt.Column(famStop, column(n)), bigtable.LatestNFilter(25)) // want ttlread/version-limit[long]
	row, err := s.tbl.ReadRow(ctx, tour, bigtable.RowFilter(f))                           // want ttlread/version-limit[long]
	out := map[int64][]byte{}
	for _, it := range row[famStop] {
		out[bt.SeqNumber(it.Timestamp)] = it.Value
	}
	return out, err
}

// Revision returns a certain revision.
func (s *Store) Revision(ctx context.Context, tour string, n int, rev int64) ([]byte, error) {
	f := bigtable.ChainFilters(
		bt.Column(famStop, column(n)),
		bigtable.TimestampRangeFilterMicros(bt.Seq(rev), bt.Seq(rev+1)),
		bigtable.LatestNFilter(1),
	)
	row, err := s.tbl.ReadRow(ctx, tour, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	for _, it := range row[famStop] {
		return it.Value, nil
	}
	return nil, bt.ErrNotFound
}

// Today returns the stops that were revised today.
func (s *Store) Today(ctx context.Context, tour string) ([]Stop, error) {
	midnight := s.now().Add(-12 * time.Hour)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famStop), bigtable.TimestampRangeFilter(midnight, time.Time{})) // want ttlread/wrong-bound[today]
	row, err := s.tbl.ReadRow(ctx, tour, bigtable.RowFilter(f))                                                      // want ttlread/wrong-bound[today]
	if err != nil {
		return nil, err
	}
	return stops(row)
}

// PapersToday returns the papers that were written today.
func (s *Store) PapersToday(ctx context.Context, tour string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famDoc), bigtable.TimestampRangeFilter(s.now().Add(-12*time.Hour), time.Time{}))
	row, err := s.tbl.ReadRow(ctx, tour, bigtable.RowFilter(f)) // ok ttlread/wrong-bound // strict ttlread/missing-filter
	return len(row[famDoc]), err
}

// Find returns the tours that have a stop with a parcel.
func (s *Store) Find(ctx context.Context, day, parcel string) ([]string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famStop), bigtable.ValueFilter(`.*"`+parcel+`".*`), bigtable.LatestNFilter(1)) // want ttlread/version-limit[find]
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(day), func(r bigtable.Row) bool { // want ttlread/version-limit[find]
		for _, it := range r[famStop] {
			out = append(out, r.Key()+"/"+it.Column)
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/version-limit[find]
	return out, err
}

// FindNow is Find among what holds.
func (s *Store) FindNow(ctx context.Context, day, parcel string) ([]string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famStop), bigtable.LatestNFilter(1), bigtable.ValueFilter(`.*"`+parcel+`".*`))
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(day), func(r bigtable.Row) bool { // ok ttlread/version-limit
		for _, it := range r[famStop] {
			out = append(out, r.Key()+"/"+it.Column)
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Tours returns the tours of a day.
func (s *Store) Tours(ctx context.Context, day string) (map[string]int, error) {
	out := map[string]int{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(day), func(r bigtable.Row) bool { // want ttlread/missing-filter
		out[r.Key()] = len(r[famStop])
		return true
	}, bigtable.LimitRows(2000))
	return out, err
}

// TourKeys returns the keys of a day's tours.
func (s *Store) TourKeys(ctx context.Context, day string) (out []string, err error) {
	err = s.tbl.ReadRows(ctx, bigtable.PrefixRange(day), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		out = append(out, r.Key())
		return true
	}, bigtable.LimitRows(2000), bigtable.RowFilter(bigtable.StripValueFilter()))
	return out, err
}

// Close writes a paper for a tour that has stops.
func (s *Store) Close(ctx context.Context, tour string) (bool, error) {
	done := bigtable.NewMutation()
	done.Set(famDoc, "closed", bigtable.Now(), []byte(tour)) // ok ttlwrite/clock-in-sequence
	var has bool
	err := s.tbl.Apply(ctx, tour, bigtable.NewCondMutation(bigtable.FamilyFilter(famStop), done, nil), bigtable.GetCondMutationResult(&has)) // ok ttlread/conditional-mutation
	return has, err
}

// CloseIf writes a paper for a tour with a stop in a certain state.
func (s *Store) CloseIf(ctx context.Context, tour, state string) error {
	done := bigtable.NewMutation()
	done.Set(famDoc, "closed", bigtable.Now(), []byte(tour))                                                // ok ttlwrite/clock-in-sequence
	inState := bigtable.ChainFilters(bigtable.FamilyFilter(famStop), bigtable.ValueFilter(".*"+state+".*")) // want ttlread/conditional-mutation[closeIf]
	return s.tbl.Apply(ctx, tour, bigtable.NewCondMutation(inState, done, nil))                             // want ttlread/conditional-mutation[closeIf]
}

// CloseLatest is CloseIf that looks at the newest state only.
func (s *Store) CloseLatest(ctx context.Context, tour, state string) error {
	done := bigtable.NewMutation()
	done.Set(famDoc, "closed", bigtable.Now(), []byte(tour)) // ok ttlwrite/clock-in-sequence
	inState := bigtable.ChainFilters(bigtable.FamilyFilter(famStop), bigtable.LatestNFilter(1), bigtable.ValueFilter(".*"+state+".*"))
	return s.tbl.Apply(ctx, tour, bigtable.NewCondMutation(inState, done, nil)) // ok ttlread/conditional-mutation
}

// ErrNoStops is returned by Check.
var ErrNoStops = errors.New("manifest: no stops")

// Check logs what is odd about a tour.
func (s *Store) Check(ctx context.Context, tour string) error {
	row, err := s.tbl.ReadRow(ctx, tour, bigtable.RowFilter(bt.LatestOf(famStop, 1))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	if len(row[famStop]) == 0 {
		return ErrNoStops
	}
	for _, it := range row[famStop] {
		if s.now().Sub(it.Timestamp.Time()) > 24*time.Hour { // want ttlage/not-write-time
			s.log.Warn("old stop", "tour", tour, "stop", it.Column)
		}
		s.log.Debug("stop", "tour", tour, "revision", bt.SeqNumber(it.Timestamp)) // ok ttlage/not-write-time
	}
	return nil
}
