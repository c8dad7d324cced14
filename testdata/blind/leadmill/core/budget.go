package core

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
)

// Budgets.
//
//	led    one cell per booking, numbered by the campaign's sequence, newest three kept
//	cur    what the bidder reads, always at timestamp zero
//	audit  who changed what, real time

// Booking is one line of the ledger.
type Booking struct {
	Campaign string
	Seq      int64
	Micros   int64
	Kind     string
	By       string
	At       time.Time
}

// Ledger numbers bookings of one campaign.
type Ledger struct {
	mu       sync.Mutex
	campaign string
	seq      int64
	n        atomic.Int64
	pending  []Booking
	soft     bool
}

var ledgers = struct {
	sync.Mutex
	m map[string]*Ledger
}{m: map[string]*Ledger{}}

// LedgerOf returns the ledger of a campaign.
func LedgerOf(campaign string) *Ledger {
	ledgers.Lock()
	defer ledgers.Unlock()
	l := ledgers.m[campaign]
	if l == nil {
		l = &Ledger{campaign: campaign, soft: FlagSoftBudget}
		ledgers.m[campaign] = l
	}
	return l
}

// Book writes one booking. v1, one row per campaign.
func (l *Ledger) Book(ctx context.Context, b Booking, final, correction bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if BudTbl == nil {
		return ErrNotInit
	}
	l.seq++
	m := bigtable.NewMutation()
	switch b.Kind {
	case "spend":
		m.Set(FamLed, "spend", bigtable.Timestamp(l.seq*1000), i2b(b.Micros)) // ok ttlwrite/unscaled-sequence
		m.Set(FamCur, "spend", 0, i2b(b.Micros))                              // ok ttlwrite/clock-in-zero
	case "refund":
		m.Set(FamLed, "refund", bigtable.Timestamp(l.seq), i2b(b.Micros)) // want ttlwrite/unscaled-sequence
		m.Set(FamCur, "refund", bigtable.Now(), i2b(b.Micros))            // want ttlwrite/clock-in-zero
	case "topup":
		m.Set(FamLed, "topup", bigtable.Now(), i2b(b.Micros))        // want ttlwrite/clock-in-sequence
		m.Set(FamCur, "topup", bigtable.Timestamp(0), i2b(b.Micros)) // ok ttlwrite/clock-in-zero
	case "fee":
		m.Set(FamLed, "fee", seqTS(l.seq), i2b(b.Micros))        // ok ttlwrite/unscaled-sequence
		m.Set(FamCur, "fee", bigtable.ServerTime, i2b(b.Micros)) // want ttlwrite/clock-in-zero
	case "writeoff":
		// finance wants the booking's own date
		m.Set(FamLed, "writeoff", bigtable.Time(b.At), i2b(b.Micros)) // want ttlwrite/clock-in-sequence
		m.Set(FamCur, "writeoff", 0, i2b(b.Micros))
	default:
		return fmt.Errorf("core: booking kind %q", b.Kind)
	}
	m.Set(FamAudit, b.Kind, bigtable.Now(), []byte(b.By)) // ok ttlwrite/clock-in-sequence
	if final {
		m.Set(FamCur, "state", 0, []byte("final"))
		m.Set(FamLed, "state", bigtable.ServerTime, []byte("final")) // want ttlwrite/clock-in-sequence
	}
	if correction {
		putNow(m, FamCur, "corr", i2b(b.Micros))            // want ttlwrite/clock-in-zero
		put(m, FamLed, "corr", i2b(b.Micros), seqTS(b.Seq)) // ok ttlwrite/unscaled-sequence
		put(m, FamAudit, "corr", []byte(b.By), nowTS())     // ok ttlwrite/clock-in-zero
	}
	return BudTbl.Apply(ctx, l.campaign, m)
}

// BookV2 takes its number from an atomic, no lock. (psz)
func (l *Ledger) BookV2(ctx context.Context, b Booking) (int64, error) {
	n := l.n.Add(1)
	m := bigtable.NewMutation()
	m.Set(FamLed, b.Kind, bigtable.Timestamp(n)*1000, i2b(b.Micros)) // ok ttlwrite/unscaled-sequence
	m.Set(FamLed, b.Kind+"_by", bigtable.Timestamp(n), []byte(b.By)) // want ttlwrite/unscaled-sequence
	m.Set(FamCur, b.Kind, 0, i2b(b.Micros))                          // ok ttlwrite/clock-in-zero
	m.Set(FamAudit, b.Kind, bigtable.ServerTime, []byte(b.By))       // ok ttlwrite/server-timestamp
	return n, BudTbl.Apply(ctx, l.campaign, m)
}

