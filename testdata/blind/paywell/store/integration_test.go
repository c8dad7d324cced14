package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/paywell/clock"
	"example.com/paywell/domain"
	"example.com/paywell/store"
)

// emulator is a Bigtable that lives as long as a test.
type emulator struct {
	client *bigtable.Client
	admin  *bigtable.AdminClient
}

func newEmulator(t *testing.T) *emulator {
	t.Helper()
	if testing.Short() {
		t.Skip("needs the emulator")
	}
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
	e := new(emulator)
	if e.client, err = bigtable.NewClientWithConfig(ctx, "p", "i", bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}}, option.WithGRPCConn(conn)); err != nil {
		t.Fatal(err)
	}
	if e.admin, err = bigtable.NewAdminClient(ctx, "p", "i", option.WithGRPCConn(conn)); err != nil {
		t.Fatal(err)
	}
	return e
}

// table creates a table whose families have the given policies.
func (e *emulator) table(t *testing.T, name string, families map[string]bigtable.GCPolicy) *bigtable.Table {
	t.Helper()
	ctx := t.Context()
	if err := e.admin.CreateTable(ctx, name); err != nil {
		t.Fatal(err)
	}
	for f, p := range families {
		if err := e.admin.CreateColumnFamily(ctx, name, f); err != nil { // ok ttlgc/no-policy
			t.Fatal(err)
		}
		if err := e.admin.SetGCPolicy(ctx, name, f, p); err != nil {
			t.Fatal(err)
		}
	}
	return e.client.Open(name)
}

// sessions creates the table sessions as production has it.
func (e *emulator) sessions(t *testing.T) *bigtable.Table {
	t.Helper()
	return e.table(t, store.TableSessions, map[string]bigtable.GCPolicy{
		store.FamTok:  bigtable.MaxAgePolicy(time.Second), // ok ttlgc/age-mismatch
		store.FamProf: bigtable.NoGcPolicy(),              // ok ttlgc/no-policy
	})
}

// write writes a cell.
func write(t *testing.T, tbl *bigtable.Table, key, family, col string, ts bigtable.Timestamp, value string) {
	t.Helper()
	mut := bigtable.NewMutation()
	mut.Set(family, col, ts, []byte(value)) // ok ttlwrite/write-time
	if err := tbl.Apply(t.Context(), key, mut); err != nil {
		t.Fatal(err)
	}
}

// cells counts the cells of a row that opts let pass.
func cells(t *testing.T, tbl *bigtable.Table, key string, opts ...bigtable.ReadOption) (n int) {
	t.Helper()
	row, err := tbl.ReadRow(t.Context(), key, opts...) // ok ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	for _, items := range row {
		n += len(items)
	}
	return n
}

// at is a clock that stands still.
func at(ts time.Time) clock.Clock { return clock.Func(func() time.Time { return ts }) }

func TestSessionLives(t *testing.T) {
	e := newEmulator(t)
	e.sessions(t)
	begin := time.Date(2024, 5, 17, 10, 30, 0, 0, time.UTC)
	sess := domain.Session{ID: "1", User: "ann"}
	tests := []struct {
		name    string
		after   time.Duration
		wantErr error
	}{
		{"at once", 0, nil},
		{"shortly before its end", domain.SessionTTL - time.Second, nil},
		{"at its end", domain.SessionTTL, nil},
		{"after its end", domain.SessionTTL + time.Second, domain.ErrNotFound},
	}
	if err := store.Open(e.client, at(begin)).Sessions.Create(t.Context(), sess); err != nil { // ok ttlwrite/already-expired
		t.Fatal(err)
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			s := store.Open(e.client, at(begin.Add(tc.after))).Sessions // ok ttlread/stale-bound
			if _, err := s.Get(t.Context(), "1"); !errors.Is(err, tc.wantErr) {
				t.Errorf("error %v, want %v", err, tc.wantErr)
			}
		})
	}
}

