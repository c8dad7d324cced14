package declare

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

var call = value.Apply

func dur(d time.Duration) *value.Value {
	v := value.IntOf(int64(d))
	v.Class = value.Duration
	return v
}

// table is a declaration made with the runtime package.
func table(name string, families ...*value.Value) *value.Value {
	return call("ttl.NewTable", value.StrOf(name), value.ListOf(families...))
}

func oneSecond(name string, ttl time.Duration) *value.Value {
	return call("ttl.OneSecond", value.StrOf(name), dur(ttl))
}

func expires(name string, ttl time.Duration) *value.Value {
	return call("ttl.Default", value.StrOf(name), dur(ttl))
}

func sequence(name string, versions int64) *value.Value {
	return call("ttl.Sequence", value.StrOf(name), value.IntOf(versions))
}

// declared places declarations on the lines of a file.
func declared(tables ...*value.Value) (out []trace.Declared) {
	for i, t := range tables {
		out = append(out, trace.Declared{Table: t, Where: fmt.Sprintf("schema.go:%d", i+1)})
	}
	return out
}

// shown is a policy that collects by age.
func shown(table *value.Value, family string, age time.Duration, line int) trace.Shown {
	return trace.Shown{Table: table, Family: family, Policy: call("bigtable.MaxAgePolicy", dur(age)), Where: fmt.Sprintf("policy.go:%d", line)}
}

// bare is the creation of a family without a policy.
func bare(table *value.Value, family string, line int) trace.Shown {
	return trace.Shown{Table: table, Family: family, Policy: value.NilValue(), Where: fmt.Sprintf("policy.go:%d", line)}
}

