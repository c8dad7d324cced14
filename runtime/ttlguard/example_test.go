package ttlguard_test

import (
	"context"
	"encoding/json"
	"expvar"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/ttl"
	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

var (
	Token    = ttl.OneSecond("token", 30*time.Minute)
	Profile  = ttl.RealTime("profile")
	Sessions = ttl.NewTable("sessions", Token, Profile)
)

// A service that reports what it does wrong, to its log and as a metric.
func Example() {
	ctx := context.Background()
	guard, err := ttlguard.New(ttlguard.Tables(Sessions))
	if err != nil {
		log.Fatal(err)
	}
	defer guard.Flush(ctx)
	expvar.Publish("ttlguard", expvar.Func(func() any { return guard.Counts() }))

	client, err := bigtable.NewClient(ctx, "project", "instance", guard.ClientOptions()...)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
}

// A staging environment in which nothing wrong gets through.
func ExampleReject() {
	guard, err := ttlguard.New(ttlguard.Tables(Sessions), ttlguard.Reject(), ttlguard.WithLogger(nil))
	if err != nil {
		log.Fatal(err)
	}
	os.Setenv("BIGTABLE_EMULATOR_HOST", "localhost:1") // nothing is sent
	defer os.Unsetenv("BIGTABLE_EMULATOR_HOST")
	client, err := bigtable.NewClientWithConfig(context.Background(), "project", "instance",
		bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}}, guard.ClientOptions()...)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", bigtable.ServerTime, []byte("…"))
	fmt.Println(client.Open("sessions").Apply(context.Background(), "user", mut))
	// Output:
	// rpc error: code = FailedPrecondition desc = ttlguard: write to one-second-expiration family "token" of table "sessions" uses the server timestamp: the next compaction deletes it; set its expiry (ttlwrite/server-timestamp)
}

// The tables of ttlvet.yaml, read by the program's own YAML library. Here it
// is JSON, which is YAML too.
func ExampleWithRegistry() {
	registry := []byte(`{"version": 1, "tables": {"sessions": {"families": {"token": {"strategy": "one-second-expiration", "ttl": "30m"}}}}}`)
	_, err := ttlguard.New(ttlguard.WithRegistry(registry, json.Unmarshal))
	fmt.Println(err)
	// Output: <nil>
}

// A test that fails when the code under test violates an agreement.
func ExampleFailTest() {
	test := func(t *testing.T) {
		guard, err := ttlguard.New(ttlguard.Tables(Sessions), ttlguard.FailTest(t))
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("BIGTABLE_EMULATOR_HOST", "localhost:8086")
		client, err := bigtable.NewClient(t.Context(), "project", "instance", guard.ClientOptions()...)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		// … the code under test, with the client.
	}
	_ = test
}

// A job that means what looks like a mistake.
func ExampleAllow() {
	countExpired := func(ctx context.Context, tbl *bigtable.Table) (n int, err error) {
		ctx = ttlguard.Allow(ctx, "counts what garbage collection has left", "ttlread/expired-only")
		expired := bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Unix(0, 0), time.Now()))
		err = tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { n++; return true }, expired)
		return n, err
	}
	_ = countExpired
}

// Attributes for a span or a counter. With OpenTelemetry:
//
//	for k, v := range v.Attributes() {
//		attributes = append(attributes, attribute.String(k, v))
//	}
//	trace.SpanFromContext(ctx).AddEvent("ttlguard", trace.WithAttributes(attributes...))
func ExampleViolation_Attributes() {
	v := ttlguard.Violation{Rule: "ttlwrite/server-timestamp", Service: "google.bigtable.v2.Bigtable", Method: "MutateRow",
		Table: "sessions", Family: "token", Strategy: "one-second-expiration"}
	attributes := v.Attributes()
	for _, k := range slices.Sorted(maps.Keys(attributes)) {
		fmt.Println(k, attributes[k])
	}
	// Output:
	// db.collection.name sessions
	// db.operation.name MutateRow
	// db.system.name gcp.bigtable
	// error.type ttlwrite/server-timestamp
	// ttlvet.family token
	// ttlvet.rule ttlwrite/server-timestamp
	// ttlvet.strategy one-second-expiration
}
