package ttlguard_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"github.com/ttlvet/ttlvet/runtime/strategy"
	"github.com/ttlvet/ttlvet/runtime/ttl"
	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

// TestNumbersZero: numbers that are not multiplied by 1000 become 0, and
// replace each other.
func TestNumbersZero(t *testing.T) {
	e := newEmulator(t)
	guard := mustGuard(t, ttlguard.WithLogger(nil))
	client, admin := e.clients(t, guard)
	ctx := t.Context()
	if err := admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "eu-ledger", ColumnFamilies: map[string]bigtable.Family{"entry": {GCPolicy: bigtable.MaxVersionsPolicy(3)}}}); err != nil {
		t.Fatal(err)
	}
	tbl := client.Open("eu-ledger")
	write := func(key string, n bigtable.Timestamp, value string, clear bool) {
		t.Helper()
		m := bigtable.NewMutation()
		if clear {
			m.DeleteCellsInFamily("entry")
		}
		m.Set("entry", "c", n, []byte(value))
		if err := tbl.Apply(ctx, key, m); err != nil {
			t.Fatal(err)
		}
	}
	write("a", 0, "first", false)
	write("a", 1000, "second", false)
	write("b", 0, "other", false)
	write("a", 0, "first", false) // the program tries again
	write("c", 0, "first", false)
	write("c", 0, "second", true) // after a deletion
	if n := guard.Counts()["ttlwrite/unscaled-sequence"]; n != 0 {
		t.Errorf("%d violations", n)
	}
	for i, v := range []string{"x", "y", "z"} {
		write("d", bigtable.Timestamp(i+1), v, false)
	}
	if n := guard.Counts()["ttlwrite/unscaled-sequence"]; n != 2 {
		t.Errorf("%d violations", n)
	}
}

