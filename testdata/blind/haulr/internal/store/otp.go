package store

import (
	"context"
	"crypto/subtle"
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/clock"
	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// Channel is how a code travels.
type Channel string

// Channels.
const (
	SMS   Channel = "sms"
	Mail  Channel = "mail"
	Voice Channel = "voice"
)

// Challenge is a code that was sent.
type Challenge struct {
	User    string
	Channel Channel
	Code    string
	Until   time.Time
}

// OTPStore keeps two-factor codes.
type OTPStore struct {
	tbl  bigtablex.Table
	clk  clock.Clock
	life time.Duration
}

// OTPOption changes a store.
type OTPOption func(*OTPStore)

// WithCodeLife sets another lifetime than five minutes.
func WithCodeLife(d time.Duration) OTPOption { return func(s *OTPStore) { s.life = d } }

// NewOTPStore makes a store on an opened table.
func NewOTPStore(tbl bigtablex.Table, clk clock.Clock, opts ...OTPOption) *OTPStore {
	s := &OTPStore{tbl: tbl, clk: clk, life: tables.CodeTTL}
	for _, o := range opts {
		o(s)
	}
	return s
}

func (s *OTPStore) expiry() bigtable.Timestamp {
	return bigtable.Time(s.clk.Now().Add(s.life)) // ok ttlwrite/write-time
}

func (s *OTPStore) nowTS() bigtable.Timestamp { return bigtable.Time(s.clk.Now()) }

func (s *OTPStore) live() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(tables.FamCode),
		bigtablex.LiveAt(s.clk.Now()),
		bigtable.LatestNFilter(1),
	)
}

// Put stores a code; the older one of the channel goes.
func (s *OTPStore) Put(ctx context.Context, c Challenge) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.FamCode, string(c.Channel))             // ok ttlwrite/delete-after-set
	mut.Set(tables.FamCode, string(c.Channel), s.expiry(), []byte(c.Code)) // ok ttlwrite/write-time
	mut.Set(tables.FamAttempts, "sent", s.nowTS(), []byte(c.Channel))      // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, c.User, mut)
}

// PutBackup stores the single-use codes that people print.
func (s *OTPStore) PutBackup(ctx context.Context, user string, codes []string) error {
	mut := bigtable.NewMutation()
	for i, code := range codes {
		mut.Set(tables.FamCode, "backup"+strconv.Itoa(i), s.nowTS(), []byte(code)) // want ttlwrite/write-time
	}
	mut.Set(tables.FamAttempts, "backup", s.nowTS(), []byte(strconv.Itoa(len(codes)))) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, user, mut)
}

// PutVoice stores the code of a call that is placed right now.
func (s *OTPStore) PutVoice(ctx context.Context, user, code string) error {
	now := s.clk.Now()
	mut := bigtable.NewMutation()
	mut.Set(tables.FamCode, string(Voice), bigtable.Time(now), []byte(code))                           // want ttlwrite/write-time
	mut.Set(tables.FamCode, "voice_until", bigtable.Time(now.Add(2*s.life)), rfc3339(now.Add(s.life))) // ok ttlwrite/write-time
	mut.Set(tables.FamAttempts, "call", bigtable.Time(now), nil)                                       // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, user, mut)
}

// Get returns the live code of a channel.
func (s *OTPStore) Get(ctx context.Context, user string, ch Channel) (*Challenge, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(s.live())) // ok ttlread/missing-filter
	if err != nil {
		return nil, fmt.Errorf("otp %s: %w", user, err)
	}
	it, ok := bigtablex.Item(row, tables.FamCode, string(ch))
	if !ok {
		return nil, ErrNotFound
	}
	return &Challenge{User: user, Channel: ch, Code: string(it.Value), Until: it.Timestamp.Time()}, nil // ok ttlage/not-write-time
}

// Check compares a code, whatever the channel.
func (s *OTPStore) Check(ctx context.Context, user, code string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtablex.Latest(tables.FamCode, 1))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	for _, it := range row[tables.FamCode] {
		if subtle.ConstantTimeCompare(it.Value, []byte(code)) == 1 {
			return true, nil
		}
	}
	return false, nil
}

// CheckStrict compares and looks at the deadline.
func (s *OTPStore) CheckStrict(ctx context.Context, user, code string) (bool, error) {
	now := s.clk.Now()
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtablex.Latest(tables.FamCode, 1))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	for _, it := range row[tables.FamCode] {
		if expired(it, now) {
			continue
		}
		if subtle.ConstantTimeCompare(it.Value, []byte(code)) == 1 {
			return true, nil
		}
	}
	return false, nil
}

