package ttl_test

import (
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

func TestMigrate(t *testing.T) {
	t.Parallel()
	before := ttl.NewTable("t", ttl.RealTime("f"), ttl.RealTime("other"))
	after := ttl.NewTable("t", ttl.OneSecond("f", time.Hour), ttl.RealTime("other"))
	family := after.Families()[0].(ttl.OneSecondFamily)
	e := newEmulator(t, before)
	unchanged := func() {
		t.Helper()
		if err := before.Verify(t.Context(), e.admin); err != nil {
			t.Errorf("the schema changed: %v", err)
		}
	}

	// Real timestamps, one of this very moment, two in one column.
	written := ttl.RealTime("f")
	e.apply("r1", func(m *bigtable.Mutation) error { return written.SetAt(m, "c", value, time.Unix(1e9, 0)) },
		func(m *bigtable.Mutation) error { return written.Set(m, "c", value) })
	e.apply("r2", func(m *bigtable.Mutation) error { return written.Set(m, "d", value) },
		func(m *bigtable.Mutation) error { return family.Set(m, "e", value) },
		func(m *bigtable.Mutation) error { return ttl.RealTime("other").Set(m, "c", value) })

	err := after.Migrate(t.Context(), e.client, e.admin, family)
	var refused *ttl.MigrationError
	if !errors.As(err, &refused) || *refused != (ttl.MigrationError{Table: "t", Family: "f", Cells: 3}) {
		t.Fatalf("error %v, want refusal for 3 cells", err)
	}
	unchanged()

	if err := after.Migrate(t.Context(), e.client, e.admin, ttl.OneSecond("f", time.Minute)); !errors.Is(err, ttl.ErrDeclaration) {
		t.Errorf("with another declaration: %v", err)
	}
	absent := ttl.OneSecond("absent", time.Hour)
	if err := ttl.NewTable("t", absent).Migrate(t.Context(), e.client, e.admin, absent); !errors.Is(err, ttl.ErrSchema) {
		t.Errorf("of a family that is missing: %v", err)
	}
	if err := ttl.NewTable("absent", absent).Migrate(t.Context(), e.client, e.admin, absent); err == nil {
		t.Error("no error for a table that is missing")
	}
	unchanged()

	// Once they are deleted, only the cell with an expiry is left.
	e.apply("r1", func(m *bigtable.Mutation) error { m.DeleteRow(); return nil })
	e.apply("r2", func(m *bigtable.Mutation) error { m.DeleteCellsInColumn("f", "d"); return nil })
	if err := after.Migrate(t.Context(), e.client, e.admin, family); err != nil {
		t.Fatal(err)
	}
	if err := after.Verify(t.Context(), e.admin); err != nil {
		t.Error(err)
	}

	// Again, for example at every start: dead cells are no reason now.
	e.apply("r3", raw("f", "c", 1000, "dead"))
	if err := after.Migrate(t.Context(), e.client, e.admin, family); err != nil {
		t.Errorf("of a family that has the policy: %v", err)
	}
	eventually(t, "the dead cell is collected", func() bool { return e.values("r3") == "" })
	if got, want := e.values("r2"), "f:e=v other:c=v"; got != want {
		t.Errorf("left is %s, want %s", got, want)
	}
}
