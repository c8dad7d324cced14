// Package beds keeps the beds of a ward and who holds them. A hold expires by itself.
package beds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"medboard.example/board/btx"
	"medboard.example/board/clock"
	"medboard.example/board/schema"
)

const (
	famHold = schema.Hold
	famBed  = schema.Bed

	colPatient = "patient"
	colNurse   = "nurse"
	colNote    = "note"
	colCount   = "count"
	colState   = "state"
)

// ErrTaken says that somebody else holds the bed.
var ErrTaken = errors.New("bed is taken")

// Hold is a reservation.
type Hold struct {
	Bed       string    `json:"bed"`
	Patient   string    `json:"patient"`
	Nurse     string    `json:"nurse,omitempty"`
	ExpiresAt time.Time `json:"expires_at"`
	CreatedAt time.Time `json:"created_at,omitzero"`
}

// Store keeps holds.
type Store struct {
	tbl btx.Table
	clk clock.Clock
	ids clock.IDs

	mu    sync.Mutex
	cache map[string]Hold
}

// New returns a Store.
func New(tbl btx.Table, clk clock.Clock, ids clock.IDs) *Store {
	return &Store{tbl: tbl, clk: clk, ids: ids, cache: make(map[string]Hold)}
}

// Key is the row of a bed.
func Key(ward, bed string) string { return ward + "#" + bed }

func (s *Store) live() bigtable.Filter {
	return bigtable.TimestampRangeFilter(s.clk.Now(), time.Time{}) // ok ttlread/upper-bound
}

func (s *Store) until(ttl time.Duration) bigtable.Timestamp {
	return bigtable.Time(s.clk.Now().Add(ttl))
}

// Reserve holds a bed for a patient.
func (s *Store) Reserve(ctx context.Context, ward, bed, patient string, ttl time.Duration) (Hold, error) {
	key := Key(ward, bed)
	cur, err := s.Get(ctx, ward, bed)
	if err == nil && cur.Patient != patient {
		return Hold{}, ErrTaken
	}
	if err != nil && !errors.Is(err, btx.ErrNotFound) {
		return Hold{}, err
	}
	exp := s.clk.Now().Add(ttl)
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(famHold, colPatient)                        // ok ttlwrite/delete-after-set
	mut.Set(famHold, colPatient, bigtable.Time(exp), []byte(patient))   // ok ttlwrite/write-time
	mut.Set(famHold, "id", bigtable.Time(exp), []byte(s.ids.NewID()))   // ok ttlwrite/write-time
	mut.Set(famBed, "reserved", bigtable.Now(), []byte(patient))        // ok ttlwrite/write-time
	mut.Set(famBed, "reserved-ward", bigtable.ServerTime, []byte(ward)) // ok ttlwrite/server-timestamp
	if err := s.tbl.Apply(ctx, key, mut); err != nil {
		return Hold{}, fmt.Errorf("reserve %s: %w", key, err)
	}
	h := Hold{Bed: bed, Patient: patient, ExpiresAt: exp}
	s.mu.Lock()
	s.cache[key] = h
	s.mu.Unlock()
	return h, nil
}

// Get returns the hold of a bed.
func (s *Store) Get(ctx context.Context, ward, bed string) (Hold, error) {
	f := btx.Family(famHold, s.live(), bigtable.LatestNFilter(1))
	row, err := s.tbl.ReadRow(ctx, Key(ward, bed), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return Hold{}, err
	}
	it, ok := btx.Cell(row, famHold, colPatient)
	if !ok {
		return Hold{}, btx.ErrNotFound
	}
	return Hold{
		Bed:       bed,
		Patient:   string(it.Value),
		Nurse:     btx.Value(row, famHold, colNurse),
		ExpiresAt: it.Timestamp.Time(), // ok ttlage/not-write-time
	}, nil
}

// Assign notes the nurse who looks after a held bed.
func (s *Store) Assign(ctx context.Context, ward, bed, nurse string) error {
	mut := bigtable.NewMutation()
	mut.Set(famHold, colNurse, bigtable.Now(), []byte(nurse)) // want ttlwrite/write-time
	mut.Set(famBed, colNurse, bigtable.Now(), []byte(nurse))  // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, Key(ward, bed), mut)
}

// Annotate adds a note to a hold.
func (s *Store) Annotate(ctx context.Context, ward, bed, note string) error {
	now := s.clk.Now()
	mut := bigtable.NewMutation()
	mut.Set(famHold, colNote, bigtable.Time(now), []byte(note))                          // want ttlwrite/write-time
	mut.Set(famHold, "note-nurse", bigtable.Time(now.Add(schema.HoldTTL)), []byte(note)) // ok ttlwrite/write-time
	mut.Set(famBed, colNote, bigtable.Time(now), []byte(note))                           // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, Key(ward, bed), mut)
}

