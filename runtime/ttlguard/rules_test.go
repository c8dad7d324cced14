package ttlguard_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/ttlvet/ttlvet/runtime/strategy"
	"github.com/ttlvet/ttlvet/runtime/ttl"
	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

// The tables of the tests.
var (
	token    = ttl.OneSecond("token", 30*time.Minute)
	profile  = ttl.RealTime("profile")
	sessions = ttl.NewTable("sessions", token, profile)
	clicks   = ttl.NewTable("clicks", ttl.Default("event", 24*time.Hour))
	catalog  = ttl.NewTable("catalog", ttl.Zero("latest"))
	ledger   = ttlguard.Declare("*-ledger", strategy.Family{Name: "entry", Strategy: strategy.Sequence, Versions: 3})
)

// at is the time by the clock of the guard.
var at = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func now(d time.Duration) int64 { return at.Add(d).UnixMicro() }

// violations returns the rules that a request violates, sorted, by a guard of
// the tables.
func violations(t *testing.T, req proto.Message, options ...ttlguard.Option) []string {
	t.Helper()
	var found []string
	guard, err := ttlguard.New(append([]ttlguard.Option{
		ttlguard.Tables(sessions, clicks, catalog), ledger, ttlguard.WithLogger(nil),
		ttlguard.WithClock(func() time.Time { return at }),
		ttlguard.OnViolation(func(_ context.Context, v ttlguard.Violation) {
			found = append(found, v.Rule)
			if v.Message == "" || v.Count < 1 || v.Table == "" || strings.Contains(v.Message, "secret") {
				t.Errorf("a bad report: %+v", v)
			}
			if !slices.Contains(ttlguard.Rules(), v.Rule) {
				t.Errorf("%s is not in the list of rules", v.Rule)
			}
			t.Log(v)
		}),
	}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	before := proto.Clone(req)
	if _, err := guard.Begin(t.Context(), "/google.bigtable.v2.Bigtable/Test", req); err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(before, req) {
		t.Error("the request is changed")
	}
	slices.Sort(found)
	return found
}

const tables = "projects/p/instances/i/tables/"

func set(family, column string, micros int64) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
		FamilyName: family, ColumnQualifier: []byte(column), TimestampMicros: micros, Value: []byte("secret")}}}
}

func deleteColumn(family, column string, r *btpb.TimestampRange) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_DeleteFromColumn_{DeleteFromColumn: &btpb.Mutation_DeleteFromColumn{
		FamilyName: family, ColumnQualifier: []byte(column), TimeRange: r}}}
}

func deleteFamily(family string) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_DeleteFromFamily_{DeleteFromFamily: &btpb.Mutation_DeleteFromFamily{FamilyName: family}}}
}

func deleteRow() *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_DeleteFromRow_{DeleteFromRow: &btpb.Mutation_DeleteFromRow{}}}
}

func add(family string, micros int64) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_AddToCell_{AddToCell: &btpb.Mutation_AddToCell{
		FamilyName: family, Timestamp: &btpb.Value{Kind: &btpb.Value_RawTimestampMicros{RawTimestampMicros: micros}}}}}
}

func mutate(table string, ms ...*btpb.Mutation) *btpb.MutateRowRequest {
	return &btpb.MutateRowRequest{TableName: tables + table, RowKey: []byte("secret"), Mutations: ms}
}

func rules(names ...string) []string { return names }

