// Package ingest takes telemetry from the gateways and writes it as samples.
// Raw samples live for three days unless the tenant's plan says otherwise.
package ingest

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/bt"
	"example.com/skylark/internal/metrics"
	"example.com/skylark/internal/pipeline"
	"example.com/skylark/internal/queue"
	"example.com/skylark/internal/sink"
)

// Plan is what a tenant pays for.
type Plan int

// Plans.
const (
	Free Plan = iota
	Standard
	Premium
)

// Point is one measurement.
type Point struct {
	Tenant string    `json:"tenant"`
	Device string    `json:"device"`
	Metric string    `json:"metric"`
	Value  float64   `json:"value"`
	At     time.Time `json:"at"`
	Plan   Plan      `json:"plan"`
}

func (p Point) key() string {
	return fmt.Sprintf("%s#%s#%s#%d", p.Tenant, p.Device, p.Metric, math.MaxInt64-p.At.UnixNano())
}

func (p Point) bytes() []byte {
	return binary.BigEndian.AppendUint64(nil, math.Float64bits(p.Value))
}

// lifetimes by plan; standard is the family's default.
var lifetimes = [...]time.Duration{
	Free:     6 * time.Hour,
	Standard: bt.RawTTL,
	Premium:  14 * 24 * time.Hour,
}

// startedAt is when this process came up; rows carry it to tell deployments apart.
var startedAt = time.Now() // want ttlwrite/stale-clock[boot]

// Ingestor consumes points and writes them.
type Ingestor struct {
	samples bigtable.TableAPI
	out     *sink.Sink
	points  chan Point
	workers int
	log     *slog.Logger
	m       *metrics.Set

	mu    sync.Mutex
	plans map[string]Plan
}

// New returns an ingestor.
func New(s *bt.Stores, workers int, log *slog.Logger, m *metrics.Set) *Ingestor {
	return &Ingestor{
		samples: s.Samples,
		out:     sink.New(s.Samples, "ingest", sink.WithBatch(500, 100*time.Millisecond), sink.WithLog(log, m)),
		points:  make(chan Point, 4096),
		workers: workers,
		log:     log,
		m:       m,
		plans:   map[string]Plan{},
	}
}

// Run writes what arrives until ctx ends.
func (g *Ingestor) Run(ctx context.Context) error {
	grp, ctx := pipeline.NewGroup(ctx)
	grp.Go(func() error { return g.out.Run(ctx) })
	writes := pipeline.Map(ctx, g.points, g.workers, g.encode)
	grp.Go(func() error { return pipeline.Drain(ctx, writes, g.out.Send) })
	return grp.Wait()
}

func (g *Ingestor) encode(_ context.Context, p Point) (sink.Write, bool) {
	if p.At.IsZero() || math.IsNaN(p.Value) {
		g.m.Inc("points_dropped")
		return sink.Write{}, false
	}
	m := bigtable.NewMutation()
	switch p.Plan {
	case Free:
		m.Set(bt.FamRaw, p.Metric, bigtable.Time(time.Now().Add(6*time.Hour-bt.RawTTL)), p.bytes()) // ok ttlwrite/already-expired
	case Premium:
		m.Set(bt.FamRaw, p.Metric, bt.Lasting(lifetimes[Premium], bt.RawTTL), p.bytes()) // ok ttlwrite/write-time
	default:
		m.Set(bt.FamRaw, p.Metric, bigtable.Now(), p.bytes()) // ok ttlwrite/write-time
	}
	m.Set(bt.FamRaw, "boot", bigtable.Time(startedAt), nil) // want ttlwrite/stale-clock[boot]
	return sink.Write{Key: p.key(), Mut: m}, true
}

// Probe writes a sample that should not outlive its test.
func (g *Ingestor) Probe(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(bt.FamRaw, "probe", bigtable.Time(time.Now().Add(-4*24*time.Hour)), []byte("x")) // want ttlwrite/already-expired
	m.Set(bt.FamRaw, "canary", bigtable.Time(time.Now().Add(-71*time.Hour)), []byte("x"))  // ok ttlwrite/already-expired
	return g.samples.Apply(ctx, key, m)
}

