package registry

import (
	"strings"
	"testing"
	"time"

	"github.com/ttlvet/ttlvet/internal/registry/registrytest"
)

func TestParse(t *testing.T) {
	f, err := Parse("ttlvet.yaml", []byte(registrytest.Good))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Tables) != 2 || len(f.Wrappers) != 1 || !f.Rules.Strict {
		t.Fatalf("got %+v", f)
	}
	token := f.Tables[0].Family("token")
	if token.Strategy != OneSecond || token.TTL != 30*time.Minute || token.MaxAge != time.Second {
		t.Errorf("token = %+v", token)
	}
	if token.Pos.String() != "ttlvet.yaml:5:7" {
		t.Errorf("token stands at %s", token.Pos)
	}
	if c := f.Tables[1].Family("clicks"); c.TTL != 90*24*time.Hour || c.MaxAge != c.TTL {
		t.Errorf("clicks = %+v", c)
	}
	if h := f.Tables[1].Handles; len(h) != 2 || h[1] != "example.com/app/store.Ledger.Table" {
		t.Errorf("handles = %q", h)
	}
	if a := f.Wrappers[0].Args; a["table"] != (WrapperArg{-1, "sessions"}) || a["timestamp"] != (WrapperArg{Param: 3}) {
		t.Errorf("args = %v", a)
	}
}

// Every mistake has a place, says what was found and what was meant.
func TestParseErrors(t *testing.T) {
	for _, test := range registrytest.Malformed {
		t.Run(test.Name, func(t *testing.T) {
			f, err := Parse("ttlvet.yaml", []byte(test.Text))
			if err == nil {
				t.Fatalf("accepted as %+v", f)
			}
			if !strings.Contains(err.Error(), test.Want) || !strings.HasPrefix(err.Error(), "ttlvet.yaml:") {
				t.Errorf("error %q, want %q", err, test.Want)
			}
		})
	}
}

// TestParseBOM: some editors put a byte order mark first.
func TestParseBOM(t *testing.T) {
	if f, err := Parse("ttlvet.yaml", []byte("\ufeff"+registrytest.Good)); err != nil || len(f.Tables) != 2 {
		t.Errorf("got %+v, %v", f, err)
	}
}

