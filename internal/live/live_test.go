package live

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"cloud.google.com/go/bigtable/bttest"
)

// TestGuard holds that a connection lets nothing through that writes, be it
// one answer or a stream of them.
func TestGuard(t *testing.T) {
	emulator, err := bttest.NewServer("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer emulator.Close()
	t.Setenv("BIGTABLE_EMULATOR_HOST", "http://"+emulator.Addr)
	i, err := Open(t.Context(), "projects/p/instances/i")
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	_, err = adminpb.NewBigtableTableAdminClient(i.admin).CreateTable(t.Context(), &adminpb.CreateTableRequest{Parent: i.Name, TableId: "t", Table: &adminpb.Table{}})
	if !errors.Is(err, errRefused) {
		t.Errorf("CreateTable: %v", err)
	}
	if _, err = bigtablepb.NewBigtableClient(i.data).MutateRows(t.Context(), &bigtablepb.MutateRowsRequest{}); !errors.Is(err, errRefused) {
		t.Errorf("MutateRows: %v", err)
	}
	if tables, err := i.Tables(t.Context()); err != nil || len(tables) > 0 {
		t.Errorf("the instance has %d tables (%v)", len(tables), err)
	}
}

// TestCredentials: what is wrong with credentials is said before anything is
// asked, and where there are none, what helps.
func TestCredentials(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BIGTABLE_EMULATOR_HOST", "")
	t.Setenv("GOOGLE_OAUTH_ACCESS_TOKEN", "")
	for _, file := range []string{broken, broken + ".none"} {
		t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file)
		if _, err := Open(t.Context(), "projects/p/instances/i"); err == nil || !strings.HasPrefix(err.Error(), "projects/p/instances/i: the credentials cannot be used: ") {
			t.Errorf("%s: %v", file, err)
		}
	}
	t.Setenv("GOOGLE_OAUTH_ACCESS_TOKEN", "token")
	i, err := Open(t.Context(), "projects/p/instances/i")
	if err != nil {
		t.Fatal(err) // the token is asked before the file
	}
	i.Close()
}