// Flag marks a held bed.
func (s *Store) Flag(ctx context.Context, ward, bed, flag string) error {
	mut := bigtable.NewMutation()
	mut.Set(famHold, "flag", bigtable.ServerTime, []byte(flag)) // want ttlwrite/server-timestamp
	mut.Set(famBed, "flag", bigtable.ServerTime, []byte(flag))  // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, Key(ward, bed), mut)
}

// Extend gives a hold more time.
func (s *Store) Extend(ctx context.Context, ward, bed string, more time.Duration) error {
	h, err := s.Get(ctx, ward, bed)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(famHold, colPatient)
	mut.Set(famHold, colPatient, bigtable.Time(h.ExpiresAt.Add(more)), []byte(h.Patient)) // ok ttlwrite/write-time
	mut.Set(famHold, "extended", s.until(0), []byte("1"))                                 // want ttlwrite/write-time
	mut.Set(famHold, "extended-until", s.until(more), []byte("1"))                        // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, Key(ward, bed), mut)
}

// Release ends a hold.
func (s *Store) Release(ctx context.Context, ward, bed string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(famHold) // ok ttlwrite/delete-after-set
	mut.Set(famBed, colState, bigtable.Now(), []byte("free"))
	s.mu.Lock()
	delete(s.cache, Key(ward, bed))
	s.mu.Unlock()
	return s.tbl.Apply(ctx, Key(ward, bed), mut)
}

// Expire ends a hold without forgetting who had it.
func (s *Store) Expire(ctx context.Context, ward, bed string) error {
	mut := bigtable.NewMutation()
	mut.Set(famHold, colPatient, bigtable.Time(s.clk.Now().Add(-time.Minute)), nil) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, Key(ward, bed), mut)
}

// Move takes a hold from one bed to another.
func (s *Store) Move(ctx context.Context, ward, from, to string) error {
	h, err := s.Get(ctx, ward, from)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(famHold, colPatient, bigtable.Time(h.ExpiresAt), []byte(h.Patient))
	mut.DeleteCellsInFamily(famHold)                            // want ttlwrite/delete-after-set
	mut.Set(famBed, "moved-from", bigtable.Now(), []byte(from)) // ok ttlwrite/write-time
	if err := s.tbl.Apply(ctx, Key(ward, to), mut); err != nil {
		return err
	}
	return s.Release(ctx, ward, from)
}

// Peek counts how often a hold was looked at.
func (s *Store) Peek(ctx context.Context, ward, bed string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(famHold, colCount, 1) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, Key(ward, bed), rmw)
	return err
}

// Visit counts how often a bed was looked at.
func (s *Store) Visit(ctx context.Context, ward, bed string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(famBed, colCount, 1) // ok ttlwrite/read-modify-write
	rmw.AppendValue(famBed, "visits", []byte("."))
	_, err := s.tbl.ApplyReadModifyWrite(ctx, Key(ward, bed), rmw)
	return err
}

// Taken says whether a bed is held.
func (s *Store) Taken(ctx context.Context, ward, bed string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, Key(ward, bed), bigtable.RowFilter(bigtable.FamilyFilter(famHold))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// Free says whether nobody holds a bed.
func (s *Store) Free(ctx context.Context, ward, bed string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famHold), s.live(), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	row, err := s.tbl.ReadRow(ctx, Key(ward, bed), bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/limit-before-filter
	return err == nil && len(row) == 0, err
}

// Nurse returns who looks after a bed, from the bed itself.
func (s *Store) Nurse(ctx context.Context, ward, bed string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, Key(ward, bed)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return btx.Value(row, famBed, colNurse), nil
}

// Holder returns who holds a bed.
func (s *Store) Holder(ctx context.Context, ward, bed string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, Key(ward, bed), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return btx.Value(row, famHold, colPatient), nil
}

// List returns the holds of a ward.
func (s *Store) List(ctx context.Context, ward string) ([]Hold, error) {
	var out []Hold
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"#"), func(row bigtable.Row) bool {
		if it, ok := btx.Cell(row, famHold, colPatient); ok {
			out = append(out, Hold{Bed: strings.TrimPrefix(row.Key(), ward+"#"), Patient: string(it.Value), ExpiresAt: it.Timestamp.Time()})
		}
		return true
	}, bigtable.RowFilter(btx.Family(famHold, s.live()))) // ok ttlread/missing-filter
	sort.Slice(out, func(i, j int) bool { return out[i].Bed < out[j].Bed })
	return out, err
}

// Patients returns who is held a bed for in a ward, with repetitions.
func (s *Store) Patients(ctx context.Context, ward string) ([]string, error) {
	var out []string
	rr := bigtable.PrefixRange(ward + "#")
	err := s.tbl.ReadRows(ctx, rr, func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row[famHold] {
			if it.Column == famHold+":"+colPatient {
				out = append(out, string(it.Value))
			}
		}
		return true
	})
	return out, err
}

