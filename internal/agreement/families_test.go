package agreement

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
		{Family: "token", Place: evidence.At("b.go", 1, 1)}, // in the only table that has it
		{Family: "unheard"},                                 // in none
	}
	a.Code.Reads = []*evidence.Read{{Table: held, Known: true}, {Table: registry.Ref{Name: "sessions"}, Families: []string{"", "token"}, Known: true}, {Table: held, Keys: true}}
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
	if f := sessions.Families[0]; len(sessions.Families) != 1 || len(f.Writes) != 2 || len(f.Reads) != 1 {
		t.Errorf("the table with a name has %+v", f)
	}
}

// TestHandles arranges evidence by what holds tables: a helper that opens every
// table and a field of what is made for each hold none.
func TestHandles(t *testing.T) {
	const pkg = "example.com/db/pkg."
	held := func(name string, handles ...string) registry.Ref {
		ref := registry.Ref{Name: name}
		for _, h := range handles {
			ref.Handles = append(ref.Handles, pkg+h)
		}
		return ref
	}
	policy := &gcpolicy.Policy{}
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.com/db\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	a := &Agreement{Root: root, Model: &registry.Model{}, Schema: &evidence.Schema{}, Code: &evidence.Code{}}
	a.Schema.Settings = []*evidence.Setting{
		{Table: "prod-counters", Family: "count", Policy: policy, Kind: evidence.Terraform},
		{Table: "prod-counters", Family: "hits", Policy: policy, Kind: evidence.Terraform},
	}
	a.Code.Settings = []*evidence.Setting{
		{Table: "*", Handles: []string{pkg + "Config.Users"}, Family: "name", Policy: policy, Kind: evidence.Go},
		{Table: "*", Handles: []string{pkg + "Open"}, Family: "name", Created: true, Kind: evidence.Go},
	}
	for i, w := range []*evidence.Write{
		{Table: held("nodes", "Nodes.tbl", "Open"), Family: "v"},
		{Table: held("", "Nodes.tbl"), Family: "v"},
		{Table: held("", "Counters.tbl", "Open", "Config.Counters"), Family: "count"},
		{Table: held("", "Repo.rows", "Open", "Config.Users"), Family: "name"},
		{Table: held("", "Repo.rows", "Open", "Config.Teams"), Family: "name"},
		{Table: held("*-*", "Repo.rows"), Family: "name"},
		{Table: held("eu-*-ledger", "Ledger.tbl"), Family: "entry"},
		{Table: held("*-ledger"), Family: "entry"},
		{Table: held("eu-books-ledger"), Family: "entry"},
		{Table: registry.Ref{Fake: true}, Family: "v"},
		{Table: held("", "Batch.tbl"), Family: "v"},     // who makes the batch is not seen
		{Table: held("", "Batch.tbl"), Family: "entry"}, // of another table
		{Table: registry.Ref{Handles: []string{"os.Getenv"}}, Family: "hits"},
		{Table: held("", "Own.tbl"), Family: "own"},
	} {
		w.Place = evidence.At("a.go", i+1, 1)
		again := *w
		a.Code.Writes = append(a.Code.Writes, w, &again)
	}
	var got []string
	for _, table := range a.Tables() {
		for _, f := range table.Families {
			got = append(got, fmt.Sprintf("%s %s %d settings %d writes %v", table.Name, f.Name, len(f.Settings), len(f.Writes), table.Handles))
		}
	}
	want := []string{
		" name 0 settings 1 writes []", // of no table in particular
		"*-ledger entry 0 settings 4 writes [example.com/db/pkg.Ledger.tbl]",
		"Teams name 0 settings 1 writes [example.com/db/pkg.Config.Teams]",
		"Users name 1 settings 1 writes [example.com/db/pkg.Config.Users]",
		"nodes v 0 settings 3 writes [example.com/db/pkg.Nodes.tbl]",
		"pkg-Own-tbl own 0 settings 1 writes [example.com/db/pkg.Own.tbl]",
		"prod-counters count 1 settings 1 writes [example.com/db/pkg.Config.Counters example.com/db/pkg.Counters.tbl]",
		"prod-counters hits 1 settings 1 writes [example.com/db/pkg.Config.Counters example.com/db/pkg.Counters.tbl]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("tables are\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
