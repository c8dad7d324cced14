// Package settings keeps tenants' settings. A setting is one cell at timestamp
// zero, so that a write replaces the one before it.
package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/bt"
	"example.com/skylark/internal/events"
)

const zero = bigtable.Timestamp(0)

// Change is a change of a setting.
type Change struct {
	Tenant string `json:"tenant"`
	Name   string `json:"name"`
	Value  string `json:"value"`
	Actor  string `json:"actor"`
}

// Store keeps settings and an audit trail of their changes.
type Store struct {
	tbl   bigtable.TableAPI
	audit bigtable.TableAPI
	subs  []chan<- Change
	mu    sync.RWMutex
	cache map[string]string
}

// New returns a store.
func New(s *bt.Stores) *Store {
	return &Store{tbl: s.Settings, audit: s.Audit, cache: map[string]string{}}
}

// Subscribe has changes sent to ch.
func (s *Store) Subscribe(ch chan<- Change) {
	s.mu.Lock()
	s.subs = append(s.subs, ch)
	s.mu.Unlock()
}

// Set changes a setting.
func (s *Store) Set(ctx context.Context, c Change) error {
	m := bigtable.NewMutation()
	m.Set(bt.FamV, c.Name, zero, []byte(c.Value))     // ok ttlwrite/clock-in-zero
	m.Set(bt.FamV, c.Name+".by", 0, []byte(c.Actor))  // ok ttlwrite/clock-in-zero
	m.Set(bt.FamV, c.Name+".at", bigtable.Now(), nil) // want ttlwrite/clock-in-zero
	if err := s.tbl.Apply(ctx, c.Tenant, m); err != nil {
		return err
	}
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := s.audit.Apply(ctx, c.Tenant, events.Stamped(events.Event{Kind: "setting", Body: body})); err != nil { // ok ttlwrite/clock-in-sequence
		return err
	}
	s.mu.Lock()
	s.cache[c.Tenant+"/"+c.Name] = c.Value
	s.mu.Unlock()
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, ch := range s.subs {
		select {
		case ch <- c:
		default:
		}
	}
	return nil
}

// SetAll changes several settings at once.
func (s *Store) SetAll(ctx context.Context, tenant string, values map[string]string, rev string) error {
	m := bigtable.NewMutation()
	for k, v := range values {
		m.Set(bt.FamV, k, 0, []byte(v))            // ok ttlwrite/same-timestamp
		m.Set(bt.FamV, "revision", 0, []byte(rev)) // want ttlwrite/same-timestamp
	}
	return s.tbl.Apply(ctx, tenant, m)
}

// Replace drops every setting and writes new ones.
func (s *Store) Replace(ctx context.Context, tenant string, values map[string]string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(bt.FamV) // ok ttlwrite/delete-after-set
	for k, v := range values {
		m.Set(bt.FamV, k, 0, []byte(v)) // ok ttlwrite/same-timestamp
	}
	return s.tbl.Apply(ctx, tenant, m)
}

// Unset drops a setting.
func (s *Store) Unset(ctx context.Context, tenant, name string) error {
	m := bigtable.NewMutation()
	m.Set(bt.FamV, name, bigtable.ServerTime, nil) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, tenant, m)
}

// Get reads a setting.
func (s *Store) Get(ctx context.Context, tenant, name string) (string, error) {
	s.mu.RLock()
	v, ok := s.cache[tenant+"/"+name]
	s.mu.RUnlock()
	if ok {
		return v, nil
	}
	row, err := s.tbl.ReadRow(ctx, tenant, bigtable.RowFilter(bigtable.ColumnFilter(name))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	it, ok := bt.First(row, bt.FamV, name)
	if !ok {
		return "", fmt.Errorf("%s has no %s", tenant, name)
	}
	return string(it.Value), nil
}

// All reads every setting of a tenant.
func (s *Store) All(ctx context.Context, tenant string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, tenant) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	res := map[string]string{}
	for _, it := range row[bt.FamV] {
		res[it.Column] = string(it.Value)
	}
	return res, nil
}

// Changed says when a setting was changed.
func (s *Store) Changed(ctx context.Context, tenant, name string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, tenant) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	it, _ := bt.First(row, bt.FamV, name)
	return map[string]string{
		"name":       name,
		"value":      string(it.Value),
		"updated_at": it.Timestamp.Time().Format(time.RFC3339), // want ttlage/not-write-time
	}, nil
}

// Trail reads the audit trail of a tenant.
func (s *Store) Trail(ctx context.Context, tenant string) ([]events.Event, error) {
	row, err := s.audit.ReadRow(ctx, tenant) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var es []events.Event
	for _, it := range row[bt.FamEv] {
		es = append(es, events.Event{Kind: it.Column, Body: it.Value, At: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	return es, nil
}

// TrailSince reads the audit trail of the last day.
func (s *Store) TrailSince(ctx context.Context, tenant string) (bigtable.Row, error) {
	return s.audit.ReadRow(ctx, tenant, bigtable.RowFilter(bt.Since(bt.FamEv, 24*time.Hour))) // ok ttlread/wrong-bound
}

// Version counts the changes of a tenant.
func (s *Store) Version(ctx context.Context, tenant string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamV, "version", 1) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, tenant, rmw)
	return err
}