func TestTimestampsOfSessions(t *testing.T) {
	e := newEmulator(t)
	tbl := e.sessions(t)
	tests := []struct {
		name   string
		family string
		ts     bigtable.Timestamp
		want   int
	}{
		{"token with an end", store.FamTok, bigtable.Time(time.Now().Add(time.Hour)), 1}, // ok ttlwrite/write-time
		{"token at the server's time", store.FamTok, bigtable.ServerTime, 0},             // want ttlwrite/server-timestamp|ttlwrite/write-time[tabts]
		{"token at now", store.FamTok, bigtable.Now(), 0},                                // want ttlwrite/server-timestamp|ttlwrite/write-time[tabts]
		{"profile at the server's time", store.FamProf, bigtable.ServerTime, 1},          // ok ttlwrite/server-timestamp
		{"profile at now", store.FamProf, bigtable.Now(), 1},                             // ok ttlwrite/write-time
	}
	for i, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			key := fmt.Sprintf("s#%d", i)
			mut := bigtable.NewMutation()
			mut.Set(tc.family, "c", tc.ts, []byte("x")) // want ttlwrite/server-timestamp|ttlwrite/write-time[tabts]
			if err := tbl.Apply(t.Context(), key, mut); err != nil {
				t.Fatal(err)
			}
			time.Sleep(5 * time.Millisecond)
			f := bigtable.InterleaveFilters(
				bigtable.ChainFilters(bigtable.FamilyFilter(store.FamTok), bigtable.TimestampRangeFilter(time.Now(), time.Time{})),
				bigtable.FamilyFilter(store.FamProf),
			)
			if got := cells(t, tbl, key, bigtable.RowFilter(f)); got != tc.want { // ok ttlread/unfiltered-branch
				t.Errorf("%d cells, want %d", got, tc.want)
			}
		})
	}
}

func TestTokenIsThere(t *testing.T) {
	e := newEmulator(t)
	tbl := e.sessions(t)
	write(t, tbl, "s#1", store.FamTok, "t", bigtable.ServerTime, "abc")                              // want ttlwrite/server-timestamp
	write(t, tbl, "s#2", store.FamTok, "t", bigtable.Now(), "abc")                                   // want ttlwrite/write-time
	write(t, tbl, "s#3", store.FamTok, "t", bigtable.Time(time.Now().Add(time.Minute)), "abc")       // ok ttlwrite/write-time
	write(t, tbl, "s#3", store.FamProf, "t", bigtable.ServerTime, "abc")                             // ok ttlwrite/server-timestamp
	write(t, tbl, "s#4", store.FamTok, "t", bigtable.Time(time.Now().Add(-time.Hour)), "abc")        // want ttlwrite/already-expired
	write(t, tbl, "s#5", store.FamTok, "t", bigtable.Timestamp(time.Now().UnixMilli()), "abc")       // want ttlunit/wrong-unit
	write(t, tbl, "s#5", store.FamProf, "t", bigtable.Timestamp(time.Now().UnixMilli()*1000), "abc") // ok ttlunit/wrong-unit
	for i := 1; i <= 3; i++ {
		row, err := tbl.ReadRow(t.Context(), fmt.Sprintf("s#%d", i)) // want ttlread/missing-filter
		if err != nil {
			t.Fatal(err)
		}
		if len(row[store.FamTok]) != 1 {
			t.Errorf("row %d: %v", i, row)
		}
	}
	row, err := tbl.ReadRow(t.Context(), "s#3") // want ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if len(row[store.FamProf]) != 1 {
		t.Errorf("profile %v", row)
	}
	if n := cells(t, tbl, "s#3", bigtable.RowFilter(bigtable.FamilyFilter(store.FamTok))); n != 1 { // want ttlread/missing-filter
		t.Errorf("%d cells", n)
	}
	if n := cells(t, tbl, "s#3", bigtable.RowFilter(bigtable.FamilyFilter(store.FamProf))); n != 1 { // ok ttlread/missing-filter
		t.Errorf("%d cells", n)
	}
}

// TestDeadTokens needs cells that are dead.
//
//ttlvet:ignore ttlwrite/already-expired the test is about cells that have expired
func TestDeadTokens(t *testing.T) {
	e := newEmulator(t)
	tbl := e.sessions(t)
	mut := bigtable.NewMutation()
	mut.Set(store.FamTok, "s", bigtable.Time(time.Now().Add(-time.Hour)), []byte("{}")) // ok ttlwrite/already-expired
	if err := tbl.Apply(t.Context(), "s#1", mut); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(e.client, clock.System{}).Sessions.Get(t.Context(), "1"); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("error %v", err)
	}
}

