package btstore

import (
	"fmt"
	"strings"

	"cloud.google.com/go/bigtable"
)

// Col is a typed column.
type Col[T any] struct {
	Family, Name string
	Codec        Codec[T]
}

// NewCol declares a typed column.
func NewCol[T any](family, name string, codec Codec[T]) Col[T] {
	return Col[T]{Family: family, Name: name, Codec: codec}
}

// Set adds a cell to a mutation.
func (c Col[T]) Set(m *bigtable.Mutation, ts bigtable.Timestamp, v T) error {
	b, err := c.Codec.Encode(v)
	if err != nil {
		return fmt.Errorf("%s:%s: %w", c.Family, c.Name, err)
	}
	m.Set(c.Family, c.Name, ts, b)
	return nil
}

// Drop deletes the column.
func (c Col[T]) Drop(m *bigtable.Mutation) { m.DeleteCellsInColumn(c.Family, c.Name) }

// Item finds the newest cell of the column.
func (c Col[T]) Item(row bigtable.Row) (bigtable.ReadItem, bool) {
	for _, it := range row[c.Family] {
		if strings.TrimPrefix(it.Column, c.Family+":") == c.Name {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

// Get decodes the newest cell of the column.
func (c Col[T]) Get(row bigtable.Row) (v T, ok bool, err error) {
	it, ok := c.Item(row)
	if !ok {
		return v, false, nil
	}
	v, err = c.Codec.Decode(it.Value)
	return v, err == nil, err
}

// Value finds the newest cell of a column in a row.
func Value(row bigtable.Row, family, column string) []byte {
	for _, it := range row[family] {
		if it.Column == family+":"+column {
			return it.Value
		}
	}
	return nil
}
