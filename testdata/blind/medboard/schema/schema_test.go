package schema

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"medboard.example/board/btx/btxtest"
)

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

type call struct{ op, table, family, policy string }

type fakeAdmin struct {
	calls []call
	fail  string
}

func (f *fakeAdmin) record(c call) error {
	f.calls = append(f.calls, c)
	if f.fail != "" && strings.HasPrefix(c.table, f.fail) {
		return errors.New("injected")
	}
	return nil
}

func (f *fakeAdmin) CreateTable(_ context.Context, table string) error {
	return f.record(call{"table", table, "", ""})
}

func (f *fakeAdmin) CreateTableFromConf(_ context.Context, conf *bigtable.TableConf) error {
	return f.record(call{"conf", conf.TableID, "", ""})
}

func (f *fakeAdmin) CreateColumnFamily(_ context.Context, table, family string) error {
	return f.record(call{"family", table, family, ""})
}

func (f *fakeAdmin) SetGCPolicy(_ context.Context, table, family string, p bigtable.GCPolicy) error {
	return f.record(call{"policy", table, family, p.String()})
}

func (f *fakeAdmin) Tables(context.Context) ([]string, error) { return nil, nil }

func (f *fakeAdmin) TableInfo(context.Context, string) (*bigtable.TableInfo, error) {
	return &bigtable.TableInfo{}, nil
}

func TestEnsureOrder(t *testing.T) {
	admin := &fakeAdmin{}
	btxtest.Must(t, Ensure(context.Background(), admin, quiet()))
	seen := map[string]bool{}
	for _, c := range admin.calls {
		switch c.op {
		case "table":
			seen[c.table] = true
		case "family":
			if !seen[c.table] {
				t.Errorf("family %s before its table %s", c.family, c.table)
			}
			seen[c.table+"/"+c.family] = true
		case "policy":
			if !seen[c.table+"/"+c.family] {
				t.Errorf("policy of %s/%s before the family", c.table, c.family)
			}
		}
	}
}

func TestEnsureFails(t *testing.T) {
	for _, table := range []string{Beds, Calls, State} {
		admin := &fakeAdmin{fail: table}
		if err := Ensure(context.Background(), admin, quiet()); err == nil {
			t.Errorf("%s: no error", table)
		}
	}
}

