// Package shipment keeps shipments.
//
// Table "shipments": "quote" expires at its timestamp, "status" is numbered (five kept), "label" has one value at timestamp 0, "meta" is ordinary.
package shipment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/bt"
	"northlane.example/parcel/internal/metrics"
	"northlane.example/parcel/internal/retry"
	"northlane.example/parcel/internal/store/scanlog"
)

// TableName is the table's name.
const TableName = "shipments"

type family = string

const (
	quote  family = "quote"
	status family = "status"
	label  family = "label"
	meta   family = "meta"
)

// QuoteTTL is how long a quote holds.
const QuoteTTL = 30 * time.Minute

// Shipment is a shipment.
type Shipment struct {
	ID        string            `json:"id"`
	State     string            `json:"state"`
	Step      int64             `json:"step"`
	Label     []byte            `json:"label,omitempty"`
	Quotes    map[string]string `json:"quotes,omitempty"`
	CreatedAt time.Time         `json:"created_at"`
	UpdatedAt time.Time         `json:"updated_at"`
	QuotedAt  time.Time         `json:"quoted_at"`
	Receiver  string            `json:"receiver"`
}

// Repo reads and writes shipments.
type Repo struct {
	table *bigtable.Table
	now   func() time.Time
	m     *metrics.Registry
	log   *slog.Logger
	batch int
}

// Option configures a Repo.
type Option interface{ apply(*Repo) }

type optionFunc func(*Repo)

func (f optionFunc) apply(r *Repo) { f(r) }

// WithClock replaces time.Now.
func WithClock(now func() time.Time) Option { return optionFunc(func(r *Repo) { r.now = now }) }

// WithMetrics sets where to count.
func WithMetrics(m *metrics.Registry) Option { return optionFunc(func(r *Repo) { r.m = m }) }

// WithBatch sets how many mutations go at once.
func WithBatch(n int) Option { return optionFunc(func(r *Repo) { r.batch = n }) }

// NewRepo returns a Repo.
func NewRepo(c *bigtable.Client, opts ...Option) *Repo {
	r := &Repo{table: c.Open(TableName), now: time.Now, m: metrics.New(), log: slog.Default(), batch: 200}
	for _, o := range opts {
		o.apply(r)
	}
	return r
}

// Create writes a new shipment.
func (r *Repo) Create(ctx context.Context, s Shipment) error {
	defer r.m.Observe("shipment_create", time.Now())
	if s.ID == "" {
		return errors.New("shipment: no id")
	}
	m := bigtable.NewMutation()
	m.Set(meta, "receiver", bigtable.Now(), []byte(s.Receiver)) // ok ttlwrite/write-time
	m.Set(status, "state", 1000, []byte("created"))             // ok ttlwrite/unscaled-sequence
	m.Set(label, "pdf", 0, s.Label)                             // ok ttlwrite/clock-in-zero
	for carrier, price := range s.Quotes {
		m.Set(quote, carrier, bigtable.Time(r.now().Add(QuoteTTL)), []byte(price)) // ok ttlwrite/write-time
	}
	return r.table.Apply(ctx, s.ID, m)
}

// Advance writes the next state; the caller counts.
func (r *Repo) Advance(ctx context.Context, id string, step int64, state string) error {
	m := bigtable.NewMutation()
	m.Set(status, "state", bt.Seq(step), []byte(state))        // ok ttlwrite/unscaled-sequence
	m.Set(meta, "changed", bigtable.ServerTime, []byte(state)) // ok ttlwrite/server-timestamp
	return r.table.Apply(ctx, id, m)
}

// Force writes a state that has to win.
func (r *Repo) Force(ctx context.Context, id, state string) error {
	m := bigtable.NewMutation()
	m.Set(status, "state", bigtable.Now(), []byte(state)) // want ttlwrite/clock-in-sequence
	m.Set(meta, "forced", bigtable.Now(), []byte(state))  // ok ttlwrite/write-time
	return r.table.Apply(ctx, id, m)
}

