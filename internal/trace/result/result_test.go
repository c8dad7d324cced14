package result_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/callers"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/layertest/eventtest"
	"github.com/ttlvet/ttlvet/internal/trace/result"
	"github.com/ttlvet/ttlvet/internal/value"
)

// traced returns what is found in a source.
func traced(t *testing.T, src string) *result.Result {
	t.Helper()
	return found(layertest.Load(t, src))
}

// found returns what is found in a program.
func found(code *layertest.Code) *result.Result {
	r := &result.Result{Reaches: true}
	r.Fill(callers.New(code.Prog))
	return r
}

// The tables of a mutation are those to which it is applied, wherever that is:
// by its value (EventTables), or by way of what may hold it (PossibleTables).
func TestTables(t *testing.T) {
	r := traced(t, `
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
			known[family], possible[family] = eventtest.TableNames(r.EventTables(e, e.Cases[0])), eventtest.TableNames(r.PossibleTables(e, e.Cases[0]))
		}
	}
	for family, want := range map[string]string{"direct": "sessions", "filled": "sessions", "batched": "clicks", "queued": "events", "unknown": ""} {
		if known[family] != want || possible[family] != want {
			t.Errorf("%s goes to %q, possibly to %q, want %q", family, known[family], possible[family], want)
		}
	}
}

// What a function literal changes that a call makes belongs to the table of the
// mutation that the literal is given, by whatever helper, list or other literal.
func TestEdits(t *testing.T) {
	r := traced(t, `
type Edit func(*bigtable.Mutation)
func Put(family string) Edit { return func(m *bigtable.Mutation) { m.Set(family, "c", 0, nil) } }
func All(edits ...Edit) Edit { return func(m *bigtable.Mutation) { for _, e := range edits { e(m) } } }
func Change(ctx context.Context, tbl *bigtable.Table, edits ...Edit) {
	mut := bigtable.NewMutation()
	for _, e := range edits {
		e(mut)
	}
	tbl.Apply(ctx, "k", mut)
}
func f(ctx context.Context, c *bigtable.Client) {
	Change(ctx, c.Open("sessions"), Put("first"), Put("second"))
	Change(ctx, c.Open("clicks"), []Edit{Put("listed")}...)
	Change(ctx, c.Open("events"), All(Put("nested")))
	both := Put("both")
	Change(ctx, c.Open("sessions"), both)
	Change(ctx, c.Open("clicks"), both)
	Put("never")
}
`)
	got := map[string]string{}
	for _, e := range r.Events {
		if family, ok := e.Cases[0].Args[1].IsStr(); ok && e.Op == "bigtable.Mutation.Set" {
			got[family] = eventtest.TableNames(r.EventTables(e, e.Cases[0]))
		}
	}
	for family, want := range map[string]string{
		"first": "sessions", "second": "sessions", "listed": "clicks", "nested": "events", "both": "sessions clicks", "never": "",
	} {
		if tables, ok := got[family]; !ok || tables != want {
			t.Errorf("%s goes to %q (%v), want %q", family, tables, ok, want)
		}
	}
}

// A mutation is applied where it is given to the client, or to a function that does
// so, whichever function made it.
func TestApplied(t *testing.T) {
	r := traced(t, `
func made(family string) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set(family, "c", 0, nil)
	return mut
}
func put(ctx context.Context, tbl *bigtable.Table, mut *bigtable.Mutation) { tbl.Apply(ctx, "k", mut) }
func f(ctx context.Context, c *bigtable.Client) {
	mut := made("once")
	c.Open("sessions").Apply(ctx, "k", mut)
	twice := made("twice")
	put(ctx, c.Open("clicks"), twice)
	c.Open("events").ApplyBulk(ctx, nil, []*bigtable.Mutation{twice})
	made("never")
}
`)
	got := map[string]string{}
	for _, e := range r.Events {
		if family, ok := e.Cases[0].Args[1].IsStr(); ok && e.Op == "bigtable.Mutation.Set" {
			for _, by := range r.Applied(e.Cases[0].Args[0]) {
				got[family] += eventtest.TableNames(by.Case.Args[:1]) + " "
			}
		}
	}
	for family, want := range map[string]string{"once": "sessions ", "twice": "clicks events ", "never": ""} {
		if got[family] != want {
			t.Errorf("%s is applied to %q, want %q", family, got[family], want)
		}
	}
}

// Events of one function have an order; Together says that some function leads
// to both.
func TestOrder(t *testing.T) {
	r := traced(t, `
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

// Runs resolves an event again, with the steps on the way.
func TestRuns(t *testing.T) {
	r := traced(t, `
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

// The rows of a read are told apart by the read, whose table they are from, and
// those that a function reads by its calls.
func TestRows(t *testing.T) {
	r := traced(t, `
func read(ctx context.Context, tbl *bigtable.Table) bigtable.Row {
	row, _ := tbl.ReadRow(ctx, "k")
	return row
}
func either(ctx context.Context, a, b *bigtable.Table) bigtable.Row {
	if row, _ := a.ReadRow(ctx, "k"); len(row) > 0 {
		return row
	}
	row, _ := b.ReadRow(ctx, "k")
	return row
}
func f(ctx context.Context, client *bigtable.Client) {
	row, _ := client.Open("sessions").ReadRow(ctx, "k")
	fmt.Println(row["sessions"][0].Timestamp)
	fmt.Println(read(ctx, client.Open("clicks"))["clicks"][0].Timestamp)
	fmt.Println(either(ctx, client.Open("a"), client.Open("b"))[""][0].Timestamp)
}

type store struct{ tbl *bigtable.Table }

func newStore(client *bigtable.Client) *store { return &store{client.Open("users")} }

func (s *store) read(ctx context.Context) bigtable.Row {
	row, _ := s.tbl.ReadRow(ctx, "k")
	return row
}
func (s *store) again(ctx context.Context) bigtable.Row { return s.read(ctx) }
func (s *store) g(ctx context.Context) { fmt.Println(s.again(ctx)["users"][0].Timestamp) }
`)
	seen := 0
	for _, e := range r.Events {
		if e.Op != event.CellTime {
			continue
		}
		for _, c := range e.Cases {
			var row *value.Value
			table := ""
			c.Args[0].Walk(func(v *value.Value) {
				if v.Is(kind.Cells) {
					table, _ = v.Args[1].IsStr()
				}
				if kind.Root(v) != "" {
					row = v
				}
			})
			seen++
			if row == nil || eventtest.TableNames(r.Tables(row)) != table {
				t.Errorf("the cell of %v is from %v", c.Args[0], row)
			}
		}
	}
	if seen < 4 {
		t.Errorf("%d times of cells are read", seen)
	}
}

// Whoever applies what a function makes, or gives it its table, says which table it
// is: not what the function applies itself, or what its object holds.
func TestTableOfCallers(t *testing.T) {
	r := traced(t, `
type store struct { tbl *bigtable.Table }
func made() *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set("made", "c", 0, nil)
	return mut
}
func given(ctx context.Context, tbl *bigtable.Table) {
	mut := bigtable.NewMutation()
	mut.Set("given", "c", 0, nil)
	tbl.Apply(ctx, "k", mut)
}
func applied(ctx context.Context, c *bigtable.Client) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set("applied", "c", 0, nil)
	c.Open("sessions").Apply(ctx, "k", mut)
	return mut
}
func (s *store) held(ctx context.Context) {
	mut := bigtable.NewMutation()
	mut.Set("held", "c", 0, nil)
	s.tbl.Apply(ctx, "k", mut)
}
func f(ctx context.Context, c *bigtable.Client) {
	tbl := c.Open("sessions")
	tbl.Apply(ctx, "k", made())
	given(ctx, tbl)
	c.Open("clicks").Apply(ctx, "k", applied(ctx, c))
	(&store{tbl}).held(ctx)
}
`)
	want := map[string]bool{"made": true, "given": true, "applied": false, "held": false}
	for _, e := range r.Events {
		if e.Op != "bigtable.Mutation.Set" || e.Depth > 0 {
			continue
		}
		family, _ := e.Cases[0].Args[1].IsStr()
		if got := r.TableOfCallers(e, e.Cases[0]); got != want[family] {
			t.Errorf("%s: the table is its callers': %v", family, got)
		}
		delete(want, family)
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}

// The table to which a function applies what it makes by way of others is that of the
// calls which give it nothing but values; where it applies it to two, none is known.
func TestOwnTable(t *testing.T) {
	r := traced(t, `
var client *bigtable.Client
func send(ctx context.Context, mut *bigtable.Mutation) { client.Open("sessions").Apply(ctx, "k", mut) }
func count(ctx context.Context, mut *bigtable.Mutation) { client.Open("clicks").Apply(ctx, "k", mut) }
func put(ctx context.Context, family string) {
	mut := bigtable.NewMutation()
	mut.Set(family, "c", 0, nil)
	send(ctx, mut)
}
func putBoth(ctx context.Context, family string) {
	mut := bigtable.NewMutation()
	mut.Set(family, "c", 0, nil)
	send(ctx, mut)
	count(ctx, mut)
}
func f(ctx context.Context) {
	put(ctx, "one")
	putBoth(ctx, "two")
}
`)
	got := map[string]string{}
	for _, e := range r.Events {
		if family, ok := e.Cases[0].Args[min(1, len(e.Cases[0].Args)-1)].IsStr(); ok && e.Op == "bigtable.Mutation.Set" {
			got[family] = eventtest.TableNames(r.EventTables(e, e.Cases[0]))
		}
	}
	if want := map[string]string{"one": "sessions", "two": ""}; !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
