package event_test

import (
	"slices"
	"testing"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/layertest/eventtest"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A conditional mutation writes what its branches do, once each, as far as its own
// function tells.
func TestWritten(t *testing.T) {
	code := layertest.Load(t, `
func made(family string) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set("made", "c", 0, nil)
	return mut
}
func f(given *bigtable.Mutation) {
	yes, no := bigtable.NewMutation(), bigtable.NewMutation()
	yes.Set("a", "c", 0, nil)
	yes.Set("a", "d", 0, nil)
	no.Set("b", "c", 0, nil)
	other := bigtable.NewMutation()
	other.Set("other", "c", 0, nil)
	bigtable.NewCondMutation(bigtable.FamilyFilter("a"), yes, no)
	bigtable.NewCondMutation(bigtable.FamilyFilter("a"), made("x"), nil)
	bigtable.NewCondMutation(bigtable.FamilyFilter("a"), given, nil)
}
`)
	var got [][]string
	for _, e := range event.NewTracer(code.Prog).Own() {
		if e.Op == btapi.NewCondMutation {
			got = append(got, event.Written(e.Cases[0]))
		} else if w := event.Written(e.Cases[0]); w != nil {
			t.Errorf("%s writes %q in branches", e.Op, w)
		}
	}
	if want := [][]string{{"a", "b"}, {"made"}, nil}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The age of a cell is what is left of a time without its timestamp, with what that is
// compared with; a number that is scaled at once is judged there.
func TestAges(t *testing.T) {
	code := layertest.Load(t, `
func old(ts bigtable.Timestamp) bool {
	return bigtable.Now()-ts > 5 // age (bigtable.Now(), $0, 5); compare (-(bigtable.Now(), $0), 5)
}
func micros(now int64, ts bigtable.Timestamp) int64 {
	return now - int64(ts) // age ($0, $1)
}
func constant(now bigtable.Timestamp) bigtable.Timestamp {
	return now - 5 //
}
func timed[T ~int64](n T) bigtable.Timestamp {
	return bigtable.Timestamp(n) // Timestamp() ($0)
}
func scaled(n int64) bigtable.Timestamp {
	return bigtable.Timestamp(n) * 1000 //
}
func which(ts bigtable.Timestamp) int {
	switch ts {
	case bigtable.ServerTime: // compare ($0, -1)
		return 1
	}
	return 0
}
`)
	eventtest.Check(t, code, event.NewTracer(code.Prog).Own())
}

// What a test gives in the place of a table, a client or a mutation stands in for it
// where it has the methods of one and none in it.
func TestFakes(t *testing.T) {
	code := layertest.Load(t, `
-- p/p.go --
type fake struct{ calls int }
func (f *fake) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error { return nil }
func (f *fake) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) { return nil, nil }
type real struct{ tbl *bigtable.Table }
func (f *real) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error { return nil }
type admin struct{}
func (admin) SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error { return nil }
func give(f *fake, r *real, a *admin) {}
-- p/p_test.go --
func test() { give(nil, nil, nil) }
-- p/other.go --
func outside() { give(nil, nil, nil) }
`)
	tracer := event.NewTracer(code.Prog)
	fn := code.Func("give")
	param := func(n int64) *value.Value { return &value.Value{Kind: value.Param, Num: n, Site: fn} }
	if !tracer.GivesFakeTable([]*value.Value{nil, param(0)}) || tracer.GivesFakeTable([]*value.Value{param(1)}) || tracer.GivesFakeTable([]*value.Value{param(2)}) {
		t.Error("a fake table is a struct with a table's methods and no table in it")
	}
	for caller, want := range map[string]bool{"test": true, "outside": false} {
		at := code.Call(caller, "give").Pos()
		if tracer.StandsIn(at, btapi.SetGCPolicy, func() []*value.Value { return []*value.Value{param(2)} }, nil) != want {
			t.Errorf("%s: an administrator's client is stood in for: %v", caller, !want)
		}
		if tracer.StandsIn(at, btapi.SetGCPolicy, func() []*value.Value { return []*value.Value{param(1)} }, nil) {
			t.Errorf("%s: a table is no administrator's client", caller)
		}
	}
	for op, want := range map[string]int{btapi.ReadRow: 0, btapi.Apply: 0, btapi.Set: event.WriteArgs, btapi.SetGCPolicy: -1} {
		if got := event.TableArg(op); got != want {
			t.Errorf("the table of %s is its argument %d, want %d", op, got, want)
		}
	}
	own, given := []*value.Value{value.StrOf("own")}, []*value.Value{param(0)}
	if got := event.WithFake(btapi.ReadRow, own, slices.Clone(own)); !got[0].Is(event.Fake) {
		t.Errorf("a table that no caller supplies is %s", got[0])
	}
	if got := event.WithFake(btapi.ReadRow, given, slices.Clone(own)); got[0].Is(event.Fake) {
		t.Error("a table that a caller supplies is none of a test's")
	}
}
