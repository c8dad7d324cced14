package dal

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"cloud.google.com/go/bigtable"
)

// Column is a typed column.
type Column[T any] struct {
	Family string
	Name   string
	enc    func(T) ([]byte, error)
	dec    func([]byte) (T, error)
}

// Str declares a column of strings.
func Str(family, name string) Column[string] {
	return Column[string]{
		Family: family,
		Name:   name,
		enc:    func(s string) ([]byte, error) { return []byte(s), nil },
		dec:    func(b []byte) (string, error) { return string(b), nil },
	}
}

// Int declares a column of big-endian integers, as the server counts them.
func Int(family, name string) Column[int64] {
	return Column[int64]{
		Family: family,
		Name:   name,
		enc:    func(n int64) ([]byte, error) { return binary.BigEndian.AppendUint64(nil, uint64(n)), nil },
		dec: func(b []byte) (int64, error) {
			if len(b) != 8 {
				return 0, fmt.Errorf("%s:%s: %d bytes", family, name, len(b))
			}
			return int64(binary.BigEndian.Uint64(b)), nil
		},
	}
}

// Float declares a column of floating-point numbers.
func Float(family, name string) Column[float64] {
	return Column[float64]{
		Family: family,
		Name:   name,
		enc: func(x float64) ([]byte, error) {
			return binary.BigEndian.AppendUint64(nil, math.Float64bits(x)), nil
		},
		dec: func(b []byte) (float64, error) {
			if len(b) != 8 {
				return 0, fmt.Errorf("%s:%s: %d bytes", family, name, len(b))
			}
			return math.Float64frombits(binary.BigEndian.Uint64(b)), nil
		},
	}
}

// JSON declares a column of anything.
func JSON[T any](family, name string) Column[T] {
	return Column[T]{
		Family: family,
		Name:   name,
		enc:    func(v T) ([]byte, error) { return json.Marshal(v) },
		dec: func(b []byte) (v T, err error) {
			err = json.Unmarshal(b, &v)
			return v, err
		},
	}
}

// Set adds a cell to a mutation.
func (c Column[T]) Set(m *bigtable.Mutation, ts bigtable.Timestamp, v T) error {
	b, err := c.enc(v)
	if err != nil {
		return fmt.Errorf("column %s:%s: %w", c.Family, c.Name, err)
	}
	m.Set(c.Family, c.Name, ts, b)
	return nil
}

// Clear removes all cells of the column.
func (c Column[T]) Clear(m *bigtable.Mutation) { m.DeleteCellsInColumn(c.Family, c.Name) }

// Get finds the newest cell of the column in a row.
func (c Column[T]) Get(r bigtable.Row) (v T, ok bool, err error) {
	full := c.Family + ":" + c.Name
	for _, it := range r[c.Family] {
		if it.Column == full {
			v, err = c.dec(it.Value)
			return v, err == nil, err
		}
	}
	return v, false, nil
}

// Item finds the newest cell itself.
func (c Column[T]) Item(r bigtable.Row) (bigtable.ReadItem, bool) {
	full := c.Family + ":" + c.Name
	for _, it := range r[c.Family] {
		if it.Column == full {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// Filter restricts a read to the column.
func (c Column[T]) Filter() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(c.Family), bigtable.ColumnFilter(c.Name))
}

// Put is Set for raw bytes, for the callers that encode themselves.
func Put(m *bigtable.Mutation, family, column string, ts bigtable.Timestamp, v []byte) {
	m.Set(family, column, ts, v)
}

// PutMap sets several columns of one family at one timestamp.
func PutMap(m *bigtable.Mutation, family string, ts bigtable.Timestamp, cols map[string]string) {
	for name, v := range cols {
		m.Set(family, name, ts, []byte(v))
	}
}

// Mutate builds a mutation.
func Mutate(fs ...func(*bigtable.Mutation)) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, f := range fs {
		f(m)
	}
	return m
}

// Cell is a step of Mutate.
func Cell(family, column string, ts bigtable.Timestamp, v string) func(*bigtable.Mutation) {
	return func(m *bigtable.Mutation) { m.Set(family, column, ts, []byte(v)) }
}
