// Package otpstore keeps one-time codes in the auth table.
package otpstore

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/otp"
	"github.com/parkwise/parkwise/internal/tenant"
)

const (
	colHash     = "hash"
	colChannel  = "channel"
	colAttempts = "attempts"
	colLock     = "lock"
	colTrace    = "trace"
)

var _ otp.Store = (*Store)(nil)

// Store keeps codes; family otp is collected one second after a cell's timestamp.
type Store struct {
	tbl bt.Table
}

// New opens the store.
func New(client *bigtable.Client) *Store {
	return &Store{tbl: client.Open(bt.TableAuth)}
}

func key(id tenant.ID, phone string) string { return tenant.Key(id, "otp", phone) }

// Save implements otp.Store.
func (s *Store) Save(ctx context.Context, id tenant.ID, c otp.Code) error {
	exp := bigtable.Time(c.ExpiresAt)
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(bt.FamOTP) // ok ttlwrite/delete-after-set
	mut.Set(bt.FamOTP, colHash, exp, []byte(c.Hash))
	mut.Set(bt.FamOTP, colChannel, exp, []byte(c.Channel)) // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, key(id, c.Phone), mut)
}

// Load implements otp.Store.
func (s *Store) Load(ctx context.Context, id tenant.ID, phone string) (otp.Code, error) {
	row, err := s.tbl.ReadRow(ctx, key(id, phone), bigtable.RowFilter(bt.In(bt.FamOTP, bt.Live(clock.Now(ctx))))) // ok ttlread/missing-filter
	if err != nil {
		return otp.Code{}, err
	}
	return decode(phone, row)
}

func decode(phone string, row bigtable.Row) (otp.Code, error) {
	it, ok := bt.First(row, bt.FamOTP, colHash)
	if !ok {
		return otp.Code{}, bt.ErrNotFound
	}
	c := otp.Code{Phone: phone, Hash: string(it.Value), ExpiresAt: it.Timestamp.Time()} // ok ttlage/not-write-time
	if ch, ok := bt.First(row, bt.FamOTP, colChannel); ok {
		c.Channel = string(ch.Value)
	}
	return c, nil
}

// Attempt implements otp.Store.
func (s *Store) Attempt(ctx context.Context, id tenant.ID, phone string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamOTP, colAttempts, 1) // want ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, key(id, phone), rmw)
	if err != nil {
		return 0, err
	}
	it, _ := bt.First(row, bt.FamOTP, colAttempts)
	return bt.ParseInt64(it.Value), nil
}

// CountSent counts the codes of a tenant in the profile family, for billing.
func (s *Store) CountSent(ctx context.Context, id tenant.ID) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamProfile, "codes_sent", 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, tenant.Key(id, "billing"), rmw)
	return err
}

// Lock implements otp.Store.
func (s *Store) Lock(ctx context.Context, id tenant.ID, phone string, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamOTP, colLock, bigtable.Time(until), []byte("1")) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, key(id, phone), mut)
}

// Locked reports whether a phone is locked.
func (s *Store) Locked(ctx context.Context, id tenant.ID, phone string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, key(id, phone), bigtable.RowFilter(bt.Column(bt.FamOTP, colLock))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[bt.FamOTP]) > 0, nil
}

// LockedUntil tells when a phone's lock ends; zero if it is not locked.
func (s *Store) LockedUntil(ctx context.Context, id tenant.ID, phone string) (time.Time, error) {
	row, err := s.tbl.ReadRow(ctx, key(id, phone), bigtable.RowFilter(bt.Column(bt.FamOTP, colLock))) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	now := clock.Now(ctx)
	for _, it := range row[bt.FamOTP] {
		if until := it.Timestamp.Time(); until.After(now) {
			return until, nil
		}
	}
	return time.Time{}, nil
}

// Consume implements otp.Store: the first of two concurrent callers wins.
func (s *Store) Consume(ctx context.Context, id tenant.ID, phone string) (bool, error) {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(bt.FamOTP)
	var matched bool
	cond := bigtable.NewCondMutation(bt.Column(bt.FamOTP, colHash), del, nil) // ok ttlread/conditional-mutation
	err := s.tbl.Apply(ctx, key(id, phone), cond, bigtable.GetCondMutationResult(&matched))
	return matched, err
}

