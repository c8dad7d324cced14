package describe

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ttlvet/ttlvet/analyzers/internal/evidence"
)

func TestRead(t *testing.T) {
	const name = "projects/shop/instances/main/tables/sessions"
	for file, test := range map[string]struct{ text, want string }{
		"t.json": {`{"name":"` + name + `","granularity":"MILLIS","columnFamilies":{"token":{"gcRule":{"maxAge":"1s"}},"p":{"gcRule":{}},"n":{},"a":{"gcRule":{"maxNumVersions":1},"valueType":{"aggregateType":{}}}}}`,
			"t.json:0:0 " + name + ": sessions created (shop/main)\n" +
				"t.json:0:0 " + name + " family a: sessions a created: 1 version [aggregate] (shop/main)\n" +
				"t.json:0:0 " + name + " family n: sessions n created: never (shop/main)\n" +
				"t.json:0:0 " + name + " family p: sessions p created: never (shop/main)\n" +
				"t.json:0:0 " + name + " family token: sessions token created: max age 1s (shop/main)\n"},
		"t.yaml": {"columnFamilies:\n  token:\n    gcRule:\n      maxAge: 604800s\nname: " + name + "\n",
			"t.yaml:0:0 " + name + ": sessions created (shop/main)\nt.yaml:0:0 " + name + " family token: sessions token created: max age 7d (shop/main)\n"},
		"list.json":  {`[{"name":"` + name + `"}]`, "list.json:0:0 " + name + ": sessions created (shop/main)\n"},
		"cut.json":   {"{\"name\":\"" + name + "\",\n\n", "cut.json:3:1: error: is no description of a table: unexpected end of JSON input\n"},
		"other.json": {`{"name":"x","columnFamilies":{}}`, "other.json:1:1: error: is no description of a table: its name \"x\" is not projects/P/instances/I/tables/T\n"},
	} {
		path := filepath.Join(t.TempDir(), file)
		if err := os.WriteFile(path, []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if !claims(path, []byte(test.text)) {
			t.Errorf("%s is not claimed", file)
		}
		if got := read(&evidence.Input{Paths: []string{path}}).Dump(); got != test.want {
			t.Errorf("%s: got\n%s", file, got)
		}
	}
}
