package eval_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/layertest"

	"github.com/ttlvet/ttlvet/internal/trace/eval"

	"github.com/ttlvet/ttlvet/internal/value"
)

// settleCheck holds what comes of the values that are shown on each way.
func settleCheck(t *testing.T, src string) {
	t.Helper()
	code := layertest.Load(t, src)
	e := eval.New(code.Prog)
	code.Check(func(s layertest.Shown) string {
		var out []string
		e.Explore(false, 16, func(q *eval.Path) []*value.Value {
			return q.Settler.FromSender([]*value.Value{q.Settler.Force(q.Reader.Argument(s.Value, s.Call), 4)}, s.Call)
		}, func(_ *eval.Path, vs []*value.Value) {
			if v := vs[0].String(); !slices.Contains(out, v) {
				out = append(out, v)
			}
		})
		return strings.Join(out, " | ")
	})
}

// A function that a callee is given returns what it does once it is known; so does
// the method of an object. What is still open stays, for callers to decide.
func TestSettleCalls(t *testing.T) {
	settleCheck(t, `
type namer interface{ Name() string }
type named struct{ name string }
func (n *named) Name() string { return n.name }
type unnamed struct{}
func (unnamed) Name() string { return "" }
func token() string { return "token" }
func of(name func() string) string { return name() }
func twice(name func() string) string { return of(name) }
func asked(n namer) string { return n.Name() }
func is(name string) bool { return name == "token" }
func f(given func() string, n namer, name string) {
	show(of(token)) // "token"
	show(twice(token)) // "token"
	show(of(sync.OnceValue(token))) // "token"
	show(of(given)) // ()($0)
	show(asked(&named{"session"})) // "session"
	show(asked(n)) // method("Name", $1)
	show(is("token")) // true
	show(is(name)) // ==($2, "token")
}
`)
}

// Of a list, an element is one of those that a call gives; on which condition a
// value hangs, the call may say.
func TestElements(t *testing.T) {
	settleCheck(t, `
func first(names ...string) string { return names[0] }
func one(i int, names ...string) string { return names[i] }
func family(admin bool) string {
	family := "token"
	if admin {
		family = "session"
	}
	return family
}
func f(names []string, admin bool) {
	show(first("token", "session")) // "token"
	show(first(names...)) // []($0, 0)
	show(one(1, "token", "session")) // "session"
	show(one(1, names...)) // []($0, 1)
	show(family(true)) // "session"
	show(family(admin)) // "token" | "session"
	show(family(os.Getenv("ADMIN") != "")) // "token" | "session"
}
`)
}

// What an iterator yields is known once it is known which one that is.
func TestSettleIterators(t *testing.T) {
	settleCheck(t, `
type list struct{ first string }
func (l *list) each(yield func(string, error) bool) {
	if yield(l.first, nil) {
		yield("last", nil)
	}
}
func f(l *list, given func(func(string, error) bool)) {
	for name := range l.each {
		show(name) // $0.first | "last"
	}
	for name := range given {
		show(name) // yielded($1, 0)
	}
	next, _ := iter.Pull2(l.each)
	name, err, more := next()
	show(name) // $0.first | "last"
	show(err) // nil
	show(more) // ?whether an iterator has more
}
`)
}

// What is received comes from a sender, which knows whose mailbox it is.
func TestFromSender(t *testing.T) {
	settleCheck(t, `
type box struct { ch chan bigtable.Timestamp; ttl bigtable.Timestamp }
func newBox(ttl bigtable.Timestamp) *box { return &box{make(chan bigtable.Timestamp), ttl} }
func (b *box) run() { show(b.ttl + <-b.ch) } // +($1.ttl, 1000)
func f(n int, b *box) { b.ch <- 1000 }
`)
}
