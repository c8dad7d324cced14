package eval_test

import (
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// check holds the values that can arrive at each show(x) of a source, with
// the conditions on parameters under which they do, against the comment behind
// it: "a" | if $0 "b".
func check(t *testing.T, src string, facts ...layertest.Fact) {
	t.Helper()
	code := layertest.Load(t, src, facts...)
	e := eval.New(code.Prog)
	code.Check(func(s layertest.Shown) string {
		var out []string
		for _, c := range e.Cases(true, func(q *eval.Path) []*value.Value {
			q.Way.AssumeBlock(s.Call.Block(), nil, &q.Way.When)
			return []*value.Value{q.Settler.Force(q.Reader.Argument(s.Value, s.Call), 4)}
		}) {
			out = append(out, summary.GuardString(c.When)+summary.GuardString(c.Guards)+c.Args[0].String())
		}
		return strings.Join(out, " | ")
	})
}

// Constants are what they are; what is made of them is folded. A time or
// duration of the standard library stays a call, which package instant reads.
func TestConstants(t *testing.T) {
	check(t, `
const family = "token"
var unset string
func f() {
	show(family + "s")              // "tokens"
	show(7 * 24 * time.Hour)        // 604800000000000
	show(bigtable.ServerTime)       // -1
	show(time.Time{}) // time.Time{}()
	show(unset)                     // ""
	show(time.Now().Add(-time.Hour)) // time.Time.Add(time.Now(), -3600000000000)
	show(fmt.Sprintf("%s-%d", family, 3)) // "token-3"
	show([]string{"a", "b"})        // ["a", "b"]
	show(len([]string{"a", "b"}))   // 2
	show(max(len(unset), 3, 2)) // 3
	show(min(bigtable.Now(), 5)) // min(bigtable.Now(), 5)
	show(map[string]int{"a": 1}["a"]) // 1
	show(os.Getenv("FAMILY")) // ?the result of os.Getenv, which is not known
}
`)
}

// A branch makes a case for each edge. What a parameter decides leaves its
// condition; what constants decide leaves one case.
func TestBranches(t *testing.T) {
	check(t, `
func chosen(admin bool) {
	family := "token"
	if admin {
		family = "session"
	}
	show(family) // if !($0) "token" | if $0 "session"
}
func undecided() {
	family := "token"
	if os.Getenv("ADMIN") != "" {
		family = "session"
	}
	show(family) // "token" | "session"
}
func together(n int) {
	family, ttl := "token", time.Minute
	if n > 3 {
		family, ttl = "session", time.Hour
	}
	show(struct{ f string; d time.Duration }{family, ttl}) // if !(>($0, 3)) struct{f: "token", d: 60000000000} | if >($0, 3) struct{f: "session", d: 3600000000000}
}
func guarded(ttl time.Duration) {
	if ttl == 0 {
		ttl = time.Hour
	}
	show(ttl) // if !(==($0, 0)) $0 | if ==($0, 0) 3600000000000
}
func constant() {
	const debug = false
	family := "token"
	if debug {
		family = "session"
	}
	show(family) // "token"
}
func after(ttl time.Duration) {
	if ttl == 0 {
		return
	}
	show(ttl) // if !(==($0, 0)) $0
}
func switched(kind int) {
	var family string
	switch kind {
	case 1, 2:
		family = "token"
	default:
		family = "session"
	}
	show(family) // if ||(==($0, 1), ==($0, 2)) "token" | if !(==($0, 1)) if !(==($0, 2)) "session"
}
func overwritten(family string) {
	family = "token"
	show(family) // "token"
}
`)
}

// A loop over a literal makes a case for each element; a counting loop a
// counter; a slice that a loop builds has all its elements.
func TestLoops(t *testing.T) {
	check(t, `
var table = []struct { family string; ttl time.Duration }{
	{"token", time.Minute},
	{"session", time.Hour},
}
func literal() {
	for _, row := range table {
		show(row) // struct{family: "token", ttl: 60000000000} | struct{family: "session", ttl: 3600000000000}
	}
}
func ofMap() {
	for family, n := range map[string]int{"token": 1, "session": 2} {
		show([]any{family, n}) // ["token", 1] | ["session", 2]
	}
}
func counting(n int) {
	for i := 0; i < n; i++ {
		show(i) // counter(1, 0)
		show(bigtable.Timestamp(i) * 1000) // *(counter(1, 0), 1000)
	}
}
func built() {
	var families []string
	for _, row := range table {
		families = append(families, row.family)
	}
	show(families) // ["token", "session"]
}
func ofParameter(families []string) {
	for _, family := range families {
		show(family) // elem($0)
	}
}
`)
}

// Fields that the branches of a switch set together arrive together.
func TestSetTogether(t *testing.T) {
	check(t, `
type query struct{ kind, n int }
func convert(what string) query {
	var q query
	switch what {
	case "all":
		q.kind = 1
	case "key":
		q.kind = 2
		q.n = 7
	}
	return q
}
func f(what string) {
	q := convert(what)
	if q.kind == 2 {
		show(q.n) // if ==($0, "key") 7
	}
}
`)
}
