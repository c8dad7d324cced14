// Package ingest takes the AIS and gate feeds and writes them in bulk.
//
// vessels has a family "state" whose timestamps are sequence numbers of the feed, and "eta", which lives a day.
// gates has a family "state" too, but there a cell expires ten minutes after the last pass. Sorry.
package ingest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/harbor/btutil"
)

const (
	stateFam = "state"
	etaFam   = "eta"

	gateLife  = 10 * time.Minute
	batchSize = 256
)

// Kind of a message.
type Kind int

// Kinds.
const (
	KindPosition Kind = iota
	KindETA
	KindGate
	KindHello
	KindBye
)

func (k Kind) String() string {
	switch k {
	case KindPosition:
		return "position"
	case KindETA:
		return "eta"
	case KindGate:
		return "gate"
	case KindHello:
		return "hello"
	case KindBye:
		return "bye"
	}
	return "kind" + strconv.Itoa(int(k))
}

// Message is what comes from the feeds.
type Message struct {
	Kind    Kind      `json:"kind"`
	ID      string    `json:"id"`
	Seq     int64     `json:"seq"`
	Lat     float64   `json:"lat"`
	Lon     float64   `json:"lon"`
	ETA     time.Time `json:"eta"`
	Plate   string    `json:"plate"`
	Raw     []byte    `json:"-"`
	Dir     string    `json:"dir"`
	retries int
}

// row is a mutation on its way to the writer.
type row struct {
	key  string
	mut  *bigtable.Mutation
	done chan<- error
}

// Stats of a pipeline.
type Stats struct {
	In, Out, Bad, Dropped atomic.Int64
}

// Pipeline reads messages, makes mutations and writes them.
type Pipeline struct {
	vessels *bigtable.Table
	gates   *bigtable.Table
	in      chan *Message
	toV     chan row
	toG     chan row
	wg      sync.WaitGroup
	stats   Stats
	seq     int64
	workers int
	now     func() time.Time
	last    map[string]int64
	lastMu  sync.Mutex
	quiet   bool
}

// Config is filled from flags.
type Config struct {
	Workers int
	Buffer  int
	Quiet   bool
}

// New makes a pipeline.
func New(c *bigtable.Client, cfg Config) *Pipeline {
	if cfg.Workers <= 0 {
		cfg.Workers = runtime.NumCPU()
	}
	if cfg.Buffer <= 0 {
		cfg.Buffer = 1024
	}
	return &Pipeline{
		vessels: c.Open(btutil.TableVessels),
		gates:   c.Open(btutil.TableGates),
		in:      make(chan *Message, cfg.Buffer),
		toV:     make(chan row, cfg.Buffer),
		toG:     make(chan row, cfg.Buffer),
		workers: cfg.Workers,
		now:     time.Now,
		last:    map[string]int64{},
		quiet:   cfg.Quiet,
	}
}

// Run runs until ctx ends or the feed is closed.
func (p *Pipeline) Run(ctx context.Context) error {
	var writers sync.WaitGroup
	writers.Add(2)
	go func() { defer writers.Done(); p.write(ctx, p.vessels, p.toV, "vessels") }()
	go func() { defer writers.Done(); p.write(ctx, p.gates, p.toG, "gates") }()
	for i := 0; i < p.workers; i++ {
		p.wg.Add(1)
		go p.work(ctx)
	}
	p.wg.Wait()
	close(p.toV)
	close(p.toG)
	writers.Wait()
	if !p.quiet {
		log.Printf("ingest: in %d out %d bad %d dropped %d", p.stats.In.Load(), p.stats.Out.Load(), p.stats.Bad.Load(), p.stats.Dropped.Load())
	}
	return ctx.Err()
}

func (p *Pipeline) work(ctx context.Context) {
	defer p.wg.Done()
	for {
		select {
		case <-ctx.Done():
			return
		case m, ok := <-p.in:
			if !ok {
				return
			}
			p.stats.In.Add(1)
			if err := p.handle(ctx, m); err != nil {
				p.stats.Bad.Add(1)
				if !p.quiet {
					log.Printf("ingest: %s %s: %v", m.Kind, m.ID, err)
				}
			}
		}
	}
}

