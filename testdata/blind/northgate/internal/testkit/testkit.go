// Package testkit starts emulators and holds fakes for tests.
package testkit

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// Instance is an emulator.
type Instance struct {
	Client *bigtable.Client
	Admin  *bigtable.AdminClient
}

// Start starts an emulator with the tables of package schema.
func Start(t testing.TB) *Instance {
	t.Helper()
	srv, err := bttest.NewServer("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	conn, err := grpc.NewClient(srv.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	in := &Instance{}
	if in.Client, err = bigtable.NewClient(ctx, "test", "test", option.WithGRPCConn(conn)); err != nil {
		t.Fatal(err)
	}
	if in.Admin, err = bigtable.NewAdminClient(ctx, "test", "test", option.WithGRPCConn(conn)); err != nil {
		t.Fatal(err)
	}
	seen := map[schema.TableID]bool{}
	for _, p := range schema.Policies {
		if !seen[p.Table] {
			seen[p.Table] = true
			must(t, in.Admin.CreateTable(ctx, p.Table.String()))
		}
		must(t, in.Admin.CreateColumnFamily(ctx, p.Table.String(), string(p.Family))) // want ttlgc/no-policy
	}
	must(t, in.Admin.CreateTableFromConf(ctx, schema.Journal("user")))
	return in
}

// Table opens a table.
func (in *Instance) Table(id schema.TableID) bt.Table { return bt.Open(in.Client, id) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Fixed is a clock that stands still.
func Fixed(t time.Time) bt.Clock { return func() time.Time { return t } }

// Fake is a table in memory that notes what is written and answers reads from
// a script.
type Fake struct {
	mu    sync.Mutex
	Rows  map[string]bigtable.Row
	Keys  []string
	Reads int
}

var _ bt.Table = (*Fake)(nil)

// ReadRow implements bt.Table.
func (f *Fake) ReadRow(_ context.Context, key string, _ ...bigtable.ReadOption) (bigtable.Row, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Reads++
	return f.Rows[key], nil
}

// ReadRows implements bt.Table.
func (f *Fake) ReadRows(_ context.Context, _ bigtable.RowSet, yield func(bigtable.Row) bool, _ ...bigtable.ReadOption) error {
	f.mu.Lock()
	keys := make([]string, 0, len(f.Rows))
	for k := range f.Rows {
		keys = append(keys, k)
	}
	f.mu.Unlock()
	slices.SortFunc(keys, strings.Compare)
	for _, k := range keys {
		if !yield(f.Rows[k]) {
			break
		}
	}
	return nil
}

// Apply implements bt.Table.
func (f *Fake) Apply(_ context.Context, key string, _ *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Keys = append(f.Keys, key)
	return nil
}

// ApplyBulk implements bt.Table.
func (f *Fake) ApplyBulk(ctx context.Context, keys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error) {
	for i := range keys {
		if err := f.Apply(ctx, keys[i], muts[i], opts...); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// ApplyReadModifyWrite implements bt.Table.
func (f *Fake) ApplyReadModifyWrite(_ context.Context, key string, _ *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Keys = append(f.Keys, key)
	return f.Rows[key], nil
}
