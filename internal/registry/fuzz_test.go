package registry

import (
	"strings"
	"testing"
	"time"
)

// FuzzDuration: what is accepted is positive, is what Go makes of it where there
// are no days in it, and reads the same when it is written out.
func FuzzDuration(f *testing.F) {
	for _, s := range []string{"30m", "1d12h", "90d", "1.5d", ".5s", "1e3s", "100001d", "9223372036854775807ns", "1d106751h47m", "-1d", "+5m", "0x1p3s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDuration(s)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the error for %q has several lines", s)
			}
			return
		}
		if d <= 0 {
			t.Fatalf("%q is %v", s, d)
		}
		if want, err := time.ParseDuration(s); !strings.Contains(s, "d") && (err != nil || want != d) {
			t.Errorf("%q is %v, Go has %v, %v", s, d, want, err)
		}
		if again, err := ParseDuration(FormatDuration(d)); err != nil || again != d {
			t.Errorf("%q is %v, written as %s, which is %v, %v", s, d, FormatDuration(d), again, err)
		}
	})
}

// FuzzLookup matches any names and patterns.
func FuzzLookup(f *testing.F) {
	f.Add("*-ledger", "prod-ledger")
	f.Add("[a-", "projects/p/instances/i/tables/*")
	f.Add(`a\`, `*/tables/a\`)
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if len(pattern) > 40 || len(name) > 40 {
			return // overlaps takes its time for many asterisks
		}
		m := &Model{Tables: []*Table{{Pattern: pattern, Families: []*Family{{Name: "f", Strategy: Zero}}}}}
		table, known := m.Table(Ref{Name: name})
		if table != nil && !known {
			t.Errorf("%q matches %q, and is not known", pattern, name)
		}
		m.Family(Ref{Name: name}, "f")
	})
}
