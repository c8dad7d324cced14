package trace_test

import (
	"fmt"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// analysed runs the analyzer over the packages of a source, in their order,
// and returns what it found in each.
func analysed(t *testing.T, src string) (passes []*analysis.Pass, results []*trace.Result) {
	t.Helper()
	passes = layertest.Packages(t, src)
	for _, pass := range passes {
		r, err := trace.Analyzer.Run(pass)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r.(*trace.Result))
	}
	return passes, results
}

// What one package does with its parameters is an event in the package that
// supplies them, two imports further.
func TestAcross(t *testing.T) {
	trace.DebugPanics()
	_, results := analysed(t, `
-- put/put.go --
func Put(mut *bigtable.Mutation, family string, ttl time.Duration) {
	mut.Set(family, "c", bigtable.Time(time.Now().Add(ttl)), nil)
}
-- token/token.go --
const TTL = time.Minute
func Token(mut *bigtable.Mutation) { put.Put(mut, "token", TTL) }
func Any(mut *bigtable.Mutation, family string) { put.Put(mut, family, time.Hour) }
-- app/app.go --
func f(mut *bigtable.Mutation) { token.Any(mut, "session") }
`)
	var out []string
	for _, e := range results[2].Events {
		if e.Op == "bigtable.Mutation.Set" {
			out = append(out, "reaches "+e.Where+": "+summary.ArgString(e.Cases[0].Args[1:4]))
		}
	}
	want := `reaches put.go:2: ("session", "c", bigtable.Time(time.Time.Add(time.Now(), 3600000000000)))`
	if got := strings.Join(out, "\n"); got != want {
		t.Errorf("the events are\n%s", got)
	}
}

// A package reaches Bigtable by what it imports.
func TestReaches(t *testing.T) {
	passes, results := analysed(t, `
-- plain/plain.go --
func Family() string { return "token" }
-- direct/direct.go --
func Now() bigtable.Timestamp { return bigtable.Now() }
-- app/app.go --
func f() { direct.Now() }
`)
	for i, want := range []bool{false, true, true} {
		if results[i].Reaches != want {
			t.Errorf("%s reaches: %t", passes[i].Pkg.Path(), results[i].Reaches)
		}
	}
}

// A package has events of its own if it names something that has to do with Bigtable,
// not if its imports alone reach it.
func TestTouches(t *testing.T) {
	for _, test := range []struct {
		names string
		want  bool
	}{
		{`lib.Name()`, false},
		{`lib.Since(t)`, false},
		{`lib.Twice(func() { println() })`, false},
		{`lib.Put(nil)`, true},
		{`lib.At(nil)`, true},
		{`lib.Each(nil)(nil)`, true},
		{`lib.Hook()`, true},
		{`time.Since(d.At)`, true},
		{`println(d.Name)`, false},
	} {
		_, results := analysed(t, `
-- lib/lib.go --
type Device struct { Name string; At time.Time }
func Read(it bigtable.ReadItem) *Device { return &Device{At: it.Timestamp.Time()} }
func Name() string { return "token" }
func Since(t time.Time) { println(time.Since(t)) }
func Twice(f func()) { f(); f() }
func Put(mut *bigtable.Mutation) { mut.Set("token", "c", -1, nil) }
func At(d *Device) time.Time { return d.At }
func Each(d *Device) func(func(*Device)) { return func(f func(*Device)) { f(d) } }
var Hook = func() {}
-- app/app.go --
func f(t time.Time, d *lib.Device) {
	println(time.Since(t))
	`+test.names+`
}
`)
		if got := len(results[1].Events) > 0; got != test.want {
			t.Errorf("%s: events are looked for: %t", test.names, got)
		}
	}
}

// The facts of a package are the summaries of what others can call and the
// values of what others can read.
func TestExported(t *testing.T) {
	passes, _ := analysed(t, `
-- store/store.go --
var Default = bigtable.MaxAgePolicy(time.Second)
func Family(admin bool) string {
	if admin {
		return "session"
	}
	return "token"
}
func Write(mut *bigtable.Mutation, family string) { mut.Set(family, "c", -1, nil) }
func hidden(mut *bigtable.Mutation, family string) { mut.Set(family, "c", -1, nil) }
`)
	of := map[string]string{}
	var all summary.Package
	passes[0].ImportPackageFact(passes[0].Pkg, &all)
	all.Objects(func(obj types.Object, fact analysis.Fact) { of[obj.Name()] = fmt.Sprint(fact) })
	for name, want := range map[string]string{
		"Family":  `if $0 returns "session"; if !($0) returns "token"`,
		"Write":   `bigtable.Mutation.Set($0, $1, "c", -1, ?an argument that no rule looks at)`,
		"hidden":  "",
		"Default": "holds (bigtable.MaxAgePolicy(1000000000))",
	} {
		if got := of[name]; got != want {
			t.Errorf("%s %s\nwant %s", name, got, want)
		}
	}
}
