package alert

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/bt"
	"example.com/lumen/internal/names"
)

// Silence mutes alerts that match until a moment.
type Silence struct {
	ID        string            `json:"id"`
	Tenant    string            `json:"tenant"`
	Matchers  map[string]string `json:"matchers"`
	By        string            `json:"by"`
	Until     time.Time         `json:"until"`
	UpdatedAt time.Time         `json:"updated_at"`
}

const colSilence = "s"

// bootedFor is how long the silences of a deployment last.
var bootedFor = bigtable.Time(time.Now().Add(10 * time.Minute)) // want ttlwrite/stale-clock[booted]

// started is shown on the status page, too.
var started = time.Now()

func (s *Store) CreateSilence(ctx context.Context, sl Silence) error {
	if sl.Until.IsZero() {
		sl.Until = s.now().Add(2 * time.Hour)
	}
	body, err := json.Marshal(sl)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(names.FamSilence, colSilence, bigtable.Time(sl.Until), body) // ok ttlwrite/already-expired
	mut.Set(names.FamNote, "by", bigtable.ServerTime, []byte(sl.By))     // ok ttlwrite/server-timestamp
	mut.Set(names.FamNote, "at", bigtable.Time(s.now()), []byte(sl.By))  // ok ttlwrite/write-time
	return s.silences.Apply(ctx, sl.Tenant+"#"+sl.ID, mut)
}

func (s *Store) CreateOnce(ctx context.Context, sl Silence, body []byte) (created bool, err error) {
	mut := bigtable.NewMutation()
	mut.Set(names.FamSilence, colSilence, bigtable.Time(sl.Until), body)
	var matched bool
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(names.FamSilence), nil, mut) // want ttlread/conditional-mutation
	err = s.silences.Apply(ctx, sl.Tenant+"#"+sl.ID, cond, bigtable.GetCondMutationResult(&matched))
	return !matched, err
}

func (s *Store) CreateOnceLive(ctx context.Context, sl Silence, body []byte) (created bool, err error) {
	mut := bigtable.NewMutation()
	mut.Set(names.FamSilence, colSilence, bt.ExpiresAt(sl.Until), body) // ok ttlwrite/already-expired
	var matched bool
	live := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamSilence), bt.Live())
	cond := bigtable.NewCondMutation(live, nil, mut) // ok ttlread/conditional-mutation
	err = s.silences.Apply(ctx, sl.Tenant+"#"+sl.ID, cond, bigtable.GetCondMutationResult(&matched))
	return !matched, err
}

func (s *Store) DropIf(ctx context.Context, tenant, id, author string) error {
	del := bigtable.NewMutation()
	del.DeleteRow()
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamSilence), bigtable.ValueFilter(author))
	return s.silences.Apply(ctx, tenant+"#"+id, bigtable.NewCondMutation(pred, del, nil)) // ok ttlread/conditional-mutation
}

func (s *Store) Annotate(ctx context.Context, tenant, id, text string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamNote, "text", bigtable.Now(), []byte(text))                                                                        // ok ttlwrite/write-time
	pred := bigtable.ChainFilters(bigtable.ColumnFilter(colSilence), bigtable.LatestNFilter(1), bigtable.ValueFilter(".*"+tenant+".*")) // want ttlread/conditional-mutation[annotate]
	return s.silences.Apply(ctx, tenant+"#"+id, bigtable.NewCondMutation(pred, mut, nil))                                               // want ttlread/conditional-mutation[annotate]
}

func (s *Store) Extend(ctx context.Context, tenant, id string, d time.Duration, body []byte) error {
	ts := bigtable.Now() + bigtable.Timestamp(d) // want ttlunit/wrong-unit
	return bt.Put(ctx, s.silences, tenant+"#"+id, names.FamSilence, colSilence, ts, body)
}

func (s *Store) ExtendTo(ctx context.Context, tenant, id string, d time.Duration, body []byte) error {
	ts := bigtable.Now() + bigtable.Timestamp(d.Microseconds())                           // ok ttlunit/wrong-unit
	return bt.Put(ctx, s.silences, tenant+"#"+id, names.FamSilence, colSilence, ts, body) // ok ttlwrite/write-time
}

func (s *Store) Quiet(ctx context.Context, tenant string) error {
	return bt.Put(ctx, s.silences, tenant+"#all", names.FamSilence, colSilence, bt.Stamp(), []byte("{}")) // want ttlwrite/write-time
}

