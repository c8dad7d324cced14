package schematest

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/registry/registrytest"
)

var update = flag.Bool("update", false, "write the schema")

const file = "../../../docs/ttlvet.schema.json"

// TestSchema holds the published schema to what the parser goes by.
func TestSchema(t *testing.T) {
	want := registry.Schema()
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/ttlvet.schema.json is not made from this parser (%v): run go test ./internal/registry/schematest -update", err)
	}
}

// beyond are the mistakes that no schema can express: what stands twice, what
// is no YAML at all, and what other files decide. Editors' YAML parsers find
// some of them.
var beyond = []string{
	"table twice, once with its path", "handle of two tables", "table with a long name",
	"second document",
}

// TestMalformed holds the schema to the parser: it refuses what the parser
// refuses, and accepts what it accepts.
func TestMalformed(t *testing.T) {
	schema := compile(t)
	var passed []string
	for _, c := range registrytest.Malformed {
		var value any
		if err := yaml.Unmarshal([]byte(c.Text), &value); err != nil {
			continue // an editor shows that without a schema
		}
		if schema.Validate(plain(value)) == nil {
			passed = append(passed, c.Name)
		}
	}
	slices.Sort(passed)
	want := slices.Sorted(slices.Values(beyond))
	if !slices.Equal(passed, want) {
		t.Errorf("the schema accepts %q, want %q", passed, want)
	}
}

func TestGood(t *testing.T) {
	schema := compile(t)
	for _, text := range []string{
		registrytest.Good,
		"version: 1\n",
		"version: 1\ntables:\nrules:\nwrappers: []\n",
		"version: 1\ntables: {t: {handles: ['a/b.(*T).M', c.V, a/b.v3.T.f], families: {f: {strategy: one-second-expiration, max-age: 1ms}}}}\n",
		"version: 1\ntables: {projects/p/instances/i/tables/t: {families: {f: {strategy: default-expiration, ttl: 1d12h}}}}\n",
		"version: 1\ntables: {'[ab]?-*': {families: {f: {strategy: default-expiration, ttl: 1.5h}}}}\n",
		"version: 1\ntables: {t: {families: {f: {strategy: real-timestamps, max-age: 90d, versions: 2}}}}\n",
	} {
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		if _, err := registry.Parse("ttlvet.yaml", []byte(text)); err != nil {
			t.Errorf("the parser refuses %s: %v", text, err)
		}
		if err := schema.Validate(plain(value)); err != nil {
			t.Errorf("the schema refuses %s: %v", text, err)
		}
	}
}

// TestKeys: what the parser knows, the schema describes, and the other way
// round. The parser lists its keys when it meets one that it does not know.
func TestKeys(t *testing.T) {
	for place, text := range map[string]string{
		"the registry": "version: 1\nzzzzzzzzzzzz: 1\n",
		`table "t"`:    "version: 1\ntables: {t: {zzzzzzzzzzzz: 1}}\n",
		`family "f"`:   "version: 1\ntables: {t: {families: {f: {zzzzzzzzzzzz: 1}}}}\n",
		"rules":        "version: 1\nrules: {zzzzzzzzzzzz: 1}\n",
		"a wrapper":    "version: 1\nwrappers: [{func: a/b.C, does: Mutation.Set, zzzzzzzzzzzz: 1}]\n",
	} {
		_, err := registry.Parse("r.yaml", []byte(text))
		_, list, ok := strings.Cut(strings.Split(err.Error(), "\n")[0], "; it has ")
		if !ok || !strings.Contains(err.Error(), " in "+place) {
			t.Fatalf("the parser says %v", err)
		}
		got := strings.Split(list, ", ")
		if want := registry.SchemaKeys(place); !slices.Equal(got, want) {
			t.Errorf("%s has the keys %q, and the schema describes %q", place, got, want)
		}
	}
}

func compile(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(registry.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("ttlvet.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("ttlvet.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plain turns what the YAML library decodes into what JSON knows.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = plain(e)
		}
	case []any:
		for i, e := range v {
			v[i] = plain(e)
		}
	case uint64:
		return int(v)
	case int64:
		return int(v)
	}
	return v
}

// FuzzSchema: the schema refuses nothing that the parser accepts. Editors would
// mark what is right.
func FuzzSchema(f *testing.F) {
	f.Add(registrytest.Good)
	for _, c := range registrytest.Malformed {
		f.Add(c.Text)
	}
	f.Add("version: 1\ntables:\n  t: {handles: [\"0(.A\"], families: {f: {strategy: timestamp-zero}}}\n") // a bracket where no receiver is
	schema := compile(f)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := registry.Parse("ttlvet.yaml", []byte(text)); err != nil {
			return
		}
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			return
		}
		if err := schema.Validate(plain(value)); err != nil {
			t.Errorf("the schema refuses %q: %v", text, err)
		}
	})
}
