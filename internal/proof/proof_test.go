package proof

import (
	"maps"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/rule"
)

// A proof shows why a rule is one.
type proof struct {
	run func(t *testing.T) // runs the bad and the good form

	// reason says why the emulator cannot show it, document what the rule
	// rests on instead.
	reason, document string
}

// proofs has the proof of each rule by its name.
var proofs = join(writeProofs, readProofs, gcProofs, unitProofs, ageProofs, schemaProofs)

func join(parts ...map[string]proof) map[string]proof {
	all := make(map[string]proof)
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

// TestProofs runs the proof of each rule.
func TestProofs(t *testing.T) {
	for _, r := range rule.All {
		p := proofs[r.Name()]
		if p.run == nil {
			continue
		}
		t.Run(r.Name(), func(t *testing.T) {
			t.Parallel()
			p.run(t)
		})
	}
}

// TestComplete checks that each rule about Bigtable has a proof or the reason
// why it has none, and that each proof has its rule.
func TestComplete(t *testing.T) {
	known := make(map[string]bool)
	for _, r := range rule.All {
		if r.Analyzer == "ttlvet" {
			continue // about ttlvet's own input
		}
		known[r.Name()] = true
		p, ok := proofs[r.Name()]
		switch {
		case !ok:
			t.Errorf("%s has no proof", r.Name())
		case p.run != nil && p.reason != "":
			t.Errorf("%s has a proof and a reason why it has none", r.Name())
		case p.run == nil && (p.reason == "" || !strings.HasPrefix(p.document, "https://cloud.google.com/bigtable/docs/")):
			t.Errorf("%s has no proof, and no reason and document instead", r.Name())
		}
	}
	for name := range proofs {
		if !known[name] {
			t.Errorf("there is a proof of %s, which is no rule", name)
		}
	}
}
