package schema

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/tables"
)

type fakeAdmin struct {
	Admin
	tables   []string
	policies map[string]string
}

func (f *fakeAdmin) Tables(context.Context) ([]string, error) { return f.tables, nil }

func (f *fakeAdmin) CreateTable(_ context.Context, table string) error {
	f.tables = append(f.tables, table)
	return nil
}

func (f *fakeAdmin) CreateColumnFamily(_ context.Context, table, family string) error { return nil }

func (f *fakeAdmin) SetGCPolicy(_ context.Context, table, family string, p bigtable.GCPolicy) error {
	f.policies[table+"/"+family] = p.String()
	return nil
}

func TestEnsure(t *testing.T) {
	f := &fakeAdmin{policies: map[string]string{}}
	if err := Ensure(context.Background(), f, slog.Default()); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(f.tables, tables.Idem) {
		t.Error("no table for idempotency keys")
	}
	want := bigtable.MaxAgePolicy(time.Second).String() // ok ttlgc/age-mismatch
	if got := f.policies[tables.Sessions+"/"+tables.FamToken]; got != want {
		t.Errorf("tokens: %s", got)
	}
	if len(f.policies) != len(families) {
		t.Errorf("%d policies for %d families", len(f.policies), len(families))
	}
}
