package schema

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/paywell/store"
)

// fakeAdmin remembers tables, families and policies.
type fakeAdmin struct {
	tables map[string]map[string]string
	fail   string
}

var _ admin = (*fakeAdmin)(nil)

var errFake = errors.New("fake")

func newFakeAdmin(tables ...string) *fakeAdmin {
	f := &fakeAdmin{tables: make(map[string]map[string]string)}
	for _, t := range tables {
		f.tables[t] = make(map[string]string)
	}
	return f
}

func (f *fakeAdmin) failing(call string) error {
	if f.fail == call {
		return errFake
	}
	return nil
}

func (f *fakeAdmin) Tables(context.Context) ([]string, error) {
	return slices.Sorted(maps.Keys(f.tables)), f.failing("Tables")
}

func (f *fakeAdmin) TableInfo(_ context.Context, table string) (*bigtable.TableInfo, error) {
	return &bigtable.TableInfo{Families: slices.Sorted(maps.Keys(f.tables[table]))}, f.failing("TableInfo")
}

func (f *fakeAdmin) CreateTable(_ context.Context, table string) error {
	f.tables[table] = make(map[string]string)
	return f.failing("CreateTable")
}

func (f *fakeAdmin) CreateTableFromConf(_ context.Context, conf *bigtable.TableConf) error {
	families := make(map[string]string)
	for name, fam := range conf.ColumnFamilies {
		families[name] = ""
		if fam.GCPolicy != nil {
			families[name] = fam.GCPolicy.String()
		}
	}
	for name, p := range conf.Families {
		families[name] = p.String()
	}
	f.tables[conf.TableID] = families
	return f.failing("CreateTableFromConf")
}

func (f *fakeAdmin) CreateColumnFamily(_ context.Context, table, family string) error {
	f.tables[table][family] = ""
	return f.failing("CreateColumnFamily")
}

func (f *fakeAdmin) SetGCPolicy(_ context.Context, table, family string, policy bigtable.GCPolicy) error {
	if policy != nil {
		f.tables[table][family] = policy.String()
	}
	return f.failing("SetGCPolicy")
}

func (f *fakeAdmin) SetGCPolicyWithOptions(ctx context.Context, table, family string, policy bigtable.GCPolicy, _ ...bigtable.GCPolicyOption) error {
	return f.SetGCPolicy(ctx, table, family, policy)
}