// handle is the big switch.
func (p *Pipeline) handle(ctx context.Context, m *Message) error {
	switch m.Kind {
	case KindPosition:
		if m.Lat < -90 || m.Lat > 90 {
			return fmt.Errorf("bad position %f %f", m.Lat, m.Lon)
		}
		mut := bigtable.NewMutation()
		pos := strconv.FormatFloat(m.Lat, 'f', 5, 64) + "," + strconv.FormatFloat(m.Lon, 'f', 5, 64)
		mut.Set(stateFam, "pos", bigtable.Timestamp(m.Seq*1000), []byte(pos)) // ok ttlwrite/unscaled-sequence
		if len(m.Raw) > 0 {
			mut.Set(stateFam, "raw", btutil.SeqTS(m.Seq), m.Raw) // ok ttlwrite/unscaled-sequence
		}
		p.toV <- row{key: m.ID, mut: mut}
	case KindETA:
		mut := bigtable.NewMutation()
		mut.Set(etaFam, "eta", bigtable.Now(), []byte(m.ETA.Format(time.RFC3339)))                   // ok ttlwrite/write-time
		mut.Set(etaFam, "hint", bigtable.Time(p.now().Add(2*time.Hour-24*time.Hour)), []byte(m.Dir)) // ok ttlwrite/already-expired
		if m.retries > 0 {
			mut.Set(etaFam, "late", bigtable.Time(p.now().Add(-25*time.Hour)), []byte{byte(m.retries)}) // want ttlwrite/already-expired
		}
		p.toV <- row{key: m.ID, mut: mut}
	case KindGate:
		mut := bigtable.NewMutation()
		mut.Set("state", "plate", bigtable.Time(p.now().Add(gateLife)), []byte(m.Plate)) // ok ttlwrite/clock-in-sequence
		mut.Set("state", "dir", bigtable.Time(p.now().Add(gateLife)), []byte(m.Dir))     // ok ttlwrite/clock-in-sequence
		if m.retries > 1 {
			mut.Set("state", "retried", bigtable.Now(), []byte{byte(m.retries)}) // want ttlwrite/write-time
		}
		p.toG <- row{key: m.ID, mut: mut}
	case KindHello:
		return p.hello(ctx, m)
	case KindBye:
		return p.bye(ctx, m)
	default:
		return fmt.Errorf("unknown %v", m.Kind)
	}
	return nil
}

// hello marks a vessel as tracked.
func (p *Pipeline) hello(ctx context.Context, m *Message) error {
	mut := bigtable.NewMutation()
	n := atomic.AddInt64(&p.seq, 1)
	mut.Set(stateFam, "tracked", bigtable.Timestamp(n), []byte{1})    // want ttlwrite/unscaled-sequence
	mut.Set(stateFam, "hello", bigtable.Timestamp(n*1000), []byte{1}) // ok ttlwrite/unscaled-sequence
	mut.Set(stateFam, "at", bigtable.ServerTime, []byte(m.ID))        // want ttlwrite/clock-in-sequence
	return p.vessels.Apply(ctx, m.ID, mut)
}

// bye closes a gate.
func (p *Pipeline) bye(ctx context.Context, m *Message) error {
	mut := bigtable.NewMutation()
	mut.Set(stateFam, "closed", bigtable.Now(), []byte(m.ID))                        // want ttlwrite/write-time
	mut.Set(stateFam, "dir", bigtable.Time(p.now().Add(gateLife)), []byte("closed")) // ok ttlwrite/write-time
	return p.gates.Apply(ctx, m.ID, mut)
}

// Announcer tells vessels about berths, one at a time, from a goroutine of its own.
type Announcer struct {
	tbl   *bigtable.Table
	queue chan announcement
	stop  chan struct{}
}

type announcement struct {
	vessel string
	mut    *bigtable.Mutation
}

