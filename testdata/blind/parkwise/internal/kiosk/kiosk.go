// Package kiosk pairs kiosks and keeps what they show.
package kiosk

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/tenant"
)

// Pairing is a code that a kiosk shows until an attendant types it in.
type Pairing struct {
	Code   string `json:"code"`
	Kiosk  string `json:"kiosk"`
	Garage string `json:"garage"`
}

// cell is one cell of a row that is written as a whole.
type cell struct {
	family string
	column string
	ts     bigtable.Timestamp
	value  []byte
}

func apply(ctx context.Context, tbl bt.Table, key string, cells ...cell) error {
	mut := bigtable.NewMutation()
	for _, c := range cells {
		mut.Set(c.family, c.column, c.ts, c.value)
	}
	return tbl.Apply(ctx, key, mut)
}

// Service pairs kiosks.
type Service struct {
	auth    bt.Table
	tariffs bt.Table
	life    time.Duration
	log     *slog.Logger
}

// Option configures a Service.
type Option func(*Service)

// WithLife sets how long a code is shown.
func WithLife(d time.Duration) Option { return func(s *Service) { s.life = d } }

// New makes a Service.
func New(client *bigtable.Client, log *slog.Logger, opts ...Option) *Service {
	s := &Service{auth: client.Open(bt.TableAuth), tariffs: client.Open(bt.TableTariffs), life: 5 * time.Minute, log: log}
	for _, o := range opts {
		o(s)
	}
	return s
}

func pairKey(id tenant.ID, kiosk string) string { return tenant.Key(id, "kio", kiosk) }

func (s *Service) until(ctx context.Context) bigtable.Timestamp {
	return bt.ExpiresIn(clock.Now(ctx), s.life)
}

// Show starts a pairing.
func (s *Service) Show(ctx context.Context, id tenant.ID, p Pairing) error {
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	until := s.until(ctx)
	return apply(ctx, s.auth, pairKey(id, p.Kiosk),
		cell{bt.FamOTP, "pair", until, raw},                                // ok ttlwrite/server-timestamp
		cell{bt.FamOTP, "garage", until, []byte(p.Garage)},                 // ok ttlwrite/same-timestamp
		cell{bt.FamProfile, "kiosk", bigtable.ServerTime, []byte(p.Kiosk)}, // ok ttlwrite/server-timestamp
	)
}

// Reject notes that a pairing was refused.
func (s *Service) Reject(ctx context.Context, id tenant.ID, kiosk, why string) error {
	return apply(ctx, s.auth, pairKey(id, kiosk),
		cell{bt.FamProfile, "why", bigtable.ServerTime, []byte(why)}, // ok ttlwrite/server-timestamp
		cell{bt.FamOTP, "why", bigtable.ServerTime, []byte(why)},     // want ttlwrite/server-timestamp
	)
}

// Blink makes a kiosk blink; the mark is of no use after a moment.
func (s *Service) Blink(ctx context.Context, id tenant.ID, kiosk string) error {
	ts := bigtable.Timestamp(-1)
	mut := bigtable.NewMutation()
	mut.Set(bt.FamOTP, "blink", ts, []byte("1"))                 // want ttlwrite/server-timestamp
	mut.Set(bt.FamProfile, "blinks", ts, []byte("1"))            // ok ttlwrite/server-timestamp
	mut.Set(bt.FamOTP, "blink_until", s.until(ctx), []byte("1")) // ok ttlwrite/server-timestamp
	return s.auth.Apply(ctx, pairKey(id, kiosk), mut)
}

// stamp chooses the timestamp of a mark.
func (s *Service) stamp(ctx context.Context, sticky bool) bigtable.Timestamp {
	if sticky {
		return s.until(ctx)
	}
	return bigtable.ServerTime
}

// Banner shows a text: the sticky one until the life is over.
func (s *Service) Banner(ctx context.Context, id tenant.ID, kiosk, text string) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamOTP, "banner", s.stamp(ctx, true), []byte(text))   // ok ttlwrite/server-timestamp
	mut.Set(bt.FamOTP, "ticker", s.stamp(ctx, false), []byte(text))  // want ttlwrite/server-timestamp
	mut.Set(bt.FamProfile, "log", s.stamp(ctx, false), []byte(text)) // ok ttlwrite/server-timestamp
	return s.auth.Apply(ctx, pairKey(id, kiosk), mut)
}

