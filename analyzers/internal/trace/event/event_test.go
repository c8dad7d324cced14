package event_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/event"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// traced returns the events of a source, and its code.
func traced(t *testing.T, src string, facts ...layertest.Fact) (*event.Result, *event.Tracer, *layertest.Code) {
	t.Helper()
	code := layertest.Load(t, src, facts...)
	tracer := event.NewTracer(code.Program)
	r := &event.Result{Reaches: true}
	tracer.Fill(r)
	return r, tracer, code
}

// check holds the events of a source in the lines that have a comment against
// it: the operation without its package, how many calls away it is (where it
// is not the client's own call), and its cases: conditions and arguments.
func check(t *testing.T, src string, facts ...layertest.Fact) {
	t.Helper()
	r, _, code := traced(t, src, facts...)
	got := map[int][]string{}
	for _, e := range r.Events {
		if e.Op == "bigtable.Time" || strings.HasPrefix(e.Op, "time.") {
			continue // judged by themselves
		}
		line := code.Pass.Fset.Position(e.Pos()).Line
		got[line] = append(got[line], text(e))
	}
	for line, want := range code.Comments() {
		if got := strings.Join(got[line], "; "); got != want {
			t.Errorf("line %d:\n got %s\nwant %s", line, got, want)
		}
	}
}

func text(e *event.Event) string {
	s := e.Op[strings.LastIndexByte(e.Op, '.')+1:]
	if e.Depth > 0 {
		s += fmt.Sprintf("^%d", e.Depth)
	}
	for i, c := range e.Cases {
		if i > 0 {
			s += " |"
		}
		args := c.Args
		if strings.Contains(e.Op, "Mutation.") || strings.Contains(e.Op, "Write.") {
			args = args[1:] // which mutation it is
		}
		var seen []*value.Value
		for _, a := range args {
			if a.Name != "an argument that no rule looks at" {
				seen = append(seen, a)
			}
		}
		s += " " + summary.GuardString(c.When) + summary.GuardString(c.Guards) + summary.ArgString(seen)
	}
	return s
}

// tableNames lists the names under which tables are opened.
func tableNames(tables []*value.Value) string {
	var names []string
	for _, table := range tables {
		names = append(names, value.Glob(table.Base().Args[1]))
	}
	return strings.Join(slices.Compact(names), " ")
}