func expired(it bigtable.ReadItem, now time.Time) bool {
	return it.Timestamp.Time().Before(now)
}

// Fail counts a wrong code; the counter has to vanish with the code.
func (s *OTPStore) Fail(ctx context.Context, user string) (int, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(tables.FamCode, "fails", 1) // want ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, user, rmw)
	if err != nil {
		return 0, err
	}
	return len(row[tables.FamCode]), nil
}

// FailDay counts wrong codes of a day, in the ordinary family.
func (s *OTPStore) FailDay(ctx context.Context, user string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(tables.FamAttempts, s.clk.Now().Format("20060102"), 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, user, rmw)
	return err
}

// Consume deletes a code, if it is still there.
func (s *OTPStore) Consume(ctx context.Context, user string, ch Channel) (bool, error) {
	del := bigtable.NewMutation()
	del.DeleteCellsInColumn(tables.FamCode, string(ch))
	cond := bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamCode), bigtable.ColumnFilter(string(ch)))
	var there bool
	err := s.tbl.Apply(ctx, user, bigtable.NewCondMutation(cond, del, nil), bigtable.GetCondMutationResult(&there)) // ok ttlread/conditional-mutation
	return there, err
}

// ConsumeLog is Consume with a note when it was.
func (s *OTPStore) ConsumeLog(ctx context.Context, user string, ch Channel) (bool, error) {
	used := bigtable.NewMutation()
	used.DeleteCellsInColumn(tables.FamCode, string(ch))
	used.Set(tables.FamAttempts, "used", s.nowTS(), []byte(ch)) // ok ttlwrite/write-time
	cond := bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamCode), bigtable.ColumnFilter(string(ch)))
	var there bool
	err := s.tbl.Apply(ctx, user, bigtable.NewCondMutation(cond, used, nil), bigtable.GetCondMutationResult(&there)) // want ttlread/conditional-mutation
	return there, err
}

// ConsumeLive is ConsumeLog with a predicate that sees live codes only.
func (s *OTPStore) ConsumeLive(ctx context.Context, user string, ch Channel) (bool, error) {
	used := bigtable.NewMutation()
	used.DeleteCellsInColumn(tables.FamCode, string(ch))
	used.Set(tables.FamAttempts, "used", s.nowTS(), []byte(ch))
	var there bool
	err := s.tbl.Apply(ctx, user, bigtable.NewCondMutation(s.live(), used, nil), bigtable.GetCondMutationResult(&there)) // ok ttlread/conditional-mutation
	return there, err
}

// SentAgo says how long ago the last code was sent, by the ordinary family.
func (s *OTPStore) SentAgo(ctx context.Context, user string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtablex.Latest(tables.FamAttempts, 1)))
	if err != nil {
		return 0, err
	}
	for _, it := range row[tables.FamAttempts] {
		return s.clk.Now().Sub(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, ErrNotFound
}

// CodeAgo says how long ago the last code was made.
func (s *OTPStore) CodeAgo(ctx context.Context, user string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(s.live()))
	if err != nil {
		return 0, err
	}
	for _, it := range row[tables.FamCode] {
		return s.clk.Now().Sub(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, ErrNotFound
}

// Pending lists users that have an open challenge, for the support desk.
func (s *OTPStore) Pending(ctx context.Context, max int64) ([]string, error) {
	var users []string
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/limit-before-filter[pend]
		if len(row[tables.FamCode]) > 0 {
			users = append(users, row.Key()+"/"+column(row[tables.FamCode][0]))
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/limit-before-filter[pend]
		bigtable.FamilyFilter(tables.FamCode),
		bigtable.CellsPerRowLimitFilter(1), // want ttlread/limit-before-filter[pend]
		bigtablex.LiveAt(s.clk.Now()),
	)), bigtable.LimitRows(max))
	return users, err
}

// PendingFirst has the limit where it belongs.
func (s *OTPStore) PendingFirst(ctx context.Context, max int64) ([]string, error) {
	var users []string
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		users = append(users, row.Key()+"/"+column(row[tables.FamCode][0]))
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(tables.FamCode),
		bigtablex.LiveAt(s.clk.Now()),
		bigtable.CellsPerRowLimitFilter(1), // ok ttlread/limit-before-filter
	)), bigtable.LimitRows(max))
	return users, err
}
