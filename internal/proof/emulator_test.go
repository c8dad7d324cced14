package proof

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const (
	project  = "p"
	instance = "i"
)

// A server is an emulator that the proofs share, each with tables of its own.
// Its collection of garbage runs over all tables, and starts with the first
// policy that is set by other means than creation of a table. So one server
// never collects, like the service between compactions, and one always does.
type server struct {
	conn   *grpc.ClientConn
	client *bigtable.Client
	admin  *bigtable.AdminClient
}

var lingering, collecting *server

func TestMain(m *testing.M) {
	flag.Parse()
	log.SetOutput(io.Discard) // the emulator logs each collection
	// Proofs wait for the emulator's collection and take no time otherwise.
	if err := flag.Set("test.parallel", "64"); err != nil {
		panic(err)
	}
	var stop [2]func()
	lingering, stop[0] = start()
	collecting, stop[1] = start()
	code := m.Run()
	stop[0]()
	stop[1]()
	os.Exit(code)
}

func start() (s *server, stop func()) {
	ctx := context.Background()
	srv, err := bttest.NewServer("localhost:0")
	must(err)
	s = new(server)
	s.conn, err = grpc.NewClient(srv.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(err)
	quiet := bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}}
	s.client, err = bigtable.NewClientWithConfig(ctx, project, instance, quiet, option.WithGRPCConn(s.conn))
	must(err)
	s.admin, err = bigtable.NewAdminClient(ctx, project, instance, option.WithGRPCConn(s.conn))
	must(err)
	return s, func() {
		s.client.Close()
		s.conn.Close()
		srv.Close()
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// A table is a table of one proof.
type table struct {
	t    *testing.T
	srv  *server
	name string
	tbl  *bigtable.Table
}

const (
	tokenTTL = 30 * time.Minute
	eventAge = 720 * time.Hour
)

// policies are the families of the documentation's examples, in one table:
// token with one-second and event with default expiration, entry with
// sequential numbers, latest with timestamp zero, profile with real
// timestamps.
func policies() map[string]bigtable.GCPolicy {
	return map[string]bigtable.GCPolicy{
		"token":   bigtable.MaxAgePolicy(time.Second),
		"event":   bigtable.MaxAgePolicy(eventAge),
		"entry":   bigtable.MaxVersionsPolicy(3),
		"latest":  bigtable.MaxVersionsPolicy(1),
		"profile": bigtable.NoGcPolicy(),
	}
}

// canary is a family whose cells go at the next collection.
const canary = "canary"

var tables atomic.Int64

// newTable creates a table with the families of the examples, with other
// policies where some are given.
func (s *server) newTable(t *testing.T, other ...map[string]bigtable.GCPolicy) *table {
	t.Helper()
	conf := &bigtable.TableConf{
		TableID:        fmt.Sprintf("t%d", tables.Add(1)),
		ColumnFamilies: map[string]bigtable.Family{canary: {GCPolicy: bigtable.MaxAgePolicy(time.Second)}},
	}
	all := policies()
	for _, o := range other {
		maps.Copy(all, o)
	}
	for name, policy := range all {
		conf.ColumnFamilies[name] = bigtable.Family{GCPolicy: policy}
	}
	tb := &table{t, s, conf.TableID, s.client.Open(conf.TableID)}
	tb.check(s.admin.CreateTableFromConf(t.Context(), conf))
	if s == collecting {
		tb.setPolicy(canary, bigtable.MaxAgePolicy(time.Second))
	}
	return tb
}

func (tb *table) check(err error) {
	tb.t.Helper()
	if err != nil {
		tb.t.Fatal(err)
	}
}

func (tb *table) setPolicy(family string, policy bigtable.GCPolicy) {
	tb.t.Helper()
	if tb.srv != collecting {
		tb.t.Fatal("a policy set here would start the collection for all proofs")
	}
	tb.check(tb.srv.admin.SetGCPolicy(tb.t.Context(), tb.name, family, policy))
}

// apply applies a mutation to the row.
func (tb *table) apply(key string, fill func(mut *bigtable.Mutation)) {
	tb.t.Helper()
	mut := bigtable.NewMutation()
	fill(mut)
	tb.check(tb.tbl.Apply(tb.t.Context(), key, mut))
}

// set writes one cell.
func (tb *table) set(key, family, column string, ts bigtable.Timestamp, value string) {
	tb.t.Helper()
	tb.apply(key, func(mut *bigtable.Mutation) { mut.Set(family, column, ts, []byte(value)) })
}

// number writes the cells 1 to n of a sequence, each with its number as value.
func (tb *table) number(key, column string, n int) {
	tb.t.Helper()
	for i := 1; i <= n; i++ {
		tb.set(key, "entry", column, bigtable.Timestamp(i*1000), fmt.Sprint(i))
	}
}

// read returns the row's cells as "family:column=value", families in order of
// their names.
func (tb *table) read(key string, filters ...bigtable.Filter) string {
	tb.t.Helper()
	var opts []bigtable.ReadOption
	for _, f := range filters {
		opts = append(opts, bigtable.RowFilter(f))
	}
	row, err := tb.tbl.ReadRow(tb.t.Context(), key, opts...)
	tb.check(err)
	return cells(row)
}

func cells(row bigtable.Row) string {
	var list []string
	for _, family := range slices.Sorted(maps.Keys(row)) {
		for _, item := range row[family] {
			list = append(list, fmt.Sprintf("%s=%s", item.Column, item.Value))
		}
	}
	return strings.Join(list, " ")
}

// want compares what was read.
func (tb *table) want(what, got, want string) {
	tb.t.Helper()
	if got != want {
		tb.t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// collect waits until all cells of the rows that are older than a second have
// had their garbage collected. The emulator collects a row at once: when the
// cell that is written here has gone, so has what else had to.
func (tb *table) collect(keys ...string) {
	tb.t.Helper()
	time.Sleep(1100 * time.Millisecond) // until what was written now is older than a second
	for _, key := range keys {
		tb.set(key, canary, "c", 0, "")
	}
	deadline := time.Now().Add(30 * time.Second)
	for _, key := range keys {
		for tb.read(key, bigtable.FamilyFilter(canary)) != "" {
			if time.Now().After(deadline) {
				tb.t.Fatalf("row %s was not collected", key)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// in returns the timestamp of the time d from now.
func in(d time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) }

// from returns the filter for what has that time, or a later one.
func from(t time.Time) bigtable.Filter { return bigtable.TimestampRangeFilter(t, time.Time{}) }

// unexpired is the filter for live tokens.
func unexpired() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter("token"), from(time.Now()))
}
