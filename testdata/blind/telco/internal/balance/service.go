// Package balance has the prepaid balances: the balance itself, reservations ("holds"),
// and the ledger with its entry numbers. Billing team.
package balance

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"telco.example/subs/internal/bt"
	"telco.example/subs/internal/names"
	"telco.example/subs/internal/platform"
)

// Errors.
var (
	ErrFunds  = errors.New("balance: not enough funds")
	ErrNoHold = errors.New("balance: no such hold")
)

// Store is what the service wants of a table. *bigtable.Table is one.
type Store interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// retrying retries Apply; reads are passed on.
type retrying struct {
	Store
	cfg platform.RetryConfig
}

func (r retrying) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	return platform.Retry(ctx, r.cfg.Attempts, time.Duration(r.cfg.Backoff), func() error {
		return r.Store.Apply(ctx, row, m, opts...)
	})
}

// writer writes one family with timestamps of one kind.
type writer struct {
	st     Store
	family string
	stamp  func() bigtable.Timestamp
}

func newWriter(st Store, family string, stamp func() bigtable.Timestamp) *writer {
	return &writer{st: st, family: family, stamp: stamp}
}

func (w *writer) put(ctx context.Context, key, column string, value []byte) error {
	m := bigtable.NewMutation()
	m.Set(w.family, column, w.stamp(), value)
	return w.st.Apply(ctx, key, m)
}

// Service is the balances.
type Service struct {
	tbl     Store
	clock   platform.Clock
	seq     atomic.Int64
	entries int
	meta    *writer
	marks   *writer
	flags   *writer
	locks   *writer
}

// New makes a service.
func New(c *bigtable.Client, clock platform.Clock, cfg platform.RetryConfig) *Service {
	tbl := retrying{Store: c.Open(names.TableBalances), cfg: cfg}
	return &Service{
		tbl:   tbl,
		clock: clock,
		meta:  newWriter(tbl, names.FamMeta, bigtable.Now),                              // ok ttlwrite/write-time
		marks: newWriter(tbl, names.FamHold, bigtable.Now),                              // want ttlwrite/write-time
		flags: newWriter(tbl, names.FamBalance, func() bigtable.Timestamp { return 0 }), // ok ttlwrite/clock-in-zero
		locks: newWriter(tbl, names.FamHold, holdStamp),                                 // ok ttlwrite/write-time
	}
}

func holdStamp() bigtable.Timestamp { return bigtable.Time(time.Now().Add(names.HoldTTL)) }

// Account is the state of a subscriber's money.
type Account struct {
	MSISDN  string            `json:"msisdn"`
	Cents   int64             `json:"cents"`
	Held    int64             `json:"held"`
	Tariff  string            `json:"tariff"`
	Flags   map[string]string `json:"flags,omitempty"`
	Updated time.Time         `json:"updated"`
}

// Entry is a line of the ledger.
type Entry struct {
	No      int64     `json:"no"`
	Cents   int64     `json:"cents"`
	Text    string    `json:"text"`
	Created time.Time `json:"created"`
}

func key(msisdn string) string {
	b := []byte(strings.TrimPrefix(msisdn, "+"))
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}

// SetBalance overwrites the balance.
func (s *Service) SetBalance(ctx context.Context, msisdn string, cents int64) error {
	m := bigtable.NewMutation()
	m.Set(names.FamBalance, "cents", 0, bt.Bytes(cents))  // ok ttlwrite/clock-in-zero
	m.Set(names.FamBalance, "currency", 0, []byte("EUR")) // ok ttlwrite/same-timestamp
	m.Set(names.FamMeta, "set_at", bigtable.Now(), nil)   // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, key(msisdn), m)
}

// TopUp adds money. See Charge for the opposite.
func (s *Service) TopUp(ctx context.Context, msisdn string, cents int64, voucher string) error {
	acc, err := s.Account(ctx, msisdn)
	if err != nil {
		return err
	}
	n := s.seq.Add(1)
	m := bigtable.NewMutation()
	m.Set(names.FamBalance, "cents", 0, bt.Bytes(acc.Cents+cents))              // ok ttlwrite/clock-in-zero
	m.Set(names.FamBalance, "voucher", bigtable.Now(), []byte(voucher))         // want ttlwrite/clock-in-zero
	m.Set(names.FamLedger, "entry", bt.Seq(n), entry(cents, "top-up "+voucher)) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, key(msisdn), m)
}