// NewAnnouncer starts it.
func NewAnnouncer(ctx context.Context, c *bigtable.Client) *Announcer {
	a := &Announcer{tbl: c.Open(btutil.TableVessels), queue: make(chan announcement, 8), stop: make(chan struct{})}
	go func() {
		defer close(a.stop)
		for x := range a.queue {
			if err := a.tbl.Apply(ctx, x.vessel, x.mut); err != nil {
				log.Printf("announce %s: %v", x.vessel, err)
			}
		}
	}()
	return a
}

// Berth announces a berth. n is the number of the announcement.
func (a *Announcer) Berth(vessel, berth string, n int64, urgent bool) {
	mut := bigtable.NewMutation()
	mut.Set(stateFam, "berth", bigtable.Timestamp(n*1000), []byte(berth)) // ok ttlwrite/unscaled-sequence
	if urgent {
		mut.Set(stateFam, "urgent", bigtable.Now(), []byte(berth)) // want ttlwrite/clock-in-sequence
	}
	a.queue <- announcement{vessel, mut}
}

// Close waits for the queue.
func (a *Announcer) Close() {
	close(a.queue)
	<-a.stop
}

// write batches what comes on ch.
func (p *Pipeline) write(ctx context.Context, tbl *bigtable.Table, ch <-chan row, name string) {
	keys := make([]string, 0, batchSize)
	muts := make([]*bigtable.Mutation, 0, batchSize)
	var waiting []chan<- error
	flush := func() {
		if len(keys) == 0 {
			return
		}
		errs, err := tbl.ApplyBulk(ctx, keys, muts)
		if err != nil {
			log.Printf("ingest: %s: %v", name, err)
			p.stats.Dropped.Add(int64(len(keys)))
		}
		for i := range keys {
			var e error
			if i < len(errs) {
				e = errs[i]
			}
			if e == nil {
				p.stats.Out.Add(1)
			}
			if i < len(waiting) && waiting[i] != nil {
				waiting[i] <- e
			}
		}
		keys, muts, waiting = keys[:0], muts[:0], waiting[:0]
	}
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case r, ok := <-ch:
			if !ok {
				flush()
				return
			}
			keys, muts, waiting = append(keys, r.key), append(muts, r.mut), append(waiting, r.done)
			if len(keys) >= batchSize {
				flush()
			}
		case <-tick.C:
			flush()
		}
	}
}

// Feed reads lines from a connection.
func (p *Pipeline) Feed(ctx context.Context, conn net.Conn) error {
	defer conn.Close()
	sc := bufio.NewScanner(conn)
	for sc.Scan() {
		var m Message
		if err := json.Unmarshal(sc.Bytes(), &m); err != nil {
			p.stats.Bad.Add(1)
			continue
		}
		m.Raw = append([]byte(nil), sc.Bytes()...)
		select {
		case p.in <- &m:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return sc.Err()
}

// CloseFeed ends the input.
func (p *Pipeline) CloseFeed() { close(p.in) }

// Replay writes a recorded file, synchronously; line numbers are the sequence.
func (p *Pipeline) Replay(ctx context.Context, r io.Reader, scaled bool) (int, error) {
	sc := bufio.NewScanner(r)
	var keys []string
	var muts []*bigtable.Mutation
	line := 0
	for sc.Scan() {
		line++
		id, rest, ok := strings.Cut(sc.Text(), " ")
		if !ok {
			continue
		}
		mut := bigtable.NewMutation()
		if scaled {
			mut.Set(stateFam, "pos", bigtable.Timestamp(line)*1000, []byte(rest)) // ok ttlwrite/unscaled-sequence
		} else {
			mut.Set(stateFam, "pos", bigtable.Timestamp(line), []byte(rest)) // want ttlwrite/unscaled-sequence
		}
		mut.Set(etaFam, "replayed", bigtable.ServerTime, []byte{1}) // ok ttlwrite/server-timestamp
		keys = append(keys, id)
		muts = append(muts, mut)
	}
	if err := sc.Err(); err != nil {
		return line, err
	}
	errs, err := p.vessels.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return line, err
	}
	return line, errors.Join(errs...)
}

// Position reads the last position of a vessel.
func (p *Pipeline) Position(ctx context.Context, id string) (string, int64, error) {
	r, err := p.vessels.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(stateFam), bigtable.ColumnFilter("pos"), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return "", 0, err
	}
	for _, it := range r[stateFam] {
		return string(it.Value), int64(it.Timestamp) / 1000, nil
	}
	return "", 0, btutil.ErrNotFound
}

