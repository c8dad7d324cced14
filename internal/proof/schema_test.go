package proof

import (
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
)

var schemaProofs = map[string]proof{
	"ttlschema/inert": {run: inert},
	"ttlschema/drift": {run: inert}, // the policy that is set last holds, whoever sets it
	"ttlschema/undeclared": {
		reason:   "it is about what nobody checks: the family works",
		document: "https://cloud.google.com/bigtable/docs/schema-design",
	},
	"ttlschema/missing": {run: missing},
	"ttlschema/stored": {
		reason:   "it is about cells that are there; what they do is shown for the rules of ttlwrite",
		document: "https://cloud.google.com/bigtable/docs/gc-cell-level",
	},
}

// inert shows that a second policy replaces the first: they do not add up.
func inert(t *testing.T) {
	old := func(tb *table) {
		tb.set(row, "profile", "name", in(-48*time.Hour), "ada")
		tb.set(row, "profile", "name", in(-72*time.Hour), "eve")
	}
	bad := collecting.newTable(t, map[string]bigtable.GCPolicy{"profile": bigtable.MaxAgePolicy(time.Hour)})
	bad.setPolicy("profile", bigtable.MaxVersionsPolicy(1))
	old(bad)
	bad.collect(row)
	bad.want("the second policy alone", bad.read(row), "profile:name=ada")

	good := collecting.newTable(t, map[string]bigtable.GCPolicy{"profile": bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Hour), bigtable.MaxVersionsPolicy(1))})
	old(good)
	good.collect(row)
	good.want("both in one policy", good.read(row), "")
}

// missing shows that a write to a family that is not there fails.
func missing(t *testing.T) {
	tb := collecting.newTable(t, map[string]bigtable.GCPolicy{"profile": bigtable.NoGcPolicy()})
	mut := bigtable.NewMutation()
	mut.Set("absent", "jwt", bigtable.Now(), nil)
	if err := tb.srv.client.Open(tb.name).Apply(t.Context(), row, mut); err == nil {
		t.Error("a write to a family that is not there succeeds")
	}
}
