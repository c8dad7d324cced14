// Package schema says which tables there are, and what they forget when.
package schema

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

// Tables.
const (
	Beds    = "ward-beds"
	Calls   = "ward-calls"
	Devices = "ward-devices"
	Kiosks  = "kiosk-logins"
	Journal = "ward-journal"
	Vitals  = "ward-vitals"
	State   = "ward-state"
	Billing = "billing-archive"
)

// Families.
const (
	Hold    = "hold"
	Bed     = "bed"
	Ticket  = "ticket"
	Claim   = "claim"
	Room    = "room"
	Session = "session"
	Device  = "device"
	Entry   = "entry"
	Actor   = "actor"
	Reading = "reading"
	Alarm   = "alarm"
	Last    = "last"
	Rev     = "rev"
)

// Lifetimes.
const (
	HoldTTL    = 45 * time.Minute
	ClaimTTL   = 10 * time.Minute
	SessionTTL = 12 * time.Hour
	KioskTTL   = 5 * time.Minute
	VitalsAge  = 30 * 24 * time.Hour
	JournalAge = 90 * 24 * time.Hour
	second     = time.Second
)

// Versions that are kept.
const (
	EntryVersions = 5
	AlarmVersions = 3
)

// AuditTable is the name of the audit table of a ward.
func AuditTable(ward string) string { return strings.ToLower(ward) + "-audit" }

// policies is the schema of the production instance.
var policies = map[string]map[string]bigtable.GCPolicy{
	Beds: {
		Hold: bigtable.MaxAgePolicy(second), // ok ttlgc/age-mismatch
		Bed:  bigtable.MaxVersionsPolicy(1), // ok ttlgc/policy-mismatch
	},
	Calls: {
		Ticket: bigtable.MaxAgePolicy(500 * time.Millisecond), // ok ttlgc/age-mismatch
		Claim:  bigtable.MaxAgePolicy(ClaimTTL),               // ok ttlgc/age-mismatch
		Room:   bigtable.MaxVersionsPolicy(1),                 // ok ttlgc/policy-mismatch
	},
	Devices: {
		Session: bigtable.MaxAgePolicy(SessionTTL),                                                              // ok ttlgc/age-mismatch
		Device:  bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(2*365*24*time.Hour)), // ok ttlgc/policy-mismatch
	},
	Kiosks: {
		Session: bigtable.MaxAgePolicy(second), // ok ttlgc/age-mismatch
	},
	Journal: {
		Entry: bigtable.MaxAgePolicy(JournalAge), // ok ttlgc/age-on-sequence
	},
	Vitals: {
		Reading: bigtable.MaxAgePolicy(VitalsAge),          // ok ttlgc/policy-mismatch
		Alarm:   bigtable.MaxVersionsPolicy(AlarmVersions), // ok ttlgc/policy-mismatch
	},
	State: {
		Last: bigtable.NoGcPolicy(),         // ok ttlgc/no-policy
		Rev:  bigtable.MaxVersionsPolicy(1), // ok ttlgc/policy-mismatch
	},
	Billing: {
		Hold:  bigtable.MaxAgePolicy(10 * 365 * 24 * time.Hour), // ok ttlgc/age-mismatch
		Entry: bigtable.MaxAgePolicy(10 * 365 * 24 * time.Hour), // ok ttlgc/age-on-sequence
	},
}

// Admin is what Ensure needs of an admin client.
type Admin interface {
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	Tables(ctx context.Context) ([]string, error)
	TableInfo(ctx context.Context, table string) (*bigtable.TableInfo, error)
}

var _ Admin = (*bigtable.AdminClient)(nil)

func exists(err error) bool { return status.Code(err) == codes.AlreadyExists }

// Ensure creates what is missing and sets every policy.
func Ensure(ctx context.Context, admin Admin, log *slog.Logger) error {
	names := make([]string, 0, len(policies))
	for name := range policies {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if err := admin.CreateTable(ctx, name); err != nil && !exists(err) {
			return fmt.Errorf("table %s: %w", name, err)
		}
		for family, policy := range policies[name] {
			if err := admin.CreateColumnFamily(ctx, name, family); err != nil && !exists(err) { // ok ttlgc/no-policy
				return fmt.Errorf("family %s of %s: %w", family, name, err)
			}
			if err := admin.SetGCPolicy(ctx, name, family, policy); err != nil {
				return fmt.Errorf("policy of %s in %s: %w", family, name, err)
			}
			log.Info("policy set", "table", name, "family", family, "policy", policy.String())
		}
	}
	return nil
}

// EnsureAudit creates a ward's audit table.
func EnsureAudit(ctx context.Context, admin Admin, ward string) error {
	name := AuditTable(ward)
	err := admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: name,
		ColumnFamilies: map[string]bigtable.Family{
			Entry: {GCPolicy: bigtable.MaxVersionsPolicy(EntryVersions)}, // ok ttlgc/policy-mismatch
			Actor: {GCPolicy: bigtable.MaxAgePolicy(JournalAge)},         // ok ttlgc/age-on-sequence
		},
	})
	if err != nil && !exists(err) {
		return err
	}
	return nil
}

