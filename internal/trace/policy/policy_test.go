package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/policy"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// check holds what a source's events set, by line, against the comments behind it.
func check(t *testing.T, src string) {
	t.Helper()
	code := layertest.Load(t, src)
	got := map[int][]string{}
	for _, e := range event.NewTracer(code.Prog).Own() {
		line := code.Prog.Pass.Fset.Position(e.Pos()).Line
		for _, u := range policy.Policies(e) {
			got[line] = append(got[line], text(u))
		}
	}
	for line, want := range code.Comments() {
		if got := strings.Join(got[line], "; "); got != want {
			t.Errorf("line %d:\n got %s\nwant %s", line, got, want)
		}
		delete(got, line)
	}
	for line, uses := range got {
		t.Errorf("line %d sets %s", line, uses)
	}
}

// text is what sets a policy, with * where the family is created.
func text(u policy.PolicyUse) string {
	s := fmt.Sprintf("%v.%s: %v", u.Table, u.Family, u.Policy)
	if u.Created {
		s = "*" + s
	}
	return s
}

// Policies are what an event sets for a family, whichever call it is; a call that
// leaves the policy as it is sets none.
func TestPolicies(t *testing.T) {
	check(t, `
func create(ctx context.Context, admin *bigtable.AdminClient) {
	admin.SetGCPolicy(ctx, "clicks", "event", bigtable.MaxVersionsPolicy(1)) // "clicks".event: bigtable.MaxVersionsPolicy(1)
	admin.SetGCPolicyWithOptions(ctx, "clicks", "event", bigtable.NoGcPolicy()) // "clicks".event: bigtable.NoGcPolicy()
	admin.CreateColumnFamily(ctx, "clicks", "bare") // *"clicks".bare: <nil>
	admin.SetGCPolicy(ctx, "clicks", "kept", nil)
	admin.CreateColumnFamilyWithConfig(ctx, "clicks", "made", bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(2)}) // *"clicks".made: bigtable.MaxVersionsPolicy(2)
	admin.CreateColumnFamilyWithConfig(ctx, "clicks", "empty", bigtable.Family{}) // *"clicks".empty: <nil>
	admin.UpdateFamily(ctx, "clicks", "event", bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(3)}) // "clicks".event: bigtable.MaxVersionsPolicy(3)
	admin.UpdateFamily(ctx, "clicks", "event", bigtable.Family{})
}
func unknown(ctx context.Context, admin *bigtable.AdminClient, table, family string, configs chan bigtable.Family) {
	admin.CreateColumnFamilyWithConfig(ctx, table, family, <-configs) // *$2.: ?a configuration that is not known
}
`)
}

// A table's configuration gives one for each family of its map; the older map is
// read where there is no other.
func TestTableConf(t *testing.T) {
	check(t, `
func create(ctx context.Context, admin *bigtable.AdminClient, conf bigtable.TableConf) {
	admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "sessions", ColumnFamilies: map[string]bigtable.Family{"token": {GCPolicy: bigtable.MaxAgePolicy(1)}, "log": {}}}) // *"sessions".token: bigtable.MaxAgePolicy(1); *"sessions".log: <nil>
	admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "old", Families: map[string]bigtable.GCPolicy{"token": bigtable.MaxAgePolicy(2), "log": nil}}) // *"old".token: bigtable.MaxAgePolicy(2); *"old".log: <nil>
	admin.CreateTableFromConf(ctx, &bigtable.TableConf{ColumnFamilies: map[string]bigtable.Family{"token": {}}}) // *"".token: <nil>
	admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "both", ColumnFamilies: map[string]bigtable.Family{}, Families: map[string]bigtable.GCPolicy{"token": nil}})
	admin.CreateTableFromConf(ctx, &conf)
}
`)
}

// What code writes down of tables for others to apply is judged as it stands: only
// what is known to be given.
func TestStated(t *testing.T) {
	check(t, `
func Sessions() *bigtable.TableConf {
	return &bigtable.TableConf{TableID: "sessions", ColumnFamilies: map[string]bigtable.Family{"token": {GCPolicy: bigtable.MaxAgePolicy(1)}, "log": {}}} // *"sessions".token: bigtable.MaxAgePolicy(1)
}
`)
}

