package ttlguard_test

import (
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/ttlvet/ttlvet/runtime/strategy"
	"github.com/ttlvet/ttlvet/runtime/ttl"
	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

// TestHelpers: what package ttl writes, reads and creates violates nothing,
// strict rules included.
func TestHelpers(t *testing.T) {
	var (
		event  = ttl.Default("event", 24*time.Hour)
		entry  = ttl.Sequence("entry", 3)
		latest = ttl.Zero("latest")
		trace  = ttl.RealTime("trace").MaxVersions(2).MaxAge(24 * time.Hour)
		plain  = ttl.RealTime("plain")
		other  = ttl.RealTime("other").Policy(bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(2), bigtable.MaxAgePolicy(time.Hour)))
		mixed  = ttl.NewTable("mixed", token, event, entry, latest, plain, other)
	)
	e := newEmulator(t)
	guard, err := ttlguard.New(ttlguard.Tables(mixed, ttl.NewTable("traces", trace)), ttlguard.Strict(), ttlguard.FailTest(t), ttlguard.Reject())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient(e.Addr, append(guard.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	client, err := bigtable.NewClientWithConfig(t.Context(), "p", "i", bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}}, option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	admin, err := bigtable.NewAdminClient(t.Context(), "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for _, table := range []*ttl.Table{mixed, ttl.NewTable("traces", trace)} {
		if err := table.Ensure(ctx, admin); err != nil {
			t.Fatal(err)
		}
		if err := table.Verify(ctx, admin); err != nil {
			t.Fatal(err)
		}
	}
	tbl := client.Open("mixed")
	mut := bigtable.NewMutation()
	value := []byte("v")
	for _, err := range []error{
		token.Set(mut, "a", value), token.SetFor(mut, "b", value, time.Hour), token.SetUntil(mut, "c", value, time.Now().Add(time.Minute)), token.Replace(mut, "d", value, time.Minute),
		event.Set(mut, "a", value), event.SetFor(mut, "b", value, time.Hour), event.SetFor(mut, "c", value, 48*time.Hour), event.Replace(mut, "d", value, time.Minute),
		entry.Set(mut, "a", value, 0), entry.Set(mut, "a", value, 1), entry.Set(mut, "a", value, 1_000_000),
		latest.Set(mut, "a", value), plain.Set(mut, "a", value), plain.Replace(mut, "b", value), other.Set(mut, "a", value),
		token.Skew(time.Second).Set(mut, "e", value), token.ReplaceUntil(mut, "f", value, time.Now().Add(time.Hour)),
		event.ReplaceUntil(mut, "e", value, time.Now().Add(48*time.Hour)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := tbl.Apply(ctx, "k", mut); err != nil {
		t.Fatal(err)
	}
	counter := ttl.NewCounter(token, "n")
	mut = bigtable.NewMutation()
	if err := counter.Add(mut, 3); err != nil {
		t.Fatal(err)
	}
	if err := tbl.Apply(ctx, "k", bigtable.NewCondMutation(mixed.LiveFilter(), mut, nil)); err != nil {
		t.Fatal(err)
	}
	for _, option := range []bigtable.ReadOption{
		mixed.Live(), mixed.LiveAnd(bigtable.ColumnFilter("a")), mixed.Latest(), mixed.Latest(bigtable.ColumnFilter("a")), mixed.LiveAt(time.Now().Add(time.Minute)),
		bigtable.RowFilter(token.LiveFilter()), bigtable.RowFilter(event.LiveFilter()), bigtable.RowFilter(entry.LiveFilter()),
		bigtable.RowFilter(latest.LiveFilter()), bigtable.RowFilter(plain.LiveFilter()), mixed.LiveAnd(counter.Filter()),
	} {
		row, err := tbl.ReadRow(ctx, "k", option)
		if err != nil || len(row) == 0 {
			t.Error(row, err)
		}
	}
}

// TestStrategies: what package ttl declares is what is guarded.
func TestStrategies(t *testing.T) {
	got := ttl.NewTable("t", ttl.OneSecond("a", time.Minute).MaxAge(time.Millisecond), ttl.Default("b", time.Hour), ttl.Sequence("c", 2), ttl.Zero("d"),
		ttl.RealTime("e").MaxAge(time.Hour), ttl.RealTime("f").MaxVersions(1).MaxAge(time.Minute)).Strategies()
	want := []strategy.Family{
		{Name: "a", Strategy: strategy.OneSecond, TTL: time.Minute, MaxAge: time.Millisecond},
		{Name: "b", Strategy: strategy.Default, TTL: time.Hour, MaxAge: time.Hour},
		{Name: "c", Strategy: strategy.Sequence, Versions: 2},
		{Name: "d", Strategy: strategy.Zero},
		{Name: "e", Strategy: strategy.Real, MaxAge: time.Hour},
		{Name: "f", Strategy: strategy.Real, MaxAge: time.Minute, Versions: 1},
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
}
