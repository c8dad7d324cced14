// Package consent stores what users agreed to: grants that expire, numbered
// revisions, the current string and some bookkeeping.
package consent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/bt"
	"adcap.example/platform/internal/filters"
	"adcap.example/platform/internal/mutate"
	"adcap.example/platform/internal/schema"
)

// ErrConflict is returned when a revision was written by somebody else.
var ErrConflict = errors.New("consent: conflict")

// Purpose is a numbered purpose of the framework.
type Purpose int

// Revision is one numbered state of a user's consent.
type Revision struct {
	Number   int64     `json:"number"`
	Purposes []Purpose `json:"purposes"`
	Source   string    `json:"source"`
}

// Repo is what handlers need.
type Repo interface {
	Grant(ctx context.Context, user string, p Purpose, life time.Duration) error
	Revise(ctx context.Context, user string, r Revision) error
	Latest(ctx context.Context, user string) (*Revision, error)
}

// Store implements Repo.
type Store struct {
	tbl  *bigtable.Table
	now  func() time.Time
	seq  atomic.Int64
	next map[string]int64
}

var _ Repo = (*Store)(nil)

// Option configures the store.
type Option func(*Store)

// WithNow injects a clock.
func WithNow(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// NewStore opens the table.
func NewStore(c *bigtable.Client, opts ...Option) *Store {
	s := &Store{tbl: c.Open(schema.TableConsent), now: time.Now, next: map[string]int64{}}
	for _, o := range opts {
		o(s)
	}
	return s
}

func key(user string) string { return "c#" + user }

func purposeColumn(p Purpose) string { return "p" + strconv.Itoa(int(p)) }

// Grant writes a grant that ends after life.
func (s *Store) Grant(ctx context.Context, user string, p Purpose, life time.Duration) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamGrant, purposeColumn(p), bigtable.Time(time.Now().Add(life)), []byte{1}) // ok ttlwrite/write-time
	m.Set(schema.FamMeta, "granted", bigtable.Now(), []byte(purposeColumn(p)))               // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, key(user), m)
}

// GrantAll was generated from a template of the old service.
func (s *Store) GrantAll(ctx context.Context, user string, ps []Purpose) error {
	m := bigtable.NewMutation()
	for _, p := range ps {
		m.Set(schema.FamGrant, purposeColumn(p), bigtable.Time(time.Now()), []byte{1}) // want ttlwrite/write-time
	}
	m.Set(schema.FamMeta, "granted", bigtable.Time(time.Now()), nil) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, key(user), m)
}

// GrantServer relies on the server.
func (s *Store) GrantServer(ctx context.Context, user string, p Purpose) error {
	const serverSide = -1
	m := bigtable.NewMutation()
	m.Set(schema.FamGrant, purposeColumn(p), serverSide, []byte{1}) // want ttlwrite/server-timestamp
	m.Set(schema.FamMeta, "granted", serverSide, nil)               // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, key(user), m)
}

// GrantForever never ends.
func (s *Store) GrantForever(ctx context.Context, user string, p Purpose) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamGrant, purposeColumn(p), bigtable.Time(time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)), []byte{1}) // ok ttlwrite/already-expired ttlunit/out-of-range
	return s.tbl.Apply(ctx, key(user), m)
}

// GrantEpoch wanted a cell that is always there.
func (s *Store) GrantEpoch(ctx context.Context, user string, p Purpose) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamGrant, purposeColumn(p), 0, []byte{1}) // want ttlwrite/already-expired
	m.Set(schema.FamCur, purposeColumn(p), 0, []byte{1})   // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, key(user), m)
}

// GrantUntilLaunch has a constant that passed.
func (s *Store) GrantUntilLaunch(ctx context.Context, user string, p Purpose) error {
	end := time.Date(2024, time.September, 1, 0, 0, 0, 0, time.UTC)
	m := bigtable.NewMutation()
	m.Set(schema.FamGrant, purposeColumn(p), bigtable.Time(end), []byte{1}) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, key(user), m)
}

// Revoke deletes the grant.
func (s *Store) Revoke(ctx context.Context, user string, p Purpose) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamGrant, purposeColumn(p))
	m.Set(schema.FamMeta, "revoked", bigtable.Now(), []byte(purposeColumn(p))) // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, key(user), m)
}

// Forget writes a marker and deletes the row, in the wrong order.
func (s *Store) Forget(ctx context.Context, user string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamMeta, "forgotten", bigtable.Now(), nil)
	m.DeleteRow() // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, key(user), m)
}

