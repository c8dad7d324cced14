package eval_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// The results of a function are a tree over its parameters, to which a call
// binds its arguments; cases that the arguments rule out are gone.
func TestCalls(t *testing.T) {
	check(t, `
func expiry(ttl time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(ttl)) }
func family(admin bool) string {
	if admin {
		return "session"
	}
	return "token"
}
func both(admin bool) (string, time.Duration) {
	if admin {
		return "session", time.Hour
	}
	return "token", time.Minute
}
func parse(s string) (string, error) {
	if s == "" {
		return "", errors.New("no family")
	}
	return s + "s", nil
}
func first(names ...string) string { return names[0] }
func again(n int) int { return again(n - 1) }
func sum(n int) int {
	if n == 0 {
		return 0
	}
	return n + sum(n-1)
}
func f(admin bool) {
	show(expiry(time.Hour)) // bigtable.Time(time.Time.Add(time.Now(), 3600000000000))
	show(family(true)) // "session"
	show(family(admin)) // if $0 "session" | if !($0) "token"
	show(family(os.Getenv("ADMIN") != "")) // "session" | "token"
	name, ttl := both(admin)
	show([]any{name, ttl}) // if $0 ["session", 3600000000000] | if !($0) ["token", 60000000000]
	parsed, _ := parse("token")
	show(parsed) // "tokens"
	show(first("token", "session")) // "token"
	show(again(3)) // ?the result of example.com/p.again, which is not known
	show(sum(2)) // 3
	show(sum(9)) // +(9, +(8, +(7, +(6, ?the result of example.com/p.sum, which is not known))))
}
`)
}

// Of functions and variables of other packages, facts say what they are.
func TestImported(t *testing.T) {
	param := func(n int64) *value.Value { return &value.Value{Kind: value.Param, Num: n} }
	check(t, `
-- dep/dep.go --
func Family(kind int) string
func Expiry(ttl time.Duration) time.Time
func Opaque() string
var Token string
-- p/p.go --
func f(kind int) {
	show(dep.Expiry(time.Hour)) // time.Time.Add(time.Now(), 3600000000000)
	show(dep.Family(1)) // "token"
	show(dep.Family(kind)) // if ==($0, 1) "token" | if !(==($0, 1)) "session"
	show(dep.Opaque()) // ?the result of example.com/dep.Opaque, which is not known
	show(dep.Token) // "token"
}
`,
		layertest.Fact{Of: "dep.Expiry", Fact: &summary.Summary{Results: summary.Returning([]summary.ResultCase{
			{Values: []*value.Value{value.Apply("time.Time.Add", value.Apply("time.Now"), param(0))}},
		}...)}},
		layertest.Fact{Of: "dep.Family", Fact: &summary.Summary{Results: summary.Returning([]summary.ResultCase{
			{Guards: []summary.Guard{{Cond: value.Apply("==", param(0), value.IntOf(1)), Want: true}}, Values: []*value.Value{value.StrOf("token")}},
			{Guards: []summary.Guard{{Cond: value.Apply("==", param(0), value.IntOf(1)), Want: false}}, Values: []*value.Value{value.StrOf("session")}},
		}...)}},
		layertest.Fact{Of: "dep.Token", Fact: &summary.Summary{Holds: []*value.Value{value.StrOf("token")}}},
	)
}

// What is not known says why.
func TestUnknown(t *testing.T) {
	check(t, `
type shop struct{ family string }
func f(ch chan float64, v any, s *shop) {
	show(<-ch) // ?a value from a channel
	show(v.(string)) // $1
	show(s.family) // $2.family
	show(string(rune(len(os.Getenv("A"))))) // len(?the result of os.Getenv, which is not known)
	var far [100]string
	show(far) // ?an array of zeros
}
`)
}

// A limit that is reached leaves an unknown value with its reason.
func TestLimits(t *testing.T) {
	deep, wide, many := "int64(x)", "", ""
	for i := range 100 {
		deep = "int64(bigtable.Timestamp(" + deep + "))"
		wide += fmt.Sprintf("case %d: return \"family%d\"; ", i, i)
		many += fmt.Sprintf("func (s *store) set%d() { s.family = \"family%d\" }; ", i, i)
	}
	check(t, `
func f(x int, s *store) {
	show(`+deep+`) // ?too many steps to follow
	show(family(x)) // ?more combinations of values than are followed via example.com/p.family
	var long [100]string
	long[x] = "token"
	show(long) // ?an array of many elements
}
func family(n int) string { switch n { `+wide+`}; return "" }
type store struct { family string }
func (s *store) read() { show(s.family) } // ?a field that is stored to in too many places via example.com/p.store.family
`+many)
}

// Targets are what a call can run where only values tell.
func TestTargets(t *testing.T) {
	code := layertest.Load(t, `
func token() string { return "token" }
func session() string { return "session" }
func f(admin bool) {
	g := token
	if admin {
		g = session
	}
	g()
}
`)
	e := eval.New(code.Prog)
	var names []string
	for _, call := range code.Prog.Calls[code.Func("f")] {
		for _, target := range e.Targets(call) {
			names = append(names, layertest.NameOf(target.Fn))
		}
	}
	if got := strings.Join(names, " "); got != "token session" {
		t.Errorf("g() can run %s", got)
	}
}

