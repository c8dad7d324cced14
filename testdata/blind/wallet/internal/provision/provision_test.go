package provision

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"wallet.example/platform/internal/schema"
)

// fakeAdmin remembers what it has been told.
type fakeAdmin struct {
	tables   map[string]bool
	policies map[string]string
	err      error
}

func newFakeAdmin() *fakeAdmin {
	return &fakeAdmin{tables: make(map[string]bool), policies: make(map[string]string)}
}

func (f *fakeAdmin) CreateTable(_ context.Context, table string) error {
	if f.tables[table] {
		return status.Error(codes.AlreadyExists, table)
	}
	f.tables[table] = true
	return f.err
}

func (f *fakeAdmin) CreateTableFromConf(_ context.Context, conf *bigtable.TableConf) error {
	f.tables[conf.TableID] = true
	for name, fam := range conf.ColumnFamilies {
		f.policies[conf.TableID+"."+name] = fam.GCPolicy.String()
	}
	return f.err
}

func (f *fakeAdmin) CreateColumnFamily(context.Context, string, string) error { return f.err }

func (f *fakeAdmin) CreateColumnFamilyWithConfig(_ context.Context, table, family string, c bigtable.Family) error {
	f.policies[table+"."+family] = c.GCPolicy.String()
	return f.err
}

func (f *fakeAdmin) SetGCPolicy(_ context.Context, table, family string, policy bigtable.GCPolicy) error {
	f.policies[table+"."+family] = policy.String()
	return f.err
}

func (f *fakeAdmin) SetGCPolicyWithOptions(ctx context.Context, table, family string, policy bigtable.GCPolicy, _ ...bigtable.GCPolicyOption) error {
	return f.SetGCPolicy(ctx, table, family, policy)
}

func provisioner(t *testing.T, f *fakeAdmin) *Provisioner {
	t.Helper()
	res, err := New(Params{Admin: f, Region: "EU", Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return res.Provisioner
}

func TestEnsure(t *testing.T) {
	f := newFakeAdmin()
	if err := provisioner(t, f).Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		table  schema.Table
		family schema.Family
		want   string
	}{
		{schema.TableSessions, schema.FamilyToken, "age() > 1000000"},
		{schema.TablePayments, schema.FamilyState, "versions() > 3"},
		{schema.TableWallets, schema.FamilyBal, "versions() > 1"},
	}
	for _, tt := range tests {
		if got := f.policies[tt.table.String()+"."+tt.family.String()]; got != tt.want {
			t.Errorf("%s.%s: policy %q, want %q", tt.table, tt.family, got, tt.want)
		}
	}
}

func TestEnsureFails(t *testing.T) {
	f := newFakeAdmin()
	f.err = errors.New("unavailable")
	if err := provisioner(t, f).Ensure(t.Context()); !errors.Is(err, f.err) {
		t.Errorf("Ensure() = %v, want %v", err, f.err)
	}
}

func TestMigrateUnknown(t *testing.T) {
	if err := provisioner(t, newFakeAdmin()).Migrate(t.Context(), "no-such"); !errors.Is(err, ErrUnknownMigration) {
		t.Errorf("Migrate() = %v, want %v", err, ErrUnknownMigration)
	}
}
