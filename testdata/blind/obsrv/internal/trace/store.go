// Package trace stores spans and an index of them. Tenants differ in how long
// they keep spans; the table's policy is the usual week.
package trace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/bt"
	"example.com/lumen/internal/names"
)

// Span is a part of a trace.
type Span struct {
	Tenant    string        `json:"tenant"`
	Trace     string        `json:"trace"`
	ID        string        `json:"id"`
	Parent    string        `json:"parent"`
	Service   string        `json:"service"`
	Name      string        `json:"name"`
	Start     time.Time     `json:"start"`
	Took      time.Duration `json:"took"`
	CreatedAt time.Time     `json:"created_at"`
	ExpiresAt time.Time     `json:"expires_at"`
}

// Retention says how long a tenant keeps spans.
type Retention struct {
	mu     sync.RWMutex
	tenant map[string]time.Duration
	def    time.Duration
}

func NewRetention(own map[string]time.Duration) *Retention {
	return &Retention{tenant: own, def: names.SpanRetention}
}

func (r *Retention) Of(tenant string) time.Duration {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if d, ok := r.tenant[tenant]; ok {
		return d
	}
	return r.def
}

// Store keeps spans.
type Store struct {
	spans  bigtable.TableAPI
	index  bigtable.TableAPI
	legacy bigtable.TableAPI
	keep   *Retention
}

func New(c *bigtable.Client, keep *Retention) *Store {
	return &Store{
		spans:  c.OpenTable(names.TableSpans),
		index:  c.OpenTable(names.TableSpanIndex),
		legacy: c.OpenTable(names.TableLegacySpans),
		keep:   keep,
	}
}

func spanKey(tenant, trace string) string { return tenant + "#" + trace }

func indexKey(tenant, service string, hour time.Time) string {
	return strings.Join([]string{tenant, service, hour.UTC().Format("2006010215")}, "#")
}

func (s *Store) Put(ctx context.Context, sp Span) error {
	body, err := json.Marshal(sp)
	if err != nil {
		return err
	}
	ts := bt.Shift(s.keep.Of(sp.Tenant), names.SpanRetention)
	mut := bigtable.NewMutation()
	mut.Set(names.FamSpan, sp.ID, ts, body)                               // ok ttlwrite/already-expired
	mut.Set(names.FamLink, sp.Parent, bigtable.ServerTime, []byte(sp.ID)) // ok ttlwrite/server-timestamp
	if err := s.spans.Apply(ctx, spanKey(sp.Tenant, sp.Trace), mut); err != nil {
		return fmt.Errorf("span %s: %w", sp.ID, err)
	}
	ix := bigtable.NewMutation()
	ix.Set(names.FamIndex, sp.Trace, ts, []byte(sp.Name)) // ok ttlwrite/already-expired
	return s.index.Apply(ctx, indexKey(sp.Tenant, sp.Service, sp.Start), ix)
}

func (s *Store) PutDefault(ctx context.Context, sp Span, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamSpan, sp.ID, bigtable.Now(), body)                               // ok ttlwrite/write-time
	mut.Set(names.FamSpan, sp.ID+"/name", bigtable.Time(time.Now()), []byte(sp.Name)) // ok ttlwrite/write-time
	return s.spans.Apply(ctx, spanKey(sp.Tenant, sp.Trace), mut)
}

func (s *Store) PutShort(ctx context.Context, sp Span, body []byte) error {
	return bt.Put(ctx, s.spans, spanKey(sp.Tenant, sp.Trace), names.FamSpan, sp.ID, bt.Shift(time.Hour, names.SpanRetention), body) // ok ttlwrite/already-expired
}

func (s *Store) PutStarted(ctx context.Context, sp Span, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamSpan, sp.ID, bigtable.Timestamp(sp.Start.Unix()), body)                   // want ttlunit/wrong-unit
	mut.Set(names.FamLink, sp.Parent, bigtable.Timestamp(sp.Start.UnixMicro()), []byte(sp.ID)) // ok ttlunit/wrong-unit
	return s.spans.Apply(ctx, spanKey(sp.Tenant, sp.Trace), mut)
}