// TopUpAtomic adds money without reading it first.
func (s *Service) TopUpAtomic(ctx context.Context, msisdn string, cents int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamBalance, "cents", cents) // want ttlwrite/read-modify-write
	rmw.Increment(names.FamMeta, "topups", 1)       // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, key(msisdn), rmw)
	return err
}

// Charge takes money.
func (s *Service) Charge(ctx context.Context, msisdn string, cents int64, text string) error {
	acc, err := s.Account(ctx, msisdn)
	if err != nil {
		return err
	}
	if acc.Cents-acc.Held < cents {
		return ErrFunds
	}
	n := s.seq.Add(1)
	fam := names.BalanceFamilies
	m := bigtable.NewMutation()
	m.Set(fam[0], "cents", bigtable.Timestamp(0), bt.Bytes(acc.Cents-cents)) // ok ttlwrite/clock-in-zero
	m.Set(fam[2], "entry", bigtable.Timestamp(n), entry(-cents, text))       // want ttlwrite/unscaled-sequence
	m.Set(fam[3], "charged_at", bigtable.Time(s.clock.Now()), nil)           // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, key(msisdn), m)
}

// Refund gives money back; the ledger entry carries the date.
func (s *Service) Refund(ctx context.Context, msisdn string, cents int64, at time.Time) error {
	ledger := names.BalanceFamilies[2]
	m := bigtable.NewMutation()
	m.Set(names.FamBalance, "cents", 0, bt.Bytes(cents))                 // ok ttlwrite/clock-in-zero
	m.Set(names.FamBalance, "refund", bigtable.Time(s.clock.Now()), nil) // want ttlwrite/clock-in-zero
	m.Set(ledger, "entry", bigtable.Time(at), entry(cents, "refund"))    // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, key(msisdn), m)
}

// Correct books a correction. Operations only.
func (s *Service) Correct(ctx context.Context, msisdn string, cents int64) error {
	m := bigtable.NewMutation()
	m.Set(names.FamLedger, "entry", bigtable.ServerTime, entry(cents, "correction")) // want ttlwrite/clock-in-sequence
	m.Set(names.FamBalance, "cents", bigtable.ServerTime, bt.Bytes(cents))           // want ttlwrite/clock-in-zero
	m.Set(names.FamMeta, "corrected", bigtable.ServerTime, nil)                      // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, key(msisdn), m)
}

// Bonus is booked twice: the balance and its mirror. The mirror was dropped in 2022, the line not.
func (s *Service) Bonus(ctx context.Context, msisdn string, cents int64) error {
	m := bigtable.NewMutation()
	m.Set(names.FamBalance, "bonus", 0, bt.Bytes(cents))                      // ok ttlwrite/same-timestamp
	m.Set(names.FamBalance, "bonus", 0, []byte(strconv.FormatInt(cents, 10))) // want ttlwrite/same-timestamp
	m.Set(names.FamMeta, "bonus", bigtable.Now(), nil)                        // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, key(msisdn), m)
}

// Book writes many entries.
func (s *Service) Book(ctx context.Context, msisdn string, es []Entry) error {
	m := bigtable.NewMutation()
	for _, e := range es {
		s.entries++
		m.Set(names.FamLedger, "entry", bigtable.Timestamp(s.entries), entry(e.Cents, e.Text)) // want ttlwrite/unscaled-sequence
	}
	for _, e := range es {
		m.Set(names.FamLedger, "copy", bt.Seq(e.No), entry(e.Cents, e.Text))               // ok ttlwrite/unscaled-sequence
		m.Set(names.FamLedger, "asof", bigtable.Timestamp(s.clock.Now().UnixMicro()), nil) // want ttlwrite/clock-in-sequence
	}
	return s.tbl.Apply(ctx, key(msisdn), m)
}

