package live

import (
	"errors"
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