func TestSubscriptionRevisions(t *testing.T) {
	e := newEmulator(t)
	tbl := e.table(t, store.TableSubscriptions, map[string]bigtable.GCPolicy{
		store.FamState: bigtable.MaxVersionsPolicy(5), // ok ttlgc/policy-mismatch
		store.FamFlags: bigtable.MaxVersionsPolicy(1),
		store.FamMeta:  bigtable.MaxAgePolicy(2160 * time.Hour),
	})
	for rev := 1; rev <= 8; rev++ {
		mut := bigtable.NewMutation()
		mut.Set(store.FamState, "sub", bigtable.Timestamp(rev), []byte("{}"))       // want ttlwrite/unscaled-sequence
		mut.Set(store.FamState, "copy", bigtable.Timestamp(rev*1000), []byte("{}")) // ok ttlwrite/unscaled-sequence
		mut.Set(store.FamState, "seen", bigtable.Now(), nil)                        // want ttlwrite/clock-in-sequence
		mut.Set(store.FamMeta, "seen", bigtable.Now(), nil)                         // ok ttlwrite/clock-in-sequence
		mut.Set(store.FamFlags, "paused", 0, []byte("0"))                           // ok ttlwrite/clock-in-zero
		if err := tbl.Apply(t.Context(), "sub#1", mut); err != nil {
			t.Fatal(err)
		}
	}
	newest := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamState), bigtable.LatestNFilter(1))
	if n := cells(t, tbl, "sub#1", bigtable.RowFilter(newest)); n != 3 { // ok ttlread/version-limit
		t.Errorf("%d cells", n)
	}
	if n := cells(t, tbl, "sub#1", bigtable.RowFilter(bigtable.FamilyFilter(store.FamState))); n < 3 { // want ttlread/version-limit
		t.Errorf("%d cells", n)
	}
}

func TestLatestRevisionWins(t *testing.T) {
	e := newEmulator(t)
	e.table(t, store.TableSubscriptions, map[string]bigtable.GCPolicy{
		store.FamState: bigtable.MaxAgePolicy(time.Hour), // want ttlgc/age-on-sequence
		store.FamFlags: bigtable.MaxVersionsPolicy(1),    // ok ttlgc/age-on-zero
		store.FamMeta:  bigtable.MaxAgePolicy(time.Hour), // want ttlgc/policy-mismatch
	})
	subs := store.Open(e.client, clock.System{}).Subscriptions
	sub := &domain.Subscription{ID: "1", Plan: "basic"}
	for range 3 {
		if err := subs.Save(t.Context(), sub); err != nil {
			t.Fatal(err)
		}
	}
	got, err := subs.History(t.Context(), "1")
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range got {
		if want := int64(3 - i); s.Revision != want {
			t.Errorf("revision %d, want %d", s.Revision, want)
		}
	}
}

func TestIdempotencyWindow(t *testing.T) {
	e := newEmulator(t)
	tbl := e.table(t, store.TableIdempotency, map[string]bigtable.GCPolicy{
		store.FamRes: bigtable.MaxAgePolicy(24 * time.Hour), // ok ttlgc/age-mismatch
	})
	now := time.Now()
	write(t, tbl, "k1", store.FamRes, "resp", bigtable.Now(), "{}")                        // ok ttlwrite/write-time
	write(t, tbl, "k2", store.FamRes, "resp", bigtable.Time(now.Add(-23*time.Hour)), "{}") // ok ttlwrite/already-expired
	write(t, tbl, "k3", store.FamRes, "resp", bigtable.Time(now.Add(-36*time.Hour)), "{}") // want ttlwrite/already-expired
	day := bigtable.TimestampRangeFilter(now.Add(-24*time.Hour), time.Time{})
	hour := bigtable.TimestampRangeFilter(now.Add(-time.Hour), time.Time{}) // want ttlread/wrong-bound[inthour]
	if n := cells(t, tbl, "k2", bigtable.RowFilter(day)); n != 1 {          // ok ttlread/wrong-bound
		t.Errorf("%d cells", n)
	}
	if n := cells(t, tbl, "k2", bigtable.RowFilter(hour)); n != 0 { // want ttlread/wrong-bound[inthour]
		t.Errorf("%d cells", n)
	}
	if n := cells(t, tbl, "k3"); n != 1 { // want ttlread/missing-filter
		t.Errorf("%d cells", n)
	}
}

