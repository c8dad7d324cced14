package jobs

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/paywell/clock"
	"example.com/paywell/schema"
	"example.com/paywell/store"
)

// suite is what every test of this package needs.
type suite struct {
	t      *testing.T
	client *bigtable.Client
	out    bytes.Buffer
	runner *Runner
	now    time.Time
}

func setup(t *testing.T) *suite {
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
	s := &suite{t: t, now: time.Now()}
	ac, err := bigtable.NewAdminClient(t.Context(), "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Apply(t.Context(), ac, schema.Tables); err != nil {
		t.Fatal(err)
	}
	if err := schema.CreateTenant(t.Context(), ac, "acme"); err != nil {
		t.Fatal(err)
	}
	s.client, err = bigtable.NewClientWithConfig(t.Context(), "p", "i", bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}}, option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	s.runner = NewRunner(s.client, clock.Func(func() time.Time { return s.now }), &s.out)
	return s
}

type seedCell struct {
	table, key, family, column string
	ts                         bigtable.Timestamp
}

func (s *suite) seed(cells ...seedCell) {
	s.t.Helper()
	for _, c := range cells {
		mut := bigtable.NewMutation()
		mut.Set(c.family, c.column, c.ts, []byte("1")) // want ttlwrite/server-timestamp[seedserver] ttlwrite/write-time[seednow] ttlwrite/clock-in-sequence[seedseq] ttlwrite/unscaled-sequence[seedbare] ttlwrite/server-timestamp[seedlock] ttlwrite/clock-in-zero[seedzero]
		if err := s.client.Open(c.table).Apply(s.t.Context(), c.key, mut); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *suite) lines() int { return strings.Count(s.out.String(), "\n") }

func TestExports(t *testing.T) {
	tests := []struct {
		job  string
		want int
	}{
		{"export-sessions", 3},
		{"export-live-sessions", 1},
		{"export-subscriptions", 2},
		{"export-current", 1},
		{"audit-revenue", 1},
	}
	for _, tc := range tests {
		t.Run(tc.job, func(t *testing.T) {
			s := setup(t)
			soon := bigtable.Time(s.now.Add(time.Hour))
			s.seed( // want ttlwrite/server-timestamp[seedserver] ttlwrite/write-time[seednow]
				seedCell{"sessions", "s#1", "tok", "s", soon},                    // ok ttlwrite/write-time
				seedCell{"sessions", "s#2", "tok", "s", bigtable.ServerTime},     // want ttlwrite/server-timestamp[seedserver]
				seedCell{"sessions", "s#3", "tok", "s", bigtable.Now()},          // want ttlwrite/write-time[seednow]
				seedCell{"sessions", "s#3", "prof", "name", bigtable.ServerTime}, // ok ttlwrite/server-timestamp
			)
			s.now = s.now.Add(time.Minute)
			s.seed( // want ttlwrite/clock-in-sequence[seedseq] ttlwrite/unscaled-sequence[seedbare] ttlwrite/server-timestamp[seedlock] ttlwrite/clock-in-zero[seedzero]
				seedCell{"subscriptions", "sub#1", "state", "sub", 1000},           // ok ttlwrite/unscaled-sequence
				seedCell{"subscriptions", "sub#1", "state", "sub", bigtable.Now()}, // want ttlwrite/clock-in-sequence[seedseq]
				seedCell{"subscriptions", "sub#1", "meta", "note", bigtable.Now()}, // ok ttlwrite/clock-in-sequence
				seedCell{"acme-ledger", "acc#1", "entry", "e", 7},                  // want ttlwrite/unscaled-sequence[seedbare]
				seedCell{"invoices", "i1", "lock", "owner", bigtable.ServerTime},   // want ttlwrite/server-timestamp[seedlock]
				seedCell{"invoices", "i1", "doc", "inv", bigtable.ServerTime},      // ok ttlwrite/server-timestamp
				seedCell{"entitlements", "a1", "cur", "features", 0},               // ok ttlwrite/clock-in-zero
				seedCell{"entitlements", "a2", "cur", "features", bigtable.Now()},  // want ttlwrite/clock-in-zero[seedzero]
				seedCell{"idempotency", "k1", "res", "resp", bigtable.ServerTime},  // ok ttlwrite/server-timestamp
				seedCell{"reports", "r1", "tok", "copy", bigtable.ServerTime},      // ok ttlwrite/server-timestamp
			)
			if err := s.runner.Run(t.Context(), tc.job); err != nil {
				t.Fatal(err)
			}
			if got := s.lines(); got != tc.want {
				t.Errorf("%d lines, want %d:\n%s", got, tc.want, &s.out)
			}
		})
	}
}

func TestRunUnknown(t *testing.T) {
	r := NewRunner(nil, nil, nil)
	if err := r.Run(t.Context(), "make-coffee"); err == nil {
		t.Error("made coffee")
	}
}

func TestCopySessions(t *testing.T) {
	s := setup(t)
	sessions, reports := s.client.Open("sessions"), s.client.Open("reports")
	for i := range 3 {
		mut := bigtable.NewMutation()
		mut.Set("tok", "s", bigtable.Time(s.now.Add(time.Duration(i+1)*time.Minute)), []byte("x")) // ok ttlwrite/write-time
		mut.Set("tok", "n", bigtable.ServerTime, []byte("x"))                                      // want ttlwrite/server-timestamp
		if err := sessions.Apply(t.Context(), fmt.Sprintf("s#%d", i), mut); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.runner.CopySessions(t.Context()); err != nil {
		t.Fatal(err)
	}
	copied := 0
	if err := reports.ReadRows(t.Context(), bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		copied += len(row["tok"])
		return true
	}); err != nil {
		t.Fatal(err)
	}
	marked := 0
	if err := sessions.ReadRows(t.Context(), bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, item := range row["tok"] {
			if item.Column == "tok:copied" {
				marked++
			}
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if copied == 0 || marked != 3 {
		t.Errorf("copied %d, marked %d", copied, marked)
	}
}

func TestMigrateUsage(t *testing.T) {
	s := setup(t)
	tbl := s.client.Open(store.TableUsage)
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(store.FamAgg, "calls", 3) // ok ttlwrite/read-modify-write
	if _, err := tbl.ApplyReadModifyWrite(t.Context(), "a1", rmw); err != nil {
		t.Fatal(err)
	}
	if err := s.runner.MigrateUsage(t.Context()); err != nil {
		t.Fatal(err)
	}
	row, err := tbl.ReadRow(t.Context(), "a1", bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/missing-filter
		bigtable.FamilyFilter(store.FamWin),
		bigtable.TimestampRangeFilter(s.now.Add(-72*time.Hour), time.Time{}), // ok ttlread/wrong-bound
	)))
	if err != nil {
		t.Fatal(err)
	}
	if len(row[store.FamWin]) == 0 {
		t.Error("nothing migrated")
	}
	all, err := tbl.ReadRow(t.Context(), "a1", bigtable.RowFilter(bigtable.FamilyFilter("win"))) // want ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if len(all["win"]) < 3 {
		t.Errorf("got %v", all)
	}
}

func TestBackfillNumbered(t *testing.T) {
	s := setup(t)
	tbl := s.client.Open(store.TableDunning)
	for n := int64(1); n <= 6; n++ {
		mut := bigtable.NewMutation()
		mut.Set(store.FamEvt, "try", bigtable.Timestamp(n*1000), []byte("{}")) // ok ttlwrite/unscaled-sequence
		mut.Set(store.FamEvt, "raw", bigtable.Timestamp(n), []byte("{}"))      // want ttlwrite/unscaled-sequence
		if err := tbl.Apply(t.Context(), "i1", mut); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.runner.BackfillNumbered(t.Context()); err != nil {
		t.Fatal(err)
	}
	row, err := tbl.ReadRow(t.Context(), "i1", bigtable.RowFilter(bigtable.LatestNFilter(6))) // want ttlread/version-limit
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range row[store.FamEvt] {
		if item.Column == "evt:position" && string(item.Value) != "0" {
			t.Errorf("got %v", item)
		}
	}
	row, err = tbl.ReadRow(t.Context(), "i1", bigtable.RowFilter(bigtable.LatestNFilter(4))) // ok ttlread/version-limit
	if err != nil || len(row) != 1 {
		t.Errorf("got %v, %v", row, err)
	}
}
