package store

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/bt"
	"example.com/saga/clock"
	"example.com/saga/domain/payment"
	"example.com/saga/schema"
	"example.com/saga/vo"
)

// PaymentRepo keeps payment attempts, the answers of idempotent calls and the ledger.
type PaymentRepo struct {
	tbl bigtable.TableAPI
	clk clock.Clock
	seq atomic.Int64
}

// NewPaymentRepo opens the payments.
func NewPaymentRepo(c *bigtable.Client, clk clock.Clock) *PaymentRepo {
	return &PaymentRepo{tbl: c.OpenTable(schema.Payments), clk: clk}
}

// Save registers the fresh attempts of a payment.
func (r *PaymentRepo) Save(u *bt.UnitOfWork, p *payment.Payment) {
	mut := bigtable.NewMutation()
	for _, a := range p.Fresh() {
		mut.Set(schema.FamAttempt, "outcome", bigtable.Timestamp(int64(a.No)*1000), []byte(a.Outcome)) // ok ttlwrite/unscaled-sequence
		mut.Set(schema.FamAttempt, "ref", bigtable.Timestamp(a.No), []byte(a.Ref))                     // want ttlwrite/unscaled-sequence[ref]
		mut.Set(schema.FamAttempt, "at", bigtable.Time(r.clk.Now()), []byte(a.Ref))                    // want ttlwrite/clock-in-sequence
	}
	if a, ok := p.Settled(); ok {
		mut.Set(schema.FamLedger, "settled", bigtable.Time(r.clk.Now()), []byte(a.Ref)) // ok ttlwrite/clock-in-sequence
	}
	u.Register(r.tbl, string(p.Order), mut)
}

// Attempts are the attempts of an order's payment.
func (r *PaymentRepo) Attempts(ctx context.Context, o vo.OrderID) ([]payment.Attempt, error) {
	row, err := r.tbl.ReadRow(ctx, string(o), bigtable.RowFilter(bt.In(schema.FamAttempt, bigtable.LatestNFilter(3)))) // ok ttlread/version-limit
	if err != nil {
		return nil, fmt.Errorf("attempts of %s: %w", o, err)
	}
	var out []payment.Attempt
	for _, item := range row[schema.FamAttempt] {
		if item.Column == "attempt:outcome" {
			out = append(out, payment.Attempt{No: int(item.Timestamp / 1000), Outcome: payment.Outcome(item.Value)}) // ok ttlage/not-write-time
		}
	}
	return out, nil
}

// Tried is the number of attempts.
func (r *PaymentRepo) Tried(ctx context.Context, o vo.OrderID) (int, error) {
	row, err := r.tbl.ReadRow(ctx, string(o)) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return len(row[schema.FamAttempt]), nil
}

// TriedToday is the number of attempts of the last day.
func (r *PaymentRepo) TriedToday(ctx context.Context, o vo.OrderID) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamAttempt), bigtable.TimestampRangeFilter(r.clk.Now().Add(-24*time.Hour), time.Time{})) // want ttlread/wrong-bound[today]
	row, err := r.tbl.ReadRow(ctx, string(o), bigtable.RowFilter(f))                                                                                 // want ttlread/wrong-bound[today]
	if err != nil {
		return 0, err
	}
	return len(row[schema.FamAttempt]), nil
}

// Webhook stores what the provider tells us later. The provider counts nothing, so we do.
func (r *PaymentRepo) Webhook(ctx context.Context, o vo.OrderID, body []byte) error {
	n := r.seq.Add(1)
	mut := bigtable.NewMutation()
	mut.Set(schema.FamAttempt, "webhook", bigtable.Timestamp(n), body)          // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamAttempt, "webhook.raw", bigtable.Timestamp(n*1000), body) // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamLedger, "webhook", bigtable.ServerTime, body)             // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, string(o), mut)
}

// Dispute stores a chargeback.
func (r *PaymentRepo) Dispute(ctx context.Context, o vo.OrderID, reason string) error {
	now := r.clk.Now()
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLedger, "dispute", bigtable.Timestamp(now.UnixMicro()), []byte(reason)) // ok ttlunit/wrong-unit
	mut.Set(schema.FamLedger, "dispute.due", bigtable.Timestamp(now.Unix()), []byte(reason))  // want ttlunit/wrong-unit
	mut.Set(schema.FamAttempt, "dispute", bigtable.Time(now), []byte(reason))                 // want ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, string(o), mut)
}

