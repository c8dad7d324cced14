package online

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/featureplat/btx"
	"example.com/featureplat/schema"
)

// Exported is one line of an export.
type Exported struct {
	Entity    string    `json:"entity"`
	Feature   string    `json:"feature"`
	Value     float64   `json:"value"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// All iterates over the live vectors of a kind.
func (s *Store) All(ctx context.Context, kind string) iter.Seq2[*Vector, error] {
	decode := func(row bigtable.Row) (*Vector, error) {
		fs, err := decodeFeatures(row)
		return &Vector{Entity: row.Key(), Features: fs}, err
	}
	return btx.Decode(ctx, s.tbl, bigtable.PrefixRange(kind+"#"), decode, bigtable.RowFilter(valueFilter())) // ok ttlread/missing-filter
}

// AllOf iterates over one feature of a kind.
func (s *Store) AllOf(ctx context.Context, kind, feature string) iter.Seq2[Feature, error] {
	decode := func(row bigtable.Row) (Feature, error) {
		it, ok := btx.First(row, schema.FamValue, feature)
		if !ok {
			return Feature{}, btx.ErrNotFound
		}
		f, err := btx.DecodeFloat(it.Value)
		return Feature{Name: row.Key(), Value: f}, err
	}
	return btx.Decode(ctx, s.tbl, bigtable.PrefixRange(kind+"#"), decode, bigtable.RowFilter(btx.Cell(schema.FamValue, feature))) // want ttlread/missing-filter
}

// JSON writes one object per cell.
func (s *Store) JSON(ctx context.Context, w io.Writer, kind string) error {
	enc := json.NewEncoder(w)
	for row, err := range btx.Scan(ctx, s.tbl, bigtable.PrefixRange(kind+"#"), btx.Newest(1)) { // want ttlread/missing-filter
		if err != nil {
			return s.count(err)
		}
		for _, it := range row[schema.FamValue] {
			f, err := btx.DecodeFloat(it.Value)
			if err != nil {
				continue
			}
			line := Exported{Entity: row.Key(), Feature: it.Column, Value: f, UpdatedAt: it.Timestamp.Time()} // want ttlage/not-write-time
			if err := enc.Encode(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// JSONLive is JSON for what is still served.
func (s *Store) JSONLive(ctx context.Context, w io.Writer, kind string) error {
	enc := json.NewEncoder(w)
	for row, err := range btx.Scan(ctx, s.tbl, bigtable.PrefixRange(kind+"#"), bigtable.RowFilter(valueFilter())) { // ok ttlread/missing-filter
		if err != nil {
			return s.count(err)
		}
		for name, it := range btx.Items(row, schema.FamValue) {
			f, err := btx.DecodeFloat(it.Value)
			if err != nil {
				continue
			}
			line := Exported{Entity: row.Key(), Feature: name, Value: f, ExpiresAt: it.Timestamp.Time().Add(schema.ValueTTL)} // ok ttlage/not-write-time
			if err := enc.Encode(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// Owners lists owners by entity.
func (s *Store) Owners(ctx context.Context, kind string) (map[string]string, error) {
	owners := map[string]string{}
	for row, err := range btx.Scan(ctx, s.tbl, bigtable.PrefixRange(kind+"#"), btx.Newest(1)) { // ok ttlread/missing-filter
		if err != nil {
			return nil, s.count(err)
		}
		if it, ok := btx.First(row, schema.FamMeta, schema.ColOwner); ok {
			owners[row.Key()] = string(it.Value)
		}
	}
	return owners, nil
}

// Sample reads a few rows with whatever options the caller has.
func (s *Store) Sample(ctx context.Context, kind string, n int64, live bool) ([]string, error) {
	opts := []bigtable.ReadOption{bigtable.LimitRows(n)}
	if live {
		opts = append(opts, bigtable.RowFilter(valueFilter()))
	}
	var out []string
	for row, err := range btx.Scan(ctx, s.tbl, bigtable.PrefixRange(kind+"#"), opts...) { // strict ttlread/missing-filter
		if err != nil {
			return nil, s.count(err)
		}
		for _, it := range row[schema.FamValue] {
			out = append(out, fmt.Sprintf("%s %s %x", it.Row, it.Column, it.Value))
		}
	}
	return out, nil
}

// Head reads the first rows of a kind, one column of each.
func (s *Store) Head(ctx context.Context, kind, feature string, n int64) ([]Feature, error) {
	var out []Feature
	opts := []bigtable.ReadOption{
		bigtable.LimitRows(n),
		bigtable.RowFilter(valueFilter()),
	}
	opts = append(opts, bigtable.RowFilter(bigtable.ColumnFilter(feature)))                  // want ttlread/overridden-filter[head] // maybe ttlread/missing-filter
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(kind+"#"), func(row bigtable.Row) bool { // want ttlread/overridden-filter[head] // maybe ttlread/missing-filter
		fs, err := decodeFeatures(row)
		if err != nil {
			s.log.Warn("bad row", "key", row.Key(), "err", err)
			return true
		}
		out = append(out, fs...)
		return true
	}, opts...) // want ttlread/overridden-filter[head] // maybe ttlread/missing-filter
	return out, s.count(err)
}

// Query runs the statements of the notebook bridge.
type Query struct {
	client *bigtable.Client
}

// NewQuery makes a Query.
func NewQuery(client *bigtable.Client) *Query { return &Query{client: client} }

const (
	sqlVectors = "SELECT _key, fv FROM `online-features` WHERE _key LIKE @prefix"
	sqlOwners  = "SELECT _key, meta['owner'] AS owner FROM `online-features` WHERE _key LIKE @prefix"
)

// Owners lists owners through SQL.
func (q *Query) Owners(ctx context.Context, prefix string) (map[string]string, error) {
	return q.pairs(ctx, sqlOwners, prefix) // ok ttlread/sql
}

// Vectors lists vectors through SQL.
func (q *Query) Vectors(ctx context.Context, prefix string) (map[string]string, error) {
	return q.pairs(ctx, sqlVectors, prefix) // want ttlread/sql
}

func (q *Query) pairs(ctx context.Context, stmt, prefix string) (map[string]string, error) {
	ps, err := q.client.PrepareStatement(ctx, stmt, map[string]bigtable.SQLType{"prefix": bigtable.StringSQLType{}})
	if err != nil {
		return nil, err
	}
	bound, err := ps.Bind(map[string]any{"prefix": prefix + "%"})
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	err = bound.Execute(ctx, func(row bigtable.ResultRow) bool {
		var key, v []byte
		if row.GetByIndex(0, &key) == nil && row.GetByIndex(1, &v) == nil {
			out[string(key)] = string(v)
		}
		return true
	})
	return out, err
}

// Revisions lists the current model revisions.
func (q *Query) Revisions(ctx context.Context) error {
	ps, err := q.client.PrepareStatement(ctx, "SELECT _key, rev['spec'] FROM `model-registry`", nil) // ok ttlread/sql
	if err != nil {
		return err
	}
	_, err = ps.Bind(nil)
	return err
}

// Leases lists open leases.
func (q *Query) Leases(ctx context.Context) error {
	ps, err := q.client.PrepareStatement(ctx, "SELECT _key, lease['holder'] FROM `experiments`", nil) // want ttlread/sql
	if err != nil {
		return err
	}
	_, err = ps.Bind(nil)
	return err
}
