package ttl_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"github.com/ttlvet/ttlvet/runtime/ttl"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
)

// TestMain silences the emulator, which tells of every cell that it collects.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	os.Exit(m.Run())
}

// connect starts an emulator of its own and returns clients of it. The
// emulator collects garbage only after a policy was set by the admin client.
//
// Nothing of it leaves the process: in a bubble of testing/synctest, the server
// has the bubble's clock.
func connect(ctx context.Context) (client *bigtable.Client, admin *bigtable.AdminClient, stop func()) {
	listener := bufconn.Listen(1 << 20)
	srv, err := bttest.NewServerWithListener(listener)
	must(err)
	dial := func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }
	conn, err := grpc.NewClient("passthrough:///emulator", grpc.WithContextDialer(dial),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(err)
	quiet := bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}}
	client, err = bigtable.NewClientWithConfig(ctx, "project", "instance", quiet, option.WithGRPCConn(conn))
	must(err)
	admin, err = bigtable.NewAdminClient(ctx, "project", "instance", option.WithGRPCConn(conn))
	must(err)
	return client, admin, func() {
		client.Close()
		conn.Close()
		listener.Close() // first, because the server waits for it
		srv.Close()
	}
}

// must is for setup, in tests and examples.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// An emulator is an emulator with one table, which has the policies declared.
type emulator struct {
	t      *testing.T
	client *bigtable.Client
	admin  *bigtable.AdminClient
	tbl    *bigtable.Table
}

func newEmulator(t *testing.T, table *ttl.Table) *emulator {
	t.Helper()
	client, admin, stop := connect(t.Context())
	t.Cleanup(stop)
	must(admin.CreateTableFromConf(t.Context(), table.Conf()))
	return &emulator{t, client, admin, client.Open(table.Name())}
}

// apply builds a mutation by writes that must succeed and applies it to the row.
func (e *emulator) apply(key string, writes ...func(mut *bigtable.Mutation) error) {
	e.t.Helper()
	mut := bigtable.NewMutation()
	for _, write := range writes {
		if err := write(mut); err != nil {
			e.t.Fatal(err)
		}
	}
	if err := e.tbl.Apply(e.t.Context(), key, mut); err != nil {
		e.t.Fatal(err)
	}
}

// raw writes a cell as code without this package would.
func raw(family, column string, ts bigtable.Timestamp, value string) func(*bigtable.Mutation) error {
	return func(mut *bigtable.Mutation) error {
		mut.Set(family, column, ts, []byte(value))
		return nil
	}
}

func (e *emulator) read(key string, opts ...bigtable.ReadOption) bigtable.Row {
	e.t.Helper()
	row, err := e.tbl.ReadRow(e.t.Context(), key, opts...)
	if err != nil {
		e.t.Fatal(err)
	}
	return row
}

// values returns the cells of a row as "family:column=value", families in
// order of their names.
func (e *emulator) values(key string, opts ...bigtable.ReadOption) string {
	e.t.Helper()
	return values(e.read(key, opts...))
}

func values(row bigtable.Row) string {
	var cells []string
	for _, family := range slices.Sorted(maps.Keys(row)) {
		for _, item := range row[family] {
			cells = append(cells, fmt.Sprintf("%s=%s", item.Column, item.Value))
		}
	}
	return strings.Join(cells, " ")
}

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}
