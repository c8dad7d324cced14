package uses_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/uses"
)

// A function checks the cells that it is given where it, or what it hands them to,
// compares the time of one with a time; to keep or to print it is no check.
func TestChecksTime(t *testing.T) {
	code := layertest.Load(t, `
func compared(items []bigtable.ReadItem, now bigtable.Timestamp) int {
	n := 0
	for _, i := range items {
		if i.Timestamp > now {
			n++
		}
	}
	return n
}

func handed(items []bigtable.ReadItem, now bigtable.Timestamp) int { return compared(items, now) }

func stored(items []bigtable.ReadItem) map[string]bigtable.Timestamp {
	out := map[string]bigtable.Timestamp{}
	for _, i := range items {
		out[i.Column] = i.Timestamp
	}
	return out
}

func latest(items []bigtable.ReadItem) bigtable.ReadItem {
	var last bigtable.ReadItem
	for _, i := range items {
		if i.Timestamp > last.Timestamp {
			last = i
		}
	}
	return last
}

func latestTime(items []bigtable.ReadItem) (last bigtable.Timestamp) {
	for _, i := range items {
		last = max(last, i.Timestamp)
	}
	return last
}

func alive(items []bigtable.ReadItem, now bigtable.Timestamp) bool {
	var last bigtable.Timestamp
	for _, i := range items {
		last = max(last, i.Timestamp)
	}
	return last > now
}
`)
	finder := uses.NewCellTimes(eval.New(code.Prog))
	for name, want := range map[string]bool{"compared": true, "handed": true, "stored": false, "latest": false, "latestTime": false, "alive": true} {
		if got := finder.ChecksTime(code.Func(name)); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// Fields that are filled with times of cells are told to other packages, by whatever
// way the times get there; what else such structs hold is not.
func TestHeldIn(t *testing.T) {
	code := layertest.Load(t, `
type pass struct {
	until  time.Time
	micros int64
	end    *time.Time
	size   int64
	read   time.Time
	given  time.Time
}

func until(it bigtable.ReadItem) time.Time { return it.Timestamp.Time().UTC() }

func (p *pass) set(t time.Time) { p.given = t }

func fill(p *pass, it bigtable.ReadItem) {
	p.until, p.micros, p.size, p.read = until(it), int64(it.Timestamp)/1000, int64(len(it.Value)), time.Now()
	end := it.Timestamp.Time()
	p.end = &end
	p.set(end)
}
`)
	var got []string
	for _, name := range uses.NewCellTimes(eval.New(code.Prog)).HeldIn() {
		got = append(got, name[strings.LastIndex(name, ".")+1:])
	}
	if want := []string{"end", "given", "micros", "until"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// An object is checked where the field that a cell's time fills is compared, of the
// object that the call fills: returned, pointed to, passed to a function, yielded.
func TestObjectsOf(t *testing.T) {
	code := layertest.Load(t, `
type pass struct {
	holder string
	until  time.Time
	seen   time.Time
}

func (p *pass) fill(row bigtable.Row) { p.until = row["token"][0].Timestamp.Time() }

func made() *pass
func filled(p *pass)
func each(fn func(*pass))
func all() func(yield func(*pass) bool)

func result(now time.Time) bool { return made().until.After(now) }
func other(now time.Time) bool { return made().seen.After(now) }
func text() string { return made().holder }
func pointer(now time.Time) bool {
	var p pass
	filled(&p)
	return p.until.After(now)
}
func another(now time.Time) bool {
	var p, q pass
	filled(&p)
	return q.until.After(now)
}
func callback(now time.Time) (n int) {
	each(func(p *pass) {
		if p.until.After(now) {
			n++
		}
	})
	return n
}
func uncompared() (n int) {
	each(func(p *pass) { n += len(p.holder) })
	return n
}
func loop(now time.Time) (n int) {
	for p := range all() {
		if p.until.After(now) {
			n++
		}
	}
	return n
}
`)
	finder := uses.NewCellTimes(eval.New(code.Prog))
	for name, want := range map[string]bool{"result": true, "other": false, "text": false, "pointer": true, "another": false, "callback": true, "uncompared": false, "loop": true} {
		if got := finder.Comparison(nil).Objects(code.Prog.Calls[code.Func(name)][0]).Found(); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
