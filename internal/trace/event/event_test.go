package event_test

import (
	"slices"
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/layertest/eventtest"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// The client's own calls are events, with the combinations of values that can
// reach them together.
func TestCalls(t *testing.T) {
	code := layertest.Load(t, `
var table = []struct { family string; ttl time.Duration }{{"token", time.Minute}, {"session", time.Hour}}
func write(mut *bigtable.Mutation) {
	mut.Set("token", "c", bigtable.ServerTime, nil) // Set ("token", "c", -1)
	for _, row := range table {
		mut.Set(row.family, "c", bigtable.Time(time.Now().Add(row.ttl)), nil) // Set ("token", "c", bigtable.Time(time.Time.Add(time.Now(), 60000000000))) | ("session", "c", bigtable.Time(time.Time.Add(time.Now(), 3600000000000)))
	}
	mut.DeleteCellsInFamily("token") // DeleteCellsInFamily ("token")
}
func conditional(mut *bigtable.Mutation, admin bool) {
	family := "token"
	if admin {
		family = "session"
	}
	mut.Set(family, "c", 0, nil) // Set if !($1) ("token", "c", 0) | if $1 ("session", "c", 0)
	if admin {
		mut.DeleteRow() // DeleteRow if $1 ()
	}
}
func counted(rmw *bigtable.ReadModifyWrite) {
	rmw.Increment("hits", "c", 1) // Increment ("hits", "c")
}
func converted(t time.Time) bigtable.Timestamp {
	return bigtable.Timestamp(t.Unix()) // Timestamp() (time.Time.Unix($0))
}
func compared(item bigtable.ReadItem) bool {
	return item.Timestamp == bigtable.ServerTime // cell time ($0.Timestamp); compare ($0.Timestamp, -1)
}
`)
	eventtest.Check(t, code, event.NewTracer(code.Prog).Own())
}

// A list of policies that others apply is an event.
func TestPolicies(t *testing.T) {
	code := layertest.Load(t, `
type policy struct { Table, Family string; GC bigtable.GCPolicy }
var Policies = []policy{{"sessions", "token", bigtable.MaxAgePolicy(1)}, {"sessions", "", nil}} // MaxAgePolicy (1); list of policies ([["sessions", "token", bigtable.MaxAgePolicy(1)]])
var unexported = []policy{{"sessions", "token", nil}}
`)
	eventtest.Check(t, code, event.NewTracer(code.Prog).Own())
}

// Of a package that cannot reach the client it matters what its functions keep of
// what they are given under a name that says when something was written, and that
// they subtract it.
func TestTaken(t *testing.T) {
	code := layertest.Load(t, `
type token struct { created, expires time.Time; loaded struct { updated int64 } }
func (o *token) at(t time.Time) { o.created = t.UTC() } // store time (time.Time.UTC($1))
func (o *token) until(t time.Time) { o.expires = t }
func (o *token) micros(n int64) { o.loaded.updated = n / 1000 } // store time (/($1, 1000))
func (o *token) now() { o.created = time.Now() }
`)
	eventtest.Check(t, code, event.NewTracer(code.Prog).Taken())
}

func TestTakenForAge(t *testing.T) {
	code := layertest.Load(t, `
type token struct { created time.Time }
func age(t time.Time) time.Duration { return time.Since(t) }
func (o *token) age(t time.Time) time.Duration { return t.Sub(o.created) }
func ageAt(now, t time.Time) time.Duration { return now.Sub(t) }
func ageNow() time.Duration { return time.Since(time.Unix(1, 0)) }
func expired(t time.Time) bool { return time.Since(t) > 0 }
func old(t time.Time, d time.Duration) bool { return time.Since(t) > d }
`)
	var got []string
	for _, e := range event.NewTracer(code.Prog).Taken() {
		got = append(got, e.Fn.Name()+" "+e.Op+summary.ArgString(e.Cases[0].Args))
	}
	want := []string{"age time.Since($0)", "ageAt time.Time.Sub($0, $1)", "expired time.Since($0, 0)", "old time.Since($0, $1)"}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// What a function answers of its arguments alone is a parameter's to decide; whether
// something fails is not.
func TestDecides(t *testing.T) {
	code := layertest.Load(t, `
type store struct { tbl *bigtable.Table }
func (s *store) has(ctx context.Context, key string) bool {
	row, err := s.tbl.ReadRow(ctx, key)
	if err != nil { return false }
	for _, it := range row["f"] { if it.Column == "f:a" { return true } }
	return false
}
func (s *store) told(ctx context.Context, key string, force bool) bool { s.has(ctx, key); return force && key != "" }
func listed(key string, keys []string) bool {
	for _, k := range keys { if k == key { return true } }
	return false
}
func (s *store) put(ctx context.Context, mut *bigtable.Mutation, key string, keys []string, force bool) {
	told, in := "", ""
	if s.told(ctx, key, force) { told = "x" }
	if listed(key, keys) { in = "x" }
	mut.Set(told, "told", 0, nil)
	mut.Set(in, "listed", 0, nil)
}
func (s *store) copied(ctx context.Context, tbl *bigtable.Table, mut *bigtable.Mutation, key string) {
	failed := ""
	if err := tbl.Apply(ctx, key, mut); err != nil { failed = "x" }
	mut.Set(failed, "failed", 0, nil)
}
`)
	want := map[string]bool{"failed": false, "told": true, "listed": true}
	for _, e := range event.NewTracer(code.Prog).Own() {
		if e.Op != "bigtable.Mutation.Set" {
			continue
		}
		column, _ := e.Cases[0].Args[event.Column].IsStr()
		decided := false
		for _, c := range e.Cases {
			decided = decided || slices.ContainsFunc(c.Guards, e.Decides)
		}
		if decided != want[column] || len(e.Cases) != 2 {
			t.Errorf("%s: decided by a parameter: %v, in %d cases", column, decided, len(e.Cases))
		}
		delete(want, column)
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}
