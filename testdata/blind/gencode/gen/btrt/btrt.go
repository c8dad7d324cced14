// Package btrt is what code written by btgen links: codecs, errors and the
// generic readers.
package btrt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"cloud.google.com/go/bigtable"
)

// ErrNotFound is returned for rows without cells.
var ErrNotFound = errors.New("row not found")

// Unmarshaler is implemented by every generated row type.
type Unmarshaler interface {
	UnmarshalBigtable(row bigtable.Row) error
}

// Marshaler is implemented by every generated family type.
type Marshaler interface {
	MarshalBigtable(mut *bigtable.Mutation, ts bigtable.Timestamp)
}

// Wrap adds the key to err.
func Wrap(key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("row %q: %w", key, err)
}

// Qualifier returns the column without its family.
func Qualifier(it bigtable.ReadItem) string {
	_, q, _ := strings.Cut(it.Column, ":")
	return q
}

// EncodeInt64 encodes big endian, as Increment expects.
func EncodeInt64(v int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(v))
}

// DecodeInt64 reverses EncodeInt64; short values are 0.
func DecodeInt64(b []byte) int64 {
	if len(b) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}

// EncodeBool encodes one byte.
func EncodeBool(v bool) []byte {
	if v {
		return []byte{1}
	}
	return []byte{0}
}

// DecodeBool reverses EncodeBool.
func DecodeBool(b []byte) bool { return len(b) == 1 && b[0] == 1 }

// FirstInt64 decodes the first cell of a family.
func FirstInt64(row bigtable.Row, family string) int64 {
	for _, it := range row[family] {
		return DecodeInt64(it.Value)
	}
	return 0
}

// ReadInto reads one row into dst.
func ReadInto(ctx context.Context, tbl *bigtable.Table, key string, dst Unmarshaler, opts ...bigtable.ReadOption) error {
	row, err := tbl.ReadRow(ctx, key, opts...)
	if err != nil {
		return Wrap(key, err)
	}
	if len(row) == 0 {
		return Wrap(key, ErrNotFound)
	}
	return dst.UnmarshalBigtable(row)
}

// Collect reads every row of rs.
func Collect[T any, P interface {
	*T
	Unmarshaler
}](ctx context.Context, tbl *bigtable.Table, rs bigtable.RowSet, opts ...bigtable.ReadOption) ([]T, error) {
	var out []T
	var bad error
	err := tbl.ReadRows(ctx, rs, func(row bigtable.Row) bool {
		var v T
		if bad = P(&v).UnmarshalBigtable(row); bad != nil {
			return false
		}
		out = append(out, v)
		return true
	}, opts...)
	return out, errors.Join(err, bad)
}

// Batch collects mutations of generated types for one ApplyBulk.
type Batch struct {
	keys []string
	muts []*bigtable.Mutation
}

// Add marshals m under key at ts.
func (b *Batch) Add(key string, m Marshaler, ts bigtable.Timestamp) {
	mut := bigtable.NewMutation()
	m.MarshalBigtable(mut, ts)
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, mut)
}

// Len returns the number of rows.
func (b *Batch) Len() int { return len(b.keys) }

// Flush writes and empties the batch.
func (b *Batch) Flush(ctx context.Context, tbl *bigtable.Table) error {
	errs, err := tbl.ApplyBulk(ctx, b.keys, b.muts)
	b.keys, b.muts = nil, nil
	return errors.Join(append(errs, err)...)
}