// TestResourceNames: a table's name with its project and instance is its ID,
// in the file and in code.
func TestResourceNames(t *testing.T) {
	f, err := Parse("ttlvet.yaml", []byte("version: 1\ntables:\n  projects/p/instances/i/tables/*-ledger: {families: {f: {strategy: timestamp-zero}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	m := &Model{Tables: f.Tables}
	for name, want := range map[string]bool{
		"a-ledger":                                                 true,
		"projects/p/instances/i/tables/a-ledger":                   true,
		"projects/*/instances/*/tables/*-ledger":                   true,
		"*/tables/a-ledger":                                        true,
		"projects/p/instances/i/tables/a-ledger/authorizedViews/v": true,
		"projects/p/instances/i/tables/journal":                    false,
		"other/a-ledger":                                           false,
	} {
		if got, _ := m.Table(Ref{Name: name}); (got != nil) != want {
			t.Errorf("%s is %v", name, got)
		}
	}
}

func TestParseReportsAllMistakes(t *testing.T) {
	_, err := Parse("r.yaml", []byte("version: 1\ntables:\n  t:\n    families:\n      a: {strategy: x}\n      b: {ttl: 5}\n"))
	if n := strings.Count(err.Error(), "\n") + 1; n != 2 {
		t.Errorf("%d mistakes in %q, want 2", n, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(registrytest.Good)
	f.Add("version: 1\ntables:\n  t: &a {families: *a}\n")
	f.Add("version: [")
	f.Fuzz(func(t *testing.T, in string) {
		file, err := Parse("ttlvet.yaml", []byte(in))
		if (file == nil) == (err == nil) {
			t.Errorf("file %v with error %v", file, err)
		}
	})
}

func TestFormatDuration(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"30m": 30 * time.Minute, "90d": 90 * 24 * time.Hour, "1s": time.Second, "1ms": time.Millisecond, "36h": 36 * time.Hour,
	} {
		if got := FormatDuration(d); got != want {
			t.Errorf("FormatDuration(%d) = %q, want %q", d, got, want)
		}
		if got, err := ParseDuration(want); err != nil || got != d {
			t.Errorf("ParseDuration(%q) = %v, %v", want, got, err)
		}
	}
}

func model(tables ...*Table) *Model { return &Model{tables} }

func table(pattern string, families ...*Family) *Table {
	return &Table{Pattern: pattern, Families: families}
}

func TestLookup(t *testing.T) {
	one := &Family{Name: "f", Strategy: OneSecond, TTL: time.Minute}
	other := &Family{Name: "f", Strategy: OneSecond, TTL: time.Hour}
	seq := &Family{Name: "f", Strategy: Sequence, Versions: 1}
	handled := table("h", seq)
	handled.Handles = []string{"p.T.tbl"}

	for _, test := range []struct {
		name  string
		model *Model
		ref   Ref
		want  *Family
	}{
		{"by name", model(table("a", one), table("b", seq)), Ref{Name: "b"}, seq},
		{"registered table without the family", model(table("a"), table("b", seq)), Ref{Name: "a"}, nil},
		{"unregistered table", model(table("a", one)), Ref{Name: "c"}, nil},
		{"unknown table, one candidate", model(table("a", one)), Ref{}, one},
		{"unknown table, strategies disagree", model(table("a", one), table("b", seq)), Ref{}, nil},
		{"pattern in the registry", model(table("*-ledger", seq)), Ref{Name: "prod-ledger"}, seq},
		{"pattern in the code", model(table("*-ledger", seq), table("x", one)), Ref{Name: "*-ledger"}, seq},
		{"pattern in the code that covers no entry", model(table("prod-ledger", seq), table("x", one)), Ref{Name: "*-ledger"}, seq},
		{"pattern that fits nothing", model(table("prod-ledger", seq)), Ref{Name: "*-journal"}, nil},
		{"name before pattern", model(table("*-ledger", seq), table("old-ledger", one)), Ref{Name: "old-ledger"}, one},
		{"longer pattern before shorter", model(table("*", one), table("*-ledger", seq)), Ref{Name: "a-ledger"}, seq},
		{"handle", model(table("a", one), handled), Ref{Handles: []string{"x", "p.T.tbl"}}, seq},
		{"handle before name", model(table("a", one), handled), Ref{Name: "a", Handles: []string{"p.T.tbl"}}, seq},
		{"one of unregistered tables", model(table("a", one)), Ref{Among: []string{"c", "d"}}, nil},
		{"one of tables, registered in part", model(table("a", one), table("b", seq)), Ref{Among: []string{"a", "d"}}, one},
		{"one of tables, strategies disagree", model(table("a", one), table("b", seq)), Ref{Among: []string{"a", "b"}}, nil},
		{"empty", model(), Ref{}, nil},
	} {
		if got, _ := test.model.Family(test.ref, "f"); got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
	}

	got, _ := model(table("a", one), table("b", other)).Family(Ref{}, "f")
	if got == nil || got.Strategy != OneSecond || got.TTL != 0 {
		t.Errorf("families that differ in ttl: got %+v, want the strategy alone", got)
	}
}

func TestOverlaps(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"a", "a", true}, {"a", "b", false}, {"*", "", true}, {"a*", "*b", true}, {"a*c", "b*", false},
		{"?x", "ax", true}, {"[ab]x", "ax", true}, {"*-ledger", "prod-*", true}, {"*-ledger", "prod", false},
	} {
		if overlaps(test.a, test.b) != test.want || overlaps(test.b, test.a) != test.want {
			t.Errorf("overlaps(%q, %q) is not %v", test.a, test.b, test.want)
		}
	}
}