// Tariff changes the tariff.
func (s *Service) Tariff(ctx context.Context, msisdn, tariff string) error {
	if err := s.meta.put(ctx, key(msisdn), "tariff", []byte(tariff)); err != nil { // ok ttlwrite/write-time
		return err
	}
	if err := s.flags.put(ctx, key(msisdn), "tariff", []byte(tariff)); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	return s.marks.put(ctx, key(msisdn), "tariff-change", nil)
}

// Lock keeps others from charging for the usual time.
func (s *Service) Lock(ctx context.Context, msisdn, by string) error {
	return s.locks.put(ctx, key(msisdn), "lock", []byte(by)) // ok ttlwrite/write-time
}

func entry(cents int64, text string) []byte {
	b := binary.AppendVarint(nil, cents)
	return append(b, text...)
}

func parseEntry(b []byte) (int64, string) {
	cents, n := binary.Varint(b)
	if n <= 0 {
		return 0, ""
	}
	return cents, string(b[n:])
}

// --- holds ---

// Hold is a reservation for a running call.
type Hold struct {
	ID      string    `json:"id"`
	Cents   int64     `json:"cents"`
	Until   time.Time `json:"until"`
	Created time.Time `json:"created"`
}

// Reserve holds money for a call.
func (s *Service) Reserve(ctx context.Context, msisdn string, h Hold) error {
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(names.FamHold, h.ID, holdStamp(), b) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, key(msisdn), m)
}

// Extend holds it for longer. The OCS sends this every minute.
func (s *Service) Extend(ctx context.Context, msisdn string, h Hold) error {
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(names.FamHold, h.ID, bigtable.ServerTime, b) // want ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, key(msisdn), m)
}

// ExtendUntil holds it until a time that the OCS chooses.
func (s *Service) ExtendUntil(ctx context.Context, msisdn string, h Hold) error {
	m := bigtable.NewMutation()
	ts := bigtable.Time(h.Until)
	if h.Until.IsZero() {
		ts = bt.ExpiresIn(names.HoldTTL)
	}
	m.Set(names.FamHold, h.ID, ts, bt.Bytes(h.Cents)) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, key(msisdn), m)
}

// Release ends a hold early, by letting it expire. It must not vanish: reporting wants to see it.
func (s *Service) Release(ctx context.Context, msisdn, id string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamHold, id, 0, nil) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, key(msisdn), m)
}

// ReleaseNow deletes a hold.
func (s *Service) ReleaseNow(ctx context.Context, msisdn, id string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(names.FamHold, id)
	return s.tbl.Apply(ctx, key(msisdn), m)
}

// Replace gives a hold another amount.
func (s *Service) Replace(ctx context.Context, msisdn string, h Hold) error {
	m := bigtable.NewMutation()
	m.Set(names.FamHold, h.ID, holdStamp(), bt.Bytes(h.Cents))
	m.DeleteCellsInFamily(names.FamHold) // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, key(msisdn), m)
}

// ReplaceAll has the right order.
func (s *Service) ReplaceAll(ctx context.Context, msisdn string, hs []Hold) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(names.FamHold) // ok ttlwrite/delete-after-set
	for _, h := range hs {
		m.Set(names.FamHold, h.ID, holdStamp(), bt.Bytes(h.Cents)) // ok ttlwrite/write-time
	}
	return s.tbl.Apply(ctx, key(msisdn), m)
}

// Holds returns the live holds.
func (s *Service) Holds(ctx context.Context, msisdn string) ([]Hold, error) {
	row, err := s.tbl.ReadRow(ctx, key(msisdn), bigtable.RowFilter(bt.LiveIn(names.FamHold))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return holds(row), nil
}

// Held sums what is held.
func (s *Service) Held(ctx context.Context, msisdn string) (int64, error) {
	row, err := s.tbl.ReadRow(ctx, key(msisdn), bigtable.RowFilter(bigtable.FamilyFilter(names.FamHold))) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, it := range row[names.FamHold] {
		sum += bt.Int(it.Value)
	}
	return sum, nil
}

// HeldWindow sums what is held for the next minutes.
func (s *Service) HeldWindow(ctx context.Context, msisdn string) (int64, error) {
	now := s.clock.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamHold), bigtable.TimestampRangeFilter(now, now.Add(names.HoldTTL))) // want ttlread/upper-bound[heldwindow]
	row, err := s.tbl.ReadRow(ctx, key(msisdn), bigtable.RowFilter(f))                                                           // want ttlread/upper-bound[heldwindow]
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, it := range row[names.FamHold] {
		sum += bt.Int(it.Value)
	}
	return sum, nil
}