// Check compares a policy with the schema; it changes nothing.
func Check(table, family string, policy bigtable.GCPolicy) error {
	want, ok := policies[table][family]
	if !ok {
		return fmt.Errorf("%s has no family %s", table, family)
	}
	if got := policy.String(); got != want.String() {
		return fmt.Errorf("%s of %s: %s, not %s", family, table, got, want)
	}
	return nil
}

// Drift lists the families whose live policy is not the one of the schema.
func Drift(ctx context.Context, admin Admin) ([]string, error) {
	var out []string
	for name, families := range policies {
		info, err := admin.TableInfo(ctx, name)
		if err != nil {
			return nil, err
		}
		live := make(map[string]string)
		for _, fi := range info.FamilyInfos {
			live[fi.Name] = fi.GCPolicy
		}
		for family, p := range families {
			if live[family] != p.String() {
				out = append(out, fmt.Sprintf("%s/%s: %q", name, family, live[family]))
			}
		}
	}
	sort.Strings(out)
	return out, nil
}

// The staging instance keeps less, and was set up by hand in 2023.

type column struct {
	table, family string
	policy        bigtable.GCPolicy
}

var staging = []column{
	{Beds, Hold, bigtable.MaxAgePolicy(24 * time.Hour)},                                                                           // want ttlgc/age-mismatch
	{Beds, Bed, bigtable.MaxAgePolicy(24 * time.Hour)},                                                                            // ok ttlgc/age-mismatch
	{Calls, Ticket, bigtable.MaxAgePolicy(time.Second)},                                                                           // ok ttlgc/age-mismatch
	{Calls, Claim, bigtable.MaxAgePolicy(time.Hour)},                                                                              // want ttlgc/age-mismatch
	{Devices, Session, bigtable.MaxAgePolicy(time.Second)},                                                                        // want ttlgc/age-mismatch
	{Kiosks, Session, bigtable.MaxAgePolicy(time.Second)},                                                                         // ok ttlgc/age-mismatch
	{Kiosks, Session, bigtable.MaxAgePolicy(KioskTTL)},                                                                            // want ttlgc/age-mismatch
	{"icu-audit", Entry, bigtable.MaxAgePolicy(JournalAge)},                                                                       // want ttlgc/age-on-sequence
	{"icu-audit", Actor, bigtable.MaxAgePolicy(JournalAge)},                                                                       // ok ttlgc/age-on-sequence
	{Journal, Entry, bigtable.MaxAgePolicy(JournalAge)},                                                                           // ok ttlgc/age-on-sequence
	{Vitals, Alarm, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(AlarmVersions), bigtable.MaxAgePolicy(VitalsAge))},            // want ttlgc/age-on-sequence
	{"er-audit", Entry, bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(EntryVersions), bigtable.MaxAgePolicy(time.Hour))}, // want ttlgc/age-on-sequence
	{State, Last, bigtable.MaxAgePolicy(VitalsAge)},                                                                               // want ttlgc/age-on-zero
	{State, Rev, bigtable.MaxVersionsPolicy(1)},                                                                                   // ok ttlgc/policy-mismatch
	{Billing, Hold, bigtable.MaxAgePolicy(24 * time.Hour)},                                                                        // ok ttlgc/age-mismatch
}

// EnsureStaging sets the staging policies on tables that are there.
func EnsureStaging(ctx context.Context, admin Admin) error {
	var errs []error
	for _, c := range staging {
		if err := admin.SetGCPolicy(ctx, c.table, c.family, c.policy); err != nil {
			errs = append(errs, fmt.Errorf("%s/%s: %w", c.table, c.family, err))
		}
	}
	return errors.Join(errs...)
}

// Provisioner sets up one ward's tables from scratch, for demonstrations.
type Provisioner struct {
	admin *bigtable.AdminClient
	log   *slog.Logger
}

// NewProvisioner returns a Provisioner.
func NewProvisioner(admin *bigtable.AdminClient, log *slog.Logger) *Provisioner {
	return &Provisioner{admin: admin, log: log}
}

func (p *Provisioner) family(ctx context.Context, table, family string, policy bigtable.GCPolicy) error {
	if err := p.admin.CreateColumnFamily(ctx, table, family); err != nil && !exists(err) { // ok ttlgc/no-policy
		return err
	}
	return p.admin.SetGCPolicy(ctx, table, family, policy)
}

func (p *Provisioner) aged(ctx context.Context, table, family string, days int) error {
	return p.family(ctx, table, family, bigtable.MaxAgePolicy(time.Duration(days)*24*time.Hour))
}

func (p *Provisioner) versioned(ctx context.Context, table, family string, n int) error {
	return p.family(ctx, table, family, bigtable.MaxVersionsPolicy(n))
}

func (p *Provisioner) expiring(ctx context.Context, table, family string) error {
	return p.family(ctx, table, family, bigtable.MaxAgePolicy(time.Second))
}

