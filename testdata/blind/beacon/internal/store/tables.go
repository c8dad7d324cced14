// Package store reads and writes what one tenant owns.
package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/config"
	"example.com/beacon/internal/layout"
)

// ErrNotFound is returned where a row is not there, or no longer.
var ErrNotFound = errors.New("not found")

// Tables are the tables of one tenant. Their names are the tenant's.
type Tables struct {
	Audit    bigtable.TableAPI
	Metrics  bigtable.TableAPI
	Sessions bigtable.TableAPI
	Ledger   bigtable.TableAPI
	State    bigtable.TableAPI
	Traces   bigtable.TableAPI
	Journal  bigtable.TableAPI
}

// Opener is what opens tables: *bigtable.Client, and what tests have instead.
type Opener interface {
	OpenTable(name string) bigtable.TableAPI
}

// Open opens all tables of a tenant.
func Open(o Opener, names layout.Names) *Tables {
	return &Tables{
		Audit:    o.OpenTable(names.Audit()),
		Metrics:  o.OpenTable(names.Metrics()),
		Sessions: o.OpenTable(names.Sessions()),
		Ledger:   o.OpenTable(names.Ledger()),
		State:    o.OpenTable(names.State()),
		Traces:   o.OpenTable(names.Traces()),
		Journal:  o.OpenTable(names.Journal()),
	}
}

// Tenant is everything that is known about a tenant at run time.
type Tenant struct {
	Name   string
	Plan   config.Plan
	Tables *Tables

	Audit    *AuditStore
	Metrics  *MetricStore
	Sessions *SessionStore
	State    *StateStore
}

// Directory hands out tenants, and opens their tables when they are first asked for.
type Directory struct {
	opener   Opener
	settings *config.Settings
	now      func() time.Time

	mu      sync.Mutex
	tenants map[string]*Tenant
}

// NewDirectory returns a directory of the settings' tenants.
func NewDirectory(o Opener, s *config.Settings) *Directory {
	return &Directory{opener: o, settings: s, now: time.Now, tenants: map[string]*Tenant{}}
}

// Tenant returns the tenant by its name.
func (d *Directory) Tenant(ctx context.Context, name string) (*Tenant, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t, ok := d.tenants[name]; ok {
		return t, nil
	}
	if !d.known(name) {
		return nil, fmt.Errorf("tenant %q: %w", name, ErrNotFound)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	tabs := Open(d.opener, layout.For(d.settings.Prefix, name))
	lay := d.settings.Layout
	t := &Tenant{
		Name:     name,
		Plan:     d.settings.Plan(name),
		Tables:   tabs,
		Audit:    NewAuditStore(tabs.Audit, lay.Audit, d.now),
		Metrics:  NewMetricStore(tabs.Metrics, lay.Metrics),
		Sessions: NewSessionStore(tabs.Sessions, lay.Sessions, WithClock(d.now)),
		State:    NewStateStore(tabs.State, lay.State),
	}
	d.tenants[name] = t
	return t, nil
}

// Names lists the tenants of the settings.
func (d *Directory) Names() []string {
	return append([]string(nil), d.settings.Tenants...)
}

func (d *Directory) known(name string) bool {
	for _, t := range d.settings.Tenants {
		if t == name {
			return true
		}
	}
	return false
}

// Forget drops a tenant that was deleted.
func (d *Directory) Forget(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.tenants, name)
}