func TestLedgerOfTenant(t *testing.T) {
	e := newEmulator(t)
	if err := e.admin.CreateTableFromConf(t.Context(), &bigtable.TableConf{
		TableID: store.LedgerTable("acme"),
		ColumnFamilies: map[string]bigtable.Family{
			store.FamEntry: {GCPolicy: bigtable.MaxVersionsPolicy(3)},           // ok ttlgc/policy-mismatch
			store.FamHold:  {GCPolicy: bigtable.MaxAgePolicy(15 * time.Minute)}, // want ttlgc/age-mismatch
		},
	}); err != nil {
		t.Fatal(err)
	}
	l := store.Open(e.client, clock.System{}).Ledger("acme")
	for i := range 5 {
		if _, err := l.Post(t.Context(), domain.Entry{Account: "a", Memo: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.PlaceHold(t.Context(), domain.Hold{Account: "a", Amount: domain.Money{Amount: 500}}); err != nil {
		t.Fatal(err)
	}
	entries, held, err := l.StatementLive(t.Context(), "a")
	if err != nil || len(entries) != 3 || held != 500 {
		t.Errorf("got %v, %d, %v", entries, held, err)
	}
	tbl := e.client.Open("acme-ledger")
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(store.FamHold, "count", 1) // want ttlwrite/read-modify-write
	row, err := tbl.ApplyReadModifyWrite(t.Context(), "acc#a", rmw)
	if err != nil || len(row[store.FamHold]) != 1 {
		t.Errorf("got %v, %v", row, err)
	}
	if row, err = tbl.ReadRow(t.Context(), "acc#a"); err != nil { // want ttlread/missing-filter
		t.Fatal(err)
	}
	for _, item := range row[store.FamHold] {
		t.Logf("%s is %s old", item.Column, time.Since(item.Timestamp.Time())) // want ttlage/not-write-time
	}
}

func TestLocks(t *testing.T) {
	e := newEmulator(t)
	ctx := t.Context()
	if err := e.admin.CreateTable(ctx, store.TableInvoices); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{store.FamDoc, store.FamLock} { // want ttlgc/no-policy[lockfam]
		if err := e.admin.CreateColumnFamily(ctx, store.TableInvoices, f); err != nil { // want ttlgc/no-policy[lockfam]
			t.Fatal(err)
		}
	}
	inv := store.NewInvoices(e.client.Open(store.TableInvoices), store.WithLockTTL(time.Minute))
	if err := inv.AcquireLive(ctx, "i1", "a"); err != nil {
		t.Fatal(err)
	}
	if err := inv.AcquireLive(ctx, "i1", "b"); !errors.Is(err, domain.ErrLocked) {
		t.Errorf("error %v", err)
	}
	if err := inv.Unlock(ctx, "i1"); err != nil {
		t.Fatal(err)
	}
	if err := inv.LockFor(ctx, "i1", "c", 0); err != nil { // want ttlwrite/write-time
		t.Fatal(err)
	}
	if err := inv.LockFor(ctx, "i1", "c", time.Minute); err != nil { // ok ttlwrite/write-time
		t.Fatal(err)
	}
	owner, err := inv.LockedLive(ctx, "i1")
	if owner != "c" || !errors.Is(err, domain.ErrLocked) {
		t.Errorf("got %q, %v", owner, err)
	}
}

func TestWebhooksAndDunning(t *testing.T) {
	e := newEmulator(t)
	hooks := e.table(t, store.TableWebhooks, map[string]bigtable.GCPolicy{
		store.FamEvt: bigtable.MaxAgePolicy(time.Second), // ok ttlgc/age-on-sequence
	})
	tries := e.table(t, store.TableDunning, map[string]bigtable.GCPolicy{
		store.FamEvt: bigtable.MaxVersionsPolicy(4), // ok ttlgc/no-policy
	})
	write(t, hooks, "w1", store.FamEvt, "p", bigtable.Time(time.Now().Add(time.Hour)), "{}") // ok ttlwrite/clock-in-sequence
	write(t, tries, "i1", store.FamEvt, "try", bigtable.Time(time.Now()), "{}")              // want ttlwrite/clock-in-sequence
	write(t, tries, "i1", store.FamEvt, "try", 2000, "{}")                                   // ok ttlwrite/already-expired
	write(t, hooks, "w2", store.FamEvt, "p", 2000, "{}")                                     // want ttlwrite/already-expired
	write(t, tries, "i1", store.FamEvt, "try", 3, "{}")                                      // want ttlwrite/unscaled-sequence
	time.Sleep(5 * time.Millisecond)
	live := bigtable.TimestampRangeFilter(time.Now(), time.Time{})    // want ttlread/wrong-bound[livetries]
	if n := cells(t, hooks, "w1", bigtable.RowFilter(live)); n != 1 { // ok ttlread/wrong-bound
		t.Errorf("%d cells", n)
	}
	if n := cells(t, tries, "i1", bigtable.RowFilter(live)); n != 0 { // want ttlread/wrong-bound[livetries]
		t.Errorf("%d cells", n)
	}
	if n := cells(t, tries, "i1", bigtable.RowFilter(bigtable.LatestNFilter(4))); n == 0 { // ok ttlread/version-limit
		t.Error("no cells")
	}
	if n := cells(t, hooks, "w2", bigtable.RowFilter(bigtable.LatestNFilter(4))); n == 0 { // want ttlread/missing-filter
		t.Error("no cells")
	}
}

func TestFilters(t *testing.T) {
	e := newEmulator(t)
	tbl := e.sessions(t)
	now := time.Now()
	tok := bigtable.FamilyFilter(store.FamTok)
	write(t, tbl, "s#1", store.FamTok, "a", bigtable.Time(now.Add(time.Hour)), "x")  // ok ttlwrite/write-time
	write(t, tbl, "s#1", store.FamTok, "b", bigtable.Time(now.Add(-time.Hour)), "x") //ttlvet:ignore ttlwrite/already-expired a dead cell
	write(t, tbl, "s#1", store.FamProf, "c", bigtable.Now(), "x")                    // ok ttlwrite/write-time
	tests := []struct {
		name   string
		filter bigtable.Filter
		want   int
	}{
		{"live", bigtable.ChainFilters(tok, bigtable.TimestampRangeFilter(now, time.Time{})), 1},                        // ok ttlread/missing-filter
		{"latest", bigtable.ChainFilters(tok, bigtable.LatestNFilter(1)), 2},                                            // want ttlread/missing-filter|ttlread/expired-only|ttlread/wrong-bound[ftab]
		{"up to now", bigtable.ChainFilters(tok, bigtable.TimestampRangeFilter(time.Time{}, now)), 1},                   // want ttlread/missing-filter|ttlread/expired-only|ttlread/wrong-bound[ftab]
		{"two hours", bigtable.ChainFilters(tok, bigtable.TimestampRangeFilter(now.Add(-2*time.Hour), time.Time{})), 2}, // want ttlread/missing-filter|ttlread/expired-only|ttlread/wrong-bound[ftab]
		{"a second", bigtable.ChainFilters(tok, bigtable.TimestampRangeFilter(now.Add(-time.Second), time.Time{})), 1},  // ok ttlread/wrong-bound
		{"profile", bigtable.FamilyFilter(store.FamProf), 1},                                                            // ok ttlread/missing-filter
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if got := cells(t, tbl, "s#1", bigtable.RowFilter(tc.filter)); got != tc.want { // want ttlread/missing-filter|ttlread/expired-only|ttlread/wrong-bound[ftab]
				t.Errorf("%d cells, want %d", got, tc.want)
			}
		})
	}
}

func TestEdits(t *testing.T) {
	e := newEmulator(t)
	tbl := e.sessions(t)
	tests := []struct {
		name string
		edit func(*bigtable.Mutation)
	}{
		{"token", func(m *bigtable.Mutation) {
			m.Set(store.FamTok, "t", bigtable.Time(time.Now().Add(time.Hour)), nil) // ok ttlwrite/write-time
		}},
		{"token without an end", func(m *bigtable.Mutation) {
			m.Set(store.FamTok, "t", bigtable.ServerTime, nil) // want ttlwrite/server-timestamp
		}},
		{"token and profile", func(m *bigtable.Mutation) {
			ts := bigtable.Now()
			m.Set(store.FamTok, "t", ts, nil)  // want ttlwrite/write-time
			m.Set(store.FamProf, "t", ts, nil) // ok ttlwrite/write-time
		}},
		{"deleted", func(m *bigtable.Mutation) {
			m.Set(store.FamTok, "t", bigtable.Time(time.Now().Add(time.Hour)), nil)
			m.DeleteRow() // want ttlwrite/delete-after-set
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			mut := bigtable.NewMutation()
			tc.edit(mut)
			if err := tbl.Apply(t.Context(), "s#"+tc.name, mut); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestReportsAreNobodysBusiness(t *testing.T) {
	e := newEmulator(t)
	tbl := e.table(t, store.TableReports, map[string]bigtable.GCPolicy{
		store.FamTok:   bigtable.MaxAgePolicy(time.Hour), // ok ttlgc/age-mismatch
		store.FamState: bigtable.MaxAgePolicy(time.Hour), // ok ttlgc/age-on-sequence
	})
	write(t, tbl, "r1", store.FamTok, "copy", bigtable.ServerTime, "x") // ok ttlwrite/server-timestamp
	write(t, tbl, "r1", store.FamState, "copy", bigtable.Now(), "x")    // ok ttlwrite/clock-in-sequence
	if n := cells(t, tbl, "r1"); n != 2 {                               // ok ttlread/missing-filter
		t.Errorf("%d cells", n)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		return len(row[store.FamTok]) > 0
	}); err != nil {
		t.Error(err)
	}
}