// Flush writes what is pending, in one bulk.
func (l *Ledger) Flush(ctx context.Context, tag string) error {
	l.mu.Lock()
	pend := l.pending
	l.pending = nil
	l.mu.Unlock()
	if len(pend) == 0 {
		return nil
	}
	keys := make([]string, 0, len(pend))
	muts := make([]*bigtable.Mutation, 0, len(pend))
	for i, b := range pend {
		m := bigtable.NewMutation()
		switch {
		case b.Seq > 0:
			m.Set(FamLed, b.Kind, seqTS(b.Seq), i2b(b.Micros)) // ok ttlwrite/unscaled-sequence
		case tag != "":
			m.Set(FamLed, tag, bigtable.Timestamp(i), i2b(b.Micros)) // want ttlwrite/unscaled-sequence
		default:
			m.Set(FamLed, b.Kind, bigtable.Timestamp((i+1)*1000), i2b(b.Micros)) // ok ttlwrite/unscaled-sequence
		}
		m.Set(FamLed, "left", bigtable.Timestamp(len(pend)-i), i2b(int64(len(pend)))) // want ttlwrite/unscaled-sequence
		keys, muts = append(keys, l.campaign), append(muts, m)
	}
	errs, err := BudTbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return err
	}
	for i, e := range errs {
		if e != nil {
			log.Printf("core: flush %s[%d]: %v", l.campaign, i, e)
		}
	}
	return nil
}

// Later queues a booking.
func (l *Ledger) Later(b Booking) {
	l.mu.Lock()
	l.pending = append(l.pending, b)
	l.mu.Unlock()
}

// record kinds, indexes of budgetFams
const (
	recLed = iota
	recCur
	recAudit
)

// ResetBudget is what the month-end job calls. full also resets the numbering.
func ResetBudget(ctx context.Context, campaign string, amount int64, full, dry bool) error {
	m := bigtable.NewMutation()
	fam := budgetFams[recCur]
	m.DeleteCellsInFamily(fam)           // ok ttlwrite/delete-after-set
	m.Set(fam, "amount", 0, i2b(amount)) // ok ttlwrite/clock-in-zero
	if full {
		led := budgetFams[recLed]
		m.DeleteCellsInFamily(led)
		m.Set(led, "open", 1, i2b(amount))                      // want ttlwrite/unscaled-sequence
		m.Set(led, "close", 1000, i2b(0))                       // ok ttlwrite/unscaled-sequence
		put(m, led, "reset", i2b(amount), rawTS(len(campaign))) // want ttlwrite/unscaled-sequence
	}
	m.Set(budgetFams[recAudit], "reset", bigtable.Now(), []byte("month-end")) // ok ttlwrite/clock-in-sequence
	m.Set(budgetFams[recCur], "reset", bigtable.Now(), []byte("month-end"))   // want ttlwrite/clock-in-zero
	if dry {
		log.Printf("core: would reset %s to %d", campaign, amount)
		return nil
	}
	return BudTbl.Apply(ctx, campaign, m)
}

// SpendFast increments without reading. mh: this is not exact, that is ok
func SpendFast(ctx context.Context, campaign string, micros int64, cols ...string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamCur, "fast", micros) // want ttlwrite/read-modify-write
	for _, c := range cols {
		rmw.Increment(FamAudit, c, 1) // ok ttlwrite/read-modify-write
	}
	row, err := BudTbl.ApplyReadModifyWrite(ctx, campaign, rmw)
	if err != nil {
		return 0, err
	}
	for _, it := range row[FamCur] {
		return b2i(it.Value), nil
	}
	return 0, nil
}

// AppendLedgerNote appends to the text of the ledger.
func AppendLedgerNote(ctx context.Context, campaign, note string, audit bool) error {
	rmw := bigtable.NewReadModifyWrite()
	if audit {
		rmw.AppendValue(FamAudit, "note", []byte(note+"\n")) // ok ttlwrite/read-modify-write
	} else {
		rmw.AppendValue(FamLed, "note", []byte(note+"\n")) // want ttlwrite/read-modify-write
	}
	_, err := BudTbl.ApplyReadModifyWrite(ctx, campaign, rmw)
	return err
}

// Budget is the state of a campaign.
type Budget struct {
	Campaign  string
	Amount    int64
	Spend     int64
	History   []int64
	UpdatedAt time.Time
	Version   int64
}

// LoadBudget reads the state only.
func LoadBudget(ctx context.Context, campaign string) (*Budget, error) {
	row, err := BudTbl.ReadRow(ctx, campaign) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	b := &Budget{Campaign: campaign}
	for _, it := range row[FamCur] {
		switch col(it) {
		case "amount":
			b.Amount = b2i(it.Value)
			b.UpdatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		case "spend":
			b.Spend = b2i(it.Value)
		}
	}
	return b, nil
}