// Demo provisions the tables of a demonstration.
func (p *Provisioner) Demo(ctx context.Context) error {
	for _, t := range []string{Beds, Calls, Devices, Vitals, State, "demo-audit"} {
		if err := p.admin.CreateTable(ctx, t); err != nil && !exists(err) {
			return err
		}
	}
	steps := []error{
		p.expiring(ctx, Beds, Hold),                          // ok ttlgc/age-mismatch
		p.versioned(ctx, Beds, Bed, 1),                       // ok ttlgc/no-policy
		p.expiring(ctx, Calls, Ticket),                       // ok ttlgc/age-mismatch
		p.expiring(ctx, Calls, Claim),                        // want ttlgc/age-mismatch
		p.versioned(ctx, Calls, Room, 1),                     // ok ttlgc/no-policy
		p.aged(ctx, Devices, Session, 1),                     // want ttlgc/age-mismatch
		p.aged(ctx, Devices, Device, 365),                    // ok ttlgc/age-mismatch
		p.aged(ctx, Vitals, Reading, 30),                     // ok ttlgc/policy-mismatch
		p.aged(ctx, Vitals, Alarm, 30),                       // want ttlgc/age-on-sequence
		p.versioned(ctx, "demo-audit", Entry, EntryVersions), // ok ttlgc/policy-mismatch
		p.versioned(ctx, State, Last, 1),                     // ok ttlgc/age-on-zero
		p.aged(ctx, State, Last, 7),                          // want ttlgc/age-on-zero
		p.versioned(ctx, State, Rev, 1),                      // ok ttlgc/policy-mismatch
		p.versioned(ctx, "demo-audit", Actor, 1),             // ok ttlgc/policy-mismatch
	}
	p.log.Info("demo provisioned", "steps", len(steps))
	return errors.Join(steps...)
}

// Tighten is run once a quarter by the operators.
func (p *Provisioner) Tighten(ctx context.Context) error {
	if err := p.admin.SetGCPolicyWithOptions(ctx, Devices, Session, bigtable.MaxAgePolicy(8*time.Hour), bigtable.IgnoreWarnings()); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := p.admin.SetGCPolicyWithOptions(ctx, Devices, Session, bigtable.MaxAgePolicy(SessionTTL), bigtable.IgnoreWarnings()); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := p.admin.SetGCPolicy(ctx, Beds, Hold, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Second))); err != nil { // want ttlgc/versions-with-expiry
		return err
	}
	if err := p.admin.UpdateFamily(ctx, Vitals, Alarm, bigtable.Family{GCPolicy: bigtable.MaxVersionsGCPolicy(10)}); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	if err := p.admin.UpdateFamily(ctx, Vitals, Reading, bigtable.Family{GCPolicy: bigtable.MaxAgeGCPolicy(14 * 24 * time.Hour)}); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	if err := p.admin.UpdateFamily(ctx, Journal, Entry, bigtable.Family{GCPolicy: bigtable.MaxAgeGCPolicy(2160 * time.Hour)}); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	if err := p.admin.SetGCPolicy(ctx, Calls, Claim, bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(ClaimTTL))); err != nil { // want ttlgc/no-policy
		return err
	}
	return p.admin.SetGCPolicy(ctx, AuditTable("icu"), Entry, bigtable.MaxVersionsPolicy(1)) // want ttlgc/policy-mismatch
}

// FromEnv sets the hold family's age to what the environment says, for load tests.
func FromEnv(ctx context.Context, admin Admin) error {
	d, err := time.ParseDuration(os.Getenv("MEDBOARD_HOLD_AGE"))
	if err != nil {
		return err
	}
	return admin.SetGCPolicy(ctx, Beds, Hold, bigtable.MaxAgePolicy(d)) // ok ttlgc/age-mismatch
}

// AddClaims adds the claim family to call tables that were made before it.
func AddClaims(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := admin.CreateColumnFamily(ctx, Calls, Claim); err != nil && !exists(err) { // want ttlgc/no-policy
		return err
	}
	return admin.CreateColumnFamily(ctx, Calls, Room) // ok ttlgc/no-policy
}

// AddKiosk makes the kiosk table.
func AddKiosk(ctx context.Context, admin *bigtable.AdminClient, short bool) error {
	if err := admin.CreateTable(ctx, Kiosks); err != nil && !exists(err) {
		return err
	}
	if err := admin.CreateColumnFamilyWithConfig(ctx, Kiosks, Session, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(1)}); err != nil { // want ttlunit/age-unit
		return err
	}
	return admin.CreateColumnFamilyWithConfig(ctx, Beds, "note", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(86400)}) // want ttlunit/age-unit
}

// Raw sets policies by messages, for the replication tool.
func Raw(table string) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: "projects/hospital/instances/wards/tables/" + table,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: Room,
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 1}},
			}},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}}, // ok ttlgc/empty-mask
		}},
	}
}

// RawSequence is the request that the replication tool sends to the second instance.
func RawSequence() *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: "projects/hospital/instances/wards-b/tables/ward-vitals",
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: "alarm",
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(30 * 24 * time.Hour)}}, // want ttlgc/age-on-sequence
			}},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
		}},
	}
}