func (s *Store) QuietNote(ctx context.Context, tenant string) error {
	return bt.Put(ctx, s.silences, tenant+"#all", names.FamNote, "quiet", bt.Stamp(), []byte("{}")) // ok ttlwrite/write-time
}

func (s *Store) QuietDeploy(ctx context.Context, tenant string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamSilence, "deploy", bootedFor, []byte("{}")) // want ttlwrite/stale-clock[booted]
	return s.silences.Apply(ctx, tenant+"#deploy", mut)
}

func (s *Store) Note(ctx context.Context, tenant string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamNote, "boot", bigtable.Time(started), nil) // ok ttlwrite/stale-clock
	return s.silences.Apply(ctx, tenant+"#deploy", mut)
}

func (s *Store) Revoke(ctx context.Context, tenant, id string) error {
	return bt.Put(ctx, s.silences, tenant+"#"+id, names.FamSilence, colSilence, 0, nil) // want ttlwrite/already-expired
}

func (s *Store) Remove(ctx context.Context, tenant, id string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(names.FamSilence, colSilence)
	mut.Set(names.FamNote, "removed", bigtable.Now(), nil) // ok ttlwrite/delete-after-set
	return s.silences.Apply(ctx, tenant+"#"+id, mut)
}

func (s *Store) Rewrite(ctx context.Context, sl Silence, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamSilence, colSilence, bigtable.Time(sl.Until), body)
	mut.DeleteCellsInColumn(names.FamSilence, colSilence) // want ttlwrite/delete-after-set
	return s.silences.Apply(ctx, sl.Tenant+"#"+sl.ID, mut)
}

// ---- reading ----

func (s *Store) Silences(ctx context.Context, tenant string) ([]Silence, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(names.FamSilence),
		bigtable.TimestampRangeFilter(s.now(), time.Time{}),
		bigtable.LatestNFilter(1),
	)
	var out []Silence
	err := s.silences.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[names.FamSilence] {
			sl := Silence{Until: it.Timestamp.Time()} // ok ttlage/not-write-time
			if json.Unmarshal(it.Value, &sl) == nil {
				out = append(out, sl)
			}
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

func (s *Store) Current(ctx context.Context, tenant string) ([]bigtable.Row, error) {
	upToNow := bigtable.TimestampRangeFilter(time.Time{}, time.Now())                                                                                              // want ttlread/expired-only[current]
	return bt.Collect(ctx, s.silences, bt.Query{Rows: bigtable.PrefixRange(tenant), Filters: []bigtable.Filter{bigtable.FamilyFilter(names.FamSilence), upToNow}}) // want ttlread/expired-only[current]
}

func (s *Store) ThisHour(ctx context.Context, tenant string) ([]bigtable.Row, error) {
	now := time.Now()
	return bt.Collect(ctx, s.silences, bt.Query{Rows: bigtable.PrefixRange(tenant), Filters: []bigtable.Filter{bigtable.FamilyFilter(names.FamSilence), bigtable.TimestampRangeFilter(now, now.Add(time.Hour))}}) // want ttlread/upper-bound
}

func (s *Store) Muted(ctx context.Context, tenant string) (bool, error) {
	row, err := s.silences.ReadRow(ctx, tenant+"#all") // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	_, ok := bt.Cell(row, names.FamSilence, colSilence)
	return ok, nil
}

func (s *Store) MutedNow(ctx context.Context, tenant string) (bool, error) {
	row, err := s.silences.ReadRow(ctx, tenant+"#all") // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	it, ok := bt.Cell(row, names.FamSilence, colSilence)
	return ok && it.Timestamp > bigtable.Now(), nil
}

func (s *Store) Notes(ctx context.Context, tenant, id string) (map[string]time.Time, error) {
	row, err := bt.One(ctx, s.silences, tenant+"#"+id, bigtable.FamilyFilter(names.FamNote)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	createdAt := map[string]time.Time{}
	for _, it := range row[names.FamNote] {
		createdAt[it.Column] = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return createdAt, nil
}

// liveSince is the start of the process, which once was a request's.
var liveSince = bigtable.TimestampRangeFilter(time.Now(), time.Time{}) // want ttlread/stale-bound[since]

func (s *Store) Matching(ctx context.Context, tenant, by string) ([]bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamSilence), liveSince, bigtable.ValueFilter(fmt.Sprintf(`.*"by":%q.*`, by))) // want ttlread/stale-bound[since]
	return bt.Collect(ctx, s.silences, bt.Query{Rows: bigtable.PrefixRange(tenant), Filters: []bigtable.Filter{f}})                      // want ttlread/stale-bound[since]
}