// declare runs the analyzer on a package that a registry file, if any, and
// the trace tell of.
func declare(t *testing.T, file string, tr *trace.Result) *Result {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"go.mod": "module p\n", "p/p.go": "package p\n"}
	if file != "" {
		files["ttlvet.yaml"] = file
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	pass := &analysis.Pass{Fset: token.NewFileSet(), ResultOf: map[*analysis.Analyzer]any{trace.Analyzer: tr}}
	f, err := parser.ParseFile(pass.Fset, filepath.Join(dir, "p", "p.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	pass.Files = append(pass.Files, f)
	out, err := Analyzer.Run(pass)
	if err != nil {
		t.Fatal(err)
	}
	return out.(*Result)
}

// show writes the model: a line for each family of each table.
func show(r *Result) string {
	var lines []string
	for _, t := range r.Model.Tables {
		for _, f := range t.Families {
			s := fmt.Sprintf("%s/%s %s", t.Pattern, f.Name, f.Strategy)
			if f.TTL > 0 {
				s += fmt.Sprintf(" ttl %s", f.TTL)
			}
			if f.MaxAge > 0 {
				s += fmt.Sprintf(" age %s", f.MaxAge)
			}
			if f.Versions > 0 {
				s += fmt.Sprintf(" versions %d", f.Versions)
			}
			s += fmt.Sprintf(", from %s", f.Source)
			if f.Shared {
				s += ", shared"
			}
			lines = append(lines, s)
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

const sessions = `version: 1
tables:
  sessions:
    families:
      token: {strategy: one-second-expiration, ttl: 30m}
  "*-ledger":
    families:
      entry: {strategy: sequential-numbers, versions: 3}
`

const fromFile = "*-ledger/entry sequential-numbers versions 3, from the registry\n" +
	"sessions/token one-second-expiration ttl 30m0s age 1s, from the registry"

func TestMerge(t *testing.T) {
	name := value.StrOf
	some := call(value.Add, &value.Value{Kind: value.Param}, name("-ledger"))
	unknown := value.UnknownFor("reasons")
	for what, test := range map[string]struct {
		file      string
		trace     trace.Result
		want      string
		conflicts string // the texts, in part, one a line
	}{
		"nothing": {},
		"the file alone": {
			file: sessions, want: fromFile,
		},
		"Go alone": {
			trace: trace.Result{Declared: declared(table("t", oneSecond("a", 30*time.Minute), expires("b", time.Hour), sequence("c", 2)))},
			want: "t/a one-second-expiration ttl 30m0s age 1s, from Go\n" +
				"t/b default-expiration ttl 1h0m0s age 1h0m0s, from Go\nt/c sequential-numbers versions 2, from Go",
		},
		"half a declaration in Go": {
			trace: trace.Result{Declared: declared(table("t", oneSecond("a", time.Minute), unknown))},
		},
		"they agree": {
			file: sessions, trace: trace.Result{Declared: declared(table("sessions", oneSecond("token", 30*time.Minute)))},
			want: fromFile,
		},
		"they agree where both say something": {
			file: sessions, trace: trace.Result{Declared: declared(table("sessions", oneSecond("token", 0)))},
			want: fromFile,
		},
		"Go has further families": {
			file: sessions, trace: trace.Result{Declared: declared(table("sessions", expires("more", time.Hour)))},
			want: "*-ledger/entry sequential-numbers versions 3, from the registry\n" +
				"sessions/more default-expiration ttl 1h0m0s age 1h0m0s, from Go\n" +
				"sessions/token one-second-expiration ttl 30m0s age 1s, from the registry",
		},
		"Go has another strategy": {
			file: sessions, trace: trace.Result{Declared: declared(table("sessions", expires("token", 30*time.Minute)))},
			want: fromFile,
			conflicts: `family "token" of table "sessions" is declared as default-expiration with ttl 30m here ` +
				`and as one-second-expiration with ttl 30m in ttlvet.yaml:5`,
		},
		"Go has another ttl": {
			file: sessions, trace: trace.Result{Declared: declared(table("sessions", oneSecond("token", time.Hour)))},
			want: fromFile, conflicts: "with ttl 1h here and as one-second-expiration with ttl 30m in ttlvet.yaml:5",
		},
		"Go declares a table that a pattern covers": {
			file: sessions, trace: trace.Result{Declared: declared(table("eu-ledger", oneSecond("lock", time.Minute)))},
			want: fromFile + "\neu-ledger/entry sequential-numbers versions 3, from the registry\n" +
				"eu-ledger/lock one-second-expiration ttl 1m0s age 1s, from Go",
		},
		"Go contradicts a pattern": {
			file: sessions, trace: trace.Result{Declared: declared(table("eu-ledger", sequence("entry", 5)))},
			want:      fromFile + "\neu-ledger/entry sequential-numbers versions 3, from the registry",
			conflicts: "with 5 versions here and as sequential-numbers with 3 versions in ttlvet.yaml:8",
		},
		"Go contradicts itself": {
			trace:     trace.Result{Declared: declared(table("t", sequence("a", 5)), table("t", sequence("a", 6)))},
			want:      "t/a sequential-numbers versions 5, from Go",
			conflicts: "with 6 versions here and as sequential-numbers with 5 versions in schema.go:1",
		},
		"a policy of a second": {
			trace: trace.Result{Shown: []trace.Shown{shown(name("t"), "a", time.Second, 1)}},
			want:  "t/a one-second-expiration age 1s, from a policy",
		},
		"a policy of less": {
			trace: trace.Result{Shown: []trace.Shown{shown(name("t"), "a", time.Millisecond, 1)}},
			want:  "t/a one-second-expiration age 1ms, from a policy",
		},
		"a policy of more": {
			trace: trace.Result{Shown: []trace.Shown{shown(name("t"), "a", time.Hour, 1)}},
		},
		"a policy whose unit was forgotten": {
			trace: trace.Result{Shown: []trace.Shown{shown(name("t"), "a", 86400, 1)}},
		},
		"a policy on a declared family": {
			file: sessions, trace: trace.Result{Shown: []trace.Shown{shown(name("eu-ledger"), "entry", time.Second, 1)}},
			want: fromFile,
		},
		"a policy on another family of a declared table": {
			file: sessions, trace: trace.Result{Shown: []trace.Shown{shown(name("sessions"), "lock", time.Second, 1)}},
			want: "*-ledger/entry sequential-numbers versions 3, from the registry\n" +
				"sessions/lock one-second-expiration age 1s, from a policy\n" +
				"sessions/token one-second-expiration ttl 30m0s age 1s, from the registry",
		},
		"the same policy twice": {
			trace: trace.Result{Shown: []trace.Shown{shown(name("t"), "a", time.Second, 1), shown(name("t"), "a", time.Second, 2)}},
			want:  "t/a one-second-expiration age 1s, from a policy",
		},
		"a policy on a family of some table": {
			trace: trace.Result{Shown: []trace.Shown{shown(unknown, "a", time.Second, 1), shown(unknown, "b", time.Second, 2), shown(unknown, "a", time.Second, 3)}},
			want:  "/a one-second-expiration age 1s, from a policy\n/b one-second-expiration age 1s, from a policy",
		},
		"a policy on some table whose family is declared elsewhere": {
			file: sessions, trace: trace.Result{Shown: []trace.Shown{shown(unknown, "token", time.Second, 1)}},
			want: fromFile,
		},
		"policies of more on the family of other tables": {
			trace: trace.Result{Shown: []trace.Shown{shown(name("t"), "a", time.Second, 1), shown(name("u"), "a", time.Hour, 2), shown(name("t"), "b", time.Second, 3)}},
			want:  "t/a one-second-expiration age 1s, from a policy, shared\nt/b one-second-expiration age 1s, from a policy",
		},
		"the family of another table without a policy": {
			trace: trace.Result{Shown: []trace.Shown{shown(name("t"), "a", time.Second, 1), bare(name("t"), "a", 2), shown(name("t"), "b", time.Second, 3), bare(name("u"), "b", 4)}},
			want:  "t/a one-second-expiration age 1s, from a policy\nt/b one-second-expiration age 1s, from a policy, shared",
		},
		"another policy on the same family": {
			trace: trace.Result{Shown: []trace.Shown{shown(name("t"), "a", time.Second, 1), shown(name("t"), "a", time.Hour, 2)}},
		},
		"a policy on tables of a pattern": {
			trace: trace.Result{Shown: []trace.Shown{shown(some, "a", time.Second, 1), shown(some, "b", time.Second, 1)}},
			want:  "*-ledger/a one-second-expiration age 1s, from a policy\n*-ledger/b one-second-expiration age 1s, from a policy",
		},
	} {
		t.Run(what, func(t *testing.T) {
			test.trace.Reaches = true
			r := declare(t, test.file, &test.trace)
			if r.Err != nil {
				t.Fatal(r.Err)
			}
			lines := strings.Split(test.want, "\n")
			sort.Strings(lines)
			if got, want := show(r), strings.Join(lines, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			var conflicts []string
			for _, c := range r.Conflicts {
				conflicts = append(conflicts, c.Message)
			}
			got := strings.Join(conflicts, "\n")
			if len(conflicts) > 1 || (got == "") != (test.conflicts == "") || !strings.Contains(got, test.conflicts) {
				t.Errorf("conflicts\n%s\nwant\n%s", got, test.conflicts)
			}
		})
	}
}

// TestFileIsShared: declarations of one package must not reach the file's
// tables as the next package sees them.
func TestFileIsShared(t *testing.T) {
	tr := &trace.Result{Reaches: true, Declared: declared(table("sessions", expires("more", time.Hour)))}
	r := declare(t, sessions, tr)
	for _, table := range r.File.Tables {
		if table.Family("more") != nil {
			t.Error("the file's table has a family of Go's")
		}
	}
}

// TestBrokenFile: nothing is declared by half a registry.
func TestBrokenFile(t *testing.T) {
	tr := &trace.Result{Reaches: true, Declared: declared(table("t", expires("a", time.Hour)))}
	r := declare(t, "version: 1\ntables:\n  t:\n    families:\n      a: {strategy: nonsense}\n", tr)
	if r.Err == nil || r.File != nil || !r.Model.Empty() {
		t.Errorf("%v, %v, %s", r.Err, r.File, show(r))
	}
}

// TestOutOfReach: a package that cannot reach Bigtable does not ask for the
// file.
func TestOutOfReach(t *testing.T) {
	if r := declare(t, "nonsense", &trace.Result{}); r.Err != nil || r.Path != "" || !r.Model.Empty() {
		t.Errorf("%v, %s", r.Err, r.Path)
	}
}
