package result_test

import (
	"slices"
	"testing"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/layertest/eventtest"
	"github.com/ttlvet/ttlvet/internal/trace/policy"
	"github.com/ttlvet/ttlvet/internal/trace/result"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Calls of a function that a registry names are events of the operation it amounts to,
// whether a function, a method or an interface's is called, with the arguments and the
// table that the registry makes of the call's.
func TestWrapped(t *testing.T) {
	for name, want := range map[string]string{
		"example.com/dep.Put": `"clicks": ("function")`, "example.com/dep.Store.Put": `"clicks": ("method")`,
		"example.com/dep.Putter.Put": `"clicks": ("interface")`, "example.com/dep.Del": "",
	} {
		r := traced(t, `
-- dep/dep.go --
type Store struct{}
type Putter interface{ Put(family string) }
func Put(family string)
func (s *Store) Put(family string)
-- p/p.go --
var client *bigtable.Client
func f(s *dep.Store, p dep.Putter) {
	dep.Put("function")
	s.Put("method")
	p.Put("interface")
}
`)
		got := ""
		for _, e := range r.Wrapped(name, btapi.Set, func(args []*value.Value) ([]*value.Value, *value.Value) { return args, value.StrOf("clicks") }) {
			got += e.Table.String() + ": " + summary.ArgString(e.Cases[0].Args)
			if tables := r.EventTables(e, e.Cases[0]); len(tables) != 1 || tables[0] != e.Table {
				t.Errorf("%s: the tables are %v", name, tables)
			}
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// A policy that an imported package lists is judged there, where family, policy and
// table are those of the list and this package does not write the policy down itself.
func TestListedElsewhere(t *testing.T) {
	age := func(n int64) *value.Value { return value.Apply(btapi.MaxAgePolicy, value.IntOf(n)) }
	row := func(table, family string, p *value.Value) *value.Value {
		return &value.Value{Kind: value.Struct, Name: "example.com/schema.Row", Keys: []string{"Table", "Family", "GC"},
			Args: []*value.Value{value.StrOf(table), value.StrOf(family), p}}
	}
	r := found(layertest.Load(t, `
-- schema/schema.go --
type Row struct { Table, Family string; GC bigtable.GCPolicy }
var Policies []Row
var hidden []Row
func All() []Row
-- p/p.go --
var client *bigtable.Client
var _ = schema.Policies
`,
		layertest.Fact{Of: "schema.Policies", Fact: &summary.Summary{Holds: []*value.Value{value.ListOf(row("sessions", "token", age(1)))}}},
		layertest.Fact{Of: "schema.hidden", Fact: &summary.Summary{Holds: []*value.Value{value.ListOf(row("sessions", "hidden", age(1)))}}},
		layertest.Fact{Of: "schema.All", Fact: &summary.Summary{Results: summary.Returning(summary.ResultCase{Values: []*value.Value{value.ListOf(row("clicks", "event", age(2)))}})}},
	))
	for _, test := range []struct {
		name, family string
		table, gc    *value.Value
		want         bool
	}{
		{"of the variable", "token", value.StrOf("sessions"), age(1), true},
		{"of the function", "event", value.StrOf("clicks"), age(2), true},
		{"of a table that is not known", "token", value.UnknownFor("a table"), age(1), true},
		{"of another table", "token", value.StrOf("clicks"), age(1), false},
		{"another policy", "token", value.StrOf("sessions"), age(2), false},
		{"of a variable that is not exported", "hidden", value.StrOf("sessions"), age(1), false},
		{"none", "token", value.StrOf("sessions"), nil, false},
	} {
		if got := r.ListedElsewhere(policy.PolicyUse{Table: test.table, Family: test.family, Policy: test.gc}); got != test.want {
			t.Errorf("%s is listed elsewhere: %v", test.name, got)
		}
	}
}

// What happens to a mutation is told wherever a function does it; of one that a call
// makes, what its maker does too.
func TestAbout(t *testing.T) {
	r := traced(t, `
func made() *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.DeleteRow()
	return mut
}
func f(ctx context.Context, tbl *bigtable.Table) {
	mut := made()
	mut.Set("token", "c", 0, nil)
	other := made()
	other.DeleteCellsInFamily("token")
}
`)
	var got []string
	for _, e := range r.Events {
		if e.Op == btapi.Set {
			for _, h := range r.About(e.Cases[0].Args[0]) {
				got = append(got, h.Event.Op)
			}
		}
	}
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, []string{btapi.DeleteRow, btapi.Set}) {
		t.Errorf("what happens to the mutation: %q", got)
	}
}

// A raw message belongs to the table of the request in which it stands; one that
// several calls make, to that of each call's.
func TestRawTables(t *testing.T) {
	r := traced(t, `
-- vendor/cloud.google.com/go/bigtable/apiv2/bigtablepb/messages.go --
type Mutation_SetCell struct { FamilyName string; TimestampMicros int64 }
type Mutation_SetCell_ struct{ SetCell *Mutation_SetCell }
type Mutation struct{ Mutation any }
type MutateRowRequest struct { TableName string; Mutations []*Mutation }
-- p/p.go --
func cell(family string) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: family}}}
}
func f() []any {
	return []any{
		&bigtablepb.MutateRowRequest{TableName: "projects/p/instances/i/tables/sessions", Mutations: []*bigtablepb.Mutation{
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: "direct"}}},
		}},
		&bigtablepb.MutateRowRequest{TableName: "projects/p/instances/i/tables/clicks", Mutations: []*bigtablepb.Mutation{cell("called")}},
		&bigtablepb.MutateRowRequest{TableName: "projects/p/instances/i/tables/events", Mutations: []*bigtablepb.Mutation{cell("again")}},
		&bigtablepb.Mutation_SetCell{FamilyName: "alone"},
	}
}
`)
	got := map[string]string{}
	for _, e := range r.Events {
		if e.Op != event.New+"bigtablepb.Mutation_SetCell" {
			continue
		}
		if family, ok := e.Cases[0].Args[0].Get("FamilyName").IsStr(); ok {
			for _, table := range r.RawTables(e, e.Cases[0].Args[0]) {
				got[family] += table.String()
			}
		}
	}
	for family, want := range map[string]string{"direct": `"sessions"`, "called": `"clicks"`, "again": `"events"`, "alone": ""} {
		if got[family] != want {
			t.Errorf("%s goes to %s, want %s", family, got[family], want)
		}
	}
}

// The table of a read is the one that the function knows which makes the client's
// call, where that opens it by name.
func TestTableRead(t *testing.T) {
	r := traced(t, `
type store struct{ client *bigtable.Client }
func (s *store) read(ctx context.Context, family string) { s.client.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter(family))) }
func f(ctx context.Context, s *store) { s.read(ctx, "token") }
`)
	reads := 0
	for _, e := range r.Events {
		if e.Op == btapi.ReadRow {
			reads++
			if got := eventtest.TableNames([]*value.Value{r.TableRead(e, e.Cases[0])}); got != "sessions" {
				t.Errorf("the read %d calls away is of %q", e.Depth, got)
			}
		}
	}
	if reads != 2 {
		t.Errorf("%d reads", reads)
	}
}

// What people read has parameters under their names.
func TestNamed(t *testing.T) {
	fn := layertest.Load(t, `func f(family string, _ int) {}`).Func("f")
	param := func(n int64, site any) *value.Value { return &value.Value{Kind: value.Param, Num: n, Site: site} }
	for v, want := range map[*value.Value]string{
		value.Apply("+", param(0, fn), param(1, fn)): "+(family, _)", param(0, nil): "$0", param(2, fn): "$2",
	} {
		if got := result.Named(v).String(); got != want {
			t.Errorf("%s is named %s, want %s", v, got, want)
		}
	}
}

// A released result says no more than whether the package reaches Bigtable.
func TestRelease(t *testing.T) {
	r := traced(t, `func f(mut *bigtable.Mutation) { mut.Set("token", "c", 0, nil) }`)
	e := r.Events[0]
	r.Release()
	if !r.Reaches || r.Events != nil || r.About(e.Cases[0].Args[0]) != nil || r.Runs(e) != nil || r.OwnTable(e.Cases[0].Args[0]) != nil {
		t.Error("something is left")
	}
}
