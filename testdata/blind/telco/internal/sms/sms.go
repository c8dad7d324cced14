// Package sms keeps delivery receipts and the routes to other operators' message centres.
package sms

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	cbt "cloud.google.com/go/bigtable"

	"telco.example/subs/internal/bt"
	"telco.example/subs/internal/names"
	"telco.example/subs/internal/platform"
)

// Receipts and Routes are opened by Setup.
var (
	Receipts *cbt.Table
	Routes   *cbt.Table

	log = slog.Default().With("pkg", "sms")

	pending   = map[string]*Receipt{}
	pendingMu sync.Mutex

	// epoch0 is what the state family is written with.
	epoch0 cbt.Timestamp

	stateFam = names.FamState
	fams     = []string{names.FamReceipt, names.FamState, names.FamRaw}
)

// Receipt is a delivery receipt.
type Receipt struct {
	ID         string    `json:"id"`
	MSISDN     string    `json:"msisdn"`
	Status     string    `json:"status"`
	Operator   string    `json:"operator"`
	Body       []byte    `json:"body,omitempty"`
	ReceivedAt time.Time `json:"received_at"`
	CreatedAt  time.Time `json:"created_at"`
	Retention  time.Duration
}

// Setup opens the tables.
func Setup(c *cbt.Client) {
	Receipts = c.Open(names.TableReceipts)
	Routes = c.Open(names.TableSMSRoutes)
}

func rowKey(msisdn, id string) string { return msisdn + "#" + id }

// Store writes a receipt for a week.
func Store(ctx context.Context, r Receipt) error {
	m := cbt.NewMutation()
	m.Set(names.FamReceipt, "status", cbt.ServerTime, []byte(r.Status)) // ok ttlwrite/server-timestamp
	m.Set(names.FamReceipt, "op", cbt.Now(), []byte(r.Operator))        // ok ttlwrite/write-time
	m.Set(stateFam, "status", epoch0, []byte(r.Status))                 // ok ttlwrite/clock-in-zero
	m.Set(names.FamRaw, "body", cbt.Now(), r.Body)                      // ok ttlwrite/write-time
	return Receipts.Apply(ctx, rowKey(r.MSISDN, r.ID), m)
}

// StoreFor writes a receipt for a retention of its own.
func StoreFor(ctx context.Context, r Receipt) error {
	ts := cbt.Time(time.Now().Add(r.Retention - names.ReceiptTTL))
	m := cbt.NewMutation()
	m.DeleteCellsInFamily(names.FamReceipt)                      // ok ttlwrite/delete-after-set
	m.Set(names.FamReceipt, "status", ts, []byte(r.Status))      // ok ttlwrite/already-expired
	m.Set(names.FamState, "status", cbt.Now(), []byte(r.Status)) // want ttlwrite/clock-in-zero
	return Receipts.Apply(ctx, rowKey(r.MSISDN, r.ID), m)
}

// StoreShort writes a receipt for an hour: the marketing messages.
func StoreShort(ctx context.Context, r Receipt) error {
	m := cbt.NewMutation()
	m.Set(names.FamReceipt, "status", bt.Shifted(time.Hour, names.ReceiptTTL), []byte(r.Status)) // ok ttlwrite/already-expired
	m.Set(names.FamReceipt, "gone", bt.Shifted(-time.Hour, names.ReceiptTTL), nil)               // want ttlwrite/already-expired
	return Receipts.Apply(ctx, rowKey(r.MSISDN, r.ID), m)
}

// Advance sets the state.
func Advance(ctx context.Context, msisdn, id, status string) error {
	m := cbt.NewMutation()
	m.Set(fams[1], "status", cbt.Timestamp(0), []byte(status)) // ok ttlwrite/clock-in-zero
	m.Set(fams[0], "status", cbt.ServerTime, []byte(status))   // ok ttlwrite/server-timestamp
	m.Set(fams[2], "trail", cbt.Now(), []byte(status))         // ok ttlwrite/write-time
	return Receipts.Apply(ctx, rowKey(msisdn, id), m)
}