// The client's own calls are events, with the combinations of values that can
// reach them together.
func TestCalls(t *testing.T) {
	check(t, `
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
}

// A call of a function that passes its arguments on is an event too, at the
// outermost call that supplies them.
func TestDerived(t *testing.T) {
	check(t, `
func set(mut *bigtable.Mutation, family string, ttl time.Duration) {
	mut.Set(family, "c", bigtable.Time(time.Now().Add(ttl)), nil)
}
func setToken(mut *bigtable.Mutation, ttl time.Duration) { set(mut, "token", ttl) }
func f(mut *bigtable.Mutation, admin bool) {
	set(mut, "session", time.Hour) // Set^1 ("session", "c", bigtable.Time(time.Time.Add(time.Now(), 3600000000000)))
	setToken(mut, time.Minute) // Set^2 ("token", "c", bigtable.Time(time.Time.Add(time.Now(), 60000000000)))
	whole(mut) // Set^1 ("whole", "c", 0)
	either(mut, admin) // Set^1 if !($1) ("token", "c", -1) | if $1 ("token", "c", 0)
	either(mut, true) // Set^1 ("token", "c", 0)
}
func whole(mut *bigtable.Mutation) { mut.Set("whole", "c", 0, nil) }
func either(mut *bigtable.Mutation, admin bool) {
	ts := bigtable.ServerTime
	if admin {
		ts = 0
	}
	mut.Set("token", "c", ts, nil)
}
`)
}

// What a constructor stores reaches the write by way of a field: the event
// stands at the constructor's call.
func TestThroughFields(t *testing.T) {
	check(t, `
type store struct { family string; ttl time.Duration }
func newStore(family string, ttl time.Duration) *store { return &store{family, ttl} }
func (s *store) write(mut *bigtable.Mutation) {
	mut.Set(s.family, "c", bigtable.Time(time.Now().Add(s.ttl)), nil)
}
func f() {
	newStore("token", time.Hour) // Set^1 ("token", "c", bigtable.Time(time.Time.Add(time.Now(), 3600000000000)))
}
`)
}

// The effects of a function of another package are handed on like the
// client's own calls.
func TestImported(t *testing.T) {
	param := func(n int64) *value.Value { return &value.Value{Kind: value.Param, Num: n} }
	check(t, `
-- dep/dep.go --
func Put(mut *bigtable.Mutation, family string)
-- p/p.go --
func f(mut *bigtable.Mutation) {
	dep.Put(mut, "token") // Set^1 ("token", "c", -1)
}
`, layertest.Fact{Of: "dep.Put", Fact: &summary.Summary{Effects: []summary.Effect{{
		Op: "bigtable.Mutation.Set", Where: "dep.go:3",
		Cases: []summary.Case{{Args: []*value.Value{param(0), param(1), value.StrOf("c"), value.IntOf(-1)}}},
	}}}})
}

// The tables of a mutation are those to which it is applied, wherever that is:
// by its value (EventTables), or by way of what may hold it (PossibleTables).
func TestTables(t *testing.T) {
	r, _, _ := traced(t, `
type store struct { client *bigtable.Client }
func fill(mut *bigtable.Mutation) { mut.Set("filled", "c", 0, nil) }
func (s *store) f(ctx context.Context) {
	mut := bigtable.NewMutation()
	mut.Set("direct", "c", 0, nil)
	fill(mut)
	s.client.Open("sessions").Apply(ctx, "k", mut)
}
func (s *store) bulk(ctx context.Context) {
	mut := bigtable.NewMutation()
	mut.Set("batched", "c", 0, nil)
	var muts []*bigtable.Mutation
	muts = append(muts, mut)
	s.client.Open("clicks").ApplyBulk(ctx, nil, muts)
}
type queue struct { muts []*bigtable.Mutation }
func (q *queue) add(m *bigtable.Mutation) { q.muts = append(q.muts, m) }
func (s *store) flush(ctx context.Context, q *queue) { s.client.Open("events").ApplyBulk(ctx, nil, q.muts) }
func (s *store) queued(ctx context.Context) {
	q := &queue{}
	mut := bigtable.NewMutation()
	mut.Set("queued", "c", 0, nil)
	q.add(mut)
	s.flush(ctx, q)
}
func unknown(mut *bigtable.Mutation) { mut.Set("unknown", "c", 0, nil) }
`)
	known, possible := map[string]string{}, map[string]string{}
	for _, e := range r.Events {
		if e.Op == "bigtable.Mutation.Set" {
			family, _ := e.Cases[0].Args[1].IsStr()
			known[family], possible[family] = tableNames(r.EventTables(e, e.Cases[0])), tableNames(r.PossibleTables(e, e.Cases[0]))
		}
	}
	for family, want := range map[string]string{"direct": "sessions", "filled": "sessions", "batched": "clicks", "queued": "events", "unknown": ""} {
		if known[family] != want || possible[family] != want {
			t.Errorf("%s goes to %q, possibly to %q, want %q", family, known[family], possible[family], want)
		}
	}
}

// Policies are what an event sets for a family, whichever call it is.
func TestPolicies(t *testing.T) {
	r, _, _ := traced(t, `
func create(ctx context.Context, admin *bigtable.AdminClient) {
	admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "sessions",
		ColumnFamilies: map[string]bigtable.Family{"token": {GCPolicy: bigtable.MaxAgePolicy(time.Second)}},
	})
	admin.SetGCPolicy(ctx, "clicks", "event", bigtable.MaxVersionsPolicy(1))
	admin.CreateColumnFamily(ctx, "clicks", "bare")
	admin.SetGCPolicy(ctx, "clicks", "kept", nil)
}
`)
	var out []string
	for _, e := range r.Events {
		for _, p := range event.Policies(e) {
			out = append(out, fmt.Sprintf("%v.%s: %v, created %t", p.Table, p.Family, p.Policy, p.Created))
		}
	}
	want := `"sessions".token: bigtable.MaxAgePolicy(1000000000), created true
