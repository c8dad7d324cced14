// Package control keeps what is known about all tenants, in one table.
package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/layout"
)

// ErrNoTenant is returned for tenants that are not registered.
var ErrNoTenant = errors.New("no such tenant")

// Tenant is a customer.
type Tenant struct {
	Name    string    `json:"name"`
	Region  string    `json:"region"`
	Edition string    `json:"edition"`
	Since   time.Time `json:"since"`
	State   string    `json:"state"`
}

// Plan is a version of what a customer pays for.
type Plan struct {
	Revision int64  `json:"revision"`
	Name     string `json:"name"`
	Seats    int    `json:"seats"`
}

// Invite lets somebody join.
type Invite struct {
	Code    string
	Email   string
	Expires time.Time
}

// Registry is the control plane's table.
type Registry struct {
	table *bigtable.Table
	ttl   time.Duration
}

// Option changes a Registry.
type Option func(*Registry)

// InviteTTL sets how long invitations live.
func InviteTTL(d time.Duration) Option { return func(r *Registry) { r.ttl = d } }

// New opens the registry.
func New(c *bigtable.Client, opts ...Option) *Registry {
	r := &Registry{table: c.Open(layout.ControlTable), ttl: 72 * time.Hour}
	for _, o := range opts {
		o(r)
	}
	return r
}

func key(tenant string) string { return "t#" + strings.ToLower(tenant) }

// Put registers a tenant.
func (r *Registry) Put(ctx context.Context, t Tenant) error {
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(layout.Control.Tenant, "doc", 0, b)                                     // ok ttlwrite/clock-in-zero
	mut.Set(layout.Control.Tenant, "state", bigtable.Timestamp(0), []byte(t.State)) // ok ttlwrite/clock-in-zero
	mut.Set(layout.Control.Note, "put", bigtable.ServerTime, []byte("registered"))  // ok ttlwrite/server-timestamp
	return r.table.Apply(ctx, key(t.Name), mut)
}

// SetState moves a tenant to another state.
func (r *Registry) SetState(ctx context.Context, tenant, state string) error {
	mut := bigtable.NewMutation()
	mut.Set(layout.Control.Tenant, "state", bigtable.Now(), []byte(state)) // want ttlwrite/clock-in-zero
	return r.table.Apply(ctx, key(tenant), mut)
}

// Rename replaces a tenant's document.
func (r *Registry) Rename(ctx context.Context, tenant string, doc []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(layout.Control.Tenant, "doc", 0, doc)             // ok ttlwrite/same-timestamp
	mut.Set(layout.Control.Tenant, "doc", 0, append(doc, 10)) // want ttlwrite/same-timestamp
	return r.table.Apply(ctx, key(tenant), mut)
}

// Get reads a tenant.
func (r *Registry) Get(ctx context.Context, tenant string) (*Tenant, error) {
	row, err := r.table.ReadRow(ctx, key(tenant), bigtable.RowFilter(bigtable.FamilyFilter(layout.Control.Tenant))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[layout.Control.Tenant] {
		if it.Column == "tenant:doc" {
			t := new(Tenant)
			return t, json.Unmarshal(it.Value, t)
		}
	}
	return nil, fmt.Errorf("%s: %w", tenant, ErrNoTenant)
}

// List reads all tenants.
func (r *Registry) List(ctx context.Context) ([]Tenant, error) {
	var out []Tenant
	err := r.table.ReadRows(ctx, bigtable.PrefixRange("t#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[layout.Control.Tenant] {
			var t Tenant
			if it.Column == "tenant:doc" && json.Unmarshal(it.Value, &t) == nil {
				out = append(out, t)
			}
		}
		return true
	})
	return out, err
}

// Invite stores an invitation.
func (r *Registry) Invite(ctx context.Context, tenant, code, email string) error {
	mut := bigtable.NewMutation()
	mut.Set(layout.Control.Invite, code, bigtable.Time(time.Now().Add(r.ttl)), []byte(email)) // ok ttlwrite/write-time
	mut.Set(layout.Control.Note, "invited", bigtable.Now(), []byte(email))                    // ok ttlwrite/write-time
	return r.table.Apply(ctx, key(tenant), mut)
}

// Reinvite sends an invitation once more.
func (r *Registry) Reinvite(ctx context.Context, tenant, code, email string) error {
	ts := bigtable.Time(time.Now())
	mut := bigtable.NewMutation()
	mut.Set(layout.Control.Invite, code, ts, []byte(email))      // want ttlwrite/write-time
	mut.Set(layout.Control.Note, "reinvited", ts, []byte(email)) // ok ttlwrite/write-time
	return r.table.Apply(ctx, key(tenant), mut)
}

