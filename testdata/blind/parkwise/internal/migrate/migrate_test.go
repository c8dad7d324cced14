package migrate

import (
	"context"
	"log/slog"
	"testing"

	"cloud.google.com/go/bigtable"
)

type fakeAdmin struct {
	families map[string]map[string]bigtable.GCPolicy
}

func (f *fakeAdmin) fam(table string) map[string]bigtable.GCPolicy {
	if f.families[table] == nil {
		f.families[table] = map[string]bigtable.GCPolicy{}
	}
	return f.families[table]
}

func (f *fakeAdmin) Tables(context.Context) ([]string, error) {
	var out []string
	for t := range f.families {
		out = append(out, t)
	}
	return out, nil
}

func (f *fakeAdmin) CreateTableFromConf(_ context.Context, conf *bigtable.TableConf) error {
	for fam, c := range conf.ColumnFamilies {
		f.fam(conf.TableID)[fam] = c.GCPolicy
	}
	return nil
}

func (f *fakeAdmin) CreateTable(_ context.Context, table string) error { f.fam(table); return nil }

func (f *fakeAdmin) CreateColumnFamily(_ context.Context, table, family string) error {
	f.fam(table)[family] = nil
	return nil
}

func (f *fakeAdmin) CreateColumnFamilyWithConfig(_ context.Context, table, family string, c bigtable.Family) error {
	f.fam(table)[family] = c.GCPolicy
	return nil
}

func (f *fakeAdmin) SetGCPolicy(_ context.Context, table, family string, p bigtable.GCPolicy) error {
	f.fam(table)[family] = p
	return nil
}

func (f *fakeAdmin) SetGCPolicyWithOptions(ctx context.Context, table, family string, p bigtable.GCPolicy, _ ...bigtable.GCPolicyOption) error {
	return f.SetGCPolicy(ctx, table, family, p)
}

func (f *fakeAdmin) UpdateFamily(ctx context.Context, table, family string, c bigtable.Family, _ ...bigtable.UpdateFamilyOption) error {
	return f.SetGCPolicy(ctx, table, family, c.GCPolicy)
}

func (f *fakeAdmin) DeleteColumnFamily(_ context.Context, table, family string) error {
	delete(f.fam(table), family)
	return nil
}

func TestUp(t *testing.T) {
	admin := &fakeAdmin{families: map[string]map[string]bigtable.GCPolicy{}}
	m := New(admin, "eu1", slog.Default())
	if err := m.Up(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"auth", "charging", "eu1-devices"} {
		if len(admin.families[table]) == 0 {
			t.Errorf("%s: no families", table)
		}
	}
	if p := admin.families["auth"]["otp"]; p == nil {
		t.Error("auth.otp has no policy")
	}
}