// LoadBudgetHist reads the state and the last bookings.
func LoadBudgetHist(ctx context.Context, campaign string, n int, all bool) (*Budget, error) {
	var f bigtable.Filter
	switch {
	case all:
		f = bigtable.LatestNFilter(3)
	case n == 1:
		f = bigtable.LatestNFilter(1)
	default:
		f = bigtable.LatestNFilter(2)
	}
	row, err := BudTbl.ReadRow(ctx, campaign, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	b := &Budget{Campaign: campaign}
	for _, it := range row[FamLed] {
		if col(it) == "spend" {
			b.History = append(b.History, b2i(it.Value))
			if v := int64(it.Timestamp) / 1000; v > b.Version { // ok ttlage/not-write-time
				b.Version = v
			}
		}
	}
	for _, it := range row[FamAudit] {
		if t := it.Timestamp.Time(); t.After(b.UpdatedAt) {
			b.UpdatedAt = t // ok ttlage/not-write-time
		}
	}
	return b, nil
}

// LoadHistV1 asks for more than is kept.
func LoadHistV1(ctx context.Context, campaign string) ([]int64, error) {
	row, err := BudTbl.ReadRow(ctx, campaign, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamLed), bigtable.LatestNFilter(10)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, it := range row[FamLed] {
		out = append(out, b2i(it.Value))
	}
	return out, nil
}

// LoadColumn reads one column of the ledger, all of it.
func LoadColumn(ctx context.Context, campaign, column string) ([]int64, error) {
	row, err := BudTbl.ReadRow(ctx, campaign, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamLed), bigtable.ColumnFilter(column)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, it := range row[FamLed] {
		out = append(out, b2i(it.Value))
	}
	return out, nil
}

// BookedSince looks like the others but is not. psz
func BookedSince(ctx context.Context, campaign string, d time.Duration) (int64, error) {
	row, err := BudTbl.ReadRow(ctx, campaign, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamLed), bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})))) // want ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, it := range row[FamLed] {
		sum += b2i(it.Value)
	}
	return sum, nil
}

// BookedFrom reads from a number on.
func BookedFrom(ctx context.Context, campaign string, seq int64) (int64, error) {
	row, err := BudTbl.ReadRow(ctx, campaign, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamLed), bigtable.LatestNFilter(3), bigtable.TimestampRangeFilterMicros(seqTS(seq), seqTS(seq+100))))) // ok ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, it := range row[FamLed] {
		sum += b2i(it.Value)
	}
	return sum, nil
}

// AuditSince is about real times.
func AuditSince(ctx context.Context, campaign string, since time.Time) ([]string, error) {
	row, err := BudTbl.ReadRow(ctx, campaign, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamAudit), bigtable.TimestampRangeFilter(since, time.Now())))) // ok ttlread/expired-only
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[FamAudit] {
		out = append(out, it.Timestamp.Time().Format(time.RFC3339)+" "+string(it.Value)) // ok ttlage/not-write-time
	}
	return out, nil
}

// LastBooking tells when something was booked last.
func LastBooking(ctx context.Context, campaign string) (string, error) {
	row, err := BudTbl.ReadRow(ctx, campaign, latest()) // ok ttlread/version-limit
	if err != nil {
		return "", err
	}
	for _, it := range row[FamLed] {
		if col(it) == "spend" {
			return "booked " + ago(time.Since(it.Timestamp.Time())), nil // want ttlage/not-write-time
		}
	}
	for _, it := range row[FamAudit] {
		return "changed " + ago(time.Since(it.Timestamp.Time())), nil // ok ttlage/not-write-time
	}
	return "", errors.New("core: nothing booked")
}

// pause stops a campaign unless it is stopped.
func pause(ctx context.Context, campaign string, l *Ledger) (bool, error) {
	l.mu.Lock()
	l.seq++
	n := l.seq
	l.mu.Unlock()
	stop := bigtable.NewMutation()
	stop.Set(FamLed, "paused", bigtable.Timestamp(n*1000), []byte("1")) // ok ttlwrite/unscaled-sequence
	stop.Set(FamCur, "paused", 0, []byte("1"))
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(FamLed), bigtable.ColumnFilter("paused")), nil, stop) // ok ttlread/conditional-mutation
	var was bool
	err := BudTbl.Apply(ctx, campaign, cond, bigtable.GetCondMutationResult(&was))
	return !was, err
}

// resume starts it if the newest mark says that it is paused.
func resume(ctx context.Context, campaign string, l *Ledger) error {
	l.mu.Lock()
	l.seq++
	n := l.seq
	l.mu.Unlock()
	start := bigtable.NewMutation()
	start.Set(FamLed, "paused", bigtable.Timestamp(n*1000), []byte("0"))
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(FamLed), bigtable.ColumnFilter("paused"), bigtable.ValueFilter("1")), start, nil) // want ttlread/conditional-mutation
	return BudTbl.Apply(ctx, campaign, cond)
}

// resumeV2 looks at the newest only.
func resumeV2(ctx context.Context, campaign string, n int64) error {
	start := bigtable.NewMutation()
	start.Set(FamLed, "paused", seqTS(n), []byte("0"))                                                                                                                                        // ok ttlwrite/unscaled-sequence
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(FamLed), bigtable.ColumnFilter("paused"), bigtable.LatestNFilter(1), bigtable.ValueFilter("1")), start, nil) // ok ttlread/conditional-mutation
	return BudTbl.Apply(ctx, campaign, cond)
}

// SetPaused flips the switch.
func SetPaused(ctx context.Context, campaign string, on, v2 bool) error {
	l := LedgerOf(campaign)
	if on {
		_, err := pause(ctx, campaign, l)
		return err
	}
	if v2 {
		return resumeV2(ctx, campaign, l.n.Add(1))
	}
	return resume(ctx, campaign, l)
}
