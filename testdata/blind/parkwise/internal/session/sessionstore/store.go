// Package sessionstore keeps sessions in the auth table.
package sessionstore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/session"
	"github.com/parkwise/parkwise/internal/tenant"
)

const (
	colData  = "data"
	colSeen  = "seen"
	colIP    = "ip"
	colFlags = "flags"
)

var _ session.Store = (*Store)(nil)

// Store keeps sessions; family session is collected one second after a cell's timestamp.
type Store struct {
	tbl      bigtable.TableAPI
	now      func() time.Time
	lifetime time.Duration
}

// Option configures a Store.
type Option func(*Store)

// WithClock sets the clock; for tests.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// WithLifetime sets the life of the marks that the store writes on its own account.
func WithLifetime(d time.Duration) Option { return func(s *Store) { s.lifetime = d } }

// New opens the store.
func New(client *bigtable.Client, opts ...Option) *Store {
	s := &Store{tbl: client.OpenTable(bt.TableAuth), now: time.Now, lifetime: 12 * time.Hour}
	for _, o := range opts {
		o(s)
	}
	return s
}

func key(id tenant.ID, sid string) string { return tenant.Key(id, "ses", sid) }

func driverKey(id tenant.ID, driver string) string { return tenant.Key(id, "drv", driver) }

// Put implements session.Store.
func (s *Store) Put(ctx context.Context, id tenant.ID, ses session.Session) error {
	raw, err := json.Marshal(ses)
	if err != nil {
		return fmt.Errorf("sessionstore: %w", err)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		return bt.Build().PutUntil(bt.FamSession, colData, ses.ExpiresAt, raw).Apply(ctx, s.tbl, key(id, ses.ID)) // ok ttlwrite/write-time
	})
	g.Go(func() error {
		mut := bigtable.NewMutation()
		mut.Set(bt.FamSession, ses.ID, bigtable.Time(ses.ExpiresAt), nil)                          // ok ttlwrite/write-time
		mut.Set(bt.FamProfile, "last_login", bigtable.Now(), []byte(s.now().Format(time.RFC3339))) // ok ttlwrite/write-time
		mut.Set(bt.FamProfile, "last_device", bigtable.Now(), []byte(ses.Device))                  // ok ttlwrite/same-timestamp
		return s.tbl.Apply(ctx, driverKey(id, ses.Driver), mut)
	})
	return g.Wait()
}

// Get implements session.Store.
func (s *Store) Get(ctx context.Context, id tenant.ID, sid string) (session.Session, error) {
	f := bt.In(bt.FamSession, bt.Live(s.now()))
	row, err := s.tbl.ReadRow(ctx, key(id, sid), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return session.Session{}, err
	}
	return decode(row)
}

func decode(row bigtable.Row) (session.Session, error) {
	ses, err := bt.DecodeJSON[session.Session](row, bt.FamSession, colData)
	if err != nil {
		return ses, err
	}
	if it, ok := bt.First(row, bt.FamSession, colData); ok {
		ses.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return ses, nil
}

// Peek reads a session for the support desk.
func (s *Store) Peek(ctx context.Context, id tenant.ID, sid string) (session.Session, error) {
	return bt.ReadAs(ctx, s.tbl, key(id, sid), decode) // want ttlread/missing-filter
}

// PeekLive is Peek without the expired ones.
func (s *Store) PeekLive(ctx context.Context, id tenant.ID, sid string) (session.Session, error) {
	return bt.ReadAs(ctx, s.tbl, key(id, sid), decode, bigtable.RowFilter(bt.Live(s.now()))) // ok ttlread/missing-filter
}

// PeekLatest is Peek of the newest version.
func (s *Store) PeekLatest(ctx context.Context, id tenant.ID, sid string) (session.Session, error) {
	return bt.ReadAs(ctx, s.tbl, key(id, sid), decode, bigtable.RowFilter(bt.LatestIn(bt.FamSession))) // want ttlread/missing-filter
}

// Extend implements session.Store.
func (s *Store) Extend(ctx context.Context, id tenant.ID, sid string, until time.Time) error {
	ses, err := s.Get(ctx, id, sid)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(ses)
	if err != nil {
		return err
	}
	return bt.Build().
		Clear(bt.FamSession, colData).                // ok ttlwrite/delete-after-set
		PutUntil(bt.FamSession, colData, until, raw). // ok ttlwrite/write-time
		PutUntil(bt.FamSession, colSeen, until, nil). // ok ttlwrite/same-timestamp
		Apply(ctx, s.tbl, key(id, sid))
}

// Touch notes that a session was used.
func (s *Store) Touch(ctx context.Context, id tenant.ID, sid, ip string) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSession, colSeen, bigtable.Now(), []byte(s.now().Format(time.RFC3339)))    // want ttlwrite/write-time
	mut.Set(bt.FamSession, colIP, bigtable.Time(s.now()), []byte(ip))                        // want ttlwrite/write-time
	mut.Set(bt.FamSession, colFlags, bigtable.Time(s.now().Add(s.lifetime)), []byte("seen")) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, key(id, sid), mut)
}

