package core

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

// The bulk writer. Everything that is not urgent goes here: the pixel, the sync, the importers.
// Mutations are made where the data is and written by one goroutine per table.

// item is one row to be written.
type item struct {
	key string
	m   *bigtable.Mutation
}

// Bulk collects rows of one table.
type Bulk struct {
	tbl   *bigtable.Table
	max   int
	every time.Duration

	mu    sync.Mutex
	items []item
	ch    chan item
	done  chan struct{}
	onErr func(key string, err error)
}

// NewBulk starts a writer.
func NewBulk(tbl *bigtable.Table, max int, every time.Duration) *Bulk {
	if max <= 0 {
		max = 200
	}
	b := &Bulk{tbl: tbl, max: max, every: every, ch: make(chan item, 2*max), done: make(chan struct{})}
	b.onErr = func(key string, err error) { log.Printf("bulk: %s: %v", key, err) }
	go b.loop()
	return b
}

func (b *Bulk) loop() {
	defer close(b.done)
	t := time.NewTicker(b.every)
	defer t.Stop()
	for {
		select {
		case it, ok := <-b.ch:
			if !ok {
				b.flush(context.Background())
				return
			}
			b.items = append(b.items, it)
			if len(b.items) >= b.max {
				b.flush(context.Background())
			}
		case <-t.C:
			b.flush(context.Background())
		}
	}
}

func (b *Bulk) flush(ctx context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.items) == 0 {
		return
	}
	keys := make([]string, len(b.items))
	muts := make([]*bigtable.Mutation, len(b.items))
	for i, it := range b.items {
		keys[i], muts[i] = it.key, it.m
	}
	b.items = b.items[:0]
	errs, err := b.tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		b.onErr(keys[0], err)
	}
	for i, e := range errs {
		if e != nil {
			b.onErr(keys[i], e)
		}
	}
}

// Put queues a row.
func (b *Bulk) Put(key string, m *bigtable.Mutation) { b.ch <- item{key, m} }

// Close writes the rest.
func (b *Bulk) Close() {
	close(b.ch)
	<-b.done
}

// The writers, started by StartBulk.
var (
	visBulk  *Bulk
	capBulk  *Bulk
	sessBulk *Bulk
)

// StartBulk starts them.
func StartBulk() error {
	if client == nil {
		return ErrNotInit
	}
	visBulk = NewBulk(VisTbl, 500, time.Second)
	capBulk = NewBulk(CapTbl, 500, 200*time.Millisecond)
	sessBulk = NewBulk(SessTbl, 50, 100*time.Millisecond)
	return nil
}

// StopBulk stops them.
func StopBulk() {
	for _, b := range []*Bulk{visBulk, capBulk, sessBulk} {
		if b != nil {
			b.Close()
		}
	}
}

// mutation kinds
const (
	kSync = iota
	kSegment
	kVisit
	kCap
	kLogin
)

// syncMut is the row of a cookie sync.
func syncMut(partner, id string, now time.Time) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(FamIDMap, partner, bigtable.Time(now), []byte(id))    // ok ttlwrite/write-time
	m.Set(FamAttr, "sync", bigtable.Time(now), []byte(partner)) // ok ttlwrite/write-time
	return m
}

// segMut is the row of a segment.
func segMut(seg string, now time.Time, days int) *bigtable.Mutation {
	m := bigtable.NewMutation()
	if days == 0 {
		m.Set(FamSeg, seg, bigtable.Time(now), []byte("1")) // want ttlwrite/write-time[segmut]
	} else {
		m.Set(FamSeg, seg, bigtable.Time(now.Add(time.Duration(days)*24*time.Hour)), []byte("1")) // ok ttlwrite/write-time
	}
	return m
}

// capMut is the row of a cap. exact makes it end at midnight, which the advertisers like better.
func capMut(n int64, now time.Time, exact bool) *bigtable.Mutation {
	m := bigtable.NewMutation()
	end := now.Add(CapTTL)
	if exact {
		y, mo, d := now.Date()
		end = time.Date(y, mo, d+1, 0, 0, 0, 0, now.Location())
	}
	m.Set(FamCap, "n", bigtable.Time(end), i2b(n))           // ok ttlwrite/write-time
	m.Set(FamRoll, dayKey(now), bigtable.ServerTime, i2b(n)) // ok ttlwrite/server-timestamp
	if n > 1000 {
		m.Set(FamCap, "alarm", bigtable.ServerTime, []byte("1")) // want ttlwrite/server-timestamp
	}
	return m
}

// loginMut is the row of a login.
func loginMut(user string, ok bool) (*bigtable.Mutation, error) {
	if user == "" {
		return nil, errors.New("core: login without user")
	}
	m := bigtable.NewMutation()
	var fam, c string
	var ts bigtable.Timestamp
	if ok {
		fam, c, ts = FamProf, "login", bigtable.Now()
	} else {
		fam, c, ts = FamTok, "failed", bigtable.Time(time.Now().Add(15*time.Minute))
	}
	m.Set(fam, c, ts, []byte(user)) // ok ttlwrite/write-time
	if FlagLegacyTokens {
		fam, ts = FamTok, bigtable.Now()
	}
	m.Set(fam, c+"_at", ts, []byte(user)) // want ttlwrite/write-time
	return m, nil
}

