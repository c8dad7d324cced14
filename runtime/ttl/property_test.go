//go:build go1.25

package ttl_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

// TestModel writes at random, right and wrong, lets time pass, and reads: what
// comes back is what the model says, while garbage is collected by the declared
// policies, and in the end nothing is left that has been dead for a while.
// TTLVET_SLOW=1 makes ten times as many writes.
func TestModel(t *testing.T) {
	t.Parallel()
	writes := 100_000
	if os.Getenv("TTLVET_SLOW") != "" {
		writes *= 10
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	synctest.Test(t, func(t *testing.T) { newWorld(t, seed).run(writes) })
}

const (
	worldTTL  = 10 * time.Second
	worldSkew = 1500 * time.Millisecond
)

// A world is a table that is written through this package, and the model of its
// rows.
type world struct {
	*emulator
	rand  *rand.Rand
	table *ttl.Table
	rows  []model

	strategies map[string]modelStrategy
	expiring   []expiring
	number     ttl.SequenceFamily
	latest     ttl.ZeroFamily
	real       []ttl.RealTimeFamily
	written    int
}

// An expiring is a family whose values expire, and how much later than asked.
type expiring struct {
	ttl.Expiring
	late time.Duration
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{
		rand: rand.New(rand.NewPCG(seed, 1)),
		expiring: []expiring{
			{ttl.OneSecond("second", worldTTL), 0},
			{ttl.OneSecond("second.skewed", worldTTL).Skew(worldSkew).MaxAge(time.Millisecond), worldSkew},
			{ttl.Default("default", worldTTL), 0},
			{ttl.Default("default.skewed", worldTTL).Skew(worldSkew), worldSkew},
		},
		number: ttl.Sequence("number", 3),
		latest: ttl.Zero("latest"),
		real: []ttl.RealTimeFamily{
			ttl.RealTime("real"), ttl.RealTime("real.age").MaxAge(worldTTL), ttl.RealTime("real.versions").MaxVersions(2),
			ttl.RealTime("real.either").MaxVersions(3).MaxAge(worldTTL),
		},
		strategies: map[string]modelStrategy{
			"second": {expires, 0}, "second.skewed": {expires, 0}, "default": {expires, 0}, "default.skewed": {expires, 0},
			"number": {always, 3}, "latest": {always, 0},
			"real": {always, 0}, "real.age": {younger(worldTTL), 0}, "real.versions": {always, 2}, "real.either": {younger(worldTTL), 3},
		},
	}
	families := []ttl.Family{w.number, w.latest}
	for _, f := range w.expiring {
		families = append(families, f.Expiring)
	}
	for _, f := range w.real {
		families = append(families, f)
	}
	w.table = ttl.NewTable("world", families...)
	w.emulator = newEmulator(t, w.table)
	// The emulator collects from the first time on that a policy is set.
	must(w.admin.UpdateFamily(t.Context(), "world", "number", w.table.Conf().ColumnFamilies["number"]))
	for range 20 {
		w.rows = append(w.rows, model{})
	}
	return w
}

func (w *world) run(writes int) {
	for w.written < writes && !w.t.Failed() {
		i := w.rand.IntN(len(w.rows))
		mut := bigtable.NewMutation()
		n := w.written
		for range 1 + w.rand.IntN(100) {
			w.write(mut, w.rows[i])
		}
		if w.written > n { // not all were refused
			must(w.tbl.Apply(w.t.Context(), fmt.Sprint(i), mut))
		}
		switch w.rand.IntN(4) {
		case 0:
		case 1:
			time.Sleep(time.Duration(w.rand.IntN(3_000_000))) // nanoseconds
		default:
			time.Sleep(time.Duration(w.rand.IntN(3000)) * time.Millisecond)
		}
		w.check(w.rand.IntN(len(w.rows)))
	}
	for i := range 100 {
		w.check(i % len(w.rows))
	}
	// A round of collection takes up to 1.5 s, the most that a policy waits
	// is 1 s.
	now := time.Now()
	time.Sleep(3 * time.Second)
	for i, m := range w.rows {
		lived := strings.Fields(m.read(w.strategies, now, 0))
		for _, cell := range strings.Fields(w.cells(i)) {
			if !slices.Contains(lived, cell) {
				w.t.Errorf("row %d: %s is still there", i, cell)
			}
		}
	}
}

// check holds what a row has in some families against its model.
func (w *world) check(row int) {
	families := w.table.Families()
	w.rand.Shuffle(len(families), func(i, j int) { families[i], families[j] = families[j], families[i] })
	families = families[:1+w.rand.IntN(3)]
	some, strategies := ttl.NewTable("world", families...), map[string]modelStrategy{}
	for _, f := range families {
		strategies[f.Name()] = w.strategies[f.Name()]
	}
	var opt bigtable.ReadOption
	at, most := time.Now(), 0
	switch w.rand.IntN(3) {
	case 0:
		opt = some.Live()
	case 1:
		opt, most = some.Latest(), 1
	case 2:
		at = w.later(w.rows[row])
		opt = some.LiveAt(at)
	}
	if got, want := w.cells(row, opt), w.rows[row].read(strategies, at, most); got != want {
		w.t.Errorf("row %d, families %v at %v after %d writes, at most %d:\n got %s\nwant %s", row, some.Families(), at, w.written, most, got, want)
	}
	w.rows[row].forget(w.strategies, time.Now())
}

// later returns a time that is not before now: often the millisecond in which
// the life of a cell of the row ends, or the one before or after.
func (w *world) later(m model) time.Time {
	now := time.Now()
	columns := slices.Sorted(maps.Keys(m))
	for range 10 {
		if len(columns) == 0 {
			break
		}
		cells := m[columns[w.rand.IntN(len(columns))]]
		if len(cells) == 0 {
			continue
		}
		end := time.UnixMilli(cells[w.rand.IntN(len(cells))].place + int64(w.rand.IntN(3)) - 1)
		if w.rand.IntN(2) == 0 {
			end = end.Add(worldTTL)
		}
		if end.After(now) && end.Sub(now) < time.Hour {
			return end
		}
	}
	return now.Add(time.Duration(w.rand.IntN(5000)) * time.Millisecond)
}

// cells is values, each cell once: the emulator returns a column twice that was
// collected and written again. No two values are the same.
func (w *world) cells(row int, opts ...bigtable.ReadOption) string {
	var once []string
	for _, cell := range strings.Fields(w.values(fmt.Sprint(row), opts...)) {
		if !slices.Contains(once, cell) {
			once = append(once, cell)
		}
	}
	return strings.Join(once, " ")
}

// write makes one write, which the model has if it is right, and which is
// refused if it is not.
func (w *world) write(mut *bigtable.Mutation, m model) {
	column, now := fmt.Sprintf("c%d", w.rand.IntN(4)), time.Now()
	value := fmt.Sprint("v", w.written)
	var err error
	refused := false
	put := func(family ttl.Family, deletes bool, place int64) {
		name := family.Name() + ":" + column
		if refused {
			return
		}
		if deletes {
			m.delete(name)
		}
		m.put(name, value, place)
		w.written++
	}
	switch w.rand.IntN(8) {
	case 0, 1, 2, 3:
		f := w.expiring[w.rand.IntN(len(w.expiring))]
		// From a second ago to more than the ttl, often hardly any time.
		life := time.Duration(w.rand.IntN(16_000)-1000) * time.Millisecond
		if w.rand.IntN(4) == 0 {
			life = time.Duration(w.rand.IntN(4_000_000) - 1_000_000)
		}
		end := now.Add(life)
		how := w.rand.IntN(5)
		switch how {
		case 0:
			life, end = worldTTL, now.Add(worldTTL)
			err = f.Set(mut, column, []byte(value))
		case 1:
			err = f.SetFor(mut, column, []byte(value), life)
		case 2:
			err = f.Replace(mut, column, []byte(value), life)
		case 3:
			err = f.SetUntil(mut, column, []byte(value), end)
		case 4:
			err = f.ReplaceUntil(mut, column, []byte(value), end)
		}
		// A lifetime is at least a millisecond, a deadline is after this one.
		refused = life < time.Millisecond
		if how >= 3 {
			refused = end.UnixMilli() <= now.UnixMilli()
		}
		put(f, how == 2 || how == 4, end.Add(f.late).UnixMilli())
	case 4:
		n := int64(w.rand.IntN(1000) - 20)
		refused = n < 0
		err = w.number.Set(mut, column, []byte(value), n)
		put(w.number, false, n)
	case 5:
		err = w.latest.Set(mut, column, []byte(value))
		put(w.latest, true, 0)
	default:
		f := w.real[w.rand.IntN(len(w.real))]
		if f.Name() == "real" {
			column = "only" // keeps all versions, and would grow
		}
		switch w.rand.IntN(3) {
		case 0:
			err = f.Set(mut, column, []byte(value))
			put(f, false, now.UnixMilli())
		case 1:
			err = f.Replace(mut, column, []byte(value))
			put(f, true, now.UnixMilli())
		case 2:
			at := now.Add(-time.Duration(w.rand.IntN(20_000)) * time.Millisecond)
			err = f.SetAt(mut, column, []byte(value), at)
			put(f, false, at.UnixMilli())
		}
	}
	if (err != nil) != refused {
		w.t.Errorf("error %v, want one: %v", err, refused)
	}
}
