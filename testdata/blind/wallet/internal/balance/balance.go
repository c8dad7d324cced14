// Package balance keeps wallets: balances have a single version at timestamp
// zero, spending limits last for thirty days unless they are given another
// lifetime, and the rest is ordinary.
package balance

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/schema"
)

// _limitTTL is the age at which limits are collected.
const _limitTTL = 30 * 24 * time.Hour

// ErrNoWallet means that there is no such wallet.
var ErrNoWallet = errors.New("no wallet")

// Repository is what other packages use of this one.
type Repository interface {
	Balance(ctx context.Context, wallet string) (int64, error)
	SetBalance(ctx context.Context, wallet string, n int64) error
	Limit(ctx context.Context, wallet string) (*Limit, error)
}

// Limit is a spending limit.
type Limit struct {
	Daily int64
	Until time.Time
	SetAt time.Time
}

// Params is what New needs.
type Params struct {
	Conn   *btx.Conn
	Clock  clock.Clock
	Log    func(op string, took time.Duration, err error)
	Reader *btx.Reader
}

// Result is what New provides.
type Result struct {
	Repository Repository
	Store      *Store
}

// New provides the repository, with logging round it.
func New(p Params) (Result, error) {
	tbl := p.Conn.Table(schema.TableWallets)
	reader := p.Reader
	if reader == nil {
		reader = btx.NewReader(tbl)
	}
	store := &Store{tbl: tbl, reader: reader, clock: p.Clock}
	var repo Repository = store
	if p.Log != nil {
		repo = &logged{next: repo, clock: p.Clock, log: p.Log}
	}
	return Result{Repository: repo, Store: store}, nil
}

// logged is a Repository that logs.
type logged struct {
	next  Repository
	clock clock.Clock
	log   func(op string, took time.Duration, err error)
}

var _ Repository = (*logged)(nil)

func (l *logged) Balance(ctx context.Context, wallet string) (n int64, err error) {
	start := l.clock.Now()
	defer func() { l.log("Balance", l.clock.Now().Sub(start), err) }()
	return l.next.Balance(ctx, wallet)
}

func (l *logged) SetBalance(ctx context.Context, wallet string, n int64) (err error) {
	start := l.clock.Now()
	defer func() { l.log("SetBalance", l.clock.Now().Sub(start), err) }()
	return l.next.SetBalance(ctx, wallet, n)
}

func (l *logged) Limit(ctx context.Context, wallet string) (lim *Limit, err error) {
	start := l.clock.Now()
	defer func() { l.log("Limit", l.clock.Now().Sub(start), err) }()
	return l.next.Limit(ctx, wallet)
}

// Store keeps wallets in Bigtable.
type Store struct {
	tbl    btx.Table
	reader *btx.Reader
	clock  clock.Clock
}

var _ Repository = (*Store)(nil)

func encode(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

func decode(b []byte) int64 {
	if len(b) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}

// Open creates a wallet.
func (s *Store) Open(ctx context.Context, wallet, owner string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyBal.String(), schema.ColAvailable.String(), 0, encode(0))                      // ok ttlwrite/clock-in-zero
	mut.Set(schema.FamilyBal.String(), schema.ColPending.String(), bigtable.Now(), encode(0))           // want ttlwrite/clock-in-zero
	mut.Set(schema.FamilyInfo.String(), schema.ColOwner.String(), bigtable.Now(), []byte(owner))        // ok ttlwrite/clock-in-zero
	mut.Set(schema.FamilyLimit.String(), schema.ColDaily.String(), bigtable.ServerTime, encode(100_00)) // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, wallet, mut)
}

// SetBalance implements Repository.
func (s *Store) SetBalance(ctx context.Context, wallet string, n int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyBal.String(), schema.ColAvailable.String(), btx.Zero, encode(n)) // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, wallet, mut)
}

// Freeze sets the balance aside.
func (s *Store) Freeze(ctx context.Context, wallet string, n int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyBal.String(), schema.ColAvailable.String(), btx.Zero, encode(0)) // ok ttlwrite/clock-in-zero
	mut.Set(schema.FamilyBal.String(), "frozen", bigtable.ServerTime, encode(n))          // want ttlwrite/clock-in-zero
	mut.Set(schema.FamilyInfo.String(), "frozen", bigtable.ServerTime, nil)               // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, wallet, mut)
}

// Move takes from the available balance and adds to the pending one.
func (s *Store) Move(ctx context.Context, wallet string, available, pending int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyBal.String(), schema.ColAvailable.String(), btx.Zero, encode(available))
	mut.Set(schema.FamilyBal.String(), schema.ColAvailable.String(), btx.Zero, encode(pending)) // want ttlwrite/same-timestamp
	mut.Set(schema.FamilyBal.String(), "moved", btx.Zero, nil)                                  // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, wallet, mut)
}

// Credit adds to a balance.
func (s *Store) Credit(ctx context.Context, wallet string, n int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamilyBal.String(), schema.ColAvailable.String(), n) // want ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, wallet, rmw)
	if err != nil {
		return 0, err
	}
	v, _ := btx.Value(row, schema.FamilyBal, schema.ColAvailable)
	return decode(v), nil
}

