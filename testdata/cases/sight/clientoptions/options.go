// Package clientoptions fills structs of the client by functions that it is given.
package clientoptions

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
)

type option func(*bigtable.Family)

func withAge(d time.Duration) option {
	return func(f *bigtable.Family) { f.GCPolicy = bigtable.MaxAgePolicy(d) }
}

func withVersions(n int) option {
	return func(f *bigtable.Family) { f.GCPolicy = bigtable.MaxVersionsPolicy(n) }
}

func create(ctx context.Context, a *bigtable.AdminClient, table, family string, fill ...option) error {
	f := bigtable.Family{GCPolicy: bigtable.NoGcPolicy()}
	for _, o := range fill {
		o(&f)
	}
	return a.CreateColumnFamilyWithConfig(ctx, table, family, f)
}

func families(ctx context.Context, a *bigtable.AdminClient) {
	_ = create(ctx, a, "sessions", "token", withAge(time.Hour))   // want `age-mismatch: .*"token" of table "sessions"`
	_ = create(ctx, a, "mixed", "seq", withVersions(3))           // want `policy-mismatch: .*"seq" of table "mixed"`
	_ = create(ctx, a, "sessions", "token")                       // want `no-policy: .*"token" of table "sessions"`
	_ = create(ctx, a, "sessions", "token", withAge(time.Second)) // ok
	_ = create(ctx, a, "mixed", "seq", withVersions(1))           // ok
	_ = create(ctx, a, "sessions", "token", withAge(time.Hour), withAge(time.Second))
	_ = create(ctx, a, "sessions", "token", withAge(time.Second), withAge(time.Hour)) // want `age-mismatch: .*"token" of table "sessions"`
}

// One function instead of a list of them, which fills a new family.
func filled(ctx context.Context, a *bigtable.AdminClient, table, family string, fill func(*bigtable.Family)) error {
	f := new(bigtable.Family)
	fill(f)
	return a.CreateColumnFamilyWithConfig(ctx, table, family, *f)
}

func one(ctx context.Context, a *bigtable.AdminClient) {
	_ = filled(ctx, a, "sessions", "token", func(f *bigtable.Family) { f.GCPolicy = bigtable.MaxAgePolicy(time.Hour) }) // want `age-mismatch: .*"token" of table "sessions"`
	_ = filled(ctx, a, "sessions", "token", func(f *bigtable.Family) { f.GCPolicy = bigtable.MaxAgePolicy(time.Second) })
	_ = filled(ctx, a, "sessions", "token", withAge(time.Hour)) // want `age-mismatch: .*"token" of table "sessions"`
}

// What a function fails to fill is not filled.
func tried(ctx context.Context, a *bigtable.AdminClient, table, family string, fill ...func(*bigtable.Family) error) error {
	var f bigtable.Family
	for _, o := range fill {
		if err := o(&f); err != nil {
			return err
		}
	}
	return a.CreateColumnFamilyWithConfig(ctx, table, family, f)
}

func tries(ctx context.Context, a *bigtable.AdminClient) {
	_ = tried(ctx, a, "sessions", "token", func(f *bigtable.Family) error {
		f.GCPolicy = bigtable.MaxAgePolicy(time.Hour) // want `age-mismatch: .*"token" of table "sessions"`
		return nil
	})
	_ = tried(ctx, a, "sessions", "token", func(f *bigtable.Family) error {
		f.GCPolicy = bigtable.MaxAgePolicy(time.Second)
		return nil
	})
}

// The family is a part of a struct of this package.
type spec struct {
	name   string
	family bigtable.Family
}

func part(ctx context.Context, a *bigtable.AdminClient, family string, fill ...option) error {
	s := spec{name: "sessions"}
	for _, o := range fill {
		o(&s.family)
	}
	return a.CreateColumnFamilyWithConfig(ctx, s.name, family, s.family)
}

func parts(ctx context.Context, a *bigtable.AdminClient) {
	_ = part(ctx, a, "token", withAge(time.Hour)) // want `age-mismatch: .*"token" of table "sessions"`
	_ = part(ctx, a, "token", withAge(time.Second))
}

// The functions stand in a table.
var plans = map[string]option{
	"token":   withAge(time.Hour), // want `age-mismatch: .*"token" of table "sessions"`
	"profile": withAge(time.Hour),
}

func planned(ctx context.Context, a *bigtable.AdminClient) {
	for family, fill := range plans {
		var f bigtable.Family
		fill(&f)
		_ = a.CreateColumnFamilyWithConfig(ctx, "sessions", family, f)
	}
}

type row struct {
	family string
	fill   option
}

func rows(ctx context.Context, a *bigtable.AdminClient) {
	for _, r := range []row{
		{"token", withAge(time.Hour)}, // want `age-mismatch: .*"token" of table "sessions"`
		{"profile", withAge(time.Hour)},
	} {
		var f bigtable.Family
		r.fill(&f)
		_ = a.CreateColumnFamilyWithConfig(ctx, "sessions", r.family, f)
	}
}

