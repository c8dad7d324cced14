package callers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/callers"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/layertest/eventtest"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// check holds the events of a source against its comments.
func check(t *testing.T, src string, facts ...layertest.Fact) {
	t.Helper()
	code := layertest.Load(t, src, facts...)
	eventtest.Check(t, code, callers.New(code.Prog).Events())
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

// A write of which the table alone is given is the caller's too; that of an object's
// own table is not.
func TestGivenTable(t *testing.T) {
	check(t, `
type store struct { tbl *bigtable.Table }
func put(ctx context.Context, tbl *bigtable.Table) {
	mut := bigtable.NewMutation()
	mut.Set("token", "c", 0, nil)
	tbl.Apply(ctx, "k", mut)
}
func (s *store) put(ctx context.Context) {
	mut := bigtable.NewMutation()
	mut.Set("token", "c", 0, nil)
	s.tbl.Apply(ctx, "k", mut)
}
func f(ctx context.Context, c *bigtable.Client, s *store) {
	put(ctx, c.Open("sessions")) // Set^1 ("token", "c", 0, bigtable.Client.Open($1, "sessions")); Apply^1 (bigtable.Client.Open($1, "sessions"), bigtable.NewMutation("example.com/p/p.go:14:5>example.com/p/p.go:4:29"))
	s.put(ctx) // Apply^1 ($2.tbl via example.com/p.store.tbl, bigtable.NewMutation("example.com/p/p.go:15:7>example.com/p/p.go:9:29"))
}
`)
}

// What a function does that is handed over to one which calls it is done at the
// call that hands it over, also by way of others and as a method of an object.
func TestHandedOver(t *testing.T) {
	check(t, `
type row interface { put(mut *bigtable.Mutation, ts bigtable.Timestamp) }
type token struct{ column string }
func (r token) put(mut *bigtable.Mutation, ts bigtable.Timestamp) { mut.Set("token", r.column, ts, nil) }
type entry struct{}
func (entry) put(mut *bigtable.Mutation, ts bigtable.Timestamp) { mut.Set("entry", "c", ts*1000, nil) }
func with(mut *bigtable.Mutation, r row, ts bigtable.Timestamp) { r.put(mut, ts) }
func through(mut *bigtable.Mutation, r row) { with(mut, r, bigtable.ServerTime) }
func call(mut *bigtable.Mutation, f func(*bigtable.Mutation, bigtable.Timestamp)) { f(mut, 7) }
func f(mut *bigtable.Mutation, unknown row) {
	with(mut, token{"a"}, 5) // Set^2 ("token", "a", 5)
	with(mut, entry{}, 5) // Set^2 ("entry", "c", 5000)
	with(mut, unknown, 5)
	through(mut, token{"b"}) // Set^3 ("token", "b", -1)
	call(mut, token{"c"}.put) // Set^2 ("token", "c", 7)
	call(mut, func(m *bigtable.Mutation, ts bigtable.Timestamp) { m.Set("literal", "c", ts+1, nil) }) // Set ("literal", "c", +($1, 1)); Set^2 ("literal", "c", 8)
}
`)
}

// What a call of a decorator does, the object behind it does: which that is is not
// followed.
func TestDecorators(t *testing.T) {
	check(t, `
type putter interface { put(column string) }
type store struct { family string; mut *bigtable.Mutation }
func (s *store) put(column string) { s.mut.Set(s.family, column, 0, nil) }
type fake struct{}
func (fake) put(column string) {}
type logged struct { n int; next putter }
func (l logged) put(column string) { l.next.put(column) }
type counted struct { next putter }
func (c *counted) put(column string) { c.next.put(column) }
func f(mut *bigtable.Mutation, unknown putter) {
	var p putter = &counted{logged{1, &counted{&store{"token", mut}}}}
	p.put("a")
	p = &store{"entry", mut}
	p.put("b") // Set^1 ("entry", "b", 0)
	p = &counted{fake{}}
	p.put("c")
	p = logged{2, unknown}
	p.put("d")
}
`)
}

// Of a function that calls what it is given it is known what it calls that with.
func TestCallback(t *testing.T) {
	code := layertest.Load(t, `
type Row interface { Put(mut *bigtable.Mutation, ts bigtable.Timestamp) }
func With(mut *bigtable.Mutation, r Row, ts bigtable.Timestamp) { r.Put(mut, ts*1000) }
func Each(rows []Row, f func(r Row)) { for _, r := range rows { f(r) } }
func Scan(tbl *bigtable.Table, f func(bigtable.Row) bool) {
	tbl.ReadRows(context.Background(), bigtable.PrefixRange(""), f)
}
`)
	tracer := callers.New(code.Prog)
	tracer.Events()
	for fn, want := range map[string]string{
		"With": `callback("Put", $1, $0, *($2, 1000))`,
		"Each": "",
		"Scan": `bigtable.Table.ReadRows($0, ?an argument that no rule looks at, ?an argument that no rule looks at, $1, nil); callback("", $1, row("example.com/p/p.go:6:14"))`,
	} {
		if got := (&summary.Summary{Effects: tracer.Effects(code.Func(fn))}).String(); got != want {
			t.Errorf("%s does\n%s\nwant\n%s", fn, got, want)
		}
	}
}

// What a literal does to what it is given is done by the function that makes it, to a
// mutation of the literal's identity, which each call tells apart.
func TestEdits(t *testing.T) {
	code := layertest.Load(t, `
type Edit func(*bigtable.Mutation)
func Put(family string) Edit { return func(m *bigtable.Mutation) { m.Set(family, "c", -1, nil) } }
func Fixed() Edit { return func(m *bigtable.Mutation) { m.Set("token", "c", -1, nil) } }
func Token() Edit { return Put("token") }
func Kept() { hold = func(m *bigtable.Mutation) { m.Set("token", "c", -1, nil) } }
var hold Edit
`)
	tracer := callers.New(code.Prog)
	tracer.Events()
	for fn, want := range map[string]string{
		"Put":   `bigtable.Mutation.Set(given mutation("example.com/p/p.go:3:39"), $0, "c", -1, ?an argument that no rule looks at)`,
		"Fixed": `bigtable.Mutation.Set(given mutation("example.com/p/p.go:4:28"), "token", "c", -1, ?an argument that no rule looks at)`,
		"Token": `bigtable.Mutation.Set(given mutation("example.com/p/p.go:5:31>example.com/p/p.go:3:39"), "token", "c", -1, ?an argument that no rule looks at)`,
		"Kept":  "",
	} {
		if got := (&summary.Summary{Effects: tracer.Effects(code.Func(fn))}).String(); got != want {
			t.Errorf("%s does\n%s\nwant\n%s", fn, got, want)
		}
	}
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

// Effects are what a function does with its parameters, for callers in other
// packages.
func TestEffects(t *testing.T) {
	code := layertest.Load(t, `
func Put(mut *bigtable.Mutation, family string) { mut.Set(family, "c", bigtable.ServerTime, nil) }
func Fixed(tbl *bigtable.Table) { mut := bigtable.NewMutation(); mut.Set("token", "c", 0, nil) }
`)
	tracer := callers.New(code.Prog)
	tracer.Events()
	for fn, want := range map[string]string{
		"Put":   `bigtable.Mutation.Set($0, $1, "c", -1, ?an argument that no rule looks at)`,
		"Fixed": "",
	} {
		if got := (&summary.Summary{Effects: tracer.Effects(code.Func(fn))}).String(); got != want {
			t.Errorf("%s does\n%s\nwant\n%s", fn, got, want)
		}
	}
}

// What is sent to a mailbox reaches the handler that it was made with: the one that
// the object holds in a field which the sender names.
func TestMailboxes(t *testing.T) {
	check(t, `
type box struct { ch chan bigtable.Timestamp; handle func(bigtable.Timestamp) }
func newBox(handle func(bigtable.Timestamp)) *box { return &box{make(chan bigtable.Timestamp), handle} }
func (b *box) run() { for ts := range b.ch { b.handle(ts) } }
func (b *box) send(ts bigtable.Timestamp) { b.ch <- ts }
func f(mut *bigtable.Mutation) {
	token := func(ts bigtable.Timestamp) { mut.Set("token", "c", ts, nil) } // Set ("token", "c", $0)
	ok := func(ts bigtable.Timestamp) {}
	b, other := newBox(token), newBox(ok)
	b.send(1) // Set^2 ("token", "c", 1)
	other.send(2)
}
`)
}

// A channel that objects are given is none of their own.
func TestSharedChannel(t *testing.T) {
	check(t, `
type box struct { ch chan bigtable.Timestamp; handle func(bigtable.Timestamp) }
func newBox(ch chan bigtable.Timestamp, handle func(bigtable.Timestamp)) *box { return &box{ch, handle} }
func (b *box) run() { for ts := range b.ch { b.handle(ts) } }
func (b *box) send(ts bigtable.Timestamp) { b.ch <- ts }
func f(mut *bigtable.Mutation, ch chan bigtable.Timestamp) {
	b, other := newBox(ch, func(ts bigtable.Timestamp) { mut.Set("token", "c", ts, nil) }), newBox(ch, func(bigtable.Timestamp) {}) // Set ("token", "c", $0)
	b.send(1)
	other.send(2)
}
`)
}

// What a package makes of a field of its own is told beside an effect: it is judged
// there. What a parameter decides, or calls in view tell apart, is not.
func TestTold(t *testing.T) {
	code := layertest.Load(t, `
type Store struct { family string }
func New(family string) *Store {
	if family == "" { family = "token" }
	return &Store{family}
}
func Hand(family string) *Store { return New(family) }
func (s *Store) Write(mut *bigtable.Mutation) { mut.Set(s.family, "c", 0, nil) }
func (s *Store) Flag(mut *bigtable.Mutation, zero bool) {
	ts := bigtable.ServerTime
	if zero { ts = 0 }
	mut.Set(s.family, "c", ts, nil)
}
func Either(mut *bigtable.Mutation, zero bool) { (&Store{"either"}).Flag(mut, zero) }
func Put(mut *bigtable.Mutation, family string) { mut.Set(family, "c", 0, nil) }
`)
	tracer := callers.New(code.Prog)
	tracer.Events()
	for fn, want := range map[string]string{
		"New": `("token", "c", 0)`, "Hand": `("token", "c", 0)`, "Store.Write": `("token", "c", 0)`,
		"Store.Flag": "", "Either": "", "Put": "",
	} {
		var got []string
		for _, e := range tracer.Effects(code.Func(fn)) {
			for _, c := range e.Told {
				if s := summary.ArgString(c.Args[1:4]); strings.Contains(s, "token") {
					got = append(got, s)
				}
			}
		}
		if strings.Join(slices.Compact(got), " ") != want {
			t.Errorf("%s is told %v, want %s", fn, got, want)
		}
	}
}
