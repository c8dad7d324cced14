package rewrite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ttlvet/ttlvet/internal/rewrite"
)

// What transformations may do to the findings of a module, in per cent of those that
// hang on what is rewritten.
const (
	mostLost      = 5
	mostLostByOne = 15
)

// TestFindings holds what transformations do to the findings of modules: nothing
// appears, and little is lost.
func TestFindings(t *testing.T) {
	if os.Getenv("TTLVET_SLOW") == "" {
		t.Skip("takes minutes: set TTLVET_SLOW=1")
	}
	for _, name := range []string{"idp", "saga"} {
		t.Run(name, func(t *testing.T) {
			m, err := rewrite.Load(filepath.Join("..", "..", "testdata", "blind", name))
			if err != nil {
				t.Fatal(err)
			}
			var all rewrite.Row
			for _, tr := range rewrite.All {
				c, err := m.Measure(tr)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range c.Appeared {
					t.Errorf("%s: appeared: %s", tr.Name, f)
				}
				one := rewrite.Row{Concerned: c.Concerned, Lost: len(c.Lost)}
				if one.Percent() > mostLostByOne {
					t.Errorf("%s: %d of %d findings lost", tr.Name, one.Lost, one.Concerned)
				}
				all.Concerned += one.Concerned
				all.Lost += one.Lost
			}
			if t.Logf("%.1f %% lost", all.Percent()); all.Percent() > mostLost {
				t.Errorf("%d of %d findings lost", all.Lost, all.Concerned)
			}
		})
	}
}
