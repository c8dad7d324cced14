package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/schema"
	"github.com/tramway/btops/internal/tenant"
)

// settingStore keeps one value of each setting.
type settingStore struct{ tbl *bigtable.Table }

// cellWriter writes one family with one timestamp.
type cellWriter struct {
	family string
	ts     bigtable.Timestamp
}

func newCellWriter(family string, ts bigtable.Timestamp) *cellWriter {
	return &cellWriter{family: family, ts: ts}
}

func (w *cellWriter) add(m *bigtable.Mutation, column, value string) *cellWriter {
	m.Set(w.family, column, w.ts, []byte(value))
	return w
}

func (s *settingStore) set(ctx context.Context, name, value string) error {
	if value == "" {
		return errors.New("empty value")
	}
	m := bigtable.NewMutation()
	newCellWriter(schema.Cur, 0).add(m, name, value).add(m, "last", name) // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, "global", m)
}

// setFor sets a value of one tenant, and when.
func (s *settingStore) setFor(ctx context.Context, tenantID, name, value string) error {
	m := bigtable.NewMutation()
	m.Set(schema.Cur, name, 0, []byte(value))                                   // ok ttlwrite/clock-in-zero
	m.Set(schema.Cur, name+".at", bigtable.Now(), nil)                          // want ttlwrite/clock-in-zero
	m.Set(schema.Cur, name+".when", 0, []byte(time.Now().Format(time.RFC3339))) // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, "t#"+tenantID, m)
}

// setMany sets what a file has, and when.
func (s *settingStore) setMany(ctx context.Context, values map[string]string) error {
	m := bigtable.NewMutation()
	w := newCellWriter(schema.Cur, 0) // ok ttlwrite/clock-in-zero
	for name, value := range values {
		w.add(m, name, value)
	}
	newCellWriter(schema.Cur, bigtable.Now()).add(m, "file", "1") // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, "global", m)
}

func (s *settingStore) get(ctx context.Context, name string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, "global", bigtable.RowFilter(btx.Column(schema.Cur, name))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	v := btx.Value(row, schema.Cur, name)
	if v == "" {
		return "", fmt.Errorf("setting %s: %w", name, tenant.ErrNotFound)
	}
	return v, nil
}

// changedAt is when a setting was changed.
func (s *settingStore) changedAt(ctx context.Context, name string) (time.Time, error) {
	row, err := s.tbl.ReadRow(ctx, "global", bigtable.RowFilter(btx.Column(schema.Cur, name)))
	if err != nil {
		return time.Time{}, err
	}
	var updatedAt time.Time
	for _, it := range row[schema.Cur] {
		updatedAt = it.Timestamp.Time() // want ttlage/not-write-time
	}
	return updatedAt, nil
}

// visits counts.
func (s *settingStore) visits(ctx context.Context) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.Cur, "visits", 1) // want ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, "global", rmw)
	if err != nil {
		return 0, err
	}
	for _, it := range row[schema.Cur] {
		return btx.ToInt(it.Value), nil
	}
	return 0, nil
}

// decoder makes a T of a row's cells.
type decoder[T any] interface {
	decode(items []bigtable.ReadItem) (T, error)
}

// load reads one family of a row and decodes it.
func load[T any](ctx context.Context, tbl table, key, family string, d decoder[T], opts ...bigtable.ReadOption) (T, error) {
	var zero T
	row, err := tbl.ReadRow(ctx, key, opts...)
	if err != nil {
		return zero, err
	}
	items := row[family]
	if len(items) == 0 {
		return zero, tenant.ErrNotFound
	}
	return d.decode(items)
}

type jsonDecoder[T any] struct{}

func (jsonDecoder[T]) decode(items []bigtable.ReadItem) (T, error) {
	var v T
	err := json.Unmarshal(items[0].Value, &v)
	return v, err
}

// tokenInfo is what an introspection shows.
type tokenInfo struct {
	Rider string   `json:"rider"`
	Scope []string `json:"scope"`
}

func (s *sessionStore) introspect(ctx context.Context, rider string) (tokenInfo, error) {
	return load[tokenInfo](ctx, s.tbl, sessionKey(rider), "token", jsonDecoder[tokenInfo]{}, btx.LiveOnly("token")) // ok ttlread/missing-filter
}

func (s *sessionStore) introspectOld(ctx context.Context, rider string) (tokenInfo, error) {
	return load[tokenInfo](ctx, s.tbl, sessionKey(rider), "token", jsonDecoder[tokenInfo]{}, btx.Newest()) // want ttlread/missing-filter
}

func (s *sessionStore) introspectProfile(ctx context.Context, rider string) (tokenInfo, error) {
	return load[tokenInfo](ctx, s.tbl, sessionKey(rider), "profile", jsonDecoder[tokenInfo]{}, btx.Newest()) // ok ttlread/missing-filter
}