// Cancel ends a shipment.
func (r *Repo) Cancel(ctx context.Context, id, reason string) error {
	ts := bigtable.ServerTime
	m := bigtable.NewMutation()
	m.Set(meta, "cancelled", ts, []byte(reason))    // ok ttlwrite/server-timestamp
	m.Set(status, "state", ts, []byte("cancelled")) // want ttlwrite/clock-in-sequence
	m.DeleteCellsInFamily(quote)                    // ok ttlwrite/delete-after-set
	return r.table.Apply(ctx, id, m)
}

// Return starts the way back; the steps are counted in hundreds of the old system.
func (r *Repo) Return(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set(status, "return", 1500, []byte("started"))                                      // want ttlwrite/unscaled-sequence
	m.Set(meta, "return", bigtable.Time(r.now().Truncate(time.Millisecond)), []byte("1")) // ok ttlwrite/write-time
	return r.table.Apply(ctx, id, m)
}

// Requote writes new quotes.
func (r *Repo) Requote(ctx context.Context, id string, quotes map[string]string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(quote)
	for carrier, price := range quotes {
		m.Set(quote, carrier, bigtable.Now(), []byte(price)) // want ttlwrite/write-time
	}
	return r.table.Apply(ctx, id, m)
}

// RequoteAll writes quotes for many shipments.
func (r *Repo) RequoteAll(ctx context.Context, ids []string, carrier, price string) error {
	b := bt.NewBulk(r.batch)
	exp := bt.ExpiresIn(QuoteTTL)
	for _, id := range ids {
		m := bigtable.NewMutation()
		m.Set(quote, carrier, exp, []byte(price)) // ok ttlwrite/write-time
		b.Add(id, m)
		if b.Full() {
			if err := b.Flush(ctx, r.table); err != nil {
				return err
			}
		}
	}
	return b.Flush(ctx, r.table)
}

// Pin keeps a quote until the customer decides.
func (r *Repo) Pin(ctx context.Context, id, carrier, price string) error {
	m := bigtable.NewMutation()
	m.Set(quote, carrier, bigtable.ServerTime, []byte(price))   // want ttlwrite/server-timestamp
	m.Set(meta, "pinned", bigtable.ServerTime, []byte(carrier)) // ok ttlwrite/server-timestamp
	return r.table.Apply(ctx, id, m)
}

// Reprint stores a new label.
func (r *Repo) Reprint(ctx context.Context, id string, pdf []byte) error {
	m := bigtable.NewMutation()
	m.Set(label, "pdf", bigtable.Time(r.now()), pdf) // want ttlwrite/clock-in-zero
	return r.table.Apply(ctx, id, m)
}

// Relabel replaces the label and removes the customs form.
func (r *Repo) Relabel(ctx context.Context, id string, pdf, customs []byte) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(label)
	m.Set(label, "pdf", 0, pdf)         // ok ttlwrite/clock-in-zero ttlwrite/delete-after-set
	m.Set(label, "customs", 0, customs) // ok ttlwrite/same-timestamp
	if len(customs) == 0 {
		m.DeleteCellsInColumn(label, "customs") // want ttlwrite/delete-after-set
	}
	return r.table.Apply(ctx, id, m)
}

// Replace writes a shipment anew.
func (r *Repo) Replace(ctx context.Context, s Shipment) error {
	m := bigtable.NewMutation()
	m.Set(meta, "receiver", bigtable.Now(), []byte(s.Receiver))
	m.Set(status, "state", bt.Seq(s.Step), []byte(s.State)) // ok ttlwrite/unscaled-sequence
	m.DeleteRow()                                           // want ttlwrite/delete-after-set
	return r.table.Apply(ctx, s.ID, m)
}

// Scan notes that a parcel passed a gate, in the shipment's row.
func (r *Repo) Scan(ctx context.Context, id, gate string) error {
	return r.table.Apply(ctx, id, scanlog.Passed(gate)) // want ttlwrite/clock-in-sequence
}