// Attempt counts delivery attempts.
func Attempt(ctx context.Context, msisdn, id string) error {
	rmw := cbt.NewReadModifyWrite()
	rmw.Increment(names.FamState, "attempts", 1) // want ttlwrite/read-modify-write
	_, err := Receipts.ApplyReadModifyWrite(ctx, rowKey(msisdn, id), rmw)
	if err != nil {
		return err
	}
	hist := cbt.NewReadModifyWrite()
	hist.Increment(names.FamReceipt, "attempts", 1)              // ok ttlwrite/read-modify-write
	hist.AppendValue(names.FamRaw, "trail", []byte("attempt\n")) // ok ttlwrite/read-modify-write
	_, err = Receipts.ApplyReadModifyWrite(ctx, rowKey(msisdn, id), hist)
	return err
}

// live passes receipts of the last week.
func live() cbt.Filter {
	return cbt.TimestampRangeFilter(time.Now().Add(-names.ReceiptTTL), time.Time{})
}

// receiptFilter is what most readers want.
func receiptFilter(all bool) cbt.ReadOption {
	if all {
		return cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter(names.FamReceipt), live()))
	}
	return cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter(names.FamReceipt), live(), cbt.LatestNFilter(1)))
}

// Get reads a receipt.
func Get(ctx context.Context, msisdn, id string) (*Receipt, error) {
	row, err := Receipts.ReadRow(ctx, rowKey(msisdn, id), receiptFilter(false)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return parse(row), nil
}

// History reads all that was reported.
func History(ctx context.Context, msisdn, id string) (*Receipt, error) {
	row, err := Receipts.ReadRow(ctx, rowKey(msisdn, id), receiptFilter(true)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return parse(row), nil
}

// Status reads the state.
func Status(ctx context.Context, msisdn, id string) (string, error) {
	row, err := Receipts.ReadRow(ctx, rowKey(msisdn, id)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return string(bt.Cell(row, names.FamState, "status")), nil
}

// LastStatus reads the last report. Support found receipts from March in it.
func LastStatus(ctx context.Context, msisdn, id string) (string, error) {
	row, err := Receipts.ReadRow(ctx, rowKey(msisdn, id), cbt.RowFilter(cbt.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return string(bt.Cell(row, names.FamReceipt, "status")), nil
}

// ByNumber lists the receipts of a number.
func ByNumber(ctx context.Context, msisdn string) ([]*Receipt, error) {
	var out []*Receipt
	err := Receipts.ReadRows(ctx, cbt.PrefixRange(msisdn+"#"), func(r cbt.Row) bool { // want ttlread/missing-filter
		out = append(out, parse(r))
		return len(out) < 500
	}, cbt.LimitRows(500))
	return out, err
}

// ByNumberLive lists the live ones.
func ByNumberLive(ctx context.Context, msisdn string) ([]*Receipt, error) {
	var out []*Receipt
	opts := []cbt.ReadOption{cbt.LimitRows(500)}
	opts = append(opts, receiptFilter(false))
	err := Receipts.ReadRows(ctx, cbt.PrefixRange(msisdn+"#"), func(r cbt.Row) bool { // ok ttlread/missing-filter
		out = append(out, parse(r))
		return len(out) < 500
	}, opts...)
	return out, err
}

// Recent lists the receipts of the last day.
func Recent(ctx context.Context, msisdn string) ([]*Receipt, error) {
	var out []*Receipt
	recent := cbt.ChainFilters(cbt.FamilyFilter(names.FamReceipt), cbt.TimestampRangeFilter(time.Now().Add(-24*time.Hour), time.Time{})) // want ttlread/wrong-bound[recent]
	err := Receipts.ReadRows(ctx, cbt.PrefixRange(msisdn+"#"), func(r cbt.Row) bool {                                                    // want ttlread/wrong-bound[recent]
		out = append(out, parse(r))
		return true
	}, cbt.RowFilter(recent)) // want ttlread/wrong-bound[recent]
	return out, err
}

// RecentRaw lists the bodies of the last day. These have real dates.
func RecentRaw(ctx context.Context, msisdn string) ([][]byte, error) {
	var out [][]byte
	recent := cbt.ChainFilters(cbt.FamilyFilter(names.FamRaw), cbt.TimestampRangeFilter(time.Now().Add(-24*time.Hour), time.Now()))
	err := Receipts.ReadRows(ctx, cbt.PrefixRange(msisdn+"#"), func(r cbt.Row) bool { // ok ttlread/wrong-bound
		for _, it := range r[names.FamRaw] {
			out = append(out, it.Value)
		}
		return true
	}, cbt.RowFilter(recent))
	return out, err
}

// Full is the receipt, its state and its body, each bounded.
func Full(ctx context.Context, msisdn, id string) (string, error) {
	f := cbt.InterleaveFilters(
		cbt.ChainFilters(cbt.FamilyFilter(names.FamReceipt), live()),          // ok ttlread/unfiltered-branch
		cbt.ChainFilters(cbt.FamilyFilter("state|raw"), cbt.LatestNFilter(1)), // ok ttlread/unfiltered-branch
	)
	row, err := Receipts.ReadRow(ctx, rowKey(msisdn, id), cbt.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return fmt.Sprint(row), nil
}

// FullIf is Full for rows that have something alive.
func FullIf(ctx context.Context, msisdn, id string) (string, error) {
	f := cbt.ConditionFilter(cbt.ChainFilters(cbt.FamilyFilter(names.FamReceipt), live()), cbt.PassAllFilter(), nil) // want ttlread/unfiltered-branch[fullif]
	row, err := Receipts.ReadRow(ctx, rowKey(msisdn, id), cbt.RowFilter(f))                                          // want ttlread/unfiltered-branch[fullif]
	if err != nil {
		return "", err
	}
	return fmt.Sprint(row), nil
}

// FullIfLive has the filter in its branch as well.
func FullIfLive(ctx context.Context, msisdn, id string) (string, error) {
	own := cbt.ChainFilters(cbt.FamilyFilter(names.FamReceipt), live())
	f := cbt.ConditionFilter(own, own, cbt.BlockAllFilter())                // ok ttlread/unfiltered-branch
	row, err := Receipts.ReadRow(ctx, rowKey(msisdn, id), cbt.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return fmt.Sprint(row), nil
}

// FirstCell reads one cell, whichever comes.
func FirstCell(ctx context.Context, msisdn, id string) (string, error) {
	row, err := Receipts.ReadRow(ctx, rowKey(msisdn, id), cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter(names.FamReceipt), cbt.CellsPerRowOffsetFilter(1), live()))) // want ttlread/limit-before-filter
	if err != nil {
		return "", err
	}
	return string(bt.Cell(row, names.FamReceipt, "status")), nil
}

// FirstLive reads the first live cell.
func FirstLive(ctx context.Context, msisdn, id string) (string, error) {
	row, err := Receipts.ReadRow(ctx, rowKey(msisdn, id), cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter(names.FamReceipt), live(), cbt.CellsPerRowLimitFilter(1)))) // ok ttlread/limit-before-filter
	if err != nil {
		return "", err
	}
	return string(bt.Cell(row, names.FamReceipt, "status")), nil
}

// Filtered reads with the caller's filter on top. It does not work like that.
func Filtered(ctx context.Context, msisdn, id, op string) (string, error) {
	row, err := Receipts.ReadRow(ctx, rowKey(msisdn, id), cbt.RowFilter(cbt.ValueFilter(op)), cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter(names.FamReceipt), live()))) // want ttlread/overridden-filter
	if err != nil {
		return "", err
	}
	return string(bt.Cell(row, names.FamReceipt, "op")), nil
}

func parse(row cbt.Row) *Receipt {
	r := &Receipt{}
	if msisdn, id, ok := strings.Cut(row.Key(), "#"); ok {
		r.MSISDN, r.ID = msisdn, id
	}
	for _, it := range row[names.FamReceipt] {
		switch it.Column {
		case "dlr:status":
			r.Status = string(it.Value)
			r.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		case "dlr:op":
			r.Operator = string(it.Value)
		}
	}
	for _, it := range row[names.FamRaw] {
		if it.Column == "raw:body" {
			r.Body = it.Value
			r.CreatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	return r
}

// Lag says how long a receipt took. Seconds.
func Lag(ctx context.Context, msisdn, id string, sent time.Time) (float64, error) {
	row, err := Receipts.ReadRow(ctx, rowKey(msisdn, id), receiptFilter(false)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[names.FamReceipt] {
		now := time.Now()
		log.Info("receipt", "age", now.Sub(it.Timestamp.Time())) // want ttlage/not-write-time
		if it.Timestamp == cbt.ServerTime {                      // want ttlage/server-sentinel
			continue
		}
		return now.Sub(sent).Seconds(), nil
	}
	return 0, bt.ErrNotFound
}

// LagRaw says it from the body, which has a real date.
func LagRaw(ctx context.Context, msisdn, id string) (float64, error) {
	row, err := Receipts.ReadRow(ctx, rowKey(msisdn, id), cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter(names.FamRaw), cbt.LatestNFilter(1)))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[names.FamRaw] {
		return time.Since(it.Timestamp.Time()).Seconds(), nil // ok ttlage/not-write-time
	}
	return 0, bt.ErrNotFound
}

// --- routes to other operators ---

// SetRoute stores the message centre of an operator. Real dates: they are shown to the desk.
func SetRoute(ctx context.Context, op, smsc string) error {
	m := cbt.NewMutation()
	m.Set(names.FamRoute, "smsc", cbt.Now(), []byte(smsc))      // ok ttlwrite/clock-in-sequence
	m.Set(names.FamRoute, "by", cbt.ServerTime, []byte("desk")) // ok ttlwrite/clock-in-sequence
	return Routes.Apply(ctx, op, m)
}

// Route reads the message centre of an operator and since when it is in use.
func Route(ctx context.Context, op string) (string, time.Time, error) {
	row, err := Routes.ReadRow(ctx, op, cbt.RowFilter(cbt.FamilyFilter(names.FamRoute))) // ok ttlread/version-limit
	if err != nil {
		return "", time.Time{}, err
	}
	for _, it := range row[names.FamRoute] {
		updated := it.Timestamp.Time() // ok ttlage/not-write-time
		return string(it.Value), updated, nil
	}
	return "", time.Time{}, bt.ErrNotFound
}

// RoutesSince lists what was changed since a day.
func RoutesSince(ctx context.Context, from time.Time) ([]string, error) {
	var out []string
	err := Routes.ReadRows(ctx, cbt.InfiniteRange(""), func(r cbt.Row) bool { // ok ttlread/wrong-bound
		for _, it := range r[names.FamRoute] {
			out = append(out, it.Row+" "+string(it.Value))
		}
		return true
	}, cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter(names.FamRoute), cbt.TimestampRangeFilter(from, time.Time{}))))
	return out, err
}

// scores are the sequence numbers of the quality scores.
var scores = map[string]int64{}

// Score stores an operator's score.
func Score(ctx context.Context, op string, score int64) error {
	pendingMu.Lock()
	scores[op]++
	n := scores[op]
	pendingMu.Unlock()
	m := cbt.NewMutation()
	m.Set(names.FamScore, "score", cbt.Timestamp(n), bt.Bytes(score))           // want ttlwrite/unscaled-sequence
	m.Set(names.FamScore, "score_prev", cbt.Timestamp(n*1000), bt.Bytes(score)) // ok ttlwrite/unscaled-sequence
	m.Set(names.FamRoute, "scored", cbt.Now(), nil)                             // ok ttlwrite/clock-in-sequence
	return Routes.Apply(ctx, op, m)
}

// ScoreNow stores it with the date, because the desk asked when it was.
func ScoreNow(ctx context.Context, op string, score int64) error {
	ts := cbt.Time(time.Now())
	m := cbt.NewMutation()
	m.Set(names.FamScore, "score", ts, bt.Bytes(score)) // want ttlwrite/clock-in-sequence
	m.Set(names.FamRoute, "scored", ts, nil)            // ok ttlwrite/clock-in-sequence
	return Routes.Apply(ctx, op, m)
}

// BumpScore adds to a score.
func BumpScore(ctx context.Context, op string, by int64) error {
	rmw := cbt.NewReadModifyWrite()
	rmw.Increment(names.FamScore, "score", by) // want ttlwrite/read-modify-write
	rmw.Increment(names.FamRoute, "bumps", 1)  // ok ttlwrite/read-modify-write
	_, err := Routes.ApplyReadModifyWrite(ctx, op, rmw)
	return err
}

// Scores reads all the scores.
func Scores(ctx context.Context) (map[string]int64, error) {
	out := map[string]int64{}
	err := Routes.ReadRows(ctx, cbt.InfiniteRange(""), func(r cbt.Row) bool { // want ttlread/missing-filter
		for _, it := range r[names.FamScore] {
			out[r.Key()] += bt.Int(it.Value)
		}
		return true
	})
	return out, err
}

// ScoresLatest reads the latest scores.
func ScoresLatest(ctx context.Context) (map[string]int64, error) {
	out := map[string]int64{}
	err := Routes.ReadRows(ctx, cbt.InfiniteRange(""), func(r cbt.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[names.FamScore] {
			out[r.Key()] += bt.Int(it.Value)
		}
		return true
	}, cbt.RowFilter(cbt.LatestNFilter(1)))
	return out, err
}

// ScoresTwo reads the score and the one before, which is not kept.
func ScoresTwo(ctx context.Context, op string) ([]int64, error) {
	row, err := Routes.ReadRow(ctx, op, cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter(names.FamScore), cbt.LatestNFilter(2)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, it := range row[names.FamScore] {
		out = append(out, bt.Int(it.Value))
	}
	return out, nil
}

// --- the queue between the SMPP server and the table ---

// Queue collects receipts and writes them in bulk.
type Queue struct {
	ch   chan Receipt
	keys []string
	muts []*cbt.Mutation
}

// NewQueue makes a queue.
func NewQueue(size int) *Queue { return &Queue{ch: make(chan Receipt, size)} }

// Push adds a receipt, or drops it.
func (q *Queue) Push(r Receipt) error {
	select {
	case q.ch <- r:
		return nil
	default:
		platform.Count("sms_dropped")
		return errors.New("sms: queue is full")
	}
}

// Run writes until ctx ends.
func (q *Queue) Run(ctx context.Context) error {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return q.flush(context.WithoutCancel(ctx))
		case r := <-q.ch:
			q.add(r)
			if len(q.keys) >= 1000 {
				if err := q.flush(ctx); err != nil {
					log.Error("flush", "err", err)
				}
			}
		case <-t.C:
			if err := q.flush(ctx); err != nil {
				log.Error("flush", "err", err)
			}
		}
	}
}