// A function that a function calls of its parameters is the one that all calls in
// view hand over, as it is or in an object; one that others may call runs anything.
func TestHandlers(t *testing.T) {
	code := layertest.Load(t, `
type box struct { handle func(string); other func(string) }
func newBox(h func(string)) *box { return &box{handle: h} }
func (b *box) run() { b.handle("") }
func (b *box) runOther() { b.other("") }
func loop(h func(string)) { h("") }
func twice(h func(string)) { h("") }
func nobody(h func(string)) { h("") }
func Exported(h func(string)) { h("") }
func inner(h func(string)) { h("") }
func Through(h func(string)) { inner(h) }
func write(string) {}
func wrong(string) {}
func f() {
	b := newBox(write)
	b.run()
	b.runOther()
	loop(write)
	loop(nil)
	twice(write)
	twice(wrong)
	Exported(write)
	Through(write)
}
`)
	e := eval.New(code.Prog)
	for name, want := range map[string]string{"box.run": "write", "box.runOther": "", "loop": "write", "twice": "", "nobody": "", "Exported": "", "inner": ""} {
		got := ""
		for _, target := range e.Targets(code.Prog.Calls[code.Func(name)][0]) {
			got += layertest.NameOf(target.Fn)
		}
		if got != want {
			t.Errorf("%s calls %q, want %q", name, got, want)
		}
	}
}

// A literal that wraps a function has captured it; what a loop wraps is what it was
// only where the loop takes no turn.
func TestWrapped(t *testing.T) {
	check(t, `
type handler func(bigtable.Timestamp)
func logged(next handler) handler { return func(ts bigtable.Timestamp) { next(ts) } }
func chain(h handler, with ...func(handler) handler) handler {
	for _, w := range with {
		h = w(h)
	}
	return h
}
func write(bigtable.Timestamp) {}
func f() {
	show(logged(write)) // logged$1(logged#0: example.com/p.write())
	show(logged(logged(write))) // logged$1(logged#0: logged$1(logged#0: example.com/p.write()))
	show(chain(write)) // example.com/p.write() | ()(elem(nil), ?a value that depends on itself)
	show(chain(write, logged)) // logged$1(logged#0: ?a value that depends on itself)
}
`)
}

// ResultsOf are the combinations of results that a function can return
// together, over its parameters. Returns that report an error have none.
func TestResultsOf(t *testing.T) {
	code := layertest.Load(t, `
func lookup(kind int) (string, time.Duration, error) {
	switch kind {
	case 0:
		return "", 0, errors.New("no kind")
	case 1:
		return "token", time.Minute, nil
	}
	return "session", time.Hour, nil
}
`)
	var out []string
	for _, c := range eval.New(code.Prog).ResultsOf(code.Func("lookup")) {
		out = append(out, summary.GuardString(c.Guards)+summary.ArgString(c.Values[:2]))
	}
	want := `if !(==($0, 0)) if ==($0, 1) ("token", 60000000000)
if !(==($0, 0)) if !(==($0, 1)) ("session", 3600000000000)`
	if got := strings.Join(out, "\n"); got != want {
		t.Errorf("lookup returns\n%s\nwant\n%s", got, want)
	}
}

// A Log lists what was resolved on the way, the innermost first: what ttlvet
// trace shows.
func TestLog(t *testing.T) {
	code := layertest.Load(t, `
func expiry() time.Time { return time.Now().Add(time.Hour) }
func f() { show(bigtable.Time(expiry())) }
`)
	e := eval.New(code.Prog)
	e.Trace = &eval.Log{}
	s := code.Show()
	e.Explore(true, 1, func(q *eval.Path) []*value.Value { return []*value.Value{q.Way.Eval(s.Value, s.Call)} }, func(*eval.Path, []*value.Value) {})
	var out []string
	for _, step := range e.Trace.Steps {
		out = append(out, fmt.Sprintf("line %d: %s", code.Prog.Pass.Fset.Position(step.Pos).Line, step.Value))
	}
	want := `line 2: time.Now()
line 2: time.Time.Add(time.Now(), 3600000000000)
line 3: time.Time.Add(time.Now(), 3600000000000)
line 3: bigtable.Time(time.Time.Add(time.Now(), 3600000000000))`
	if got := strings.Join(out, "\n"); got != want {
		t.Errorf("the log has\n%s\nwant\n%s", got, want)
	}
}

// A helper that returns from within a loop over a list that is known returns the
// element that what it is given finds, and what stands behind the loop for nothing else.
func TestReturnedFromLoop(t *testing.T) {
	check(t, `
type spec struct{ role, table string }
var specs = []spec{{"session", "sessions"}, {"metric", "metrics"}}
func name(role string) string {
	for i := range specs {
		if specs[i].role == role {
			return specs[i].table
		}
	}
	return "none"
}
func f(role string) {
	show(name("metric")) // "metrics"
	show(name("other"))  // "none"
	show(name(role))     // if !(==("metric", $0)) if !(==("session", $0)) "none" | if ==("session", $0) "sessions" | if ==("metric", $0) "metrics"
}
`)
}