// ForgetRight deletes first.
func (s *Store) ForgetRight(ctx context.Context, user string) error {
	m := bigtable.NewMutation()
	m.DeleteRow() // ok ttlwrite/delete-after-set
	m.Set(schema.FamMeta, "forgotten", bigtable.Now(), nil)
	return s.tbl.Apply(ctx, key(user), m)
}

// Revise writes a numbered revision.
func (s *Store) Revise(ctx context.Context, user string, r Revision) error {
	v, err := json.Marshal(r)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, "state", bigtable.Timestamp(r.Number*1000), v) // ok ttlwrite/unscaled-sequence ttlwrite/clock-in-sequence
	m.Set(schema.FamCur, "state", 0, v)                                 // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, key(user), m)
}

// ReviseNow lets the clock number the revision.
func (s *Store) ReviseNow(ctx context.Context, user string, r Revision) error {
	v, err := json.Marshal(r)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, "state", bigtable.Now(), v) // want ttlwrite/clock-in-sequence
	m.Set(schema.FamCur, "state", bigtable.Now(), v) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, key(user), m)
}

// ReviseServer lets the server do it.
func (s *Store) ReviseServer(ctx context.Context, user string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, "state", bigtable.ServerTime, v) // want ttlwrite/clock-in-sequence
	m.Set(schema.FamCur, "state", bigtable.ServerTime, v) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, key(user), m)
}

// ReviseNext numbers with the process counter.
func (s *Store) ReviseNext(ctx context.Context, user string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, "state", bigtable.Timestamp(s.seq.Add(1)), v)       // want ttlwrite/unscaled-sequence
	m.Set(schema.FamRev, "shadow", bigtable.Timestamp(s.seq.Add(1)*1000), v) // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamRev, "step", mutate.Seq(s.seq.Load()), v)                // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, key(user), m)
}

// ReviseMap numbers with the map of counters.
func (s *Store) ReviseMap(ctx context.Context, user string, v []byte) error {
	s.next[user]++
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, "state", bigtable.Timestamp(s.next[user]), v)      // want ttlwrite/unscaled-sequence
	m.Set(schema.FamRev, "right", bigtable.Timestamp(s.next[user]*1000), v) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, key(user), m)
}

// Import writes a history.
func (s *Store) Import(ctx context.Context, user string, history [][]byte) error {
	m := bigtable.NewMutation()
	for i, v := range history {
		m.Set(schema.FamRev, "state", bigtable.Timestamp(i), v) // want ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, key(user), m)
}

// ImportScaled does it right.
func (s *Store) ImportScaled(ctx context.Context, user string, history [][]byte) error {
	m := bigtable.NewMutation()
	for i, v := range history {
		m.Set(schema.FamRev, "state", bigtable.Timestamp(int64(i+1)*1000), v) // ok ttlwrite/unscaled-sequence
	}
	var ts bigtable.Timestamp = 1000
	for _, v := range history {
		m.Set(schema.FamRev, "mirror", ts, v) // ok ttlwrite/unscaled-sequence
		ts += 1000
	}
	return s.tbl.Apply(ctx, key(user), m)
}

// ImportReverse counts downwards.
func (s *Store) ImportReverse(ctx context.Context, user string, history [][]byte) error {
	m := bigtable.NewMutation()
	for i, v := range history {
		m.Set(schema.FamRev, "state", bigtable.Timestamp(len(history)-i), v) // want ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, key(user), m)
}

// Seed writes the first revision.
func (s *Store) Seed(ctx context.Context, user string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, "state", 1, []byte("{}"))    // want ttlwrite/unscaled-sequence
	m.Set(schema.FamRev, "first", 1000, []byte("{}")) // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamCur, "state", 1000, []byte("{}")) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, key(user), m)
}

// Bump increments the revision in place.
func (s *Store) Bump(ctx context.Context, user string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamRev, "number", 1)               // want ttlwrite/read-modify-write
	rmw.Increment(schema.FamMeta, "number", 1)              // ok ttlwrite/read-modify-write
	rmw.AppendValue(schema.FamCur, "state", []byte{','})    // want ttlwrite/read-modify-write
	rmw.AppendValue(schema.FamMeta, "log", []byte("bump;")) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, key(user), rmw)
	return err
}