func (q *Queue) add(r Receipt) {
	b, err := json.Marshal(r)
	if err != nil {
		log.Error("marshal", "err", err)
		return
	}
	m := cbt.NewMutation()
	m.Set(names.FamReceipt, "json", cbt.Time(r.ReceivedAt), b)                // ok ttlwrite/already-expired
	m.Set(names.FamReceipt, "in", cbt.Timestamp(r.ReceivedAt.UnixMilli()), b) // want ttlunit/wrong-unit
	m.Set(names.FamState, "status", cbt.Time(time.Now()), []byte(r.Status))   // want ttlwrite/clock-in-zero
	m.Set(names.FamState, "queued", 0, nil)                                   // ok ttlwrite/clock-in-zero
	q.keys = append(q.keys, rowKey(r.MSISDN, r.ID))
	q.muts = append(q.muts, m)
}

func (q *Queue) flush(ctx context.Context) error {
	if len(q.keys) == 0 {
		return nil
	}
	errs, err := Receipts.ApplyBulk(ctx, q.keys, q.muts)
	q.keys, q.muts = nil, nil
	if err != nil {
		return err
	}
	return errors.Join(errs...)
}

// Remember keeps a receipt in memory until Forget.
func Remember(r *Receipt) {
	pendingMu.Lock()
	defer pendingMu.Unlock()
	pending[r.ID] = r
}

// Forget forgets receipts older than d.
func Forget(d time.Duration) int {
	pendingMu.Lock()
	defer pendingMu.Unlock()
	n := 0
	for id, r := range pending {
		if time.Since(r.ReceivedAt) > d { // ok ttlage/not-write-time
			delete(pending, id)
			n++
		}
	}
	return n
}
