// Package webhooks delivers events to merchants.
package webhooks

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/clock"
	"example.com/payments/internal/config"
	"example.com/payments/internal/schema"
	"example.com/payments/internal/store"
)

// Keep is how long deliveries are kept; see the migrations.
const Keep = 72 * time.Hour

// Delivery is an attempt to deliver an event.
type Delivery struct {
	Endpoint  string
	Status    int
	Attempt   int
	CreatedAt time.Time
	GoneAt    time.Time
}

// Dispatcher delivers.
type Dispatcher struct {
	tbl    *bigtable.Table
	clk    clock.Clock
	cfg    config.Webhooks
	http   *http.Client
	log    *slog.Logger
	cursor atomic.Int64
}

// Option configures a Dispatcher.
type Option func(*Dispatcher)

// WithClock replaces the system's clock.
func WithClock(c clock.Clock) Option { return func(d *Dispatcher) { d.clk = c } }

// WithHTTP replaces the HTTP client.
func WithHTTP(h *http.Client) Option { return func(d *Dispatcher) { d.http = h } }

// New opens the webhooks table.
func New(client *bigtable.Client, cfg config.Webhooks, log *slog.Logger, opts ...Option) *Dispatcher {
	d := &Dispatcher{
		tbl:  client.Open(string(schema.TableWebhooks)),
		clk:  clock.System{},
		cfg:  cfg,
		http: &http.Client{Timeout: cfg.Timeout},
		log:  log,
	}
	for _, o := range opts {
		o(d)
	}
	return d
}

func sign(secret, body []byte) string {
	m := hmac.New(sha256.New, secret)
	m.Write(body)
	return hex.EncodeToString(m.Sum(nil))
}

// Deliver sends an event and records what came of it.
func (d *Dispatcher) Deliver(ctx context.Context, url string, secret, body []byte) error {
	var status int
	for attempt := 1; attempt <= d.cfg.Attempts; attempt++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("X-Signature", sign(secret, body))
		res, err := d.http.Do(req)
		if err == nil {
			status = res.StatusCode
			_ = res.Body.Close()
		}
		if e := d.record(ctx, url, Delivery{Endpoint: url, Status: status, Attempt: attempt}); e != nil {
			d.log.Warn("recording delivery", "err", e)
		}
		if err == nil && status < 300 {
			return d.advance(ctx, url)
		}
		time.Sleep(time.Duration(attempt) * 100 * time.Millisecond)
	}
	return fmt.Errorf("webhooks: %s answers %d", url, status)
}

func (d *Dispatcher) record(ctx context.Context, url string, v Delivery) error {
	mut := bigtable.NewMutation()
	col := "attempt-" + strconv.Itoa(v.Attempt)
	switch {
	case v.Status >= 500:
		mut.Set("delivery", col, bigtable.ServerTime, []byte(strconv.Itoa(v.Status))) // ok ttlwrite/server-timestamp
	case v.Status >= 400:
		mut.Set("delivery", col, bigtable.Time(d.clk.Now().Add(-48*time.Hour)), []byte(strconv.Itoa(v.Status))) // ok ttlwrite/already-expired
	default:
		mut.Set("delivery", col, bigtable.Time(d.clk.Now().Add(-96*time.Hour)), []byte(strconv.Itoa(v.Status))) // want ttlwrite/already-expired
	}
	mut.Set("endpoint", "last", bigtable.Now(), []byte(strconv.Itoa(v.Status))) // ok ttlwrite/write-time
	return d.tbl.Apply(ctx, url, mut)
}

func (d *Dispatcher) advance(ctx context.Context, url string) error {
	n := d.cursor.Add(1)
	mut := bigtable.NewMutation()
	mut.Set("cursor", "at", bigtable.Timestamp(n), store.Int(n))          // want ttlwrite/unscaled-sequence
	mut.Set("cursor", "scaled", bigtable.Timestamp(n*1000), store.Int(n)) // ok ttlwrite/unscaled-sequence
	return d.tbl.Apply(ctx, url, mut)
}

// Rewind puts the cursor of an endpoint back.
func (d *Dispatcher) Rewind(ctx context.Context, url string, to int64) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn("cursor", "at")
	mut.Set("cursor", "at", store.Seq(to), store.Int(to))          // ok ttlwrite/unscaled-sequence
	mut.Set("cursor", "rewound", bigtable.Now(), []byte("true"))   // want ttlwrite/clock-in-sequence
	mut.Set("endpoint", "rewound", bigtable.Now(), []byte("true")) // ok ttlwrite/clock-in-sequence
	return d.tbl.Apply(ctx, url, mut)
}