// Handle takes a message of the topic telemetry.
func (g *Ingestor) Handle(ctx context.Context, m *queue.Message) error {
	var ps []Point
	if err := m.Decode(&ps); err != nil {
		g.log.Warn("telemetry", "id", m.ID, "err", err)
		return nil
	}
	for _, p := range ps {
		p.Plan = g.plan(p.Tenant)
		select {
		case g.points <- p:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	g.m.Add("points", int64(len(ps)))
	return nil
}

func (g *Ingestor) plan(tenant string) Plan {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.plans[tenant]
}

// SetPlan changes a tenant's plan.
func (g *Ingestor) SetPlan(tenant string, p Plan) {
	g.mu.Lock()
	g.plans[tenant] = p
	g.mu.Unlock()
}

// ServeHTTP takes points as lines of JSON.
func (g *Ingestor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sc := bufio.NewScanner(r.Body)
	n := 0
	for sc.Scan() {
		var p Point
		if err := json.Unmarshal(sc.Bytes(), &p); err != nil {
			http.Error(w, fmt.Sprintf("line %d: %v", n+1, err), http.StatusBadRequest)
			return
		}
		p.Plan = g.plan(p.Tenant)
		select {
		case g.points <- p:
			n++
		case <-r.Context().Done():
			return
		}
	}
	fmt.Fprintf(w, "%d\n", n)
}

// Backfill imports old points with the time that they were measured.
func (g *Ingestor) Backfill(ctx context.Context, in <-chan Point) error {
	for p := range in {
		m := bigtable.NewMutation()
		m.Set(bt.FamRaw, p.Metric, bigtable.Time(p.At), p.bytes())                                // ok ttlwrite/already-expired
		m.Set(bt.FamRollup, "1m/"+p.Metric, bigtable.Timestamp(p.At.Unix()), p.bytes())           // want ttlunit/wrong-unit
		m.Set(bt.FamRollup, "5m/"+p.Metric, bigtable.Timestamp(p.At.UnixMicro()), p.bytes())      // ok ttlunit/wrong-unit
		m.Set(bt.FamRollup, "1h/"+p.Metric, bigtable.Timestamp(p.At.UnixMilli()), p.bytes())      // want ttlunit/wrong-unit
		m.Set(bt.FamRollup, "6h/"+p.Metric, bigtable.Timestamp(p.At.UnixMilli()*1000), p.bytes()) // ok ttlunit/wrong-unit
		m.Set(bt.FamRollup, "1d/"+p.Metric, bigtable.Timestamp(p.At.UnixNano()), p.bytes())       // want ttlunit/wrong-unit
		m.Set(bt.FamRollup, "7d/"+p.Metric, bigtable.Timestamp(p.At.UnixNano()/1000), p.bytes())  // ok ttlunit/wrong-unit
		m.Set(bt.FamRollup, "30d/"+p.Metric, bigtable.Timestamp(p.At.Unix()*1e6), p.bytes())      // ok ttlunit/wrong-unit
		m.Set(bt.FamRollup, "1y/"+p.Metric, bigtable.Timestamp(p.At.Unix()*1000), p.bytes())      // want ttlunit/wrong-unit
		if err := g.out.Send(ctx, sink.Write{Key: p.key(), Mut: m}); err != nil {
			return err
		}
	}
	return nil
}

// Reader reads samples.
type Reader struct {
	samples bigtable.TableAPI
	now     func() time.Time
}

// NewReader returns a reader.
func NewReader(s *bt.Stores) *Reader { return &Reader{samples: s.Samples, now: time.Now} }

func decode(it bigtable.ReadItem) (Point, error) {
	if len(it.Value) != 8 {
		return Point{}, errors.New("bad sample")
	}
	return Point{Metric: it.Column, Value: math.Float64frombits(binary.BigEndian.Uint64(it.Value))}, nil
}

// Recent streams a device's raw samples.
func (r *Reader) Recent(ctx context.Context, tenant, device string, out chan<- Point) error {
	defer close(out)
	prefix := bigtable.PrefixRange(tenant + "#" + device + "#")
	var bad error
	err := r.samples.ReadRows(ctx, prefix, func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[bt.FamRaw] {
			p, err := decode(it)
			if err != nil {
				bad = err
				return false
			}
			select {
			case out <- p:
			case <-ctx.Done():
				return false
			}
		}
		return true
	}, bigtable.RowFilter(bt.Since(bt.FamRaw, bt.RawTTL)))
	return errors.Join(bad, err)
}

// Raw collects a device's raw samples.
func (r *Reader) Raw(ctx context.Context, tenant, device string) ([]Point, error) {
	var ps []Point
	err := r.samples.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"+device), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row[bt.FamRaw] {
			if p, err := decode(it); err == nil {
				ps = append(ps, p)
			}
		}
		return true
	}, bigtable.LimitRows(1000))
	return ps, err
}