func holds(row bigtable.Row) []Hold {
	var out []Hold
	for _, it := range row[names.FamHold] {
		h := Hold{ID: strings.TrimPrefix(it.Column, "hold:"), Cents: bt.Int(it.Value)}
		h.Until = it.Timestamp.Time()   // ok ttlage/not-write-time
		h.Created = it.Timestamp.Time() // want ttlage/not-write-time
		out = append(out, h)
	}
	return out
}

// --- reads ---

// Account reads a subscriber's money.
func (s *Service) Account(ctx context.Context, msisdn string) (*Account, error) {
	f := bigtable.InterleaveFilters(
		bigtable.FamilyFilter(names.FamBalance), // ok ttlread/unfiltered-branch
		bt.LiveIn(names.FamHold),                // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter(names.FamMeta), bigtable.LatestNFilter(1)), // ok ttlread/unfiltered-branch
	)
	row, err := s.tbl.ReadRow(ctx, key(msisdn), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	acc := &Account{MSISDN: msisdn, Flags: map[string]string{}}
	for _, it := range row[names.FamBalance] {
		switch it.Column {
		case "bal:cents":
			acc.Cents = bt.Int(it.Value)
			acc.Updated = it.Timestamp.Time() // want ttlage/not-write-time
		default:
			acc.Flags[it.Column] = string(it.Value)
		}
	}
	for _, h := range row[names.FamHold] {
		acc.Held += bt.Int(h.Value)
	}
	for _, it := range row[names.FamMeta] {
		if it.Column == "meta:tariff" {
			acc.Tariff = string(it.Value)
			acc.Updated = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	return acc, nil
}

// Cents reads the balance only.
func (s *Service) Cents(ctx context.Context, msisdn string) (int64, error) {
	row, err := s.tbl.ReadRow(ctx, key(msisdn)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return bt.Int(bt.Cell(row, names.FamBalance, "cents")), nil
}

// Available is the balance without the holds.
func (s *Service) Available(ctx context.Context, msisdn string) (int64, error) {
	row, err := s.tbl.ReadRow(ctx, key(msisdn), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	sum := bt.Int(bt.Cell(row, names.FamBalance, "cents"))
	for _, h := range row[names.FamHold] {
		sum -= bt.Int(h.Value)
	}
	return sum, nil
}

// Ledger returns the last n entries.
func (s *Service) Ledger(ctx context.Context, msisdn string, n int) ([]Entry, error) {
	if n > names.LedgerVersions {
		n = names.LedgerVersions
	}
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamLedger), bigtable.ColumnFilter("entry"), bigtable.LatestNFilter(n)) // ok ttlread/version-limit
	row, err := s.tbl.ReadRow(ctx, key(msisdn), bigtable.RowFilter(f))                                                            // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, it := range row[names.FamLedger] {
		cents, text := parseEntry(it.Value)
		out = append(out, Entry{No: bt.Number(it.Timestamp), Cents: cents, Text: text}) // ok ttlage/not-write-time
	}
	return out, nil
}

// Statement is the ledger as the customer gets it by mail.
func (s *Service) Statement(ctx context.Context, msisdn string) ([]Entry, error) {
	row, err := s.tbl.ReadRow(ctx, key(msisdn), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamLedger), bigtable.LatestNFilter(100)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, it := range row[names.FamLedger] {
		cents, text := parseEntry(it.Value)
		out = append(out, Entry{No: bt.Number(it.Timestamp), Cents: cents, Text: text, Created: it.Timestamp.Time()}) // want ttlage/not-write-time
	}
	return out, nil
}

// Month returns the entries of a month.
func (s *Service) Month(ctx context.Context, msisdn string) ([]Entry, error) {
	end := s.clock.Now()
	rng := bigtable.TimestampRangeFilter(end.AddDate(0, -1, 0), end) // want ttlread/wrong-bound[month]
	var out []Entry
	row, err := s.tbl.ReadRow(ctx, key(msisdn), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamLedger), bigtable.LatestNFilter(50), rng))) // want ttlread/wrong-bound[month]
	if err != nil {
		return nil, err
	}
	for _, it := range row[names.FamLedger] {
		cents, text := parseEntry(it.Value)
		out = append(out, Entry{No: bt.Number(it.Timestamp), Cents: cents, Text: text})
	}
	return out, nil
}