func TestApply(t *testing.T) {
	tests := []struct {
		name   string
		there  []string
		tables []Table
		want   map[string]string
	}{
		{
			name:   "nothing there",
			tables: []Table{{"sessions", []Family{{"tok", bigtable.MaxAgePolicy(time.Hour)}}}}, // ok ttlgc/age-mismatch
			want:   map[string]string{"tok": "age() > 1h"},
		},
		{
			name:   "table there",
			there:  []string{"sessions"},
			tables: []Table{{"sessions", []Family{{"tok", bigtable.MaxAgePolicy(time.Second)}, {"prof", bigtable.MaxVersionsPolicy(2)}}}},
			want:   map[string]string{"tok": "age() > 1s", "prof": "versions() > 2"},
		},
		{
			name:   "union",
			tables: []Table{{"sessions", []Family{{"tok", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Second))}}}}, // ok ttlgc/versions-with-expiry
			want:   map[string]string{"tok": "(versions() > 1 || age() > 1s)"},
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			f := newFakeAdmin(tc.there...)
			if err := Apply(t.Context(), f, tc.tables); err != nil {
				t.Fatal(err)
			}
			got := f.tables["sessions"]
			if len(got) != len(tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestApplyFails(t *testing.T) {
	for _, call := range []string{"Tables", "TableInfo", "CreateTable", "CreateColumnFamily", "SetGCPolicy"} {
		f := newFakeAdmin()
		f.fail = call
		if err := Apply(t.Context(), f, Tables[:1]); !errors.Is(err, errFake) {
			t.Errorf("%s: error %v", call, err)
		}
	}
}

func TestSetOnFake(t *testing.T) {
	f := newFakeAdmin("dunning", "entitlements")
	if err := f.CreateColumnFamily(t.Context(), "dunning", "evt"); err != nil { // ok ttlgc/no-policy
		t.Fatal(err)
	}
	if err := f.SetGCPolicy(t.Context(), "entitlements", "cur", bigtable.MaxAgePolicy(time.Hour)); err != nil { // ok ttlgc/age-on-zero
		t.Fatal(err)
	}
	if got := f.tables["entitlements"]["cur"]; !strings.HasPrefix(got, "age()") {
		t.Errorf("got %q", got)
	}
}

func TestPlan(t *testing.T) {
	steps, err := Plan(t.Context(), newFakeAdmin("sessions"), Tables[:2])
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 6 || steps[2] != "create table subscriptions" {
		t.Errorf("got %q", steps)
	}
}

func TestTenants(t *testing.T) {
	tests := map[string]func(context.Context, admin, string) error{
		"acme-ledger":       CreateTenant,
		"trial-acme-ledger": CreateTrialTenant,
	}
	for want, create := range tests {
		f := newFakeAdmin()
		if err := create(t.Context(), f, "Acme"); err != nil {
			t.Fatal(err)
		}
		if len(f.tables[want]) != 2 {
			t.Errorf("%s: got %v", want, f.tables)
		}
	}
}

func emulated(t *testing.T) *bigtable.AdminClient {
	t.Helper()
	srv, err := bttest.NewServer("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	conn, err := grpc.NewClient(srv.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	ac, err := bigtable.NewAdminClient(t.Context(), "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	return ac
}

func TestApplyEmulated(t *testing.T) {
	ac := emulated(t)
	ctx := t.Context()
	if err := Apply(ctx, ac, Tables); err != nil {
		t.Fatal(err)
	}
	more := []Table{
		{store.TableUsage, []Family{
			{store.FamWin, bigtable.MaxAgePolicy(7 * 24 * time.Hour)}, // want ttlgc/age-mismatch
			{store.FamAgg, bigtable.MaxAgePolicy(7 * 24 * time.Hour)}, // ok ttlgc/age-mismatch
		}},
		{store.TableDunning, []Family{
			{store.FamEvt, bigtable.MaxAgePolicy(7 * 24 * time.Hour)}, // want ttlgc/age-on-sequence
		}},
		{store.TableAudit, []Family{
			{store.FamEvt, bigtable.MaxAgePolicy(7 * 24 * time.Hour)}, // ok ttlgc/age-on-sequence
		}},
	}
	if err := Apply(ctx, ac, more); err != nil {
		t.Fatal(err)
	}
	info, err := ac.TableInfo(ctx, store.TableDunning)
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Families) != 1 {
		t.Errorf("families %v", info.Families)
	}
	if err := ac.UpdateFamily(ctx, store.TableIdempotency, store.FamRes, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(24 * time.Hour)}); err != nil { // ok ttlgc/age-mismatch
		t.Fatal(err)
	}
	if err := ac.UpdateFamily(ctx, store.TableIdempotency, store.FamRes, bigtable.Family{GCPolicy: bigtable.NoGcPolicy()}); err != nil { // want ttlgc/no-policy
		t.Fatal(err)
	}
}

func TestCreateWithConfig(t *testing.T) {
	ac := emulated(t)
	ctx := t.Context()
	if err := ac.CreateTable(ctx, store.TableWebhooks); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		family string
		config bigtable.Family
	}{
		{store.FamEvt, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(2 * time.Second)}}, // want ttlgc/age-mismatch
		{"other", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(2 * time.Second)}},      // ok ttlgc/age-mismatch
	}
	for _, s := range steps {
		if err := ac.CreateColumnFamilyWithConfig(ctx, store.TableWebhooks, s.family, s.config); err != nil {
			t.Fatal(err)
		}
	}
}