// Hour collects the last hour's samples.
func (r *Reader) Hour(ctx context.Context, tenant, device string) ([]Point, error) {
	var ps []Point
	start := r.now().Add(-time.Hour)
	f := bigtable.ChainFilters( // want ttlread/wrong-bound[hour]
		bigtable.FamilyFilter(bt.FamRaw),
		bigtable.TimestampRangeFilter(start, time.Time{}), // want ttlread/wrong-bound[hour]
	)
	err := r.samples.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"+device), func(row bigtable.Row) bool { // want ttlread/wrong-bound[hour]
		for _, it := range row[bt.FamRaw] {
			if p, err := decode(it); err == nil {
				ps = append(ps, p)
			}
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[hour]
	return ps, err
}

// Latest is the newest sample of a metric.
func (r *Reader) Latest(ctx context.Context, key, metric string) (Point, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/missing-filter[latest]
		bigtable.FamilyFilter(bt.FamRaw),
		bigtable.ColumnFilter(metric),
		bigtable.LatestNFilter(1),
	))}
	row, err := r.samples.ReadRow(ctx, key, opts...) // want ttlread/missing-filter[latest]
	if err != nil {
		return Point{}, err
	}
	for _, it := range row[bt.FamRaw] {
		return decode(it)
	}
	return Point{}, errors.New("no sample")
}

// LatestLive is Latest without samples whose time is over.
func (r *Reader) LatestLive(ctx context.Context, key, metric string) (Point, error) {
	var opts []bigtable.ReadOption
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamRaw),
		bigtable.ColumnFilter(metric),
		bigtable.TimestampRangeFilterMicros(bigtable.Time(r.now().Add(-72*time.Hour)), 0),
		bigtable.LatestNFilter(1),
	)
	opts = append(opts, bigtable.RowFilter(f))
	row, err := r.samples.ReadRow(ctx, key, opts...) // ok ttlread/missing-filter
	if err != nil {
		return Point{}, err
	}
	for _, it := range row[bt.FamRaw] {
		return decode(it)
	}
	return Point{}, errors.New("no sample")
}

// Rollups reads the rolled up values only.
func (r *Reader) Rollups(ctx context.Context, key string) (map[string]float64, error) {
	row, err := r.samples.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	res := map[string]float64{}
	for _, it := range row[bt.FamRollup] {
		if p, err := decode(it); err == nil {
			res[it.Column] = p.Value
		}
	}
	return res, nil
}

// Keys lists the rows of a device.
func (r *Reader) Keys(ctx context.Context, tenant, device string) ([]string, error) {
	var keys []string
	f := bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	err := r.samples.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"+device), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(f))
	return keys, err
}

// Purge deletes a tenant's samples.
func (r *Reader) Purge(ctx context.Context, tenant string) error {
	var keys []string
	var muts []*bigtable.Mutation
	err := r.samples.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteRow() // ok ttlwrite/delete-after-set
		keys = append(keys, row.Key())
		muts = append(muts, m)
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	if err != nil || len(keys) == 0 {
		return err
	}
	_, err = r.samples.ApplyBulk(ctx, keys, muts)
	return err
}

// Lag is how far behind the ingestion is.
func (r *Reader) Lag(ctx context.Context, key string) (time.Duration, error) {
	row, err := r.samples.ReadRow(ctx, key, bigtable.RowFilter(bt.Since(bt.FamRaw, bt.RawTTL))) // ok ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	cells := row[bt.FamRaw]
	if len(cells) == 0 {
		return 0, nil
	}
	written := cells[0].Timestamp.Time() // want ttlage/not-write-time[lag]
	return time.Since(written), nil      // want ttlage/not-write-time[lag]
}

// RollupLag is Lag for rolled up values.
func (r *Reader) RollupLag(ctx context.Context, key string) (time.Duration, error) {
	row, err := r.samples.ReadRow(ctx, key, bigtable.RowFilter(bt.Newest(bt.FamRollup, 1))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	cells := row[bt.FamRollup]
	if len(cells) == 0 {
		return 0, nil
	}
	return time.Since(cells[0].Timestamp.Time()), nil // ok ttlage/not-write-time
}