// Overview returns beds and holds.
func (s *Store) Overview(ctx context.Context, ward string) (map[string][2]string, error) {
	out := make(map[string][2]string)
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.InterleaveFilters(
		bigtable.FamilyFilter(famBed),
		bigtable.ChainFilters(bigtable.FamilyFilter(famHold), s.live()),
	))}
	opts = append(opts, bigtable.LimitRows(500))
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter ttlread/unfiltered-branch
		out[row.Key()] = [2]string{btx.Value(row, famBed, colState), btx.Value(row, famHold, colPatient)}
		return true
	}, opts...)
	return out, err
}

// OverviewFast is Overview with half of the work for the server.
func (s *Store) OverviewFast(ctx context.Context, ward string) (map[string][2]string, error) {
	out := make(map[string][2]string)
	f := bigtable.TimestampRangeFilter(s.clk.Now(), time.Time{})                             // want ttlread/hides-other-families[fast]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"#"), func(row bigtable.Row) bool { // want ttlread/hides-other-families[fast]
		out[row.Key()] = [2]string{btx.Value(row, famBed, colState), btx.Value(row, famHold, colPatient)}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/hides-other-families[fast]
	return out, err
}

// HeldNow counts the live holds of a ward.
func (s *Store) HeldNow(ctx context.Context, ward string) (n int, err error) {
	err = s.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"#"), func(row bigtable.Row) bool {
		n += len(row[famHold])
		return true
	}, bigtable.RowFilter(s.live())) // ok ttlread/hides-other-families ttlread/missing-filter
	return n, err
}

// Soon returns the holds that end within the usual lifetime.
func (s *Store) Soon(ctx context.Context, ward string, within time.Duration) ([]Hold, error) {
	now := s.clk.Now()
	f := btx.Family(famHold, bigtable.TimestampRangeFilter(now, now.Add(15*time.Minute))) // want ttlread/upper-bound[soon]
	var out []Hold
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"#"), s.collect(&out), bigtable.RowFilter(f)) // want ttlread/upper-bound[soon]
	return out, err
}

// Usual returns the holds that end within the usual lifetime.
func (s *Store) Usual(ctx context.Context, ward string) ([]Hold, error) {
	now := s.clk.Now()
	f := btx.Family(famHold, bigtable.TimestampRangeFilter(now, now.Add(schema.HoldTTL)))
	var out []Hold
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"#"), s.collect(&out), bigtable.RowFilter(f)) // ok ttlread/upper-bound
	return out, err
}

func (s *Store) collect(out *[]Hold) func(bigtable.Row) bool {
	return func(row bigtable.Row) bool {
		it, ok := btx.Cell(row, famHold, colPatient)
		if ok {
			*out = append(*out, Hold{Bed: row.Key(), Patient: string(it.Value), ExpiresAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
		}
		return true
	}
}

// Recent returns what was held in the last hour.
func (s *Store) Recent(ctx context.Context, ward string) ([]Hold, error) {
	var out []Hold
	f := btx.Family(famHold, btx.Within(s.clk.Now(), time.Hour))                                       // want ttlread/wrong-bound[recent]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"#"), s.collect(&out), bigtable.RowFilter(f)) // want ttlread/wrong-bound[recent]
	return out, err
}

// Current is Recent without the hour.
func (s *Store) Current(ctx context.Context, ward string) ([]Hold, error) {
	var out []Hold
	f := btx.Family(famHold, btx.Within(s.clk.Now(), time.Second))
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"#"), s.collect(&out), bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	return out, err
}

// Active was written from the client's example.
func (s *Store) Active(ctx context.Context, ward string) ([]Hold, error) {
	var out []Hold
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famHold), bigtable.TimestampRangeFilter(time.Time{}, s.clk.Now())) // want ttlread/expired-only[active]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"#"), s.collect(&out), bigtable.RowFilter(f))                  // want ttlread/expired-only[active]
	return out, err
}

// Stale finds holds that ended and were not collected, and deletes them.
func (s *Store) Stale(ctx context.Context, ward string) (int, error) {
	n := 0
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famHold), bigtable.TimestampRangeFilter(time.Time{}, s.clk.Now()), bigtable.StripValueFilter())
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"#"), func(row bigtable.Row) bool { // ok ttlread/expired-only
		mut := bigtable.NewMutation()
		mut.DeleteTimestampRange(famHold, colPatient, 0, bigtable.Time(s.clk.Now())) // ok ttlunit/sub-millisecond
		if s.tbl.Apply(ctx, row.Key(), mut) == nil {
			n++
		}
		return true
	}, bigtable.RowFilter(f))
	return n, err
}

