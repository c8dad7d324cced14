// Package btxtest has fakes of btx's interfaces, and an emulator to test against.
package btxtest

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"sync"
	"testing"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"medboard.example/board/btx"
)

// Table is a table in memory. It cannot look into mutations, so it counts them, and returns the rows it was given.
type Table struct {
	mu      sync.Mutex
	Rows    map[string]bigtable.Row
	Applied map[string]int
	Err     error
}

var _ btx.Table = (*Table)(nil)

// NewTable returns an empty table.
func NewTable() *Table {
	return &Table{Rows: make(map[string]bigtable.Row), Applied: make(map[string]int)}
}

// With adds a cell.
func (t *Table) With(row, family, column string, ts bigtable.Timestamp, value string) *Table {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.Rows[row]
	if r == nil {
		r = make(bigtable.Row)
		t.Rows[row] = r
	}
	r[family] = append(r[family], bigtable.ReadItem{Row: row, Column: family + ":" + column, Timestamp: ts, Value: []byte(value)})
	return t
}

// ReadRow implements btx.Table.
func (t *Table) ReadRow(_ context.Context, row string, _ ...bigtable.ReadOption) (bigtable.Row, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Rows[row], t.Err
}

// ReadRows implements btx.Table.
func (t *Table) ReadRows(_ context.Context, _ bigtable.RowSet, f func(bigtable.Row) bool, _ ...bigtable.ReadOption) error {
	t.mu.Lock()
	keys := make([]string, 0, len(t.Rows))
	for k := range t.Rows {
		keys = append(keys, k)
	}
	t.mu.Unlock()
	sort.Strings(keys)
	for _, k := range keys {
		if !f(t.Rows[k]) {
			break
		}
	}
	return t.Err
}

// Apply implements btx.Table.
func (t *Table) Apply(_ context.Context, row string, _ *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Applied[row]++
	return t.Err
}

// ApplyReadModifyWrite implements btx.Table.
func (t *Table) ApplyReadModifyWrite(_ context.Context, row string, _ *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Applied[row]++
	return t.Rows[row], t.Err
}

// Put is one call of Cells.Put.
type Put struct {
	Row, Family, Column string
	TS                  bigtable.Timestamp
	Value               string
}

// Cells is a btx.Cells in memory that remembers what was put.
type Cells struct {
	mu       sync.Mutex
	Puts     []Put
	Counters map[string]int64
	Table    *Table
}

var _ btx.Cells = (*Cells)(nil)

// NewCells returns empty cells.
func NewCells() *Cells { return &Cells{Counters: make(map[string]int64), Table: NewTable()} }

// Put implements btx.Cells.
func (c *Cells) Put(_ context.Context, row, family, column string, ts bigtable.Timestamp, value []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Puts = append(c.Puts, Put{row, family, column, ts, string(value)})
	c.Table.With(row, family, column, ts, string(value))
	return nil
}

// Get implements btx.Cells.
func (c *Cells) Get(ctx context.Context, row string, _ bigtable.Filter) (bigtable.Row, error) {
	r, err := c.Table.ReadRow(ctx, row) // ok ttlread/missing-filter
	if err == nil && len(r) == 0 {
		err = btx.ErrNotFound
	}
	return r, err
}

// Bump implements btx.Cells.
func (c *Cells) Bump(_ context.Context, row, family, column string, delta int64) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := row + "/" + family + ":" + column
	c.Counters[key] += delta
	return c.Counters[key], nil
}

// Drop implements btx.Cells.
func (c *Cells) Drop(_ context.Context, row, family, column string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Puts = slices.DeleteFunc(c.Puts, func(p Put) bool { return p.Row == row && p.Family == family && p.Column == column })
	return nil
}

// Emulator starts an emulator that lives as long as the test.
func Emulator(t testing.TB) (*bigtable.Client, *bigtable.AdminClient) {
	t.Helper()
	srv, err := bttest.NewServer("localhost:0")
	Must(t, err)
	t.Cleanup(srv.Close)
	conn, err := grpc.NewClient(srv.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	Must(t, err)
	ctx := context.Background()
	client, err := bigtable.NewClient(ctx, "hospital", "wards", option.WithGRPCConn(conn))
	Must(t, err)
	admin, err := bigtable.NewAdminClient(ctx, "hospital", "wards", option.WithGRPCConn(conn))
	Must(t, err)
	return client, admin
}

// Must fails the test if there is an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Create makes a table with families that have no policy.
func Create(t testing.TB, admin *bigtable.AdminClient, table string, families ...string) {
	t.Helper()
	ctx := context.Background()
	Must(t, admin.CreateTable(ctx, table))
	for _, f := range families {
		Must(t, admin.CreateColumnFamily(ctx, table, f))
	}
}

// CreateWith makes a table with families and their policies.
func CreateWith(t testing.TB, admin *bigtable.AdminClient, table string, families map[string]bigtable.GCPolicy) {
	t.Helper()
	ctx := context.Background()
	Must(t, admin.CreateTable(ctx, table))
	for f, p := range families {
		Must(t, admin.CreateColumnFamily(ctx, table, f))
		Must(t, admin.SetGCPolicy(ctx, table, f, p))
	}
}

// Values returns the values of a column, newest first.
func Values(row bigtable.Row, family, column string) []string {
	var vs []string
	for _, it := range row[family] {
		if it.Column == fmt.Sprintf("%s:%s", family, column) {
			vs = append(vs, string(it.Value))
		}
	}
	return vs
}