// Latest reads the newest revision.
func (s *Store) Latest(ctx context.Context, user string) (*Revision, error) {
	row, err := s.tbl.ReadRow(ctx, key(user), bigtable.RowFilter(filters.Versions(schema.FamRev, 1))) // ok ttlread/version-limit ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return revision(row)
}

func revision(row bigtable.Row) (*Revision, error) {
	v, ok := bt.First[[]byte](row, schema.FamRev, "state")
	if !ok {
		return nil, nil
	}
	var r Revision
	if err := json.Unmarshal(v, &r); err != nil {
		return nil, fmt.Errorf("revision of %s: %w", row.Key(), err)
	}
	return &r, nil
}

// LatestUnbounded takes the first cell, whatever comes with it.
func (s *Store) LatestUnbounded(ctx context.Context, user string) (*Revision, error) {
	row, err := s.tbl.ReadRow(ctx, key(user), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamRev))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return revision(row)
}

// History reads more versions than are kept.
func (s *Store) History(ctx context.Context, user string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key(user), bigtable.RowFilter(filters.Versions(schema.FamRev, 50))) // want ttlread/version-limit
}

// Kept reads what is kept.
func (s *Store) Kept(ctx context.Context, user string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key(user), bigtable.RowFilter(filters.Versions(schema.FamRev, schema.RevVersions))) // ok ttlread/version-limit
}

// Since reads the revisions of the last day, as somebody thought.
func (s *Store) Since(ctx context.Context, user string, d time.Duration) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRev), bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})) // want ttlread/wrong-bound[revsince]
	return s.tbl.ReadRow(ctx, key(user), bigtable.RowFilter(f))                                                                      // want ttlread/wrong-bound[revsince]
}

// Numbered looks revisions up by number.
func (s *Store) Numbered(ctx context.Context, user string, from, to int64) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRev), bigtable.TimestampRangeFilterMicros(mutate.Seq(from), mutate.Seq(to)), bigtable.LatestNFilter(5)) // ok ttlread/wrong-bound ttlread/version-limit
	return s.tbl.ReadRow(ctx, key(user), bigtable.RowFilter(f))                                                                                                        // ok ttlread/wrong-bound
}

// Grants reads the live grants.
func (s *Store) Grants(ctx context.Context, user string) ([]Purpose, error) {
	row, err := s.tbl.ReadRow(ctx, key(user), bigtable.RowFilter(filters.LiveFamily(schema.FamGrant, time.Now()))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return purposes(row), nil
}

func purposes(row bigtable.Row) []Purpose {
	var out []Purpose
	for _, it := range row[schema.FamGrant] {
		n, err := strconv.Atoi(it.Column[len(schema.FamGrant)+2:])
		if err == nil {
			out = append(out, Purpose(n))
		}
	}
	return out
}

// GrantsRaw reads everything and looks at the grants.
func (s *Store) GrantsRaw(ctx context.Context, user string) ([]Purpose, error) {
	row, err := s.tbl.ReadRow(ctx, key(user)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return purposes(row), nil
}

// GrantsChecked hands the row to a helper that compares.
func (s *Store) GrantsChecked(ctx context.Context, user string) (n int, err error) {
	row, err := s.tbl.ReadRow(ctx, key(user)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[schema.FamGrant] {
		if alive(it, s.now()) {
			n++
		}
	}
	return n, nil
}

func alive(it bigtable.ReadItem, now time.Time) bool {
	return !it.Timestamp.Time().Before(now)
}

// GrantsLogged only logs the moment.
func (s *Store) GrantsLogged(ctx context.Context, user string, log *slog.Logger) (n int, err error) {
	row, err := s.tbl.ReadRow(ctx, key(user)) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[schema.FamGrant] {
		log.Debug("grant", "until", it.Timestamp.Time(), "column", it.Column)
		n++
	}
	return n, nil
}

// Current reads the family at timestamp zero.
func (s *Store) Current(ctx context.Context, user string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, key(user), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamCur))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	v, _ := bt.First[[]byte](row, schema.FamCur, "state")
	return v, nil
}

// CurrentString reads without a filter; the row's other families are not used.
func (s *Store) CurrentString(ctx context.Context, user string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, key(user)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	v, _ := bt.First[string](row, schema.FamCur, "state")
	return v, nil
}

// Whole reads the row by its rules.
func (s *Store) Whole(ctx context.Context, user string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key(user), bigtable.RowFilter(filters.Consent(s.now()))) // ok ttlread/missing-filter ttlread/version-limit
}