"clicks".event: bigtable.MaxVersionsPolicy(1), created false
"clicks".bare: <nil>, created true`
	if got := strings.Join(out, "\n"); got != want {
		t.Errorf("policies\n%s\nwant\n%s", got, want)
	}
}

// Events of one function have an order; Together says that some function leads
// to both.
func TestOrder(t *testing.T) {
	r, _, _ := traced(t, `
func set(mut *bigtable.Mutation, admin bool) {
	mut.Set("a", "c", 0, nil)
	if admin {
		mut.Set("b", "c", 0, nil)
	} else {
		mut.Set("c", "c", 0, nil)
	}
}
func other(mut *bigtable.Mutation) { mut.Set("d", "c", 0, nil) }
func leads(mut *bigtable.Mutation) { set(mut, true); fifth(mut) }
func fifth(mut *bigtable.Mutation) { mut.Set("e", "c", 0, nil) }
`)
	sets := map[string]*event.Event{}
	for _, e := range r.Events {
		if e.Depth == 0 {
			family, _ := e.Cases[0].Args[1].IsStr()
			sets[family] = e
		}
	}
	for _, test := range []struct {
		a, b              string
		precede, together bool
	}{
		{"a", "b", true, true}, {"b", "a", false, true}, {"b", "c", false, true}, {"a", "d", false, false}, {"a", "e", false, true},
	} {
		a, b := sets[test.a], sets[test.b]
		if a.Precedes(b) != test.precede || r.Together(a, b) != test.together {
			t.Errorf("%s, %s: precedes %t, together %t", test.a, test.b, a.Precedes(b), r.Together(a, b))
		}
	}
}

// Effects are what a function does with its parameters, for callers in other
// packages.
func TestEffects(t *testing.T) {
	_, tracer, code := traced(t, `
func Put(mut *bigtable.Mutation, family string) { mut.Set(family, "c", bigtable.ServerTime, nil) }
func Fixed(tbl *bigtable.Table) { mut := bigtable.NewMutation(); mut.Set("token", "c", 0, nil) }
`)
	for fn, want := range map[string]string{
		"Put":   `bigtable.Mutation.Set($0, $1, "c", -1, ?an argument that no rule looks at)`,
		"Fixed": "",
	} {
		if got := (&summary.Summary{Effects: tracer.Effects(code.Func(fn))}).String(); got != want {
			t.Errorf("%s does\n%s\nwant\n%s", fn, got, want)
		}
	}
}

// Runs resolves an event again, with the steps on the way.
func TestRuns(t *testing.T) {
	r, _, _ := traced(t, `
func ttl() time.Duration { return time.Hour }
func f(mut *bigtable.Mutation) { mut.Set("token", "c", bigtable.Time(time.Now().Add(ttl())), nil) }
`)
	for _, e := range r.Events {
		if e.Op != "bigtable.Mutation.Set" {
			continue
		}
		runs := r.Runs(e)
		if len(runs) != 1 {
			t.Fatalf("%d runs", len(runs))
		}
		var steps []string
		for _, s := range runs[0].Steps {
			steps = append(steps, s.Value.String())
		}
		want := "$0, time.Now(), 3600000000000, time.Time.Add(time.Now(), 3600000000000), bigtable.Time(time.Time.Add(time.Now(), 3600000000000))"
		if got := strings.Join(steps, ", "); got != want {
			t.Errorf("the steps are %s, want %s", got, want)
		}
	}
}

// The rows of a read are told apart by the read, whose table they are from.
func TestRows(t *testing.T) {
	r, _, _ := traced(t, `
func f(ctx context.Context, client *bigtable.Client) {
	row, _ := client.Open("sessions").ReadRow(ctx, "k")
	fmt.Println(row["token"][0].Timestamp)
}
`)
	for _, e := range r.Events {
		if e.Op != event.CellTime {
			continue
		}
		var cell *value.Value
		e.Cases[0].Args[0].Walk(func(v *value.Value) {
			if kind.Root(v) != "" {
				cell = v
			}
		})
		if cell == nil || tableNames(r.Tables(cell)) != "sessions" {
			t.Errorf("the cell of %v is from %v", e.Cases[0].Args[0], cell)
		}
		return
	}
	t.Error("no cell's time is read")
}
