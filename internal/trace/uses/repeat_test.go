package uses_test

import (
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/uses"
)

// Values in loops are steady or not; conditions single out turns or not.
func TestTurns(t *testing.T) {
	code := layertest.Load(t, `
type box struct{ at, other time.Time; n int64 }
func (b *box) next() int64 { b.n++; return b.n }
func (b *box) later(d time.Duration) time.Time { return b.at.Add(d) }
func (b *box) move() { b.other = time.Now() }
func f(b *box, keys []string, byName map[string]string, d time.Duration) {
	show(d) // in no loop
	before := time.Now()
	for i, key := range keys {
		show(before) // steady
		show(time.Now()) // varies
		show(b.at) // steady
		show(b.at.Add(d)) // steady
		show(b.later(d)) // varies
		show(b.next()) // varies
		show(b.n) // varies
		show(b.other) // varies
		b.move()
		show(key) // varies
		show(i) // varies
		if key == "a" {
			show(d) // steady, single
		}
		if key == "" {
			continue
		}
		show(d) // steady
		if v, ok := byName[key]; ok && v != "" {
			show(d) // steady
		}
		if i == 0 || i == len(keys)-1 {
			show(d) // steady, single
		}
		switch key {
		case "x", "y":
			show(d) // steady, single
		default:
			show(d) // steady
		}
	}
	best := 0
	for _, key := range keys {
		if len(key) > best {
			best = len(key)
			show(d) // steady, single
		}
	}
	each(keys, func(key string) {
		show(key) // varies
		show(d) // steady
	})
	once(func() {
		show(d) // in no loop
	})
	note := func(key string, d time.Duration) {
		show(key) // varies
		show(d) // steady
	}
	for _, key := range keys {
		note(key, d)
	}
}
func each(keys []string, f func(string)) { for _, key := range keys { f(key) } }
func once(f func()) { f() }
`)
	finder := uses.NewRepeats(eval.New(code.Prog))
	code.Check(func(s layertest.Shown) string {
		turns := finder.Turns(s.Call)
		if len(turns) == 0 {
			return "in no loop"
		}
		answer := "varies"
		if turns[0].Steady(kind.Stripped(s.Value)) {
			answer = "steady"
		}
		if turns[0].Singled() {
			answer += ", single"
		}
		return answer
	})
}

// An object comes to the same place again unless it is made, or ended, on the
// way.
func TestAgain(t *testing.T) {
	code := layertest.Load(t, `
func same(vs []string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for range vs { show(m) } // again
	return m
}
func made(vs []string) (m *bigtable.Mutation) {
	for range vs {
		m = bigtable.NewMutation()
		show(m) // once
	}
	return m
}
func chained(vs []string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for range vs {
		m = with(m)
		show(m) // again
	}
	return m
}
func with(m *bigtable.Mutation) *bigtable.Mutation { return m }
func flushed(vs []string) {
	m := bigtable.NewMutation()
	for i := range vs {
		show(m) // again
		if i%10 == 0 { end(m); m = bigtable.NewMutation() }
	}
}
func ended(vs []string) {
	m := bigtable.NewMutation()
	for range vs {
		show(m) // once
		end(m)
	}
}
func left(vs []string) {
	m := bigtable.NewMutation()
	for range vs {
		show(m) // in no loop
		return
	}
}
func end(*bigtable.Mutation) {}
`)
	finder := uses.NewRepeats(eval.New(code.Prog))
	code.Check(func(s layertest.Shown) string {
		turns := finder.Turns(s.Call)
		ends := func(call ssa.CallInstruction) bool { return layertest.CalleeOf(call) == "end" }
		switch {
		case len(turns) == 0:
			return "in no loop"
		case turns[0].Again(kind.Stripped(s.Value), ends):
			return "again"
		}
		return "once"
	})
}