// TestNew: what is wrong with a guard is said when it is made.
func TestNew(t *testing.T) {
	for _, test := range []struct {
		options []ttlguard.Option
		want    string
	}{
		{nil, "no tables"},
		{[]ttlguard.Option{nil}, "is nil"},
		{[]ttlguard.Option{ttlguard.Tables((*ttl.Table)(nil))}, "is nil"},
		{[]ttlguard.Option{ttlguard.Declare("[", strategy.Family{})}, "no name of a table"},
		{[]ttlguard.Option{ttlguard.Declare("t", strategy.Family{Name: "f", Strategy: "ttl"})}, `the strategy "ttl"`},
		{[]ttlguard.Option{ttlguard.Tables(sessions), ttlguard.Declare("sessions", strategy.Family{Name: "token", Strategy: strategy.Real})}, "declared twice"},
		{[]ttlguard.Option{ttlguard.Tables(sessions), ttlguard.Disable("ttlread/nothing")}, "no rule"},
		{[]ttlguard.Option{ttlguard.Tables(sessions), ttlguard.WithClock(nil)}, "clock is nil"},
		{[]ttlguard.Option{ttlguard.WithRegistry(nil, nil)}, "Unmarshal"},
	} {
		if _, err := ttlguard.New(test.options...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
	if _, err := ttlguard.New(ttlguard.Tables(sessions, sessions)); err != nil {
		t.Error(err)
	}
}

// TestDisable: rules and analyzers can be left out.
func TestDisable(t *testing.T) {
	req := mutate("sessions", set("token", "a", -1))
	for _, rule := range []string{"ttlwrite", "ttlwrite/server-timestamp"} {
		if got := violations(t, req, ttlguard.Disable(rule)); got != nil {
			t.Errorf("%s: %v", rule, got)
		}
	}
	if got := violations(t, req, ttlguard.Disable("ttlread")); len(got) != 1 {
		t.Error(got)
	}
}

// TestLongestPattern: a name overrules a pattern, a longer pattern a shorter.
func TestLongestPattern(t *testing.T) {
	other := func(s strategy.Strategy) strategy.Family {
		return strategy.Family{Name: "token", Strategy: s, MaxAge: time.Second, Versions: 1}
	}
	options := []ttlguard.Option{
		ttlguard.Declare("*", other(strategy.Zero)), ttlguard.Declare("a-*", other(strategy.Sequence)), ttlguard.Declare("a-b", other(strategy.OneSecond)),
	}
	for table, want := range map[string]string{"x": "ttlwrite/clock-in-zero", "a-x": "ttlwrite/clock-in-sequence", "a-b": "ttlwrite/server-timestamp"} {
		if got := violations(t, mutate(table, set("token", "a", -1)), options...); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, want %s", table, got, want)
		}
	}
}

// TestSurvivors: under the strict rules, a value that expires before an older
// one is reported, unless the column is deleted first.
func TestSurvivors(t *testing.T) {
	clock := at
	guard := mustGuard(t, ttlguard.WithLogger(nil), ttlguard.Strict(), ttlguard.WithClock(func() time.Time { return clock }))
	for i, step := range []struct {
		req     *btpb.MutateRowRequest
		advance time.Duration
		want    int64
	}{
		{mutate("sessions", set("token", "a", now(48*time.Hour))), 0, 0},
		{mutate("sessions", set("token", "a", now(49*time.Hour))), 0, 0},
		{mutate("sessions", set("token", "b", now(time.Hour))), 0, 0},
		{mutate("sessions", set("token", "a", now(time.Hour))), 0, 1},
		{mutate("sessions", deleteColumn("token", "a", nil), set("token", "a", now(time.Hour))), 0, 0},
		{mutate("sessions", set("token", "a", now(30*time.Minute))), 0, 1},
		{mutate("sessions", set("token", "a", now(3*time.Hour))), 2 * time.Hour, 0}, // the others have expired
		{mutate("sessions", set("token", "b", now(150*time.Minute))), 0, 0},
		{mutate("sessions", deleteFamily("token"), set("token", "a", now(150*time.Minute))), 0, 0},
		{mutate("sessions", set("profile", "a", 5000)), 0, 0},
		{mutate("clicks", set("event", "a", now(0)), set("event", "b", -1)), 0, 0},
		{mutate("clicks", set("event", "a", now(-20*time.Hour))), 0, 1},
	} {
		clock = clock.Add(step.advance)
		before := guard.Counts()["ttlwrite/stale-survivor"]
		if _, err := guard.Begin(t.Context(), btpb.Bigtable_MutateRow_FullMethodName, step.req); err != nil {
			t.Fatal(err)
		}
		if got := guard.Counts()["ttlwrite/stale-survivor"] - before; got != step.want {
			t.Errorf("step %d: %d violations, want %d", i, got, step.want)
		}
	}
}

// TestForget: what is rejected was not written.
func TestForget(t *testing.T) {
	guard := mustGuard(t, ttlguard.WithLogger(nil), ttlguard.Strict(), ttlguard.Reject(), ttlguard.WithClock(func() time.Time { return at }))
	for i, step := range []struct {
		req  *btpb.MutateRowRequest
		fail bool
	}{
		{mutate("sessions", set("token", "a", now(48*time.Hour)), set("token", "b", -1)), true},
		{mutate("sessions", set("token", "a", now(time.Hour))), false},
		{mutate("sessions", set("token", "a", now(time.Minute))), true},
	} {
		if _, err := guard.Begin(t.Context(), btpb.Bigtable_MutateRow_FullMethodName, step.req); (err != nil) != step.fail {
			t.Errorf("step %d: %v", i, err)
		}
	}
}

// TestClockSetBack: what is due is reported, although the clock went back
// since the last report.
func TestClockSetBack(t *testing.T) {
	now := time.Now()
	reports := 0
	guard := mustGuard(t, ttlguard.WithLogger(nil), ttlguard.Interval(0),
		ttlguard.WithClock(func() time.Time { now = now.Add(-time.Second); return now }),
		ttlguard.OnViolation(func(context.Context, ttlguard.Violation) { reports++ }))
	for range 3 {
		if _, err := guard.Begin(t.Context(), "/google.bigtable.v2.Bigtable/ReadRows", &btpb.ReadRowsRequest{TableName: "projects/p/instances/i/tables/sessions"}); err != nil {
			t.Fatal(err)
		}
	}
	if reports != 3 {
		t.Errorf("%d reports", reports)
	}
}