// SetFlag marks a session, for instance as suspicious.
func (s *Store) SetFlag(ctx context.Context, id tenant.ID, sid, flag string) error {
	return bt.Build().Put(bt.FamSession, colFlags, []byte(flag)).Apply(ctx, s.tbl, key(id, sid)) // want ttlwrite/server-timestamp
}

// SetDriverFlag marks a driver.
func (s *Store) SetDriverFlag(ctx context.Context, id tenant.ID, driver, flag string) error {
	return bt.Build().Put(bt.FamProfile, colFlags, []byte(flag)).Apply(ctx, s.tbl, driverKey(id, driver)) // ok ttlwrite/server-timestamp
}

// Rotate gives a session a new key.
func (s *Store) Rotate(ctx context.Context, id tenant.ID, sid string, raw []byte, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSession, colData, bigtable.Time(until), raw)
	mut.DeleteCellsInColumn(bt.FamSession, colData) // want ttlwrite/delete-after-set
	mut.DeleteCellsInColumn(bt.FamSession, colSeen) // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, key(id, sid), mut)
}

// End implements session.Store.
func (s *Store) End(ctx context.Context, id tenant.ID, sid string) error {
	mut := bigtable.NewMutation()
	mut.DeleteRow()
	return s.tbl.Apply(ctx, key(id, sid), mut)
}

// EndAll implements session.Store.
func (s *Store) EndAll(ctx context.Context, id tenant.ID, driver string) (int, error) {
	row, err := s.tbl.ReadRow(ctx, driverKey(id, driver), bigtable.RowFilter(bt.In(bt.FamSession, bt.Live(s.now())))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	var keys []string
	var muts []*bigtable.Mutation
	for _, it := range row[bt.FamSession] {
		del := bigtable.NewMutation()
		del.DeleteRow()
		keys = append(keys, key(id, bt.Qualifier(it.Column)))
		muts = append(muts, del)
	}
	if len(keys) == 0 {
		return 0, nil
	}
	errs, err := s.tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return 0, err
	}
	return len(keys) - len(errs), nil
}

// Sweep deletes the rows of a tenant whose sessions are all over.
func (s *Store) Sweep(ctx context.Context, id tenant.ID) error {
	var bulk bt.Bulk
	f := bigtable.TimestampRangeFilter(time.Time{}, s.now().Add(-24*time.Hour))
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant.Key(id, "ses", "")), func(row bigtable.Row) bool { // ok ttlread/expired-only
		mut := bigtable.NewMutation()
		mut.DeleteTimestampRange(bt.FamSession, colData, 0, bigtable.Time(s.now().Add(-24*time.Hour)))
		bulk.Add(row.Key(), mut)
		return true
	}, bigtable.RowFilter(f))
	if err != nil {
		return err
	}
	return bulk.Flush(ctx, s.tbl)
}

// Info is what the account page shows of a session.
type Info struct {
	ID        string        `json:"id"`
	CreatedAt time.Time     `json:"created_at"`
	ExpiresAt time.Time     `json:"expires_at"`
	Left      time.Duration `json:"left"`
}