// Skip moves the cursor on the server.
func (d *Dispatcher) Skip(ctx context.Context, url string, by int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("cursor", "at", by)        // want ttlwrite/read-modify-write
	rmw.Increment("delivery", "skipped", by) // ok ttlwrite/read-modify-write
	rmw.Increment("endpoint", "skipped", by) // ok ttlwrite/read-modify-write
	_, err := d.tbl.ApplyReadModifyWrite(ctx, url, rmw)
	return err
}

// Deliveries returns an endpoint's deliveries.
func (d *Dispatcher) Deliveries(ctx context.Context, url string) ([]Delivery, error) {
	row, err := d.tbl.ReadRow(ctx, url, bigtable.RowFilter(store.Within(d.clk.Now(), Keep))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []Delivery
	for _, it := range row[string(schema.FamDelivery)] {
		code, err := strconv.Atoi(string(it.Value))
		if err != nil {
			return nil, err
		}
		out = append(out, Delivery{
			Endpoint:  url,
			Status:    code,
			CreatedAt: it.Timestamp.Time(),           // want ttlage/not-write-time
			GoneAt:    it.Timestamp.Time().Add(Keep), // ok ttlage/not-write-time
		})
	}
	return out, nil
}

// Failures returns an endpoint's failed deliveries.
func (d *Dispatcher) Failures(ctx context.Context, url string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("delivery"), bigtable.ValueFilter("5..")) // want ttlread/missing-filter[failures]
	row, err := d.tbl.ReadRow(ctx, url, bigtable.RowFilter(f))                                 // want ttlread/missing-filter[failures]
	if err != nil {
		return 0, err
	}
	return len(row["delivery"]), nil
}

// Today returns an endpoint's deliveries of the last day.
func (d *Dispatcher) Today(ctx context.Context, url string) (int, error) {
	row, err := d.tbl.ReadRow(ctx, url, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("delivery"), store.Within(d.clk.Now(), 24*time.Hour)))) // want ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	return len(row["delivery"]), nil
}

// Health returns an endpoint's last status.
func (d *Dispatcher) Health(ctx context.Context, url string) (string, time.Time, error) {
	row, err := d.tbl.ReadRow(ctx, url, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("endpoint"), bigtable.LatestNFilter(1)))) // ok ttlread/missing-filter
	if err != nil {
		return "", time.Time{}, err
	}
	for _, it := range row["endpoint"] {
		if time.Since(it.Timestamp.Time()) < time.Hour { // ok ttlage/not-write-time
			return string(it.Value), it.Timestamp.Time(), nil
		}
	}
	return "", time.Time{}, store.ErrNotFound
}

// Cursor returns an endpoint's cursor.
func (d *Dispatcher) Cursor(ctx context.Context, url string) (int64, error) {
	row, err := d.tbl.ReadRow(ctx, url, bigtable.RowFilter(bigtable.ColumnFilter("at"))) // want ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row["cursor"] {
		return store.ParseInt(it.Value)
	}
	return 0, store.ErrNotFound
}

// Position is Cursor with the limit that the family has.
func (d *Dispatcher) Position(ctx context.Context, url string) (int64, error) {
	row, err := d.tbl.ReadRow(ctx, url, bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter("at"), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row["cursor"] {
		return store.ParseInt(it.Value)
	}
	return 0, store.ErrNotFound
}

// Lag is how far an endpoint's cursor is behind, in time.
func (d *Dispatcher) Lag(ctx context.Context, url string) (time.Duration, error) {
	row, err := d.tbl.ReadRow(ctx, url, bigtable.RowFilter(store.LatestOf(schema.FamCursor, 1))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row["cursor"] {
		return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, store.ErrNotFound
}

// Unstamped finds cells that were written with the server's time.
func (d *Dispatcher) Unstamped(ctx context.Context, url string) (n int, err error) {
	row, err := d.tbl.ReadRow(ctx, url, bigtable.RowFilter(bigtable.FamilyFilter("endpoint")))
	if err != nil {
		return 0, err
	}
	for _, it := range row["endpoint"] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			n++
		}
		if it.Timestamp == 0 { // ok ttlage/server-sentinel
			n++
		}
	}
	return n, nil
}
