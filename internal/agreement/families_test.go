package agreement

import (
	"testing"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// TestTables arranges evidence by tables that are known by name, by pattern
// and by handle.
func TestTables(t *testing.T) {
	held := registry.Ref{Handles: []string{"example.com/db.Store.users"}}
	region := registry.Ref{Name: "*-ledger", Handles: []string{"example.com/db.Ledger.tbl"}}
	a := &Agreement{Model: &registry.Model{}, Schema: &evidence.Schema{}, Code: &evidence.Code{}}
	a.Schema.Settings = []*evidence.Setting{
		{Table: "eu-ledger", Family: "entry", Policy: &gcpolicy.Policy{}},
		{Table: "sessions", Family: "token", Policy: &gcpolicy.Policy{}},
		{Table: "*", Family: "lost", Policy: &gcpolicy.Policy{}},
	}
	a.Code.Writes = []*evidence.Write{
		{Table: held, Family: "name"},
		{Table: region, Family: "entry"},
		{Table: registry.Ref{Name: "sessions"}, Family: "token"},
		{Family: "token"},   // in the only table that has it
		{Family: "unheard"}, // in none
	}
	a.Code.Reads = []*evidence.Read{{Table: held, Known: true}, {Table: registry.Ref{Name: "sessions"}, Families: []string{"token"}, Known: true}, {Table: held, Keys: true}}
	got := map[string]*Table{}
	for _, table := range a.Tables() {
		got[table.Name] = table
	}
	users, ledger, sessions := got["users"], got["*-ledger"], got["sessions"]
	if len(got) != 4 || users == nil || ledger == nil || sessions == nil || got[""] == nil {
		t.Fatalf("tables are %v", got)
	}
	if !users.Nameless || len(users.Handles) != 1 || len(users.Families[0].Reads) != 1 {
		t.Errorf("the table that a field holds is %+v", users)
	}
	if f := ledger.Families[0]; len(f.Settings) != 1 || len(f.Writes) != 1 || len(ledger.Handles) != 1 || ledger.Nameless {
		t.Errorf("the pattern has %+v", ledger)
	}
	if f := sessions.Families[0]; len(f.Writes) != 2 || len(f.Reads) != 1 {
		t.Errorf("the table with a name has %+v", f)
	}
}