// A list of policies gives one for each of its rows.
func TestListed(t *testing.T) {
	code := layertest.Load(t, `
type row struct { Table, Family string; GC bigtable.GCPolicy }
var Policies = []row{{"sessions", "token", bigtable.MaxAgePolicy(1)}, {"clicks", "event", bigtable.MaxVersionsPolicy(2)}}
`)
	var got []string
	for _, e := range event.NewTracer(code.Prog).Own() {
		for _, u := range policy.ListedPolicies(e, e.Cases[0]) {
			got = append(got, text(u))
		}
	}
	want := []string{`"sessions".token: bigtable.MaxAgePolicy(1)`, `"clicks".event: bigtable.MaxVersionsPolicy(2)`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A configuration that a function of another package returns has its policies from
// there, where the function is exported.
func TestReturned(t *testing.T) {
	family := &value.Value{Kind: value.Struct, Name: "bigtable.Family", Keys: []string{"GCPolicy"}, Args: []*value.Value{value.Apply(btapi.MaxAgePolicy, value.IntOf(1))}}
	bare := &value.Value{Kind: value.Struct, Name: "bigtable.Family"}
	conf := &value.Value{Kind: value.Struct, Name: "bigtable.TableConf", Keys: []string{"TableID", "ColumnFamilies"}, Args: []*value.Value{
		value.StrOf("sessions"), {Kind: value.Map, Args: []*value.Value{value.StrOf("token"), family, value.StrOf("log"), bare}}}}
	code := layertest.Load(t, `
-- dep/dep.go --
func Sessions() *bigtable.TableConf
func Opaque() *bigtable.TableConf
-- p/p.go --
func own() *bigtable.TableConf { return &bigtable.TableConf{TableID: "sessions"} }
func f(ctx context.Context, admin *bigtable.AdminClient) {
	admin.CreateTableFromConf(ctx, dep.Sessions())
	admin.CreateTableFromConf(ctx, dep.Opaque())
	admin.CreateTableFromConf(ctx, own())
	admin.CreateTable(ctx, "sessions")
}
`, layertest.Fact{Of: "dep.Sessions", Fact: &summary.Summary{Results: summary.Returning(summary.ResultCase{Values: []*value.Value{conf}})}})
	var got []string
	for _, e := range event.NewTracer(code.Prog).Own() {
		for _, u := range policy.Returned(e, e.Cases[0]) {
			got = append(got, text(u))
		}
	}
	if want := []string{`*"sessions".token: bigtable.MaxAgePolicy(1)`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A function of another package that creates a family may set its policy in another
// branch: only where it sets one, and of what it creates.
func TestLeft(t *testing.T) {
	param := func(n int64) *value.Value { return &value.Value{Kind: value.Param, Num: n} }
	effect := func(op string, args ...*value.Value) summary.Effect {
		return summary.Effect{Op: op, Where: "dep.go:1", Cases: []summary.Case{{Args: append([]*value.Value{param(0), param(1), param(2)}, args...)}}}
	}
	create := func(family *value.Value) summary.Effect { return effect(btapi.CreateColumnFamily, family) }
	set := func(family *value.Value) summary.Effect {
		return effect(btapi.SetGCPolicy, family, value.Apply(btapi.MaxAgePolicy, value.IntOf(1)))
	}
	does := map[string]*summary.Summary{
		"Both":  {Effects: []summary.Effect{create(param(3)), set(param(3))}},
		"Other": {Effects: []summary.Effect{create(param(3)), set(value.StrOf("else"))}},
		"Only":  {Effects: []summary.Effect{create(param(3))}},
	}
	var facts []layertest.Fact
	for name, fact := range does {
		facts = append(facts, layertest.Fact{Of: "dep." + name, Fact: fact})
	}
	code := layertest.Load(t, `
-- dep/dep.go --
func Both(admin *bigtable.AdminClient, ctx context.Context, table, family string)
func Other(admin *bigtable.AdminClient, ctx context.Context, table, family string)
func Only(admin *bigtable.AdminClient, ctx context.Context, table, family string)
-- p/p.go --
func f(ctx context.Context, admin *bigtable.AdminClient) {
	dep.Both(admin, ctx, "t", "token")
	dep.Other(admin, ctx, "t", "token")
	dep.Only(admin, ctx, "t", "token")
}
`, facts...)
	tracer := event.NewTracer(code.Prog)
	for name, want := range map[string]bool{"Both": true, "Other": false, "Only": false} {
		call := code.Call("f", name)
		e := tracer.NewEvent(btapi.CreateColumnFamily, code.Func("f"), call)
		e.Target.Obj = kind.Object(call.Common().StaticCallee())
		if policy.Left(e) {
			t.Errorf("%s: the client's own call leaves nothing", name)
		}
		e.Link.Effect = &does[name].Effects[0]
		if got := policy.Left(e); got != want {
			t.Errorf("%s leaves the policy to another: %v", name, got)
		}
	}
}
