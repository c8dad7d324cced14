package policy_test

import (
	"slices"
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/policy"
)

// messages are those of the admin API, as a vendored copy has them.
const messages = `
-- vendor/google.golang.org/protobuf/types/known/fieldmaskpb/mask.go --
type FieldMask struct{ Paths []string }
-- vendor/cloud.google.com/go/bigtable/admin/apiv2/adminpb/messages.go --
type GcRule struct{ MaxNumVersions int32 }
type ColumnFamily struct{ GcRule *GcRule }
type Table struct{ ColumnFamilies map[string]*ColumnFamily }
type CreateTableRequest struct { TableId string; Table *Table }
type Mod interface{ isMod() }
type ModifyColumnFamiliesRequest_Modification_Create struct{ Create *ColumnFamily }
type ModifyColumnFamiliesRequest_Modification_Update struct{ Update *ColumnFamily }
type ModifyColumnFamiliesRequest_Modification_Drop struct{ Drop bool }
func (*ModifyColumnFamiliesRequest_Modification_Create) isMod() {}
func (*ModifyColumnFamiliesRequest_Modification_Update) isMod() {}
func (*ModifyColumnFamiliesRequest_Modification_Drop) isMod() {}
type ModifyColumnFamiliesRequest_Modification struct { Id string; Mod Mod; UpdateMask *fieldmaskpb.FieldMask }
type ModifyColumnFamiliesRequest struct { Name string; Modifications []*ModifyColumnFamiliesRequest_Modification }
-- p/p.go --
`

// Raw messages set what the client's calls do; a request names the table by its full
// name, a change that stands alone by none.
func TestRaw(t *testing.T) {
	check(t, messages+`
type mod = adminpb.ModifyColumnFamiliesRequest_Modification
type create = adminpb.ModifyColumnFamiliesRequest_Modification_Create
type update = adminpb.ModifyColumnFamiliesRequest_Modification_Update
func table() any {
	return &adminpb.CreateTableRequest{TableId: "sessions", Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{"token": {GcRule: &adminpb.GcRule{MaxNumVersions: 1}}, "log": {}}}} // *"sessions".token: adminpb.GcRule{MaxNumVersions: 1}; *"sessions".log: <nil>
}
func alone() any {
	return &mod{Id: "token", Mod: &create{Create: &adminpb.ColumnFamily{}}} // *?a table that a request names.token: <nil>
}
func updated() any {
	return &mod{Id: "token", Mod: &update{Update: &adminpb.ColumnFamily{GcRule: &adminpb.GcRule{MaxNumVersions: 2}}}} // ?a table that a request names.token: adminpb.GcRule{MaxNumVersions: 2}
}
func dropped() any {
	return &mod{Id: "token", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Drop{Drop: true}}
}
func request(mods ...*mod) any {
	return &adminpb.ModifyColumnFamiliesRequest{Name: "projects/p/instances/i/tables/sessions", Modifications: mods}
}
`)
}

// modified are changes of families in one request, and one outside it.
const modified = messages + `
type mod = adminpb.ModifyColumnFamiliesRequest_Modification
type update = adminpb.ModifyColumnFamiliesRequest_Modification_Update
func request(mask *fieldmaskpb.FieldMask) any {
	return &adminpb.ModifyColumnFamiliesRequest{Name: "projects/p/instances/i/tables/sessions", Modifications: []*mod{
		{Id: "policy", Mod: &update{Update: &adminpb.ColumnFamily{GcRule: &adminpb.GcRule{MaxNumVersions: 1}}}},
		{Id: "nothing", Mod: &update{Update: &adminpb.ColumnFamily{}}},
		{Id: "no path", Mod: &update{Update: &adminpb.ColumnFamily{}}, UpdateMask: &fieldmaskpb.FieldMask{}},
		{Id: "path", Mod: &update{Update: &adminpb.ColumnFamily{}}, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}}},
		{Id: "unknown", Mod: &update{Update: &adminpb.ColumnFamily{}}, UpdateMask: mask},
		&mod{Id: "dropped", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Drop{Drop: true}},
	}}
}
func alone() any { return &mod{Id: "alone", Mod: &update{Update: &adminpb.ColumnFamily{GcRule: &adminpb.GcRule{}}}} }
`

// A request's changes are of its table.
func TestRequest(t *testing.T) {
	events := event.NewTracer(layertest.Load(t, modified).Prog).Own()
	var got []string
	for _, e := range events {
		if e.Op == event.New+"adminpb.ModifyColumnFamiliesRequest" {
			for _, u := range policy.CasePolicies(e, e.Cases[0]) {
				got = append(got, text(u))
			}
		}
	}
	if want := []string{`"sessions".policy: adminpb.GcRule{MaxNumVersions: 1}`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The changes that stand in a request are told from one that stands alone, whether or
// not the literal says its type.
func TestRequested(t *testing.T) {
	events := event.NewTracer(layertest.Load(t, modified).Prog).Own()
	requested := policy.Requested(events)
	got := map[bool][]string{}
	for _, e := range events {
		if e.Op == event.Modification {
			id, _ := e.Cases[0].Args[0].Get("Id").IsStr()
			got[requested[e.Node]] = append(got[requested[e.Node]], id)
		}
	}
	if want := []string{"alone"}; !slices.Equal(got[false], want) || len(got[true]) != 6 {
		t.Errorf("in a request: %q; alone: %q", got[true], got[false])
	}
}

// An update says nothing of what it changes where it has neither a policy nor a mask
// that may have a path.
func TestEmptyMasks(t *testing.T) {
	var got []string
	for _, e := range event.NewTracer(layertest.Load(t, modified).Prog).Own() {
		if e.Op == event.New+"adminpb.ModifyColumnFamiliesRequest" {
			for _, u := range policy.EmptyMasks(e.Cases[0]) {
				got = append(got, u.Family)
			}
		}
	}
	if want := []string{"nothing", "no path"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