// Ledger stores a booking under the time of the bank.
func (r *PaymentRepo) Ledger(ctx context.Context, o vo.OrderID, booked time.Time, amount vo.Money) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLedger, "booked", bigtable.Timestamp(booked.UnixMilli()), []byte(amount.String()))          // want ttlunit/wrong-unit
	mut.Set(schema.FamLedger, "booked.raw", bigtable.Timestamp(booked.UnixMilli()*1000), []byte(amount.String())) // ok ttlunit/wrong-unit
	mut.Set(schema.FamLedger, "valued", bigtable.Timestamp(booked.UnixNano()/1000), []byte(amount.String()))      // ok ttlunit/wrong-unit
	mut.Set(schema.FamLedger, "closed", bigtable.Timestamp(booked.UnixNano()), []byte(amount.String()))           // want ttlunit/wrong-unit
	return r.tbl.Apply(ctx, string(o), mut)
}

func idemKey(k vo.IdemKey) string { return "idem#" + string(k) }

// Remember stores the answer of an idempotent call for a day.
func (r *PaymentRepo) Remember(ctx context.Context, k vo.IdemKey, status int, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamIdem, "body", bigtable.ServerTime, body)                                // ok ttlwrite/server-timestamp
	mut.Set(schema.FamIdem, "status", bigtable.Time(r.clk.Now()), []byte(fmt.Sprint(status))) // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, idemKey(k), mut)
}

// RememberFor stores it for another time.
func (r *PaymentRepo) RememberFor(ctx context.Context, k vo.IdemKey, body []byte, d time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamIdem, "body", bt.Shifted(r.clk, d, schema.IdemTTL), body) // ok ttlwrite/already-expired
	return r.tbl.Apply(ctx, idemKey(k), mut)
}

// RememberFailure stores an answer that may be asked for again in an hour.
func (r *PaymentRepo) RememberFailure(ctx context.Context, k vo.IdemKey, body []byte) error {
	now := r.clk.Now()
	mut := bigtable.NewMutation()
	mut.Set(schema.FamIdem, "failure", bigtable.Time(now.Add(time.Hour-schema.IdemTTL)), body) // ok ttlwrite/already-expired
	mut.Set(schema.FamIdem, "retry", bigtable.Time(now.Add(-schema.IdemTTL)), []byte("now"))   // want ttlwrite/already-expired
	return r.tbl.Apply(ctx, idemKey(k), mut)
}

// Forget makes an answer void.
func (r *PaymentRepo) Forget(ctx context.Context, k vo.IdemKey) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(schema.FamIdem)
	return r.tbl.Apply(ctx, idemKey(k), mut)
}