// Functional reads with the functional options.
func (s *Store) Functional(ctx context.Context, user string) ([]Purpose, error) {
	row, err := s.tbl.ReadRow(ctx, key(user), filters.Options(filters.WithLive(time.Now()))...) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return purposes(row), nil
}

// FunctionalFamily uses the option without a bound.
func (s *Store) FunctionalFamily(ctx context.Context, user string) ([]Purpose, error) {
	row, err := s.tbl.ReadRow(ctx, key(user), filters.Options(filters.WithFamily(schema.FamGrant))...) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return purposes(row), nil
}

// Claim writes a grant unless there is one.
func (s *Store) Claim(ctx context.Context, user string, p Purpose) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(schema.FamGrant, purposeColumn(p), mutate.Until(time.Now(), schema.GrantLifetime), []byte{1}) // ok ttlwrite/write-time
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamGrant), bigtable.ColumnFilter(purposeColumn(p)))
	cond := bigtable.NewCondMutation(pred, nil, set) // want ttlread/conditional-mutation
	var matched bool
	err := s.tbl.Apply(ctx, key(user), cond, bigtable.GetCondMutationResult(&matched))
	return !matched, err
}

// ClaimLive asks only for live ones.
func (s *Store) ClaimLive(ctx context.Context, user string, p Purpose) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(schema.FamGrant, purposeColumn(p), mutate.Until(time.Now(), schema.GrantLifetime), []byte{1}) // ok ttlwrite/write-time
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamGrant), bigtable.ColumnFilter(purposeColumn(p)), filters.Live(time.Now()))
	cond := bigtable.NewCondMutation(pred, nil, set) // ok ttlread/conditional-mutation
	var matched bool
	err := s.tbl.Apply(ctx, key(user), cond, bigtable.GetCondMutationResult(&matched))
	return !matched, err
}

// Clean deletes the grants of rows that have some.
func (s *Store) Clean(ctx context.Context, user string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(schema.FamGrant)
	return s.tbl.Apply(ctx, key(user), bigtable.NewCondMutation(bigtable.FamilyFilter(schema.FamGrant), del, nil)) // ok ttlread/conditional-mutation
}

// FirstRevision writes the first revision where there is none.
func (s *Store) FirstRevision(ctx context.Context, user string, v []byte) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamRev, "state", 1000, v)                                                                     // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, key(user), bigtable.NewCondMutation(bigtable.FamilyFilter(schema.FamRev), nil, set)) // ok ttlread/conditional-mutation
}

// MetaOnce asks the ordinary family.
func (s *Store) MetaOnce(ctx context.Context, user string) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamMeta, "first", bigtable.Now(), nil)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamMeta), bigtable.ColumnFilter("first"))
	return s.tbl.Apply(ctx, key(user), bigtable.NewCondMutation(f, nil, set)) // ok ttlread/conditional-mutation
}

// Handler serves the HTTP interface.
type Handler struct {
	repo Repo
	log  *slog.Logger
}

// NewHandler returns a handler over a repository.
func NewHandler(r Repo, log *slog.Logger) *Handler { return &Handler{repo: r, log: log} }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user := r.PathValue("user")
	switch r.Method {
	case http.MethodGet:
		rev, err := h.repo.Latest(r.Context(), user)
		if err != nil {
			h.fail(w, err)
			return
		}
		if err := json.NewEncoder(w).Encode(rev); err != nil {
			h.log.Error("encode", "err", err)
		}
	case http.MethodPut:
		var rev Revision
		if err := json.NewDecoder(r.Body).Decode(&rev); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := h.repo.Revise(r.Context(), user, rev); err != nil {
			h.fail(w, err)
			return
		}
		for _, p := range rev.Purposes {
			if err := h.repo.Grant(r.Context(), user, p, schema.GrantLifetime); err != nil {
				h.fail(w, err)
				return
			}
		}
		w.WriteHeader(http.StatusNoContent)
	default:
		http.Error(w, "method", http.StatusMethodNotAllowed)
	}
}

func (h *Handler) fail(w http.ResponseWriter, err error) {
	h.log.Error("consent", "err", err)
	if errors.Is(err, ErrConflict) {
		http.Error(w, "conflict", http.StatusConflict)
		return
	}
	http.Error(w, "internal", http.StatusInternalServerError)
}
