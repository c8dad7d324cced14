package store

import (
	"context"
	"crypto/subtle"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"tramline.example/dal"
	"tramline.example/ticketing"
)

const (
	colDigits   = "digits"
	colAttempts = "attempts"
	colSent     = "sent"
	colDevice   = "device"
)

// CodeStore implements ticketing.Codes.
type CodeStore struct {
	tbl dal.Table
	now func() time.Time
}

var _ ticketing.Codes = (*CodeStore)(nil)

// CodeOption changes a CodeStore.
type CodeOption func(*CodeStore)

// WithNow injects a clock.
func WithNow(f func() time.Time) CodeOption { return func(s *CodeStore) { s.now = f } }

// NewCodeStore returns the adapter over the table "otp".
func NewCodeStore(c *dal.Client, opts ...CodeOption) *CodeStore {
	s := &CodeStore{tbl: c.OTP(), now: time.Now}
	for _, o := range opts {
		o(s)
	}
	return s
}

// live is the filter of all reads of codes.
func (s *CodeStore) live(more ...bigtable.Filter) bigtable.ReadOption {
	f := bigtable.TimestampRangeFilter(s.now(), time.Time{})
	for _, g := range more {
		f = bigtable.ChainFilters(f, g)
	}
	return bigtable.RowFilter(f)
}

func (s *CodeStore) expiry() bigtable.Timestamp {
	return bigtable.Time(s.now().Add(dal.CodeTTL))
}

func (s *CodeStore) ts() bigtable.Timestamp { return bigtable.Time(s.now()) }

// Issue stores a code that was sent.
func (s *CodeStore) Issue(ctx context.Context, c ticketing.Code) error {
	exp := s.expiry()
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(dal.FamCode)
	m.Set(dal.FamCode, colDigits, exp, []byte(c.Digits))                        // ok ttlwrite/write-time
	m.Set(dal.FamCode, colSent, s.ts(), []byte(c.Sent.Format(time.RFC3339)))    // want ttlwrite/write-time
	m.Set(dal.FamCode, colAttempts, bigtable.Time(time.Now()), []byte{0})       // want ttlwrite/write-time
	m.Set(dal.FamSeen, "last", bigtable.Time(s.now().Add(time.Hour)), []byte{}) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, c.Phone, m)
}

// Reissue writes a code again, when the first message was lost.
func (s *CodeStore) Reissue(ctx context.Context, c ticketing.Code) error {
	m := bigtable.NewMutation()
	ts := s.ts()
	if !c.Sent.IsZero() {
		ts = bigtable.Time(c.Sent.Add(dal.CodeTTL))
	}
	m.Set(dal.FamCode, colDigits, ts, []byte(c.Digits)) // strict ttlwrite/write-time
	return s.tbl.Apply(ctx, c.Phone, m)
}

// Check compares digits with the stored code.
func (s *CodeStore) Check(ctx context.Context, phone, digits string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, phone, s.live(bigtable.FamilyFilter(dal.FamCode), bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	for _, it := range row[dal.FamCode] {
		if it.Column == dal.FamCode+":"+colDigits {
			return subtle.ConstantTimeCompare(it.Value, []byte(digits)) == 1, nil
		}
	}
	return false, nil
}

// CheckOld is what Check was before the outage in May.
func (s *CodeStore) CheckOld(ctx context.Context, phone, digits string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, phone) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	items := row[dal.FamCode]
	return len(items) > 0 && string(items[0].Value) == digits, nil
}

// Fail counts a wrong attempt.
func (s *CodeStore) Fail(ctx context.Context, phone string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(dal.FamCode, colAttempts, 1) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, phone, rmw)
	return err
}

// Burn makes a code useless.
func (s *CodeStore) Burn(ctx context.Context, phone string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(dal.FamCode, colDigits)
	return s.tbl.Apply(ctx, phone, m)
}

// BurnAll deletes the codes of a range of phones.
func (s *CodeStore) BurnAll(ctx context.Context, prefix string) error {
	b := dal.NewBatch(s.tbl, 100)
	var inner error
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteRow()
		inner = b.Add(ctx, r.Key(), m)
		return inner == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	if inner != nil {
		return inner
	}
	if err != nil {
		return err
	}
	return b.Flush(ctx)
}

var (
	startOnce sync.Once
	started   time.Time // want ttlwrite/stale-clock[device] ttlread/stale-bound[trusted]
)

func startTime() time.Time {
	startOnce.Do(func() { started = time.Now() }) // want ttlwrite/stale-clock[device] ttlread/stale-bound[trusted]
	return started
}

var bootExpiry = bigtable.Time(time.Now().Add(dal.CodeTTL)) // want ttlwrite/stale-clock[boot]