// Attempt counts the attempts to deliver.
func (r *Repo) Attempt(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(status, "attempts", 1)              // want ttlwrite/read-modify-write
	rmw.AppendValue(meta, "log", []byte("attempt\n")) // ok ttlwrite/read-modify-write
	_, err := r.table.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// CountQuote counts how often a quote was shown.
func (r *Repo) CountQuote(ctx context.Context, id, carrier string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(quote, carrier+"/shown", 1) // want ttlwrite/read-modify-write
	_, err := r.table.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// Stamp appends to the label's history.
func (r *Repo) Stamp(ctx context.Context, id, text string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(label, "stamps", []byte(text)) // want ttlwrite/read-modify-write
	_, err := r.table.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// full is the filter for everything, each family by its rule.
func (r *Repo) full() bigtable.Filter {
	return bigtable.InterleaveFilters(
		bt.LiveFamily(quote, r.now()),
		bt.LatestOf(status, 5),
		bigtable.FamilyFilter(label+"|"+meta),
	)
}

// Get returns a shipment.
func (r *Repo) Get(ctx context.Context, id string) (*Shipment, error) {
	row, err := retry.Value(ctx, retry.Default, func(ctx context.Context) (bigtable.Row, error) {
		return r.table.ReadRow(ctx, id, bigtable.RowFilter(r.full())) // ok ttlread/missing-filter ttlread/unfiltered-branch
	})
	if err != nil {
		return nil, err
	}
	return fromRow(id, row) // want ttlage/not-write-time[upd]
}

// GetFast returns a shipment without the quotes' filter.
func (r *Repo) GetFast(ctx context.Context, id string) (*Shipment, error) {
	row, err := r.table.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return fromRow(id, row) // want ttlage/not-write-time[upd]
}

func fromRow(id string, row bigtable.Row) (*Shipment, error) {
	if len(row) == 0 {
		return nil, bt.ErrNotFound
	}
	s := &Shipment{ID: id, Quotes: map[string]string{}}
	for _, it := range row[quote] {
		_, carrier, _ := strings.Cut(it.Column, ":")
		s.Quotes[carrier] = string(it.Value)
	}
	if items := row[status]; len(items) > 0 {
		s.State = string(items[0].Value)
		s.Step = int64(items[0].Timestamp) / 1000
		s.UpdatedAt = items[0].Timestamp.Time() // want ttlage/not-write-time[upd]
	}
	for _, it := range row[meta] {
		if it.Column == meta+":receiver" {
			s.Receiver = string(it.Value)
			s.CreatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	for _, it := range row[label] {
		s.Label = it.Value
	}
	return s, nil
}

// State returns a shipment's state.
func (r *Repo) State(ctx context.Context, id string) (string, int64, error) {
	row, err := r.table.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.LatestNFilter(1), bigtable.FamilyFilter(status)))) // ok ttlread/version-limit
	if err != nil {
		return "", 0, err
	}
	for _, it := range row[status] {
		return string(it.Value), bt.SeqNumber(it.Timestamp), nil // ok ttlage/not-write-time
	}
	return "", 0, bt.ErrNotFound
}

// States returns the states of many shipments.
func (r *Repo) States(ctx context.Context, ids bigtable.RowList) (map[string][]string, error) {
	out := map[string][]string{}
	err := r.table.ReadRows(ctx, ids, func(row bigtable.Row) bool { // want ttlread/version-limit[states]
		for _, it := range row[status] {
			out[row.Key()] = append(out[row.Key()], string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(status))) // want ttlread/version-limit[states]
	return out, err
}

// ChangedSince returns the shipments that changed.
func (r *Repo) ChangedSince(ctx context.Context, prefix string, d time.Duration) ([]string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(status), bigtable.TimestampRangeFilter(r.now().Add(-d), time.Time{})) // want ttlread/wrong-bound[changed]
	var out []string
	err := r.table.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/wrong-bound[changed]
		for _, it := range row[status] {
			out = append(out, row.Key()+"="+string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[changed]
	return out, err
}

// NotedSince returns what was noted about shipments.
func (r *Repo) NotedSince(ctx context.Context, prefix string, d time.Duration) ([]string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(meta), bigtable.TimestampRangeFilter(r.now().Add(-d), time.Time{}))
	var out []string
	err := r.table.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
		for _, it := range row[meta] {
			out = append(out, row.Key()+"="+string(it.Value)+" "+it.Timestamp.Time().Format(time.DateOnly)) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// QuotesOf returns a shipment's quotes.
func (r *Repo) QuotesOf(ctx context.Context, id string) (map[string]string, error) {
	row, err := r.table.ReadRow(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(quote))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[quote] {
		out[it.Column] = string(it.Value)
	}
	return out, nil
}

// LiveQuotes returns a shipment's live quotes.
func (r *Repo) LiveQuotes(ctx context.Context, id string) (map[string]time.Duration, error) {
	row, err := r.table.ReadRow(ctx, id, bigtable.RowFilter(bt.LiveFamily(quote, r.now()))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]time.Duration{}
	for _, it := range row[quote] {
		out[it.Column] = time.Until(it.Timestamp.Time()) // ok ttlage/not-write-time
	}
	return out, nil
}

// QuoteAge says how old a quote is.
func (r *Repo) QuoteAge(ctx context.Context, id, carrier string) (time.Duration, error) {
	row, err := r.table.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bt.Column(quote, carrier), bt.Live(r.now())))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[quote] {
		return r.now().Sub(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, bt.ErrNotFound
}

// QuoteWindow reads quotes with the bound of the prices.
func (r *Repo) QuoteWindow(ctx context.Context, id string) (int, error) {
	row, err := r.table.ReadRow(ctx, id, bigtable.RowFilter(bt.WithinFamily(quote, r.now(), QuoteTTL))) // want ttlread/wrong-bound
	return len(row[quote]), err
}

// Receiver returns who gets a shipment.
func (r *Repo) Receiver(ctx context.Context, id string) (string, error) {
	row, err := r.table.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ColumnFilter("receiver"))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[meta] {
		return string(it.Value), nil
	}
	return "", bt.ErrNotFound
}

// Label returns a shipment's label.
func (r *Repo) Label(ctx context.Context, id string) ([]byte, time.Time, error) {
	row, err := r.table.ReadRow(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(label))) // ok ttlread/missing-filter
	if err != nil {
		return nil, time.Time{}, err
	}
	var printed struct{ CreatedAt time.Time }
	for _, it := range row[label] {
		printed.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		return it.Value, printed.CreatedAt, nil
	}
	return nil, time.Time{}, bt.ErrNotFound
}

// Dump writes a shipment for the support tool.
func (r *Repo) Dump(ctx context.Context, id string) (string, error) {
	row, err := r.table.ReadRow(ctx, id) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for fam, items := range row {
		for _, it := range items {
			fmt.Fprintf(&b, "%s\t%s\t%d\t%q\n", fam, it.Column, it.Timestamp, it.Value)
		}
	}
	return b.String(), nil
}

// Delivered says how many shipments of a prefix are done.
func (r *Repo) Delivered(ctx context.Context, prefix string) (int, error) {
	n := 0
	f := bigtable.ChainFilters(bt.LatestOf(status, 1), bigtable.ValueFilter("delivered"))
	err := r.table.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/version-limit
		n += len(row[status])
		return true
	}, bigtable.RowFilter(f))
	return n, err
}

// JSON is Get for the API.
func (r *Repo) JSON(ctx context.Context, id string) ([]byte, error) {
	s, err := r.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

// Confirm turns a quote into an order.
func (r *Repo) Confirm(ctx context.Context, id, carrier string) (bool, error) {
	order := bigtable.NewMutation()
	order.Set(meta, "carrier", bigtable.Now(), []byte(carrier)) // ok ttlwrite/write-time
	var had bool
	cond := bigtable.NewCondMutation(bt.Column(quote, carrier), order, nil) // want ttlread/conditional-mutation
	err := r.table.Apply(ctx, id, cond, bigtable.GetCondMutationResult(&had))
	return had, err
}

// ConfirmLive turns a live quote into an order.
func (r *Repo) ConfirmLive(ctx context.Context, id, carrier string) (bool, error) {
	order := bigtable.NewMutation()
	order.Set(meta, "carrier", bigtable.Now(), []byte(carrier)) // ok ttlwrite/write-time
	var had bool
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bt.Column(quote, carrier), bt.Live(r.now())), order, nil) // ok ttlread/conditional-mutation
	err := r.table.Apply(ctx, id, cond, bigtable.GetCondMutationResult(&had))
	return had, err
}
