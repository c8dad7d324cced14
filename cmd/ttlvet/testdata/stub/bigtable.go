// Package bigtable stands in for the Bigtable client in tests of the
// drivers: the same names and signatures, no dependencies, nothing done.
package bigtable

import (
	"context"
	"time"
)

type Timestamp int64

const ServerTime Timestamp = -1

func Now() Timestamp                                   { return Time(time.Now()) }
func Time(t time.Time) Timestamp                       { return Timestamp(t.UnixNano() / 1e3) }
func (ts Timestamp) Time() time.Time                   { return time.Unix(0, int64(ts)*1e3) }
func (ts Timestamp) TruncateToMilliseconds() Timestamp { return ts - ts%1000 }

type Client struct{}

func NewClient(ctx context.Context, project, instance string, opts ...any) (*Client, error) {
	return new(Client), nil
}
func (c *Client) Close() error                    { return nil }
func (c *Client) Open(table string) *Table        { return new(Table) }
func (c *Client) OpenTable(table string) TableAPI { return new(Table) }

type TableAPI interface {
	ReadRows(ctx context.Context, arg RowSet, f func(Row) bool, opts ...ReadOption) error
	ReadRow(ctx context.Context, row string, opts ...ReadOption) (Row, error)
	Apply(ctx context.Context, row string, m *Mutation, opts ...ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*Mutation, opts ...ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *ReadModifyWrite) (Row, error)
}

type Table struct{}

func (t *Table) ReadRows(ctx context.Context, arg RowSet, f func(Row) bool, opts ...ReadOption) error {
	return nil
}
func (t *Table) ReadRow(ctx context.Context, row string, opts ...ReadOption) (Row, error) {
	return nil, nil
}
func (t *Table) Apply(ctx context.Context, row string, m *Mutation, opts ...ApplyOption) error {
	return nil
}
func (t *Table) ApplyBulk(ctx context.Context, rowKeys []string, muts []*Mutation, opts ...ApplyOption) ([]error, error) {
	return nil, nil
}
func (t *Table) ApplyReadModifyWrite(ctx context.Context, row string, m *ReadModifyWrite) (Row, error) {
	return nil, nil
}

type ApplyOption interface{ after() }
type ReadOption interface{ set() }
type Row map[string][]ReadItem

func (r Row) Key() string { return "" }

type ReadItem struct {
	Row, Column string
	Timestamp   Timestamp
	Value       []byte
	Labels      []string
}

type RowSet interface{ valid() bool }
type RowList []string

func (RowList) valid() bool { return true }

type RowRange struct{}

func (RowRange) valid() bool             { return true }
func PrefixRange(prefix string) RowRange { return RowRange{} }

type Mutation struct{}

func NewMutation() *Mutation                                         { return new(Mutation) }
func NewCondMutation(cond Filter, mtrue, mfalse *Mutation) *Mutation { return new(Mutation) }

func (m *Mutation) Set(family, column string, ts Timestamp, value []byte)              {}
func (m *Mutation) DeleteCellsInColumn(family, column string)                          {}
func (m *Mutation) DeleteTimestampRange(family, column string, start, end Timestamp)   {}
func (m *Mutation) DeleteCellsInFamily(family string)                                  {}
func (m *Mutation) DeleteRow()                                                         {}
func (m *Mutation) AddIntToCell(family, column string, ts Timestamp, value int64)      {}
func (m *Mutation) MergeBytesToCell(family, column string, ts Timestamp, value []byte) {}

type ReadModifyWrite struct{}

func NewReadModifyWrite() *ReadModifyWrite                              { return new(ReadModifyWrite) }
func (m *ReadModifyWrite) AppendValue(family, column string, v []byte)  {}
func (m *ReadModifyWrite) Increment(family, column string, delta int64) {}