// SaveIfAbsent saves a code unless one is waiting already.
func (s *Store) SaveIfAbsent(ctx context.Context, id tenant.ID, c otp.Code) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(bt.FamOTP, colHash, bigtable.Time(c.ExpiresAt), []byte(c.Hash))
	var matched bool
	cond := bigtable.NewCondMutation(bt.Column(bt.FamOTP, colHash), nil, set) // want ttlread/conditional-mutation
	err := s.tbl.Apply(ctx, key(id, c.Phone), cond, bigtable.GetCondMutationResult(&matched))
	return !matched, err
}

// Replace saves a code only where a live one is waiting.
func (s *Store) Replace(ctx context.Context, id tenant.ID, c otp.Code) (bool, error) {
	set := bigtable.NewMutation()
	set.DeleteCellsInColumn(bt.FamOTP, colHash)
	set.Set(bt.FamOTP, colHash, bigtable.Time(c.ExpiresAt), []byte(c.Hash))
	waiting := bt.In(bt.FamOTP, bt.Live(clock.Now(ctx)))
	var matched bool
	err := s.tbl.Apply(ctx, key(id, c.Phone), bigtable.NewCondMutation(waiting, set, nil), bigtable.GetCondMutationResult(&matched)) // ok ttlread/conditional-mutation
	return matched, err
}

type trace struct {
	Gateway string `json:"gateway"`
	Result  string `json:"result"`
}

// Trace notes what the gateway said.
func (s *Store) Trace(ctx context.Context, id tenant.ID, phone, gateway, result string) error {
	raw, err := json.Marshal(trace{Gateway: gateway, Result: result})
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamOTP, colTrace, bigtable.ServerTime, raw)                               // want ttlwrite/server-timestamp
	mut.Set(bt.FamProfile, "last_gateway", bigtable.ServerTime, []byte(gateway))         // ok ttlwrite/server-timestamp
	mut.Set(bt.FamProfile, "last_sent", bigtable.Now(), []byte(clock.Now(ctx).String())) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, key(id, phone), mut)
}

// Waiting lists the phones that have a code, for the support desk.
func (s *Store) Waiting(ctx context.Context, id tenant.ID, limit int) ([]otp.Code, error) {
	var out []otp.Code
	prefix := tenant.Key(id, "otp", "")
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/missing-filter
		c, err := decode(row.Key()[len(prefix):], row)
		if err == nil {
			out = append(out, c)
		}
		return len(out) < limit
	})
	return out, err
}

// CountWaiting counts them; a few expired ones do no harm on the dashboard.
func (s *Store) CountWaiting(ctx context.Context, id tenant.ID) (int, error) {
	n := 0
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant.Key(id, "otp", "")), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return n, err
}

// Stats is what the dashboard shows of a code.
type Stats struct {
	Phone    string
	Attempts string
	SentAt   time.Time
	Left     time.Duration
}

// StatsOf reads the statistics of a code.
func (s *Store) StatsOf(ctx context.Context, id tenant.ID, phone string) (Stats, error) {
	now := clock.Now(ctx)
	row, err := s.tbl.ReadRow(ctx, key(id, phone), bigtable.RowFilter(bt.Live(now))) // ok ttlread/hides-other-families
	if err != nil {
		return Stats{}, err
	}
	st := Stats{Phone: phone}
	for _, it := range row[bt.FamOTP] {
		switch bt.Qualifier(it.Column) {
		case colAttempts:
			st.Attempts = strconv.FormatInt(bt.ParseInt64(it.Value), 10)
		case colHash:
			st.Left = it.Timestamp.Time().Sub(now) // ok ttlage/not-write-time
		}
	}
	return st, nil
}

// Older tells whether the code of a phone is older than d, so that another may be sent.
func (s *Store) Older(ctx context.Context, id tenant.ID, phone string, d time.Duration) (bool, error) {
	now := clock.Now(ctx)
	row, err := s.tbl.ReadRow(ctx, key(id, phone), bigtable.RowFilter(bt.In(bt.FamOTP, bt.Live(now)))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	it, ok := bt.First(row, bt.FamOTP, colHash)
	if !ok {
		return true, nil
	}
	return now.Sub(it.Timestamp.Time()) > d, nil // want ttlage/not-write-time
}