// The builder keeps its options until they are run.
type builder struct {
	admin  *bigtable.AdminClient
	family string
	fill   []option
}

func newBuilder(a *bigtable.AdminClient, family string, fill ...option) *builder {
	return &builder{a, family, fill}
}

func (b *builder) run(ctx context.Context) error {
	f := bigtable.Family{GCPolicy: bigtable.NoGcPolicy()}
	for _, o := range b.fill {
		o(&f)
	}
	return b.admin.CreateColumnFamilyWithConfig(ctx, "sessions", b.family, f)
}

func built(ctx context.Context, a *bigtable.AdminClient) {
	_ = newBuilder(a, "token", withAge(time.Hour)).run(ctx) // want `age-mismatch: .*"token" of table "sessions"`
	_ = newBuilder(a, "token", withAge(time.Second)).run(ctx)
}

// Raw messages.
type cellOption func(*bigtablepb.Mutation_SetCell)

func at(t time.Time) cellOption {
	return func(c *bigtablepb.Mutation_SetCell) { c.TimestampMicros = t.Truncate(time.Millisecond).UnixMicro() }
}

func set(family string, fill ...cellOption) *bigtablepb.Mutation {
	c := &bigtablepb.Mutation_SetCell{FamilyName: family, TimestampMicros: -1}
	for _, o := range fill {
		o(c)
	}
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: c}}
}

func cells(ctx context.Context, c bigtablepb.BigtableClient) {
	_, _ = c.MutateRow(ctx, &bigtablepb.MutateRowRequest{TableName: "projects/p/instances/i/tables/sessions", Mutations: []*bigtablepb.Mutation{
		set("token", at(time.Now())), // want `write-time: .*"token" of table "sessions"`
		set("token", at(time.Now().Add(time.Hour))),
		set("token"), // want `server-timestamp: .*"token" of table "sessions"`
	}})
}

func request(fill func(*bigtablepb.ReadRowsRequest)) *bigtablepb.ReadRowsRequest {
	r := &bigtablepb.ReadRowsRequest{TableName: "projects/p/instances/i/tables/tickets"}
	fill(r)
	return r
}

func requests(ctx context.Context, c bigtablepb.BigtableClient) {
	_, _ = c.ReadRows(ctx, request(func(r *bigtablepb.ReadRowsRequest) { r.RowsLimit = 1 })) // want `missing-filter: .*"ticket" of table "tickets"`
	_, _ = c.ReadRows(ctx, request(func(r *bigtablepb.ReadRowsRequest) {
		r.Filter = &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &bigtablepb.TimestampRange{
			StartTimestampMicros: time.Now().UnixMicro(),
		}}}
	}))
}

// A helper runs them.
func run(f *bigtable.Family, fill []option) {
	for _, o := range fill {
		o(f)
	}
}

func byHelper(ctx context.Context, a *bigtable.AdminClient, family string, fill ...option) error {
	f := bigtable.Family{GCPolicy: bigtable.NoGcPolicy()}
	run(&f, fill)
	return a.CreateColumnFamilyWithConfig(ctx, "sessions", family, f)
}

func helped(ctx context.Context, a *bigtable.AdminClient) {
	_ = byHelper(ctx, a, "token", withAge(time.Hour)) // want `age-mismatch: .*"token" of table "sessions"`
	_ = byHelper(ctx, a, "token", withAge(time.Second))
	_ = byHelper(ctx, a, "token") // want `no-policy: .*"token" of table "sessions"`
}

// One option is several.
func all(fill ...option) option {
	return func(f *bigtable.Family) {
		for _, o := range fill {
			o(f)
		}
	}
}

func together(ctx context.Context, a *bigtable.AdminClient) {
	_ = create(ctx, a, "sessions", "token", all(withAge(time.Second), withAge(time.Hour))) // want `age-mismatch: .*"token" of table "sessions"`
	_ = create(ctx, a, "sessions", "token", all(withAge(time.Hour), withAge(time.Second)))
}

func apply[T any](to *T, fill ...func(*T)) *T {
	for _, o := range fill {
		o(to)
	}
	return to
}

func generic(ctx context.Context, a *bigtable.AdminClient) {
	_ = a.CreateColumnFamilyWithConfig(ctx, "sessions", "token", *apply(&bigtable.Family{}, withAge(time.Hour))) // want `age-mismatch: .*"token" of table "sessions"`
	_ = a.CreateColumnFamilyWithConfig(ctx, "sessions", "token", *apply(&bigtable.Family{}, withAge(time.Second)))
}

// Asked for first, by index, after those that all have.
var usual = []option{withVersions(1), withAge(time.Hour)}

func usually(ctx context.Context, a *bigtable.AdminClient, family string, last option) error {
	var f bigtable.Family
	for i := range usual {
		usual[i](&f)
	}
	if last != nil {
		last(&f)
	}
	return a.CreateColumnFamilyWithConfig(ctx, "sessions", family, f)
}