func TestCheck(t *testing.T) {
	cases := []struct {
		name          string
		table, family string
		policy        bigtable.GCPolicy
		ok            bool
	}{
		{"hold", Beds, Hold, bigtable.MaxAgePolicy(time.Second), true},
		{"hold by versions", Beds, Hold, bigtable.MaxVersionsPolicy(1), false},               // ok ttlgc/no-policy
		{"hold for a day", Beds, Hold, bigtable.MaxAgePolicy(24 * time.Hour), false},         // ok ttlgc/age-mismatch
		{"alarm by age", Vitals, Alarm, bigtable.MaxAgePolicy(VitalsAge), false},             // ok ttlgc/age-on-sequence
		{"rev twice", State, Rev, bigtable.MaxVersionsPolicy(2), false},                      // ok ttlgc/policy-mismatch
		{"session", Devices, Session, bigtable.MaxAgePolicy(SessionTTL), true},               // ok ttlgc/age-mismatch
		{"session for a kiosk", Devices, Session, bigtable.MaxAgePolicy(time.Second), false}, // ok ttlgc/age-mismatch
		{"last by age", State, Last, bigtable.MaxAgePolicy(time.Hour), false},                // ok ttlgc/age-on-zero
		{"nobody", State, "nobody", bigtable.NoGcPolicy(), false},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if err := Check(tc.table, tc.family, tc.policy); (err == nil) != tc.ok {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestPoliciesOnEmulator(t *testing.T) {
	_, admin := btxtest.Emulator(t)
	ctx := context.Background()
	cases := []struct {
		table, family string
		policy        bigtable.GCPolicy
		golden        string
	}{
		{Beds, Hold, bigtable.MaxAgePolicy(time.Second), "age() > 1s"},                 // ok ttlgc/age-mismatch
		{Calls, Ticket, bigtable.MaxAgePolicy(time.Hour), "age() > 1h"},                // want ttlgc/age-mismatch
		{Calls, Claim, bigtable.MaxAgePolicy(10 * time.Minute), "age() > 10m"},         // ok ttlgc/age-mismatch
		{"or-audit", Entry, bigtable.MaxVersionsPolicy(5), "versions() > 5"},           // ok ttlgc/policy-mismatch
		{"or-audit", Actor, bigtable.MaxAgePolicy(time.Hour), "age() > 1h"},            // ok ttlgc/age-mismatch
		{Vitals, Reading, bigtable.MaxAgePolicy(VitalsAge), "age() > 30d"},             // ok ttlgc/policy-mismatch
		{Journal, Entry, bigtable.MaxAgePolicy(JournalAge), "age() > 90d"},             // ok ttlgc/age-on-sequence
		{State, Last, bigtable.MaxVersionsPolicy(1), "versions() > 1"},                 // ok ttlgc/age-on-zero
		{"policy-scratch", Hold, bigtable.MaxAgePolicy(48 * time.Hour), "age() > 2d"},  // ok ttlgc/age-mismatch
		{"policy-scratch", Alarm, bigtable.MaxAgePolicy(48 * time.Hour), "age() > 2d"}, // ok ttlgc/age-on-sequence
	}
	for _, tc := range cases {
		if err := admin.CreateTable(ctx, tc.table); err != nil && !exists(err) {
			t.Fatal(err)
		}
		btxtest.Must(t, admin.CreateColumnFamily(ctx, tc.table, tc.family)) // ok ttlgc/no-policy
		btxtest.Must(t, admin.SetGCPolicy(ctx, tc.table, tc.family, tc.policy))
		info, err := admin.TableInfo(ctx, tc.table)
		btxtest.Must(t, err)
		for _, fi := range info.FamilyInfos {
			if fi.Name == tc.family && fi.GCPolicy != tc.golden {
				t.Errorf("%s/%s: got %q, want %q", tc.table, tc.family, fi.GCPolicy, tc.golden)
			}
		}
	}
}

func TestEnsureAudit(t *testing.T) {
	_, admin := btxtest.Emulator(t)
	ctx := context.Background()
	btxtest.Must(t, EnsureAudit(ctx, admin, "ICU"))
	info, err := admin.TableInfo(ctx, AuditTable("ICU"))
	btxtest.Must(t, err)
	if len(info.FamilyInfos) != 2 {
		t.Errorf("got %d families", len(info.FamilyInfos))
	}
}

func TestDriftAfterMigration(t *testing.T) {
	_, admin := btxtest.Emulator(t)
	ctx := context.Background()
	btxtest.Must(t, Ensure(ctx, admin, quiet()))
	btxtest.Must(t, admin.SetGCPolicy(ctx, Beds, Hold, bigtable.NoGcPolicy())) // want ttlgc/no-policy
	got, err := Drift(ctx, admin)
	btxtest.Must(t, err)
	if len(got) != 1 || !strings.HasPrefix(got[0], "ward-beds/hold") {
		t.Errorf("got %v", got)
	}
}

func TestProvisionerHelpers(t *testing.T) {
	_, admin := btxtest.Emulator(t)
	ctx := context.Background()
	p := NewProvisioner(admin, quiet())
	btxtest.Must(t, admin.CreateTable(ctx, "demo-scratch"))
	btxtest.Must(t, p.aged(ctx, "demo-scratch", Hold, 1))       // ok ttlgc/age-mismatch
	btxtest.Must(t, p.versioned(ctx, "demo-scratch", Entry, 9)) // ok ttlgc/policy-mismatch
	btxtest.Must(t, p.Demo(ctx))
}

func TestRawRequests(t *testing.T) {
	for _, table := range []string{Calls, Billing} {
		req := Raw(table)
		if len(req.Modifications) != 1 || !strings.HasSuffix(req.Name, table) {
			t.Errorf("%s: got %v", table, req)
		}
	}
}