func TestWrites(t *testing.T) {
	for _, test := range []struct {
		name string
		req  proto.Message
		want []string
	}{
		{"good", mutate("sessions", set("token", "jwt", now(time.Hour)), set("profile", "name", -1)), nil},
		{"server time", mutate("sessions", set("token", "jwt", -1)), rules("ttlwrite/server-timestamp")},
		{"now", mutate("sessions", set("token", "jwt", now(0))), rules("ttlwrite/write-time")},
		{"a moment ago", mutate("sessions", set("token", "jwt", now(-3*time.Second))), rules("ttlwrite/write-time")},
		{"a millisecond from now", mutate("sessions", set("token", "jwt", now(time.Millisecond))), nil},
		{"yesterday", mutate("sessions", set("token", "jwt", now(-24*time.Hour))), rules("ttlwrite/already-expired")},
		{"unset", mutate("sessions", set("token", "jwt", 0)), rules("ttlwrite/already-expired")},
		{"seconds", mutate("sessions", set("token", "jwt", now(time.Hour)/1e6)), rules("ttlunit/wrong-unit")},
		{"milliseconds", mutate("sessions", set("token", "jwt", now(time.Hour)/1e3)), rules("ttlunit/wrong-unit")},
		{"nanoseconds", mutate("sessions", set("token", "jwt", now(time.Hour)*1e3)), rules("ttlunit/wrong-unit")},
		{"real: seconds", mutate("sessions", set("profile", "a", now(-365*24*time.Hour)/1e6)), rules("ttlunit/wrong-unit")},
		{"real: a number", mutate("sessions", set("profile", "a", 5000)), nil},
		{"the zero time", mutate("sessions", set("token", "jwt", time.Time{}.UnixMicro())), rules("ttlunit/out-of-range")},
		{"in 30 years", mutate("sessions", set("token", "jwt", now(30*365*24*time.Hour))), nil},
		{"another table", mutate("other", set("token", "jwt", -1)), nil},
		{"a view", &btpb.MutateRowRequest{AuthorizedViewName: tables + "sessions/authorizedViews/v", Mutations: []*btpb.Mutation{set("token", "jwt", -1)}}, rules("ttlwrite/server-timestamp")},
		{"another family", mutate("sessions", set("other", "jwt", -1)), nil},
		{"bulk", &btpb.MutateRowsRequest{TableName: tables + "sessions", Entries: []*btpb.MutateRowsRequest_Entry{
			{Mutations: []*btpb.Mutation{set("token", "a", now(time.Hour))}}, nil, {Mutations: []*btpb.Mutation{nil, set("token", "a", -1)}}}}, rules("ttlwrite/server-timestamp")},

		{"default: server time", mutate("clicks", set("event", "c", -1)), nil},
		{"default: now", mutate("clicks", set("event", "c", now(0))), nil},
		{"default: shorter", mutate("clicks", set("event", "c", now(-23*time.Hour))), nil},
		{"default: expired", mutate("clicks", set("event", "c", now(-25*time.Hour))), rules("ttlwrite/already-expired")},
		{"default: unset", mutate("clicks", set("event", "c", 0)), rules("ttlwrite/already-expired")},
		{"default: seconds", mutate("clicks", set("event", "c", now(0)/1e6)), rules("ttlunit/wrong-unit")},

		{"sequence: number", mutate("eu-ledger", set("entry", "c", 1763000*1000)), nil},
		{"sequence: first", mutate("eu-ledger", set("entry", "c", 0)), nil},
		{"sequence: server time", mutate("eu-ledger", set("entry", "c", -1)), rules("ttlwrite/clock-in-sequence")},
		{"sequence: clock", mutate("eu-ledger", set("entry", "c", now(0))), rules("ttlwrite/clock-in-sequence")},
		{"sequence: time", mutate("eu-ledger", set("entry", "c", now(-365*24*time.Hour))), rules("ttlwrite/clock-in-sequence")},
		{"sequence: seconds", mutate("eu-ledger", set("entry", "c", now(0)/1e9*1000)), rules("ttlwrite/clock-in-sequence")},
		{"sequence: milliseconds", mutate("eu-ledger", set("entry", "c", now(0)/1e3)), rules("ttlwrite/clock-in-sequence")},
		{"sequence: nanoseconds", mutate("eu-ledger", set("entry", "c", now(0)*1e3)), rules("ttlwrite/clock-in-sequence")},
		{"sequence: not scaled", mutate("eu-ledger", set("entry", "c", 1001)), rules("ttlwrite/unscaled-sequence")},
		{"sequence: one number twice", mutate("eu-ledger", set("entry", "c", 5000), set("entry", "c", 5000)), rules("ttlwrite/same-timestamp")},
		{"sequence: two numbers", mutate("eu-ledger", set("entry", "c", 5000), set("entry", "c", 6000)), nil},

		{"zero", mutate("catalog", set("latest", "c", 0)), nil},
		{"zero: server time", mutate("catalog", set("latest", "c", -1)), rules("ttlwrite/clock-in-zero")},
		{"zero: now", mutate("catalog", set("latest", "c", now(0))), rules("ttlwrite/clock-in-zero")},
		{"zero: number", mutate("catalog", set("latest", "c", 5000)), rules("ttlwrite/clock-in-zero")},

		{"one time twice", mutate("sessions", set("token", "a", now(time.Hour)), set("token", "a", now(time.Hour))), rules("ttlwrite/same-timestamp")},
		{"two columns", mutate("sessions", set("token", "a", now(time.Hour)), set("token", "b", now(time.Hour))), nil},
		{"real: twice", mutate("sessions", set("profile", "a", -1), set("profile", "a", -1)), nil},
		{"delete, then set", mutate("sessions", deleteColumn("token", "a", nil), set("token", "a", now(time.Hour))), nil},
		{"set, then delete", mutate("sessions", set("token", "a", now(time.Hour)), deleteColumn("token", "a", nil)), rules("ttlwrite/delete-after-set")},
		{"another column", mutate("sessions", set("token", "a", now(time.Hour)), deleteColumn("token", "b", nil)), nil},
		{"what expired", mutate("sessions", set("token", "a", now(time.Hour)), deleteColumn("token", "a", &btpb.TimestampRange{EndTimestampMicros: now(0)})), nil},
		{"a range", mutate("sessions", set("token", "a", now(time.Hour)), deleteColumn("token", "a", &btpb.TimestampRange{StartTimestampMicros: now(0)})), rules("ttlwrite/delete-after-set")},
		{"set, then delete family", mutate("sessions", set("profile", "a", -1), deleteFamily("profile")), rules("ttlwrite/delete-after-set")},
		{"set, then delete row", mutate("sessions", set("profile", "a", -1), deleteRow()), rules("ttlwrite/delete-after-set")},
		{"delete row, then set", mutate("sessions", deleteRow(), set("profile", "a", -1)), nil},
		{"set, delete, set", mutate("sessions", set("token", "a", now(time.Hour)), deleteColumn("token", "a", nil), set("token", "a", now(time.Hour))), rules("ttlwrite/delete-after-set")},

		{"aggregate: server time", mutate("sessions", add("sum", -1)), rules("ttlwrite/aggregate-server-time")},
		{"aggregate: past", mutate("sessions", add("token", now(-time.Hour))), rules("ttlwrite/already-expired")},
		{"read-modify-write", &btpb.ReadModifyWriteRowRequest{TableName: tables + "sessions", Rules: []*btpb.ReadModifyWriteRule{
			{FamilyName: "token", Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, {FamilyName: "profile"}, nil}}, rules("ttlwrite/read-modify-write")},
		{"read-modify-write of real timestamps", &btpb.ReadModifyWriteRowRequest{TableName: tables + "clicks", Rules: []*btpb.ReadModifyWriteRule{{FamilyName: "event"}}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := violations(t, test.req); !reflect.DeepEqual(got, test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

func age(d time.Duration) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(d)}}
}

func newest(n int32) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: n}}
}

