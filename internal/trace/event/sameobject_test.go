package event_test

import (
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
)

// What is reckoned alike of what nothing changes in between is the same; a clock says
// something else each time.
func TestSameArgument(t *testing.T) {
	code := layertest.Load(t, `
type kept struct { ts, other bigtable.Timestamp }
func f(m *bigtable.Mutation, at time.Time, n int64, k *kept, list []bigtable.Timestamp) {
	m.Set("first", "c", bigtable.Time(at.Add(time.Hour)), nil)
	m.Set("reckoned", "c", bigtable.Time(at.Add(time.Hour)), nil)
	m.Set("otherwise", "c", bigtable.Time(at.Add(time.Minute)), nil)
	m.Set("number", "c", bigtable.Timestamp(n*1000), nil)
	m.Set("scaled", "c", bigtable.Timestamp(n*1000), nil)
	m.Set("field", "c", k.ts, nil)
	k.other = 1
	m.Set("unchanged", "c", k.ts, nil)
	k.ts = 1
	m.Set("changed", "c", k.ts, nil)
	m.Set("element", "c", list[0], nil)
	m.Set("again", "c", list[0], nil)
	m.Set("next", "c", list[1], nil)
	m.Set("now", "c", bigtable.Now(), nil)
	m.Set("later", "c", bigtable.Now(), nil)
}
`)
	var before *event.Event
	for _, e := range event.NewTracer(code.Prog).Own() {
		if !event.IsWrite(e.Op) {
			continue
		}
		family, _ := e.Cases[0].Args[1].IsStr()
		if before != nil {
			want := map[string]bool{"reckoned": true, "scaled": true, "unchanged": true, "again": true}[family]
			if got := e.SameArgument(before, 3); got != want {
				t.Errorf("%s: the same is %t", family, got)
			}
			if want && e.ArgumentKey(3) != before.ArgumentKey(3) {
				t.Errorf("%s: %s, and before it %s", family, e.ArgumentKey(3), before.ArgumentKey(3))
			}
			if same, known := e.SameObject(before); !same || !known || !before.Precedes(e) || e.Precedes(before) {
				t.Errorf("%s: the mutation of two writes that follow each other is another", family)
			}
		}
		before = e
	}
}