// Infos lists the sessions of a driver.
func (s *Store) Infos(ctx context.Context, id tenant.ID, driver string) ([]Info, error) {
	now := s.now()
	row, err := s.tbl.ReadRow(ctx, driverKey(id, driver), bigtable.RowFilter(bt.In(bt.FamSession, bt.Live(now)))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []Info
	for _, it := range row[bt.FamSession] {
		out = append(out, Info{
			ID:        bt.Qualifier(it.Column),
			CreatedAt: it.Timestamp.Time(),          // want ttlage/not-write-time
			ExpiresAt: it.Timestamp.Time(),          // ok ttlage/not-write-time
			Left:      it.Timestamp.Time().Sub(now), // ok ttlage/not-write-time
		})
	}
	return out, nil
}

// Account is a driver with his sessions.
type Account struct {
	LastLogin string
	LastAt    time.Time
	Updated   time.Time
	Sessions  int
}

// Account reads a driver's account.
func (s *Store) Account(ctx context.Context, id tenant.ID, driver string) (Account, error) {
	row, err := s.tbl.ReadRow(ctx, driverKey(id, driver), bigtable.RowFilter(bt.Live(s.now()))) // want ttlread/hides-other-families
	if err != nil {
		return Account{}, err
	}
	var a Account
	if it, ok := bt.First(row, bt.FamProfile, "last_login"); ok {
		a.LastLogin = string(it.Value)
		a.LastAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	a.Sessions = len(row[bt.FamSession])
	return a, nil
}

// AccountWithProfile reads the same with a filter for each family.
func (s *Store) AccountWithProfile(ctx context.Context, id tenant.ID, driver string) (Account, error) {
	f := bigtable.InterleaveFilters(
		bt.In(bt.FamSession, bt.Live(s.now())),
		bt.LatestIn(bt.FamProfile), // ok ttlread/unfiltered-branch
	)
	row, err := s.tbl.ReadRow(ctx, driverKey(id, driver), bigtable.RowFilter(f)) // ok ttlread/hides-other-families
	if err != nil {
		return Account{}, err
	}
	var a Account
	if it, ok := bt.First(row, bt.FamProfile, "last_login"); ok {
		a.LastLogin = string(it.Value)
		a.Updated = bt.CellTime(it) // ok ttlage/not-write-time
	}
	a.Sessions = len(row[bt.FamSession])
	return a, nil
}

// Export reads all that is known of a driver, for the right of access.
func (s *Store) Export(ctx context.Context, id tenant.ID, driver string) (map[string][]string, error) {
	f := bigtable.InterleaveFilters(
		bt.LatestIn(bt.FamSession), // want ttlread/unfiltered-branch[sesexport]
		bt.LatestIn(bt.FamProfile),
	)
	row, err := s.tbl.ReadRow(ctx, driverKey(id, driver), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[sesexport]
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for fam, items := range row {
		for _, it := range items {
			out[fam] = append(out[fam], bt.Qualifier(it.Column)+"="+string(it.Value))
		}
	}
	return out, nil
}

// Active lists the sessions that are open now.
func (s *Store) Active(ctx context.Context, id tenant.ID) ([]string, error) {
	now := s.now()
	var drivers []string
	win := bigtable.TimestampRangeFilter(now, now.Add(time.Hour))                                             // want ttlread/upper-bound[seswin]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant.Key(id, "ses", "")), func(row bigtable.Row) bool { // want ttlread/upper-bound[seswin]
		if ses, err := decode(row); err == nil {
			drivers = append(drivers, ses.Driver)
		}
		return true
	}, bigtable.RowFilter(win)) // want ttlread/upper-bound[seswin]
	return drivers, err
}

// AllOpen lists the sessions that are open; none lives longer than the lifetime.
func (s *Store) AllOpen(ctx context.Context, id tenant.ID) ([]session.Session, error) {
	now := s.now()
	var out []session.Session
	win := bigtable.TimestampRangeFilter(now, now.Add(24*time.Hour))
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant.Key(id, "ses", "")), func(row bigtable.Row) bool { // ok ttlread/upper-bound
		if ses, err := decode(row); err == nil {
			out = append(out, ses)
		}
		return true
	}, bigtable.RowFilter(win))
	return out, err
}