// Invites lists the invitations that are open.
func (r *Registry) Invites(ctx context.Context, tenant string) ([]Invite, error) {
	row, err := r.table.ReadRow(ctx, key(tenant), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(layout.Control.Invite), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []Invite
	for _, it := range row[layout.Control.Invite] {
		out = append(out, Invite{Code: it.Column, Email: string(it.Value), Expires: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	return out, nil
}

// Accept uses an invitation up.
func (r *Registry) Accept(ctx context.Context, tenant, code string) (string, error) {
	row, err := r.table.ReadRow(ctx, key(tenant), bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/missing-filter
		bigtable.FamilyFilter(layout.Control.Invite),
		bigtable.ColumnFilter(code),
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return "", err
	}
	for _, it := range row[layout.Control.Invite] {
		mut := bigtable.NewMutation()
		mut.DeleteCellsInColumn(layout.Control.Invite, code)
		return string(it.Value), r.table.Apply(ctx, key(tenant), mut)
	}
	return "", ErrNoTenant
}

// Soon lists invitations that end within a day; it forgets those with longer lives, on purpose or not.
func (r *Registry) Soon(ctx context.Context, tenant string) ([]string, error) {
	now := time.Now()
	row, err := r.table.ReadRow(ctx, key(tenant), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(layout.Control.Invite), bigtable.TimestampRangeFilter(now, now.Add(24*time.Hour))))) // want ttlread/upper-bound
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[layout.Control.Invite] {
		out = append(out, it.Column)
	}
	return out, nil
}

// Open lists all that can be accepted: none lives longer than three days.
func (r *Registry) Open(ctx context.Context, tenant string) ([]string, error) {
	now := time.Now()
	row, err := r.table.ReadRow(ctx, key(tenant), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(layout.Control.Invite), bigtable.TimestampRangeFilter(now, now.Add(96*time.Hour))))) // ok ttlread/upper-bound
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[layout.Control.Invite] {
		out = append(out, it.Column)
	}
	return out, nil
}

// SetPlan stores a revision of a tenant's plan.
func (r *Registry) SetPlan(ctx context.Context, tenant string, p Plan) error {
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(layout.Control.Plan, "doc", bigtable.Timestamp(p.Revision)*1000, b) // ok ttlwrite/unscaled-sequence
	return r.table.Apply(ctx, key(tenant), mut)
}

// SetPlanNow stores a plan without a revision.
func (r *Registry) SetPlanNow(ctx context.Context, tenant string, p Plan) error {
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(layout.Control.Plan, "doc", bigtable.ServerTime, b) // want ttlwrite/clock-in-sequence
	return r.table.Apply(ctx, key(tenant), mut)
}

// SetPlanAt stores a plan that begins on a day.
func (r *Registry) SetPlanAt(ctx context.Context, tenant string, begin time.Time, doc []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(layout.Control.Plan, "doc", bigtable.Time(begin), doc) // want ttlwrite/clock-in-sequence
	return r.table.Apply(ctx, key(tenant), mut)
}

// PlanHistory reads the last revisions.
func (r *Registry) PlanHistory(ctx context.Context, tenant string) ([]Plan, error) {
	row, err := r.table.ReadRow(ctx, key(tenant), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(layout.Control.Plan), bigtable.ColumnFilter("doc"), bigtable.LatestNFilter(5)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return plans(row), nil
}

// PlanArchive reads more revisions than are kept.
func (r *Registry) PlanArchive(ctx context.Context, tenant string) ([]Plan, error) {
	row, err := r.table.ReadRow(ctx, key(tenant), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(layout.Control.Plan), bigtable.ColumnFilter("doc"), bigtable.LatestNFilter(20)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return plans(row), nil
}

// PlansNamed reads the revisions that are of a name: superseded ones, too.
func (r *Registry) PlansNamed(ctx context.Context, tenant, name string) ([]Plan, error) {
	row, err := r.table.ReadRow(ctx, key(tenant), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(layout.Control.Plan), bigtable.ValueFilter(".*"+name+".*"), bigtable.LatestNFilter(1)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return plans(row), nil
}

// PlanIfNamed reads the current plan if it is of a name.
func (r *Registry) PlanIfNamed(ctx context.Context, tenant, name string) ([]Plan, error) {
	row, err := r.table.ReadRow(ctx, key(tenant), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(layout.Control.Plan), bigtable.LatestNFilter(1), bigtable.ValueFilter(".*"+name+".*")))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return plans(row), nil
}

// Plan reads the current plan, with no filter at all.
func (r *Registry) Plan(ctx context.Context, tenant string) (Plan, error) {
	row, err := r.table.ReadRow(ctx, key(tenant)) // want ttlread/missing-filter
	if err != nil {
		return Plan{}, err
	}
	for _, p := range plans(row) {
		return p, nil
	}
	return Plan{}, ErrNoTenant
}

// HasPlan asks whether there ever was a plan, and adds a trial if not.
func (r *Registry) HasPlan(ctx context.Context, tenant string, trial []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(layout.Control.Plan, "doc", bigtable.Timestamp(1000), trial)                                                   // ok ttlwrite/unscaled-sequence
	return r.table.Apply(ctx, key(tenant), bigtable.NewCondMutation(bigtable.FamilyFilter(layout.Control.Plan), nil, mut)) // ok ttlread/conditional-mutation
}

// Seats adds seats to the tenant's plan.
func (r *Registry) Seats(ctx context.Context, tenant string, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(layout.Control.Plan, "seats", n)   // want ttlwrite/read-modify-write
	rmw.Increment(layout.Control.Note, "changes", 1) // ok ttlwrite/read-modify-write
	_, err := r.table.ApplyReadModifyWrite(ctx, key(tenant), rmw)
	return err
}

// Log appends to the tenant's remarks.
func (r *Registry) Log(ctx context.Context, tenant, text string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(layout.Control.Note, "log", []byte(text+"\n"))   // ok ttlwrite/read-modify-write
	rmw.AppendValue(layout.Control.Tenant, "log", []byte(text+"\n")) // want ttlwrite/read-modify-write
	_, err := r.table.ApplyReadModifyWrite(ctx, key(tenant), rmw)
	return err
}

func plans(row bigtable.Row) []Plan {
	var out []Plan
	for _, it := range row[layout.Control.Plan] {
		var p Plan
		if json.Unmarshal(it.Value, &p) != nil {
			continue
		}
		p.Revision = int64(it.Timestamp) / 1000 // ok ttlage/not-write-time
		out = append(out, p)
	}
	return out
}
