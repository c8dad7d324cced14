package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/store"
	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// Dispatch finds drivers for orders.
type Dispatch struct {
	drivers *store.DriverStore
	orders  *store.OrderBook
	quotes  *store.Quotes
	log     *slog.Logger
}

// NewDispatch makes the service.
func NewDispatch(s *store.Stores, log *slog.Logger) *Dispatch {
	return &Dispatch{drivers: s.Drivers, orders: s.Orders, quotes: s.Quotes, log: log}
}

// Ping takes a position.
func (d *Dispatch) Ping(ctx context.Context, p store.Position) error {
	if math.Abs(p.Lat) > 90 || math.Abs(p.Lon) > 180 {
		return fmt.Errorf("dispatch: no such place: %v, %v", p.Lat, p.Lon)
	}
	if p.At.IsZero() {
		p.At = time.Now()
	}
	return d.drivers.Ping(ctx, p)
}

// Nearest returns the driver that is nearest to a place.
func (d *Dispatch) Nearest(ctx context.Context, lat, lon float64, ids []string) (string, error) {
	type result struct {
		id   string
		dist float64
	}
	out := make(chan result, len(ids))
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Add(1)
		go func() {
			defer wg.Done()
			p, err := d.drivers.Where(ctx, id)
			if err != nil {
				return
			}
			out <- result{id, math.Hypot(p.Lat-lat, p.Lon-lon)}
		}()
	}
	wg.Wait()
	close(out)
	best := result{dist: math.Inf(1)}
	for r := range out {
		if r.dist < best.dist {
			best = r
		}
	}
	if best.id == "" {
		return "", store.ErrNotFound
	}
	return best.id, nil
}

// Place opens an order from a quote.
func (d *Dispatch) Place(ctx context.Context, quote, driver string) (string, error) {
	q, err := d.quotes.Get(ctx, quote)
	if err != nil {
		return "", err
	}
	order := newID()
	if err := d.quotes.Accept(ctx, quote, order); err != nil {
		return "", err
	}
	if err := d.orders.Start(ctx, store.OrderEvent{Order: order, Seq: 1, Kind: "open", Price: q.Cents, At: time.Now()}); err != nil {
		return "", err
	}
	if err := d.drivers.AssignLive(ctx, driver, order); err != nil && !errors.Is(err, store.ErrConflict) {
		return order, err
	}
	return order, nil
}

// Zones keeps which driver waits where. It shares the drivers table.
type Zones struct {
	r bigtablex.Reader
	w bigtablex.Writer
	// life of a claim
	life time.Duration
	now  func() time.Time
}

// ZoneConfig is the configuration of Zones.
type ZoneConfig struct {
	Life time.Duration
	Now  func() time.Time
}

// NewZones makes Zones.
func NewZones(client *bigtable.Client, cfg ZoneConfig) *Zones {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Life <= 0 {
		cfg.Life = tables.PresenceTTL
	}
	tbl := client.Open(tables.Drivers)
	return &Zones{r: tbl, w: tbl, life: cfg.Life, now: cfg.Now}
}

// Enter notes that a driver waits in a zone.
func (z *Zones) Enter(ctx context.Context, driver, zone string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamPresence, "wait:"+zone, bigtable.Time(z.now().Add(z.life)), []byte(zone)) // ok ttlwrite/write-time
	return bigtablex.ApplyRetry(ctx, z.w, "d#"+driver, mut)
}

// EnterQueue notes the place in the queue.
func (z *Zones) EnterQueue(ctx context.Context, driver, zone string, pos []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamPresence, "queue:"+zone, bigtable.Time(z.now()), pos) // want ttlwrite/write-time
	return bigtablex.ApplyRetry(ctx, z.w, "d#"+driver, mut)
}

// Leave ends it.
func (z *Zones) Leave(ctx context.Context, driver, zone string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.FamPresence, "wait:"+zone)
	mut.DeleteCellsInColumn(tables.FamPresence, "queue:"+zone)
	return bigtablex.ApplyRetry(ctx, z.w, "d#"+driver, mut)
}

// In lists the zones of a driver.
func (z *Zones) In(ctx context.Context, driver string) ([]string, error) {
	row, err := bigtablex.ReadLive(ctx, z.r, "d#"+driver) // ok ttlread/hides-other-families
	if errors.Is(err, bigtablex.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[tables.FamPresence] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// InRaw lists them as they are.
func (z *Zones) InRaw(ctx context.Context, driver string) ([]string, error) {
	row, err := bigtablex.MustRead(ctx, z.r, "d#"+driver, bigtable.RowFilter(bigtable.ColumnFilter("wait:.*"))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[tables.FamPresence] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// WaitingSince says since when a driver waits; the dispatchers asked for it.
func (z *Zones) WaitingSince(ctx context.Context, driver, zone string) (time.Duration, error) {
	row, err := bigtablex.MustRead(ctx, z.r, "d#"+driver, bigtable.RowFilter(bigtablex.LiveFamily(tables.FamPresence))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := bigtablex.Item(row, tables.FamPresence, "wait:"+zone)
	if !ok {
		return 0, store.ErrNotFound
	}
	return z.now().Sub(it.Timestamp.Time()), nil // want ttlage/not-write-time
}