// Track reads positions. There is only one version, but nobody told the author.
func (p *Pipeline) Track(ctx context.Context, id string) ([]string, error) {
	var out []string
	r, err := p.vessels.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(stateFam), bigtable.LatestNFilter(20)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	for _, it := range r[stateFam] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// Seen says how long ago a vessel was heard of.
func (p *Pipeline) Seen(ctx context.Context, id string) (time.Duration, error) {
	r, err := p.vessels.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(stateFam), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range r[stateFam] {
		return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, btutil.ErrNotFound
}

// Passing reads who is in a gate now.
func (p *Pipeline) Passing(ctx context.Context, gate string) ([]string, error) {
	var out []string
	r, err := p.gates.ReadRow(ctx, gate, bigtable.RowFilter(bigtable.TimestampRangeFilter(p.now(), time.Time{}))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	for _, it := range r[stateFam] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// PassingLatest was made for vessels and copied.
func (p *Pipeline) PassingLatest(ctx context.Context, gate string) ([]string, error) {
	var out []string
	r, err := p.gates.ReadRow(ctx, gate, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range r[stateFam] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// Vessel reads state and eta.
func (p *Pipeline) Vessel(ctx context.Context, id string, mode int) (map[string]string, error) {
	var f bigtable.Filter
	now := p.now()
	switch mode {
	case 1:
		f = bigtable.InterleaveFilters(
			bigtable.ChainFilters(bigtable.FamilyFilter(stateFam), bigtable.LatestNFilter(1)),
			bigtable.ChainFilters(bigtable.FamilyFilter(etaFam), bigtable.TimestampRangeFilter(now.Add(-24*time.Hour), time.Time{})),
		)
	default:
		f = bigtable.InterleaveFilters(
			btutil.SinceIn(etaFam, btutil.EtaTTL),
			bigtable.ChainFilters(bigtable.LatestNFilter(1), bigtable.FamilyFilter(stateFam)),
		)
	}
	r, err := p.vessels.ReadRow(ctx, id, bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, items := range r {
		for _, it := range items {
			out[it.Column] = string(it.Value)
		}
	}
	return out, nil
}

// VesselAll reads all vessels of a prefix.
func (p *Pipeline) VesselAll(ctx context.Context, prefix string) (<-chan bigtable.Row, <-chan error) {
	rows, errc := make(chan bigtable.Row, 16), make(chan error, 1)
	go func() {
		defer close(rows)
		errc <- p.vessels.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/missing-filter
			select {
			case rows <- r:
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	return rows, errc
}

// ETAs streams the etas.
func (p *Pipeline) ETAs(ctx context.Context, prefix string) <-chan string {
	ch := make(chan string)
	opts := []bigtable.ReadOption{bigtable.RowFilter(btutil.SinceIn(etaFam, btutil.EtaTTL))}
	go func() {
		defer close(ch)
		err := p.vessels.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
			for _, it := range r[etaFam] {
				ch <- string(it.Value)
			}
			return true
		}, opts...)
		if err != nil {
			log.Print(err)
		}
	}()
	return ch
}

// ETAsNow has the bound of the gates.
func (p *Pipeline) ETAsNow(ctx context.Context, prefix string) <-chan string {
	ch := make(chan string)
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(etaFam), bigtable.TimestampRangeFilter(p.now(), time.Time{})))} // want ttlread/wrong-bound[etasnow]
	go func() {
		defer close(ch)
		err := p.vessels.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/wrong-bound[etasnow]
			for _, it := range r[etaFam] {
				ch <- string(it.Value)
			}
			return true
		}, opts...)
		if err != nil {
			log.Print(err)
		}
	}()
	return ch
}

// Gone says whether a vessel has not been seen for d.
func (p *Pipeline) Gone(id string, seq int64, d int64) bool {
	p.lastMu.Lock()
	defer p.lastMu.Unlock()
	was, ok := p.last[id]
	p.last[id] = seq
	return ok && seq-was > d
}