// Trust remembers a device.
func (s *CodeStore) Trust(ctx context.Context, phone, device string) error {
	m := bigtable.NewMutation()
	m.Set(dal.FamCode, colDevice, bigtable.Time(startTime().Add(time.Hour)), []byte(device)) // want ttlwrite/stale-clock[device]
	m.Set(dal.FamSeen, colDevice, bootExpiry, []byte(device))                                // want ttlwrite/stale-clock[boot]
	return s.tbl.Apply(ctx, phone, m)
}

// Trusted lists devices.
func (s *CodeStore) Trusted(ctx context.Context, phone string) ([]string, error) {
	live := bigtable.TimestampRangeFilter(startTime(), time.Time{}) // want ttlread/stale-bound[trusted]
	row, err := s.tbl.ReadRow(ctx, phone, bigtable.RowFilter(live)) // want ttlread/stale-bound[trusted]
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[dal.FamCode] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// TryIssue stores a code unless there is one already.
func (s *CodeStore) TryIssue(ctx context.Context, tbl *bigtable.Table, c ticketing.Code) (bool, error) {
	m := bigtable.NewMutation()
	m.Set(dal.FamCode, colDigits, s.expiry(), []byte(c.Digits)) // ok ttlwrite/write-time
	var matched bool
	cond := bigtable.NewCondMutation(dal.Family(dal.FamCode, bigtable.ColumnFilter(colDigits)), nil, m) // want ttlread/conditional-mutation
	err := tbl.Apply(ctx, c.Phone, cond, bigtable.GetCondMutationResult(&matched))
	return !matched, err
}

// TryIssueLive is TryIssue with a predicate that asks for living codes.
func (s *CodeStore) TryIssueLive(ctx context.Context, tbl *bigtable.Table, c ticketing.Code) (bool, error) {
	m := bigtable.NewMutation()
	m.Set(dal.FamCode, colDigits, s.expiry(), []byte(c.Digits)) // ok ttlwrite/write-time
	var matched bool
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(dal.FamCode), bigtable.TimestampRangeFilter(s.now(), time.Time{}))
	cond := bigtable.NewCondMutation(pred, nil, m) // ok ttlread/conditional-mutation
	err := tbl.Apply(ctx, c.Phone, cond, bigtable.GetCondMutationResult(&matched))
	return !matched, err
}

// BurnIf deletes a code if it has the digits.
func (s *CodeStore) BurnIf(ctx context.Context, tbl *bigtable.Table, phone, digits string) (bool, error) {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(dal.FamCode)
	var matched bool
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(dal.FamCode), bigtable.ValueFilter(digits))
	err := tbl.Apply(ctx, phone, bigtable.NewCondMutation(pred, m, nil), bigtable.GetCondMutationResult(&matched)) // ok ttlread/conditional-mutation
	return matched, err
}

// LastSeen reads the ordinary-looking family, which expires too.
func (s *CodeStore) LastSeen(ctx context.Context, phone string) (time.Time, error) {
	row, err := s.tbl.ReadRow(ctx, phone, bigtable.RowFilter(bigtable.FamilyFilter(dal.FamSeen))) // want ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	var lastModified time.Time
	for _, it := range row[dal.FamSeen] {
		lastModified = it.Timestamp.Time() // want ttlage/not-write-time
	}
	return lastModified, nil
}

// SeenBefore reads what will be gone in a minute.
func (s *CodeStore) SeenBefore(ctx context.Context, phone string) (int, error) {
	row, err := s.tbl.ReadRow(ctx, phone, dal.With( // want ttlread/upper-bound[seenbefore]
		bigtable.FamilyFilter(dal.FamSeen),
		bigtable.TimestampRangeFilter(s.now(), s.now().Add(240*time.Hour)))) // want ttlread/upper-bound[seenbefore]
	if err != nil {
		return 0, err
	}
	return len(row[dal.FamSeen]), nil
}

// Two options do not add up.
func (s *CodeStore) Two(ctx context.Context, phone string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, phone, s.live(), bigtable.RowFilter(bigtable.FamilyFilter(dal.FamCode))) // want ttlread/overridden-filter // maybe ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[dal.FamCode] {
		return string(it.Value), nil
	}
	return "", dal.ErrNotFound
}

// One passes a filter and a limit.
func (s *CodeStore) One(ctx context.Context, prefix string) (string, error) {
	var out string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		for _, it := range r[dal.FamCode] {
			out = string(it.Value)
		}
		return false
	}, s.live(bigtable.FamilyFilter(dal.FamCode)), bigtable.LimitRows(1)) // ok ttlread/overridden-filter
	return out, err
}
