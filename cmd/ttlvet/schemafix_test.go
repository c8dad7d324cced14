package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestSchemaFixesDemo mends the demo's Terraform, script and manifest: what
// keeps more is safe, the rest is not.
func TestSchemaFixesDemo(t *testing.T) {
	alongside(t)
	dir := filepath.Join("..", "..", "testdata", "demo")
	safe := []string{
		`-    {"mode": "union", "rules": [{"max_age": "1s"}, {"max_version": 1}]}`,
		`+    {"rules": [{"max_age": "1s"}]}`,
		`-    duration = "168h"`,
		`+    duration = "720h"`,
	}
	all := append(append([]string(nil), safe...),
		`-    mode  = "UNION"`,
		`-    rules = [{ max_age = "168h" }, { max_version = 1 }]`,
		`+    rules = [{ max_version = 1 }]`,
		`-"${cbt[@]}" setgcpolicy asia-ledger entry maxage=90d # BAD: ttlschema/inert, ttlgc/age-on-sequence`,
		`+"${cbt[@]}" setgcpolicy asia-ledger entry maxversions=3 # BAD: ttlschema/inert, ttlgc/age-on-sequence`)
	for _, test := range []struct {
		flags []string
		want  []string
	}{{nil, safe}, {[]string{"-unsafe-fixes"}, all}} {
		out, errout, code := ttlvet(t, dir, nil, append(append([]string{"-diff"}, test.flags...), ".")...)
		var got []string
		for line := range strings.Lines(out) {
			if line[0] == '+' && !strings.HasPrefix(line, "+++") || line[0] == '-' && !strings.HasPrefix(line, "---") {
				got = append(got, strings.TrimSuffix(line, "\n"))
			}
		}
		if code != exitFindings || strings.Join(got, "\n") != strings.Join(test.want, "\n") {
			t.Errorf("%v exits with %d:\n%s%s", test.flags, code, out, errout)
		}
	}
}