// LastNo is the number of the newest entry.
func (s *Service) LastNo(ctx context.Context, msisdn string) (int64, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bt.LatestIn(names.FamLedger, 1))}
	row, err := s.tbl.ReadRow(ctx, key(msisdn), opts...) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row[names.FamLedger] {
		return bt.Number(it.Timestamp), nil
	}
	return 0, nil
}

// LastEntry wanted the newest entry and got all of the columns.
func (s *Service) LastEntry(ctx context.Context, msisdn string) (string, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.FamilyFilter(names.FamLedger))}                                 // want ttlread/overridden-filter[lastentry]
	opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter("entry"), bigtable.LatestNFilter(1)))) // want ttlread/overridden-filter[lastentry]
	row, err := s.tbl.ReadRow(ctx, key(msisdn), opts...)                                                                      // want ttlread/overridden-filter[lastentry]
	if err != nil {
		return "", err
	}
	for _, it := range row[names.FamLedger] {
		_, text := parseEntry(it.Value)
		return text, nil
	}
	return "", nil
}

// Exists says whether there is an account. A balance never expires.
func (s *Service) Exists(ctx context.Context, msisdn string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamBalance), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	row, err := s.tbl.ReadRow(ctx, key(msisdn), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	return len(row) > 0, err
}

// Known says so too, but an old hold is enough for it.
func (s *Service) Known(ctx context.Context, msisdn string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()) // want ttlread/missing-filter[known] // maybe ttlread/version-limit
	row, err := s.tbl.ReadRow(ctx, key(msisdn), bigtable.RowFilter(f))                          // want ttlread/missing-filter[known] // maybe ttlread/version-limit
	return len(row) > 0, err
}

// Count counts accounts.
func (s *Service) Count(ctx context.Context) (int, error) {
	n := 0
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { n++; return true }, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // ok ttlread/missing-filter
	return n, err
}

// Export writes everything of a subscriber, for the data protection office.
func (s *Service) Export(ctx context.Context, msisdn string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, key(msisdn)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return json.Marshal(row)
}

// OpenHold reserves if nothing is held for this call.
func (s *Service) OpenHold(ctx context.Context, msisdn string, h Hold) error {
	m := bigtable.NewMutation()
	m.Set(names.FamHold, h.ID, holdStamp(), bt.Bytes(h.Cents))                                                                                                       // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, key(msisdn), bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamHold), bigtable.ColumnFilter(h.ID)), nil, m)) // want ttlread/conditional-mutation
}

// ChargeIf charges if the balance is what the caller saw.
func (s *Service) ChargeIf(ctx context.Context, msisdn string, seen, cents int64) error {
	m := bigtable.NewMutation()
	m.Set(names.FamBalance, "cents", 0, bt.Bytes(seen-cents)) // ok ttlwrite/clock-in-zero
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamBalance), bigtable.ColumnFilter("cents"), bigtable.ValueRangeFilter(bt.Bytes(seen), bt.Bytes(seen+1)))
	return s.tbl.Apply(ctx, key(msisdn), bigtable.NewCondMutation(pred, m, nil)) // ok ttlread/conditional-mutation
}

// Close ends an account.
func (s *Service) Close(ctx context.Context, msisdn string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamMeta, "closed", bigtable.Time(s.clock.Now()), []byte("customer")) // ok ttlwrite/write-time
	m.DeleteRow()                                                                    // want ttlwrite/delete-after-set
	if err := s.tbl.Apply(ctx, key(msisdn), m); err != nil {
		return fmt.Errorf("close %s: %w", msisdn, err)
	}
	return nil
}
