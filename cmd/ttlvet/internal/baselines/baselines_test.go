package baselines

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/analyze"
)

// TestOffer adds the line to a registry that names no baseline, if the answer is
// yes.
func TestOffer(t *testing.T) {
	const plain = "version: 1 # the first\ntables: {}\n"
	const named = "version: 1 # the first\nbaseline: \"sub/known.yaml\"\ntables: {}\n"
	for _, c := range []struct{ registry, answer, want string }{
		{plain, "y\n", named},
		{plain, "YES\n", named},
		{plain, "\n", plain},
		{plain, "", plain},
		{plain, "no\n", plain},
		{strings.ReplaceAll(plain, "\n", "\r\n"), "y\n", strings.ReplaceAll(named, "\n", "\r\n")},
		{"version: 1", "y\n", "version: 1\nbaseline: \"sub/known.yaml\"\n"},
		{"version: 1\nbaseline: other.yaml\n", "y\n", "version: 1\nbaseline: other.yaml\n"},
		{"{version: 1}\n", "y\n", "{version: 1}\n"},
	} {
		name := filepath.Join(t.TempDir(), "ttlvet.yaml")
		if err := os.WriteFile(name, []byte(c.registry), 0o666); err != nil {
			t.Fatal(err)
		}
		err := Use{Ask: strings.NewReader(c.answer)}.offer(&analyze.Job{Stderr: io.Discard}, name, "sub/known.yaml")
		if by := strings.HasPrefix(c.registry, "{"); by != (err != nil) {
			t.Errorf("%q: %v", c.registry, err)
		}
		if got, _ := os.ReadFile(name); string(got) != c.want {
			t.Errorf("%q and %q become %q", c.registry, c.answer, got)
		}
	}
}