// Touch counts uses of a wallet.
func (s *Store) Touch(ctx context.Context, wallet string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamilyInfo.String(), "uses", 1)                                // ok ttlwrite/read-modify-write
	rmw.AppendValue(schema.FamilyInfo.String(), "trail", []byte{'.'})                   // ok ttlwrite/read-modify-write
	rmw.AppendValue(schema.FamilyBal.String(), "trail", []byte(s.clock.Now().String())) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, wallet, rmw)
	return err
}

// Balance implements Repository.
func (s *Store) Balance(ctx context.Context, wallet string) (int64, error) {
	row, err := s.tbl.ReadRow(ctx, wallet, bigtable.RowFilter(btx.Only(schema.FamilyBal))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	v, ok := btx.Value(row, schema.FamilyBal, schema.ColAvailable)
	if !ok {
		return 0, ErrNoWallet
	}
	return decode(v), nil
}

// SetLimit sets a limit for the usual time.
func (s *Store) SetLimit(ctx context.Context, wallet string, n int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyLimit.String(), schema.ColDaily.String(), btx.Stamp(s.clock), encode(n)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, wallet, mut)
}

// SetLimitFor sets a limit for d.
func (s *Store) SetLimitFor(ctx context.Context, wallet string, n int64, d time.Duration) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(schema.FamilyLimit.String(), schema.ColDaily.String())
	mut.Set(schema.FamilyLimit.String(), schema.ColDaily.String(), btx.Shifted(s.clock, d, _limitTTL), encode(n)) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, wallet, mut)
}

// SetWeekendLimit sets a limit for two days.
func (s *Store) SetWeekendLimit(ctx context.Context, wallet string, n int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyLimit.String(), "weekend", btx.Shifted(s.clock, 48*time.Hour, _limitTTL), encode(n)) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, wallet, mut)
}

// SuspendLimit takes a limit away by making it as old as can be.
func (s *Store) SuspendLimit(ctx context.Context, wallet string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyLimit.String(), schema.ColDaily.String(), bigtable.Time(s.clock.Now().Add(-_limitTTL-time.Hour)), nil) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, wallet, mut)
}

// HalveLimit sets a limit that is already half over.
func (s *Store) HalveLimit(ctx context.Context, wallet string, n int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyLimit.String(), schema.ColDaily.String(), bigtable.Time(s.clock.Now().Add(-_limitTTL/2)), encode(n)) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, wallet, mut)
}

// ImportLimits writes limits of the old system at a fixed time.
func (s *Store) ImportLimits(ctx context.Context, wallets []string, n int64) error {
	ts := bigtable.Time(time.Date(2019, time.March, 1, 0, 0, 0, 0, time.UTC))
	muts := make([]*bigtable.Mutation, 0, len(wallets))
	for range wallets {
		mut := bigtable.NewMutation()
		mut.Set(schema.FamilyLimit.String(), schema.ColDaily.String(), ts, encode(n)) // want ttlwrite/already-expired
		mut.Set(schema.FamilyInfo.String(), "since", ts, nil)                         // ok ttlwrite/already-expired
		muts = append(muts, mut)
	}
	rowErrs, err := s.tbl.ApplyBulk(ctx, wallets, muts)
	return errors.Join(append(rowErrs, err)...)
}

