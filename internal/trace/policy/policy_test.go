package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/policy"
)

// Policies are what an event sets for a family, whichever call it is.
func TestPolicies(t *testing.T) {
	code := layertest.Load(t, `
func create(ctx context.Context, admin *bigtable.AdminClient) {
	admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "sessions",
		ColumnFamilies: map[string]bigtable.Family{"token": {GCPolicy: bigtable.MaxAgePolicy(time.Second)}},
	})
	admin.SetGCPolicy(ctx, "clicks", "event", bigtable.MaxVersionsPolicy(1))
	admin.CreateColumnFamily(ctx, "clicks", "bare")
	admin.SetGCPolicy(ctx, "clicks", "kept", nil)
}
`)
	var out []string
	for _, e := range event.NewTracer(code.Prog).Own() {
		for _, p := range policy.Policies(e) {
			out = append(out, fmt.Sprintf("%v.%s: %v, created %t", p.Table, p.Family, p.Policy, p.Created))
		}
	}
	want := `"sessions".token: bigtable.MaxAgePolicy(1000000000), created true
"clicks".event: bigtable.MaxVersionsPolicy(1), created false
"clicks".bare: <nil>, created true`
	if got := strings.Join(out, "\n"); got != want {
		t.Errorf("policies\n%s\nwant\n%s", got, want)
	}
}