// Track is the one entry for the pixel. args depend on the kind, see the switch.
func Track(kind int, key string, args ...string) error {
	now := time.Now()
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	switch kind {
	case kSync:
		visBulk.Put(key, syncMut(arg(0), arg(1), now))
	case kSegment:
		visBulk.Put(key, segMut(arg(0), now, 0)) // want ttlwrite/write-time[segmut]
	case kVisit:
		visBulk.Put(key, segMut("visit", now, 7)) // ok ttlwrite/write-time
	case kCap:
		capBulk.Put(key, capMut(int64(atoi(arg(0), 1)), now, arg(1) == "exact"))
	case kLogin:
		m, err := loginMut(arg(0), arg(1) == "ok")
		if err != nil {
			return err
		}
		sessBulk.Put(saltKey(key), m)
	default:
		return fmt.Errorf("core: track kind %d", kind)
	}
	return nil
}

// setter is how the importers write; there is one for every family, picked by name.
type setter func(m *bigtable.Mutation, column string, value []byte)

var setters = map[string]setter{
	"seg": func(m *bigtable.Mutation, c string, v []byte) {
		m.Set("seg", c, expTS(SegTTL), v) // ok ttlwrite/write-time
	},
	"segnow": func(m *bigtable.Mutation, c string, v []byte) {
		m.Set("seg", c, nowTS(), v) // want ttlwrite/write-time
	},
	"attr": func(m *bigtable.Mutation, c string, v []byte) {
		m.Set("attr", c, nowTS(), v) // ok ttlwrite/write-time
	},
	"idmap": func(m *bigtable.Mutation, c string, v []byte) {
		m.Set("idmap", c, nowTS(), v) // ok ttlwrite/write-time
	},
}

// ImportLine writes a line "key<TAB>family<TAB>column<TAB>value" of a partner's file.
func ImportLine(ctx context.Context, line string) error {
	p := strings.SplitN(line, "\t", 4)
	if len(p) != 4 {
		return fmt.Errorf("core: import: %d fields", len(p))
	}
	set, ok := setters[p[1]]
	if !ok {
		return fmt.Errorf("core: import: family %q", p[1])
	}
	m := bigtable.NewMutation()
	set(m, p[2], []byte(p[3]))
	if os.Getenv("LM_IMPORT_MARK") != "" {
		m.Set("attr", "imported", bigtable.Now(), []byte(p[1])) // ok ttlwrite/write-time
		m.Set("seg", "imported", bigtable.Now(), []byte(p[1]))  // want ttlwrite/write-time
	}
	return VisTbl.Apply(ctx, p[0], m)
}

// settings of the reader, one per page of the old UI.
type readCfg struct {
	table   *bigtable.Table
	family  string
	live    bool
	latest  int
	maxAge  time.Duration
	columns string
}

func (c readCfg) filter() bigtable.Filter {
	fs := []bigtable.Filter{bigtable.FamilyFilter(c.family)}
	if c.columns != "" {
		fs = append(fs, bigtable.ColumnFilter(c.columns))
	}
	if c.live {
		fs = append(fs, liveOnly())
	}
	if c.maxAge > 0 {
		fs = append(fs, youngerThan(c.maxAge))
	}
	if c.latest > 0 {
		fs = append(fs, bigtable.LatestNFilter(c.latest))
	}
	fs = append(fs, bigtable.PassAllFilter())
	return bigtable.ChainFilters(fs...)
}

func (c readCfg) read(ctx context.Context, key string) (map[string]string, error) {
	row, err := c.table.ReadRow(ctx, key, bigtable.RowFilter(c.filter())) // want ttlread/missing-filter[pg1] ttlread/version-limit[pg2]
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[c.family] {
		if _, ok := out[col(it)]; !ok {
			out[col(it)] = string(it.Value)
		}
	}
	return out, nil
}

// Page reads what a page of the old UI shows.
func Page(ctx context.Context, page, key string) (map[string]string, error) {
	switch page {
	case "segments":
		return readCfg{table: VisTbl, family: FamSeg, live: true}.read(ctx, key) // ok ttlread/missing-filter
	case "segments-all":
		return readCfg{table: VisTbl, family: FamSeg, latest: 1}.read(ctx, key) // want ttlread/missing-filter[pg1]
	case "partners":
		return readCfg{table: VisTbl, family: FamIDMap, maxAge: IDMapTTL}.read(ctx, key) // ok ttlread/wrong-bound
	case "attrs":
		return readCfg{table: VisTbl, family: FamAttr, latest: 1}.read(ctx, key) // ok ttlread/missing-filter
	case "ledger":
		return readCfg{table: BudTbl, family: FamLed, latest: 1, columns: "spend|fee"}.read(ctx, key) // ok ttlread/version-limit
	case "ledger-all":
		return readCfg{table: BudTbl, family: FamLed}.read(ctx, key) // want ttlread/version-limit[pg2]
	case "state":
		return readCfg{table: BudTbl, family: FamCur}.read(ctx, key) // ok ttlread/missing-filter
	}
	return nil, fmt.Errorf("core: page %q", page)
}