func (s *Store) PutTook(ctx context.Context, sp Span) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamLink, "took", bigtable.Timestamp(sp.Took), nil) // want ttlunit/wrong-unit
	return s.spans.Apply(ctx, spanKey(sp.Tenant, sp.Trace), mut)
}

func (s *Store) PutEnd(ctx context.Context, sp Span) error {
	end := bigtable.Time(sp.Start) + bigtable.Timestamp(sp.Took/time.Microsecond) // ok ttlunit/wrong-unit
	mut := bigtable.NewMutation()
	mut.Set(names.FamLink, "end", end, nil)
	return s.spans.Apply(ctx, spanKey(sp.Tenant, sp.Trace), mut)
}

func (s *Store) PutExpiry(ctx context.Context, sp Span) error {
	end := bigtable.Time(sp.Start) + bigtable.Timestamp(time.Hour) // want ttlunit/wrong-unit
	mut := bigtable.NewMutation()
	mut.Set(names.FamLink, "until", end, nil)
	return s.spans.Apply(ctx, spanKey(sp.Tenant, sp.Trace), mut)
}

func (s *Store) Unset(ctx context.Context, tenant, trace string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamLink, "root", bigtable.Time(time.Time{}), nil) // want ttlunit/out-of-range
	return s.spans.Apply(ctx, spanKey(tenant, trace), mut)
}

// Count counts the spans of a trace; in a default-expiration family the
// server's clock is as good as any.
func (s *Store) Count(ctx context.Context, tenant, trace string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamSpan, "count", 1) // ok ttlwrite/read-modify-write
	_, err := s.spans.ApplyReadModifyWrite(ctx, spanKey(tenant, trace), rmw)
	return err
}

func (s *Store) Links(ctx context.Context, tenant, trace string) (map[string]time.Time, error) {
	row, err := s.spans.ReadRow(ctx, spanKey(tenant, trace), bigtable.RowFilter(bigtable.FamilyFilter(names.FamLink))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	written := make(map[string]time.Time)
	for _, it := range row[names.FamLink] {
		written[string(it.Value)] = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return written, nil
}

func (s *Store) Trace(ctx context.Context, tenant, trace string) ([]Span, error) {
	row, err := s.spans.ReadRow(ctx, spanKey(tenant, trace)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeSpans(row)
}

func (s *Store) TraceKept(ctx context.Context, tenant, trace string) ([]Span, error) {
	row, err := s.spans.ReadRow(ctx, spanKey(tenant, trace), bigtable.RowFilter(bt.Younger(names.SpanRetention))) // ok ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	return decodeSpans(row)
}

func decodeSpans(row bigtable.Row) ([]Span, error) {
	var out []Span
	for _, it := range row[names.FamSpan] {
		var sp Span
		if err := json.Unmarshal(it.Value, &sp); err != nil {
			return nil, fmt.Errorf("%s %s: %w", row.Key(), it.Column, err)
		}
		sp.ExpiresAt = it.Timestamp.Time().Add(names.SpanRetention) // ok ttlage/not-write-time
		out = append(out, sp)
	}
	return out, nil
}

func (s *Store) TraceAged(ctx context.Context, tenant, trace string) ([]Span, error) {
	row, err := bt.One(ctx, s.spans, spanKey(tenant, trace), bt.InFamily(names.FamSpan, bt.Younger(names.SpanRetention))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []Span
	for _, it := range row[names.FamSpan] {
		sp := Span{Trace: trace, CreatedAt: it.Timestamp.Time()} // want ttlage/not-write-time
		if json.Unmarshal(it.Value, &sp) == nil {
			out = append(out, sp)
		}
	}
	return out, nil
}

func (s *Store) PutLegacy(ctx context.Context, sp Span, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamSpan, sp.ID, bigtable.Timestamp(0), body) // ok ttlwrite/already-expired
	return s.legacy.Apply(ctx, spanKey(sp.Tenant, sp.Trace), mut)
}

// ErrBudget says that a search gave up.
var ErrBudget = errors.New("trace: too many rows")