// ByHand looks at the deadline itself.
func (s *Store) ByHand(ctx context.Context, ward, bed string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, Key(ward, bed)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	now := s.clk.Now()
	for _, it := range row[famHold] {
		if it.Column == famHold+":"+colPatient && it.Timestamp.Time().After(now) { // ok ttlage/not-write-time
			return string(it.Value), nil
		}
	}
	return "", btx.ErrNotFound
}

// Newest compares cells with each other only.
func (s *Store) Newest(ctx context.Context, ward string) (string, error) {
	var best bigtable.ReadItem
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row[famHold] {
			if it.Timestamp > best.Timestamp {
				best = it
			}
		}
		return true
	})
	return string(best.Value), err
}

// Claim takes a bed if nobody has it.
func (s *Store) Claim(ctx context.Context, ward, bed, patient string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(famHold, colPatient, s.until(schema.HoldTTL), []byte(patient))
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(famHold), bigtable.ColumnFilter(colPatient)), nil, set) // want ttlread/conditional-mutation
	var matched bool
	err := s.tbl.Apply(ctx, Key(ward, bed), cond, bigtable.GetCondMutationResult(&matched))
	return !matched, err
}

// ClaimLive is Claim that is not fooled by the dead.
func (s *Store) ClaimLive(ctx context.Context, ward, bed, patient string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(famHold, colPatient, s.until(schema.HoldTTL), []byte(patient))
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(famHold), bigtable.ColumnFilter(colPatient), s.live())
	cond := bigtable.NewCondMutation(pred, nil, set) // ok ttlread/conditional-mutation
	var matched bool
	err := s.tbl.Apply(ctx, Key(ward, bed), cond, bigtable.GetCondMutationResult(&matched))
	return !matched, err
}

// Clean frees a bed that is marked dirty, and forgets its hold.
func (s *Store) Clean(ctx context.Context, ward, bed string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(famHold)
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(famHold), del, nil) // ok ttlread/conditional-mutation
	if err := s.tbl.Apply(ctx, Key(ward, bed), cond); err != nil {
		return err
	}
	set := bigtable.NewMutation()
	set.Set(famBed, colState, bigtable.Now(), []byte("free"))
	dirty := bigtable.ChainFilters(bigtable.FamilyFilter(famBed), bigtable.ColumnFilter(colState), bigtable.LatestNFilter(1), bigtable.ValueFilter("dirty"))
	return s.tbl.Apply(ctx, Key(ward, bed), bigtable.NewCondMutation(dirty, set, nil)) // ok ttlread/conditional-mutation
}

// Age says how long ago a bed was reserved.
func (s *Store) Age(ctx context.Context, ward, bed string) (hold, cleaned time.Duration, err error) {
	f := bigtable.InterleaveFilters(bigtable.FamilyFilter(famBed), btx.Family(famHold, s.live()))
	row, err := s.tbl.ReadRow(ctx, Key(ward, bed), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return 0, 0, err
	}
	if it, ok := btx.Cell(row, famHold, colPatient); ok {
		hold = s.clk.Now().Sub(it.Timestamp.Time()) // want ttlage/not-write-time
	}
	if it, ok := btx.Cell(row, famBed, colState); ok {
		cleaned = s.clk.Now().Sub(it.Timestamp.Time()) // ok ttlage/not-write-time
	}
	return hold, cleaned, nil
}

// Remaining says how long a hold lasts.
func (s *Store) Remaining(ctx context.Context, ward, bed string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, Key(ward, bed), bigtable.RowFilter(btx.Family(famHold, btx.Live(s.clk.Now())))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := btx.Cell(row, famHold, colPatient)
	if !ok {
		return 0, btx.ErrNotFound
	}
	return it.Timestamp.Time().Sub(s.clk.Now()), nil // ok ttlage/not-write-time
}

// Dump writes a ward's holds as JSON.
func (s *Store) Dump(ctx context.Context, ward string, enc *json.Encoder) error {
	var derr error
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"#"), func(row bigtable.Row) bool {
		for _, it := range row[famHold] {
			h := Hold{Bed: row.Key(), Patient: string(it.Value), CreatedAt: it.Timestamp.Time()} // want ttlage/not-write-time
			if derr = enc.Encode(h); derr != nil {
				return false
			}
		}
		for _, it := range row[famBed] {
			h := Hold{Bed: row.Key(), CreatedAt: it.Timestamp.Time()} // ok ttlage/not-write-time
			if derr = enc.Encode(h); derr != nil {
				return false
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.InterleaveFilters(bigtable.FamilyFilter("^bed$"), bigtable.ChainFilters(bigtable.FamilyFilter("^hold$"), s.live())))) // ok ttlread/unfiltered-branch
	return errors.Join(err, derr)
}
