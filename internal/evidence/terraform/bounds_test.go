package terraform

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ttlvet/ttlvet/internal/evidence"
)

// Expressions that make much of little are not known, soon. Those beside them are.
func TestBounds(t *testing.T) {
	loop := "[for a in range(1000) : %s]"
	for _, test := range []struct {
		expr  string
		known bool
	}{
		{`"1s"`, true},
		{`join("", [for a in range(1000) : a == 0 ? "1s" : ""])`, true},
		{`setproduct(["1s"], range(100))[0][0]`, true},
		{`replace(format("%02ds", 1), "0", "")`, true},
		{`jsonencode(` + fmt.Sprintf(loop, fmt.Sprintf(loop, fmt.Sprintf(loop, `"x"`))) + `)`, false},
		{`setproduct(range(1000), range(1000), range(1000))`, false},
		{`format("%1000000000d", 1)`, false},
		{`join("", formatlist("%1000000d", range(1000)))`, false},
		{`"${1e100000000}"`, false},
		{`replace(` + strings.Repeat(`replace(`, 8) + `"a"` + strings.Repeat(`, "a", "aaaaaaaaaaaaaaaa")`, 8) + `, "x", "y")`, false},
	} {
		path := filepath.Join(t.TempDir(), "main.tf")
		text := "resource \"google_bigtable_gc_policy\" \"p\" {\n  table         = \"t\"\n  column_family = \"f\"\n  max_age { duration = " + test.expr + " }\n}\n"
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		s := read(&evidence.Input{Paths: []string{path}})
		if took := time.Since(begin); took > time.Minute {
			t.Errorf("%.60s took %v", test.expr, took)
		}
		if known := strings.Contains(s.Dump(), "max age 1s"); known != test.known {
			t.Errorf("%.60s: known is %t:\n%s", test.expr, known, s.Dump())
		}
	}
}