// Marks writes what kiosks report, each kind with a life of its own.
func (s *Service) Marks(ctx context.Context, id tenant.ID, kiosk string, reports map[string]string) error {
	now := clock.Now(ctx)
	kinds := []struct {
		name   string
		family string
		at     time.Time
	}{
		{"door", bt.FamOTP, now.Add(time.Minute)}, // ok ttlwrite/write-time
		{"paper", bt.FamProfile, now},             // ok ttlwrite/write-time
		{"coins", bt.FamOTP, now.Add(time.Hour)},  // ok ttlwrite/write-time
	}
	mut := bigtable.NewMutation()
	for _, k := range kinds {
		if v, ok := reports[k.name]; ok {
			mut.Set(k.family, k.name, bigtable.Time(k.at), []byte(v)) // ok ttlwrite/write-time
		}
	}
	return s.auth.Apply(ctx, pairKey(id, kiosk), mut)
}

// Pairing reads the pairing of a kiosk.
func (s *Service) Pairing(ctx context.Context, id tenant.ID, kiosk string) (Pairing, error) {
	return bt.ReadAs(ctx, s.auth, pairKey(id, kiosk), pairingOf, bigtable.RowFilter(bt.In(bt.FamOTP, bt.Live(clock.Now(ctx))))) // ok ttlread/missing-filter
}

func pairingOf(row bigtable.Row) (Pairing, error) {
	return bt.DecodeJSON[Pairing](row, bt.FamOTP, "pair")
}

// Pairings lists the pairings of a tenant, page by page.
func (s *Service) Pairings(ctx context.Context, id tenant.ID, cursor string) (bt.Page[Pairing], error) {
	return bt.List(ctx, s.auth, pairKey(id, ""), cursor, 50, func(row bigtable.Row) (Pairing, bool) { // want ttlread/missing-filter[pairings]
		p, err := pairingOf(row)
		return p, err == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamOTP), bigtable.ColumnFilter("pair")))) // want ttlread/missing-filter[pairings]
}

// Accept ends a pairing and opens a session for the kiosk.
func (s *Service) Accept(ctx context.Context, id tenant.ID, kiosk string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(bt.FamOTP)
	del.Set(bt.FamSession, "kiosk", bt.ExpiresIn(clock.Now(ctx), 12*time.Hour), []byte(kiosk)) // ok ttlwrite/delete-after-set
	var ok bool
	cond := bigtable.NewCondMutation(bt.Column(bt.FamOTP, "pair"), del, nil) // want ttlread/conditional-mutation
	if err := s.auth.Apply(ctx, pairKey(id, kiosk), cond, bigtable.GetCondMutationResult(&ok)); err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("kiosk: %s: %w", kiosk, bt.ErrNotFound)
	}
	return nil
}

// Prices reads the price that a kiosk shows.
func (s *Service) Prices(ctx context.Context, id tenant.ID, name string) ([]byte, error) {
	row, err := s.tariffs.ReadRow(ctx, tenant.Key(id, "tar", name), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamRate), bigtable.CellsPerRowLimitFilter(1)))) // maybe ttlread/version-limit
	if err != nil {
		return nil, err
	}
	it, ok := bt.First(row, bt.FamRate, "r")
	if !ok {
		return nil, bt.ErrNotFound
	}
	return it.Value, nil
}

// PricesAt reads the price with the date from which it holds.
func (s *Service) PricesAt(ctx context.Context, id tenant.ID, name string) (string, error) {
	row, err := s.tariffs.ReadRow(ctx, tenant.Key(id, "tar", name), bigtable.RowFilter(bt.LatestIn(bt.FamRate))) // ok ttlread/version-limit
	if err != nil {
		return "", err
	}
	it, ok := bt.First(row, bt.FamRate, "r")
	if !ok {
		return "", bt.ErrNotFound
	}
	updated := bt.CellTime(it)                                                  // want ttlage/not-write-time[prices]
	return fmt.Sprintf("%s (as of %s)", it.Value, updated.Format("2 Jan")), nil // want ttlage/not-write-time[prices]
}

// Publish publishes a price from a kiosk in service mode.
func (s *Service) Publish(ctx context.Context, id tenant.ID, name string, raw []byte) error {
	ts := bigtable.Now()
	mut := bigtable.NewMutation()
	mut.Set(bt.FamInfo, "author", ts, []byte("kiosk")) // ok ttlwrite/clock-in-sequence
	mut.Set(bt.FamRate, "r", ts, raw)                  // want ttlwrite/clock-in-sequence
	return s.tariffs.Apply(ctx, tenant.Key(id, "tar", name), mut)
}