func anyOf(rules ...*adminpb.GcRule) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_Union_{Union: &adminpb.GcRule_Union{Rules: rules}}}
}

func update(table, family string, rule *adminpb.GcRule, mask ...string) *adminpb.ModifyColumnFamiliesRequest {
	m := &adminpb.ModifyColumnFamiliesRequest_Modification{Id: family,
		Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: rule}}}
	if mask != nil {
		m.UpdateMask = &fieldmaskpb.FieldMask{Paths: mask}
	}
	return &adminpb.ModifyColumnFamiliesRequest{Name: tables + table, Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{m, nil}}
}

func create(table, family string, rule *adminpb.GcRule) *adminpb.CreateTableRequest {
	return &adminpb.CreateTableRequest{TableId: table, Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{family: {GcRule: rule}, "nil": nil}}}
}

func TestPolicies(t *testing.T) {
	strict := []ttlguard.Option{ttlguard.Strict()}
	for _, test := range []struct {
		name    string
		req     proto.Message
		options []ttlguard.Option
		want    []string
	}{
		{"good", create("sessions", "token", age(time.Second)), strict, nil},
		{"none yet", create("sessions", "token", nil), nil, nil},
		{"an empty one yet", create("sessions", "token", &adminpb.GcRule{}), nil, nil},
		{"none for ever", update("sessions", "token", &adminpb.GcRule{}, "gc_rule"), nil, rules("ttlgc/no-policy")},
		{"an age of a week", create("sessions", "token", age(7*24*time.Hour)), nil, rules("ttlgc/age-mismatch")},
		{"versions beside", create("sessions", "token", anyOf(age(time.Second), newest(1))), nil, rules("ttlgc/versions-with-expiry")},
		{"age on sequence", update("eu-ledger", "entry", age(time.Hour)), nil, rules("ttlgc/age-on-sequence")},
		{"fewer versions", update("eu-ledger", "entry", newest(1)), nil, rules("ttlgc/policy-mismatch")},
		{"age on zero", update("catalog", "latest", anyOf(newest(1), age(time.Hour))), nil, rules("ttlgc/age-on-zero")},
		{"a unit forgotten", update("clicks", "event", age(86400)), nil, rules("ttlunit/age-unit")},
		{"no mask", update("clicks", "event", nil), nil, rules("ttlgc/empty-mask")},
		{"another mask", update("clicks", "event", nil, "value_type"), nil, nil},
		{"existing data", update("sessions", "token", age(time.Second)), strict, rules("ttlgc/existing-data")},
		{"existing data, not strict", update("sessions", "token", age(time.Second)), nil, nil},
		{"another table", create("other", "token", age(time.Hour)), nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := violations(t, test.req, test.options...); !reflect.DeepEqual(got, test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