// Limit implements Repository.
func (s *Store) Limit(ctx context.Context, wallet string) (*Limit, error) {
	row, err := s.tbl.ReadRow(ctx, wallet, bigtable.RowFilter(btx.Only(schema.FamilyLimit, btx.Since(s.clock.Now(), _limitTTL)))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	for _, item := range row[schema.FamilyLimit.String()] {
		return &Limit{Daily: decode(item.Value), Until: item.Timestamp.Time().Add(_limitTTL)}, nil // ok ttlage/not-write-time
	}
	return nil, ErrNoWallet
}

// LimitAge says when a limit was set.
func (s *Store) LimitAge(ctx context.Context, wallet string) (time.Duration, error) {
	now := s.clock.Now()
	row, err := s.reader.Get(ctx, wallet, btx.WithFilter(btx.Only(schema.FamilyLimit, btx.Since(now, _limitTTL)))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, item := range row[schema.FamilyLimit.String()] {
		if item.Column == schema.Qualified(schema.FamilyLimit, schema.ColDaily) {
			return now.Sub(item.Timestamp.Time()), nil // want ttlage/not-write-time
		}
	}
	return 0, ErrNoWallet
}

// LimitNow reads a limit as if it were a token.
func (s *Store) LimitNow(ctx context.Context, wallet string) (int64, error) {
	row, err := s.reader.Get(ctx, wallet, btx.WithFilter(btx.Only(schema.FamilyLimit, btx.Live(s.clock.Now())))) // want ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	v, _ := btx.Value(row, schema.FamilyLimit, schema.ColDaily)
	return decode(v), nil
}

// LimitWeek reads a limit that was set this week.
func (s *Store) LimitWeek(ctx context.Context, wallet string) (int64, error) {
	row, err := s.tbl.ReadRow(ctx, wallet, bigtable.RowFilter(btx.Only(schema.FamilyLimit, btx.Since(s.clock.Now(), 7*24*time.Hour)))) // want ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	v, _ := btx.Value(row, schema.FamilyLimit, schema.ColDaily)
	return decode(v), nil
}

// LimitLatest reads the newest limit.
func (s *Store) LimitLatest(ctx context.Context, wallet string) (int64, error) {
	row, err := s.reader.Get(ctx, wallet, btx.WithFilter(btx.Cell(schema.FamilyLimit, schema.ColDaily))) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	v, _ := btx.Value(row, schema.FamilyLimit, schema.ColDaily)
	return decode(v), nil
}

// LimitAny reads a limit with nothing but a limit of rows.
func (s *Store) LimitAny(ctx context.Context, wallet string) (int64, error) {
	row, err := s.reader.Get(ctx, wallet) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	v, _ := btx.Value(row, schema.FamilyLimit, schema.ColDaily)
	return decode(v), nil
}

// Owner reads the owner.
func (s *Store) Owner(ctx context.Context, wallet string) (string, error) {
	row, err := s.reader.Get(ctx, wallet) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	v, ok := btx.Value(row, schema.FamilyInfo, schema.ColOwner)
	if !ok {
		return "", ErrNoWallet
	}
	return string(v), nil
}

// Limits scans the limits of all wallets with a prefix.
func (s *Store) Limits(ctx context.Context, prefix string) (map[string]int64, error) {
	out := make(map[string]int64)
	err := s.reader.Scan(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/missing-filter
		if v, ok := btx.Value(row, schema.FamilyLimit, schema.ColDaily); ok {
			out[row.Key()] = decode(v)
		}
		return true
	}, btx.WithLimit(1000))
	return out, err
}

// Balances scans the balances of all wallets with a prefix.
func (s *Store) Balances(ctx context.Context, prefix string) (map[string]int64, error) {
	out := make(map[string]int64)
	err := s.reader.Scan(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		if v, ok := btx.Value(row, schema.FamilyBal, schema.ColAvailable); ok {
			out[row.Key()] = decode(v)
		}
		return true
	}, btx.WithLimit(1000))
	return out, err
}

// Card is a wallet as the app shows it.
type Card struct {
	Wallet    string
	Balance   int64
	Daily     int64
	Owner     string
	UpdatedAt time.Time
	LimitFrom time.Time
}

// Card reads everything of a wallet.
func (s *Store) Card(ctx context.Context, wallet string) (*Card, error) {
	row, err := s.tbl.ReadRow(ctx, wallet, bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		btx.Only(schema.FamilyBal),
		btx.Latest(schema.FamilyInfo),
		btx.Only(schema.FamilyLimit, btx.Since(s.clock.Now(), _limitTTL)),
	)))
	if err != nil {
		return nil, err
	}
	return s.card(wallet, row), nil
}

func (s *Store) card(wallet string, row bigtable.Row) *Card {
	c := &Card{Wallet: wallet}
	if v, ok := btx.Value(row, schema.FamilyBal, schema.ColAvailable); ok {
		c.Balance = decode(v)
	}
	if v, ok := btx.Value(row, schema.FamilyLimit, schema.ColDaily); ok {
		c.Daily = decode(v)
	}
	for _, item := range row[schema.FamilyInfo.String()] {
		c.Owner = string(item.Value)
		c.UpdatedAt = item.Timestamp.Time() // ok ttlage/not-write-time
	}
	return c
}

// CardFast is Card without the filter for balances, which have none.
func (s *Store) CardFast(ctx context.Context, wallet string) (*Card, error) {
	row, err := s.tbl.ReadRow(ctx, wallet, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return s.card(wallet, row), nil
}

// BalanceChanged says when a balance was written.
func (s *Store) BalanceChanged(ctx context.Context, wallet string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, wallet, bigtable.RowFilter(btx.Only(schema.FamilyBal)))
	if err != nil {
		return "", err
	}
	for _, item := range row[schema.FamilyBal.String()] {
		updated := item.Timestamp.Time()                                             // want ttlage/not-write-time[balchanged]
		return fmt.Sprintf("%s: %s", item.Column, updated.Format(time.RFC3339)), nil // want ttlage/not-write-time[balchanged]
	}
	return "", ErrNoWallet
}

// IsDefault says whether a limit was written with the server's clock.
func (s *Store) IsDefault(ctx context.Context, wallet string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, wallet, bigtable.RowFilter(btx.Only(schema.FamilyLimit, btx.Since(s.clock.Now(), _limitTTL))))
	if err != nil {
		return false, err
	}
	for _, item := range row[schema.FamilyLimit.String()] {
		if item.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			return true, nil
		}
	}
	return false, nil
}

// IsZero says whether a balance has the timestamp that it should have.
func (s *Store) IsZero(ctx context.Context, wallet string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, wallet, bigtable.RowFilter(btx.Only(schema.FamilyBal)))
	if err != nil {
		return false, err
	}
	for _, item := range row[schema.FamilyBal.String()] {
		if item.Timestamp != btx.Zero { // ok ttlage/server-sentinel
			return false, nil
		}
	}
	return true, nil
}