func afterUsual(ctx context.Context, a *bigtable.AdminClient) {
	_ = usually(ctx, a, "token", nil) // want `age-mismatch: .*"token" of table "sessions"`
	_ = usually(ctx, a, "token", withAge(time.Second))
	_ = usually(ctx, a, "token", withVersions(1)) // want `no-policy: .*"token" of table "sessions"`
}

func appended(ctx context.Context, a *bigtable.AdminClient, family string, fill ...option) error {
	f := bigtable.Family{}
	for _, o := range append(usual, fill...) {
		o(&f)
	}
	return a.CreateColumnFamilyWithConfig(ctx, "sessions", family, f)
}

func appends(ctx context.Context, a *bigtable.AdminClient) {
	_ = appended(ctx, a, "token") // want `age-mismatch: .*"token" of table "sessions"`
	_ = appended(ctx, a, "token", withAge(time.Second))
}

// What is there is kept.
func andVersions(n int) option {
	return func(f *bigtable.Family) {
		f.GCPolicy = bigtable.UnionPolicy(f.GCPolicy, bigtable.MaxVersionsPolicy(n))
	}
}

func more(ctx context.Context, a *bigtable.AdminClient) {
	_ = create(ctx, a, "sessions", "token", withAge(time.Second), andVersions(1)) // want `versions-with-expiry: .*"token" of table "sessions"`
	_ = create(ctx, a, "sessions", "profile", withAge(time.Second), andVersions(1))
}

// Methods of a list of options, and of one that is an object.
type list []option

func (l list) fill(f *bigtable.Family) {
	for _, o := range l {
		o(f)
	}
}

func listed(ctx context.Context, a *bigtable.AdminClient, l list) error {
	f := &bigtable.Family{GCPolicy: bigtable.NoGcPolicy()}
	l.fill(f)
	return a.CreateColumnFamilyWithConfig(ctx, "sessions", "token", *f)
}

func lists(ctx context.Context, a *bigtable.AdminClient) {
	_ = listed(ctx, a, list{withAge(time.Hour)}) // want `age-mismatch: .*"token" of table "sessions"`
	_ = listed(ctx, a, list{withAge(time.Second)})
}

func made(fill ...option) bigtable.Family {
	f := bigtable.Family{}
	list(fill).fill(&f)
	return f
}

func makes(ctx context.Context, a *bigtable.AdminClient) {
	_ = a.CreateColumnFamilyWithConfig(ctx, "sessions", "token", made(withAge(time.Hour))) // want `age-mismatch: .*"token" of table "sessions"`
	_ = a.CreateColumnFamilyWithConfig(ctx, "sessions", "token", made(withAge(time.Second)))
}

// What decides whether they run is not known.
func sometimes(ctx context.Context, a *bigtable.AdminClient, dry bool, fill ...option) error {
	f := bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Second)}
	if !dry {
		for _, o := range fill {
			o(&f)
		}
	}
	return a.CreateColumnFamilyWithConfig(ctx, "sessions", "token", f)
}

func some(ctx context.Context, a *bigtable.AdminClient) {
	_ = sometimes(ctx, a, true, withAge(time.Hour))
	_ = sometimes(ctx, a, false, withAge(time.Hour)) // want `age-mismatch: .*"token" of table "sessions"`
}

func stopped(f *bigtable.Family, dry bool, fill ...option) {
	if dry {
		return
	}
	for _, o := range fill {
		o(f)
	}
}

func stops(ctx context.Context, a *bigtable.AdminClient) {
	f := bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Second)}
	stopped(&f, true, withAge(time.Hour))
	_ = a.CreateColumnFamilyWithConfig(ctx, "sessions", "token", f)
}

// The same on a struct of this package.
type cell struct {
	family string
	ts     bigtable.Timestamp
}

type cellOptions []func(*cell)

func (l cellOptions) fill(c *cell) *cell {
	for _, o := range l {
		o(c)
	}
	return c
}

func stamped(t time.Time) func(*cell) {
	return func(c *cell) { c.ts = bigtable.Time(t) }
}

func write(ctx context.Context, t *bigtable.Table, fill ...func(*cell)) error {
	c := cellOptions(fill).fill(&cell{family: "token", ts: bigtable.ServerTime})
	m := bigtable.NewMutation()
	m.Set(c.family, "c", c.ts, nil)
	return t.Apply(ctx, "k", m)
}

func writes(ctx context.Context, c *bigtable.Client) {
	t := c.Open("sessions")
	_ = write(ctx, t)                      // want `server-timestamp: .*"token" of table "sessions"`
	_ = write(ctx, t, stamped(time.Now())) // want `write-time: .*"token" of table "sessions"`
	_ = write(ctx, t, stamped(time.Now().Add(time.Hour)))
}
