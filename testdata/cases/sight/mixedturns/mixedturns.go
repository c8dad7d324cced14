// Package mixedturns counts, deletes in loops and sets results in deferred functions.
package mixedturns

import (
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/mixedturns/lib"
)

func byTTL(m *bigtable.Mutation, fam string) {
	d, ok := lib.TTL(fam)
	switch {
	case ok && d > 0:
		m.Set(fam, "a", bigtable.Time(time.Now().Add(d)), nil)
	case !ok:
		m.Set(fam, "a", bigtable.ServerTime, nil)
	}
}

type guarded struct {
	mu  sync.Mutex
	seq map[string]int64
	cnt [4]int64
}

func (g *guarded) next(i int) (n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	defer func() { n = n * 1000 }()
	g.cnt[i]++
	return g.cnt[i]
}

func (g *guarded) raw(i int) (n int64, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cnt[i&3]++
	return g.cnt[i&3], true
}

func logged(d time.Duration) (ts bigtable.Timestamp) {
	start := time.Now()
	defer func() { println(ts, time.Since(start)) }()
	ts = bigtable.Time(time.Now().Add(d))
	return
}

func conditional(d time.Duration) (ts bigtable.Timestamp, err error) {
	defer func() {
		if err == nil && ts == 0 {
			ts = bigtable.ServerTime
		}
	}()
	if d > 0 {
		ts = bigtable.Time(time.Now().Add(d))
	}
	return ts, nil
}

func clearFirst(m *bigtable.Mutation, fams []string, cols []string) {
	for _, f := range fams {
		m.DeleteCellsInFamily(f)
		for _, c := range cols {
			m.Set(f, c, bigtable.Time(time.Now().Add(time.Hour)), nil)
		}
	}
}

func perRow(rows map[string]*bigtable.Mutation, keys []string) {
	for _, k := range keys {
		m := rows[k]
		m.DeleteCellsInFamily("token")
		m.Set("token", "a", bigtable.Time(time.Now().Add(time.Hour)), nil)
	}
}

func reset(m *bigtable.Mutation, vs []string, fresh bool) {
	for _, v := range vs {
		if fresh {
			m.DeleteCellsInFamily("token") // want `delete-after-set: .*"token"`
		}
		m.Set("token", v, bigtable.Time(time.Now().Add(time.Hour)), nil)
	}
}

func list() (muts []*bigtable.Mutation) {
	for range 3 {
		muts = append(muts, bigtable.NewMutation())
	}
	for _, m := range muts {
		m.DeleteRow()
		m.Set("token", "a", bigtable.Time(time.Now().Add(time.Hour)), nil)
	}
	return muts
}

func retry(send func(*bigtable.Mutation) error) {
	m := bigtable.NewMutation()
	for range 3 {
		m.DeleteCellsInFamily("token")
		m.Set("token", "a", bigtable.Time(time.Now().Add(time.Hour)), nil)
		if send(m) == nil {
			return
		}
	}
}

func use(m *bigtable.Mutation, g *guarded, i int, end time.Time) {
	byTTL(m, "token")
	byTTL(m, "profile")
	byTTL(m, "code") // want `server-timestamp: .*"code"`
	m.Set("entry", "b", bigtable.Timestamp(g.next(i)), nil)
	n, ok := g.raw(i)
	if ok {
		m.Set("entry", "c", bigtable.Timestamp(n), nil) // want `unscaled-sequence: .*"entry"`
		m.Set("entry", "d", bigtable.Timestamp(n*1000), nil)
	}
	m.Set("token", "e", logged(time.Hour), nil)
	m.Set("token", "f", logged(0), nil) // want `write-time: .*"token"`
	ts, err := conditional(time.Hour)
	if err == nil {
		m.Set("token", "g", ts, nil)
	}
	lib.Apply(m, lib.Op{Fam: "token", Col: "h", TS: time.Hour}, lib.Op{Fam: "profile", Col: "i"})
	lib.Apply(m, lib.Op{Fam: "token", Col: "j", TS: "x"}) // want `write-time: .*"token"`
	lib.Apply(m, lib.Op{Fam: "token", Col: "k", TS: bigtable.Time(end)})
	lib.Apply(m, lib.Op{Fam: "token", Col: "l", TS: bigtable.Now()}) // want `write-time: .*"token"`
	clearFirst(m, []string{"token", "profile"}, []string{"a", "b"})  // want `delete-after-set: .*"profile"` `delete-after-set: .*"token"`
}

var _ = []any{use, perRow, list, reset, retry}
