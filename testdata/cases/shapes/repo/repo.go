// Package repo has the shapes in which real repositories write and read: cached
// tables, injected clocks, queues, function values. The ok… ones are silent.
package repo

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

type Repo struct {
	mu     sync.Mutex
	client *bigtable.Client
	tables map[string]*bigtable.Table
	cfg    Config
	now    func() time.Time
	queue  chan *bigtable.Mutation
}

type Config struct {
	Family string
	TTL    time.Duration
}

func (r *Repo) table(name string) *bigtable.Table {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, ok := r.tables[name]
	if !ok {
		t = r.client.Open(name)
		r.tables[name] = t
	}
	return t
}

// 1: accessor by cached map
func (r *Repo) Get(ctx context.Context, key string) (bigtable.Row, error) {
	return r.table("otp").ReadRow(ctx, key) // want `missing-filter: .*"code"`
}

// 2: injected clock
func New(c *bigtable.Client) *Repo {
	return &Repo{client: c, now: time.Now, cfg: Config{Family: "token", TTL: time.Hour}, queue: make(chan *bigtable.Mutation, 10)}
}

func (r *Repo) Put(mut *bigtable.Mutation) {
	mut.Set(r.cfg.Family, "jwt", bigtable.Time(r.now()), nil) // want `write-time: .*"token"`
}

func (r *Repo) PutOK(mut *bigtable.Mutation) {
	mut.Set(r.cfg.Family, "jwt", bigtable.Time(r.now().Add(r.cfg.TTL)), nil)
}

// 3: jitter
func jitter(d time.Duration) time.Duration { return d + time.Duration(rand.Int63n(int64(time.Minute))) }
func (r *Repo) PutJitter(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(jitter(r.cfg.TTL))), nil)
}

// 4: switch
func stamp(kind string) bigtable.Timestamp {
	switch kind {
	case "server":
		return bigtable.ServerTime
	case "now":
		return bigtable.Now()
	default:
		return bigtable.Time(time.Now().Add(time.Hour))
	}
}

func sw1(mut *bigtable.Mutation) { mut.Set("token", "jwt", stamp("server"), nil) } // want `server-timestamp: .*"token"`
func sw2(mut *bigtable.Mutation) { mut.Set("token", "jwt", stamp("later"), nil) }

// 5: defer, goroutine
func goput(mut *bigtable.Mutation) {
	defer mut.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
	go func() {
		mut.Set("token", "x", bigtable.Now(), nil) // want `write-time: .*"token"`
	}()
}

// 6: table by Sprintf
func Ledger(ctx context.Context, c *bigtable.Client, tenant string) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "a", bigtable.Timestamp(time.Now().UnixNano()/1000), nil) // want `clock-in-sequence: .*"entry"`
	return c.Open(fmt.Sprintf("%s-ledger", tenant)).Apply(ctx, "k", mut)
}

// 7: unregistered table, family name registered
func Other(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "a", bigtable.Now(), nil)
	return c.Open("other").Apply(ctx, "k", mut)
}

// 8: strings builder column; family from env: silent
func Env(mut *bigtable.Mutation) {
	mut.Set(os.Getenv("FAMILY"), strings.ToLower("A"), bigtable.ServerTime, nil)
}

// 9: method expression and func var
var set = (*bigtable.Mutation).Set

func methodExpr(mut *bigtable.Mutation) {
	set(mut, "token", "jwt", bigtable.ServerTime, nil)                 // want `server-timestamp: .*"token"`
	(*bigtable.Mutation).Set(mut, "token", "jwt", bigtable.Now(), nil) // want `write-time: .*"token"`
}

// 10: generic
func setAll[T ~string](mut *bigtable.Mutation, family T, ts bigtable.Timestamp) {
	mut.Set(string(family), "x", ts, nil)
}

type fam string

func generic(mut *bigtable.Mutation) {
	setAll(mut, fam("token"), bigtable.Now()) // want `write-time: .*"token"`
	setAll[fam](mut, "profile", bigtable.Now())
}

// 11: map literal of families to ts
func fromMap(mut *bigtable.Mutation) {
	for family, ts := range map[string]bigtable.Timestamp{"token": bigtable.ServerTime, "profile": bigtable.ServerTime} {
		mut.Set(family, "x", ts, nil) // want `server-timestamp: .*"token"`
	}
}

// 12: nested config struct pointer
type opts struct {
	read struct{ filter bigtable.Filter }
}

func nested(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	var o opts
	o.read.filter = bigtable.LatestNFilter(1)
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(o.read.filter)) // want `missing-filter: .*"code"`
}

// 13: conditionally appended live filter
func cond(ctx context.Context, c *bigtable.Client, live bool) (bigtable.Row, error) {
	opts := []bigtable.ReadOption{bigtable.LimitRows(1)}
	if live {
		opts = append(opts, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	}
	return c.Open("otp").ReadRow(ctx, "k", opts...)
}
func condCaller(ctx context.Context, c *bigtable.Client) {
	cond(ctx, c, true)
	cond(ctx, c, false)
}

// 14: rows via slices of keys; row checked elsewhere
func live(items []bigtable.ReadItem) (out []bigtable.ReadItem) {
	now := bigtable.Now()
	for _, it := range items {
		if it.Timestamp >= now {
			out = append(out, it)
		}
	}
	return out
}
func handChecked(ctx context.Context, c *bigtable.Client) error {
	return c.Open("otp").ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		for _, it := range live(r["code"]) {
			fmt.Println(it.Value)
		}
		return true
	})
}

// 15: send on channel
func (r *Repo) Enqueue() {
	mut := bigtable.NewMutation()
	mut.Set("val", "x", bigtable.Now(), nil) // want `write-time: .*"val"`
	r.queue <- mut
}
func (r *Repo) Run(ctx context.Context) {
	for mut := range r.queue {
		_ = r.client.Open("cache").Apply(ctx, "k", mut)
	}
}

// 16: time.AfterFunc style
func later(ctx context.Context, c *bigtable.Client) {
	time.AfterFunc(time.Second, func() {
		c.Open("otp").ReadRow(ctx, "k")
	})
}

// 17: ts variable modified
func modify(mut *bigtable.Mutation) {
	ts := bigtable.Now()
	ts += bigtable.Timestamp(30 * time.Minute / time.Microsecond)
	mut.Set("token", "x", ts, nil)
	ts2 := bigtable.Now() + bigtable.Timestamp(30*time.Minute) // want `wrong-unit: `
	mut.Set("token", "y", ts2, nil)
}