// Recall is the stored answer of a call.
func (r *PaymentRepo) Recall(ctx context.Context, k vo.IdemKey) ([]byte, error) {
	live := bt.In(schema.FamIdem, bt.Since(r.clk, schema.IdemTTL))
	row, err := r.tbl.ReadRow(ctx, idemKey(k), bigtable.RowFilter(bigtable.ChainFilters(live, bt.Newest()))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	if it := bt.Cell(row, schema.FamIdem, "body"); it != nil {
		return it.Value, nil
	}
	return nil, bt.ErrNotFound
}

// Seen tells whether a call was made in the last hours.
func (r *PaymentRepo) Seen(ctx context.Context, k vo.IdemKey) (bool, error) {
	return bt.Has(ctx, r.tbl, idemKey(k), bt.In(schema.FamIdem, bt.Since(r.clk, 12*time.Hour))) // want ttlread/wrong-bound
}

// Fresh is Seen for the fraud check, which may be wrong the other way round.
func (r *PaymentRepo) Fresh(ctx context.Context, k vo.IdemKey) (bool, error) {
	return bt.Has(ctx, r.tbl, idemKey(k), bt.In(schema.FamIdem, bt.Live(r.clk))) // want ttlread/wrong-bound
}

// Done tells whether a call has an answer.
func (r *PaymentRepo) Done(ctx context.Context, k vo.IdemKey) (bool, error) {
	row, err := r.tbl.ReadRow(ctx, idemKey(k), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamIdem), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	_, ok := row[schema.FamIdem]
	return ok, nil
}

// Pending lists the calls of the last day that have no status.
func (r *PaymentRepo) Pending(ctx context.Context) ([]string, error) {
	var keys []string
	now := r.clk.Now()
	f := bt.In(schema.FamIdem, bt.Between(now.Add(-schema.IdemTTL), now))                   // want ttlread/upper-bound[pend]
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange("idem#"), func(row bigtable.Row) bool { // want ttlread/upper-bound[pend]
		if bt.Cell(row, schema.FamIdem, "status") == nil {
			keys = append(keys, strings.TrimPrefix(row.Key(), "idem#"))
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/upper-bound[pend]
	return keys, err
}

// Stale lists answers that are past their time.
func (r *PaymentRepo) Stale(ctx context.Context) (n int, err error) {
	f := bt.In(schema.FamIdem, bt.Between(time.Time{}, r.clk.Now().Add(-schema.IdemTTL)))  // want ttlread/expired-only[stale]
	err = r.tbl.ReadRows(ctx, bigtable.PrefixRange("idem#"), func(row bigtable.Row) bool { // want ttlread/expired-only[stale]
		n += len(row[schema.FamIdem])
		return true
	}, bigtable.RowFilter(f)) // want ttlread/expired-only[stale]
	return n, err
}

// Purge deletes them.
func (r *PaymentRepo) Purge(ctx context.Context, u *bt.UnitOfWork) error {
	f := bt.In(schema.FamIdem, bt.Between(time.Time{}, r.clk.Now().Add(-schema.IdemTTL)))
	return r.tbl.ReadRows(ctx, bigtable.PrefixRange("idem#"), func(row bigtable.Row) bool { // ok ttlread/expired-only
		del := bigtable.NewMutation()
		del.DeleteCellsInFamily(schema.FamIdem)
		u.Register(r.tbl, row.Key(), del)
		return true
	}, bigtable.RowFilter(f))
}

// Answer is a stored answer as the service desk sees it.
type Answer struct {
	Body    string `json:"body"`
	Created string `json:"created"`
	Until   string `json:"until"`
}

// Answers lists the stored answers of a merchant.
func (r *PaymentRepo) Answers(ctx context.Context, merchant string) ([]Answer, error) {
	return bt.All(ctx, r.tbl, bigtable.PrefixRange("idem#"+merchant), func(row bigtable.Row) (Answer, error) { // ok ttlread/wrong-bound
		it := bt.Cell(row, schema.FamIdem, "body")
		if it == nil {
			return Answer{}, nil
		}
		return Answer{
			Body:    string(it.Value),
			Created: it.Timestamp.Time().Format(time.RFC3339),                     // want ttlage/not-write-time
			Until:   it.Timestamp.Time().Add(schema.IdemTTL).Format(time.RFC3339), // ok ttlage/not-write-time
		}, nil
	}, bigtable.RowFilter(bt.In(schema.FamIdem, bt.Since(r.clk, schema.IdemTTL))))
}

// Booked says when a booking was written.
func (r *PaymentRepo) Booked(ctx context.Context, o vo.OrderID) (time.Time, error) {
	row, err := r.tbl.ReadRow(ctx, string(o), bigtable.RowFilter(bt.Column(schema.FamLedger, "settled", bt.Newest()))) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	for _, item := range row[schema.FamLedger] {
		writtenAt := item.Timestamp.Time() // ok ttlage/not-write-time
		return writtenAt, nil
	}
	return time.Time{}, bt.ErrNotFound
}

// CountCall counts the calls under a key.
func (r *PaymentRepo) CountCall(ctx context.Context, k vo.IdemKey) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamIdem, "calls", 1) // ok ttlwrite/read-modify-write
	row, err := r.tbl.ApplyReadModifyWrite(ctx, idemKey(k), rmw)
	if err != nil {
		return 0, err
	}
	return numberOf(row[schema.FamIdem][0].Value), nil
}
