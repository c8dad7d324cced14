package baseline

import (
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/fingerprint"
)

func key(in, rule, table, family string) fingerprint.Key {
	return fingerprint.NewKey(rule, "example.com/p", in, table, family)
}

func TestFormat(t *testing.T) {
	f := New([]fingerprint.Key{
		key("B", "ttlwrite/x", "*-t", "b,a"), key("A", "ttlwrite/y", "", ""), key("B", "ttlwrite/x", "*-t", "a,b"),
		key("", "ttlwrite/x", "null", "f: {"), key("A", "ttlwrite/x", "", ""),
		fingerprint.NewKey("r/c", "a.b/c [a.b/c.test]", "F", "", ""),
	})
	want := header + `version: 1
packages:
  a.b/c:
    - {in: F, rule: r/c}
  example.com/p:
    - {rule: ttlwrite/x, table: "null", family: "f: {"}
    - {in: A, rule: ttlwrite/x}
    - {in: A, rule: ttlwrite/y}
    - {in: B, rule: ttlwrite/x, table: "*-t", family: "a,b", count: 2}
`
	if got := string(f.Format()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if f.Len() != 6 {
		t.Errorf("Len = %d", f.Len())
	}
}

func TestTake(t *testing.T) {
	f := New([]fingerprint.Key{key("F", "r", "", "a,b"), key("F", "r", "", "b"), key("F", "r", "t", "b")})
	b := f.Budget("example.com/p [example.com/p.test]")
	for i, step := range []struct {
		key  fingerprint.Key
		want string // the families of the entry, "-" for none
	}{
		{key("G", "r", "", "b"), "-"},
		{key("F", "s", "", "b"), "-"},
		{key("F", "r", "u", "b"), "-"},
		{key("F", "r", "", "b"), "b"},     // its own
		{key("F", "r", "", "b,c"), "a,b"}, // shares one
		{key("F", "r", "", "b"), "-"},     // used up
		{key("F", "r", "t", "b"), "b"},
	} {
		got, ok := b.Take(step.key)
		if !ok {
			got.Family = "-"
		}
		if got.Family != step.want {
			t.Errorf("step %d: %q, want %q", i, got.Family, step.want)
		}
	}
	if _, ok := (*File)(nil).Budget("p").Take(key("F", "r", "", "")); ok {
		t.Error("no file knows a finding")
	}
}

func TestPrune(t *testing.T) {
	twice, once, elsewhere := key("F", "r", "", ""), key("G", "r", "", ""), fingerprint.NewKey("r", "q", "", "", "")
	f := New([]fingerprint.Key{twice, twice, once, elsewhere})
	judged := func(k fingerprint.Key) bool { return k.Package != "q" }
	used := Usage{twice: 1, elsewhere: 0}
	if n := f.Stale(used, judged); n != 2 {
		t.Errorf("%d are stale", n)
	}
	got := f.Prune(used, judged).Entries
	if want := []Entry{{twice, 1}, {elsewhere, 1}}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	// More findings than known do not make the file grow.
	if got := f.Prune(Usage{twice: 9, once: 9}, judged); got.Len() != f.Len() {
		t.Errorf("got %v", got)
	}
}

func TestParseErrors(t *testing.T) {
	for src, want := range map[string]string{
		"":                                   "b.yaml:1:1: the file is empty: it begins with version: 1",
		"packages: {}":                       "b.yaml:1:1: version is missing: the file begins with version: 1",
		"version: 2":                         "b.yaml:1:10: version 2 is not known: this ttlvet reads version 1",
		"version: 1\nfindings: []":           "b.yaml:2:1: unknown key \"findings\" in the baseline; it has version and packages",
		"version: 1\npackages: [p]":          "b.yaml:2:11: packages is not a mapping",
		"version: 1\npackages:\n  p: x":      "b.yaml:3:6: package \"p\" holds no list of findings",
		"version: 1\npackages:\n  p:\n  - x": "b.yaml:4:5: a finding is not a mapping",
		"version: 1\npackages:\n  \"p q\": [{rule: r}]":             "b.yaml:3:3: \"p q\" is not an import path",
		"version: 1\npackages:\n  p:\n  - {in: F}":                  "b.yaml:4:5: the finding has no rule",
		"version: 1\npackages:\n  p:\n  - {rule: [r]}":              "b.yaml:4:12: rule is not a word",
		"version: 1\npackages:\n  p:\n  - {rule: r, count: 0}":      "b.yaml:4:22: count is \"0\", not a whole number of at least 1",
		"version: 1\npackages:\n  p:\n  - {rule: r, count: many}":   "b.yaml:4:22: count is \"many\", not a whole number of at least 1",
		"version: 1\npackages:\n  p:\n  - {rule: r}\n  - {rule: r}": "b.yaml:5:5: the finding is there twice: the first is in line 4; keep one, with their count",
		"version: 1\n---\nversion: 1":                               "b.yaml:3:1: a second document: a baseline is one",
		"version: 1\npackages: {":                                   "not YAML: ",
	} {
		_, err := Parse("b.yaml", []byte(src))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", src, err, want)
		}
	}
}

// FuzzParse: nothing panics, every error has a place, and what is read is
// written so that the same is read again.
func FuzzParse(f *testing.F) {
	f.Add(string(New([]fingerprint.Key{key("B", "ttlwrite/x", "*-t", "b,a"), key("", "r", "null", "f: {\n\"")}).Format()))
	f.Add("version: 1\npackages:\n  p:\n    - in: F\n      rule: r\n      count: 3\n")
	f.Add("version: 1\npackages: {p: [{rule: &a r}, {rule: *a}], <<: {}}")
	f.Fuzz(func(t *testing.T, src string) {
		file, err := Parse("b.yaml", []byte(src))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "b.yaml:") {
				t.Errorf("%q has no place", err)
			}
			return
		}
		text := file.Format()
		again, err := Parse("b.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !slices.Equal(again.Entries, file.Entries) {
			t.Errorf("read %v, wrote\n%s\nand read %v", file.Entries, text, again.Entries)
		}
	})
}
