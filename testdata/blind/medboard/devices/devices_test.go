package devices

import (
	"context"
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"medboard.example/board/btx"
	"medboard.example/board/btx/btxtest"
	"medboard.example/board/clock"
	"medboard.example/board/schema"
)

var shift = time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)

type fixture struct {
	sessions *Sessions
	kiosks   *Kiosks
	devices  *bigtable.Table
	logins   *bigtable.Table
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	client, admin := btxtest.Emulator(t)
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		btxtest.Must(t, err)
	}
	must(admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: schema.Devices,
		ColumnFamilies: map[string]bigtable.Family{
			famSession: {GCPolicy: bigtable.MaxAgePolicy(lifetime)}, // ok ttlgc/age-mismatch
			famDevice:  {GCPolicy: bigtable.MaxVersionsPolicy(1)},   // ok ttlgc/no-policy
		},
	}))
	must(admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: schema.Kiosks,
		ColumnFamilies: map[string]bigtable.Family{
			famSession: {GCPolicy: bigtable.MaxAgePolicy(lifetime)}, // want ttlgc/age-mismatch
		},
	}))
	return &fixture{
		sessions: NewSessions(client.Open(schema.Devices), nil, clock.Random{}),
		kiosks:   OpenKiosks(client, clock.System{}),
		devices:  client.Open(schema.Devices),
		logins:   client.Open(schema.Kiosks),
	}
}

func TestLoginOnFake(t *testing.T) {
	tbl := btxtest.NewTable()
	s := NewSessions(tbl, func() time.Time { return shift }, &clock.Counting{Prefix: "s"})
	got, err := s.Login(context.Background(), "pump-1", "nurse-1")
	btxtest.Must(t, err)
	if !got.ExpiresAt.Equal(shift.Add(lifetime)) {
		t.Errorf("expires at %v", got.ExpiresAt)
	}
	if got.Token != token("s-1") {
		t.Errorf("token %q", got.Token)
	}
	if tbl.Applied["pump-1"] != 1 {
		t.Errorf("applied %v", tbl.Applied)
	}
}

func TestWhoOnFake(t *testing.T) {
	cases := []struct {
		name string
		col  string
		err  error
	}{
		{"nobody", "other", btx.ErrNotFound},
		{"somebody", colUser, nil},
	}
	for _, tc := range cases {
		tbl := btxtest.NewTable().With("pump-1", famSession, tc.col, bigtable.Time(shift), "nurse-1")
		s := NewSessions(tbl, func() time.Time { return shift }, clock.Random{})
		if _, err := s.Who(context.Background(), "pump-1"); !errors.Is(err, tc.err) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestLoginOnEmulator(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	_, err := f.sessions.Login(ctx, "pump-1", "nurse-1")
	btxtest.Must(t, err)
	got, err := f.sessions.Who(ctx, "pump-1")
	btxtest.Must(t, err)
	if got.User != "nurse-1" {
		t.Errorf("got %+v", got)
	}

	row, err := f.devices.ReadRow(ctx, "pump-1") // want ttlread/missing-filter
	btxtest.Must(t, err)
	if n := len(row[famSession]); n != 2 {
		t.Errorf("%d cells", n)
	}
	row, err = f.devices.ReadRow(ctx, "pump-1", bigtable.RowFilter(bigtable.FamilyFilter(famDevice))) // ok ttlread/missing-filter
	btxtest.Must(t, err)
	if n := len(row[famDevice]); n != 1 {
		t.Errorf("%d cells", n)
	}
	row, err = f.devices.ReadRow(ctx, "pump-1", bigtable.RowFilter(btx.Family(famSession, btx.Within(time.Now(), 12*time.Hour)))) // ok ttlread/wrong-bound
	btxtest.Must(t, err)
	if n := len(row[famSession]); n != 2 {
		t.Errorf("%d cells", n)
	}
	row, err = f.devices.ReadRow(ctx, "pump-1", bigtable.RowFilter(btx.Family(famSession, btx.Within(time.Now(), time.Minute)))) // want ttlread/wrong-bound
	btxtest.Must(t, err)
	if n := len(row[famSession]); n != 2 {
		t.Errorf("%d cells", n)
	}
}

func TestKioskOnEmulator(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	btxtest.Must(t, f.kiosks.Login(ctx, "lobby", "card-1"))
	card, err := f.kiosks.Card(ctx, "lobby")
	btxtest.Must(t, err)
	if card != "card-1" {
		t.Errorf("got %q", card)
	}

	row, err := f.logins.ReadRow(ctx, "lobby", bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	btxtest.Must(t, err)
	if len(row) == 0 {
		t.Error("no row")
	}
	row, err = f.logins.ReadRow(ctx, "lobby", bigtable.RowFilter(btx.Live(time.Now()))) // ok ttlread/missing-filter
	btxtest.Must(t, err)
	if len(row) == 0 {
		t.Error("no row")
	}
}

func TestTwoMeaningsOfSession(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	btxtest.Must(t, f.devices.Apply(ctx, "pump-2", put(colUser, bigtable.Now(), "n")))                               // ok ttlwrite/write-time
	btxtest.Must(t, f.logins.Apply(ctx, "lobby", put("card", bigtable.Now(), "c")))                                  // want ttlwrite/write-time
	btxtest.Must(t, f.devices.Apply(ctx, "pump-2", put(colUser, bigtable.ServerTime, "n")))                          // ok ttlwrite/server-timestamp
	btxtest.Must(t, f.logins.Apply(ctx, "lobby", put("card", bigtable.ServerTime, "c")))                             // want ttlwrite/server-timestamp
	btxtest.Must(t, f.logins.Apply(ctx, "lobby", put("card", btx.In(schema.KioskTTL), "c")))                         // ok ttlwrite/write-time
	btxtest.Must(t, f.devices.Apply(ctx, "pump-3", put(colUser, bigtable.Time(time.Now().Add(-13*time.Hour)), "n"))) // want ttlwrite/already-expired
	btxtest.Must(t, f.devices.Apply(ctx, "pump-3", put(colUser, bigtable.Time(time.Now().Add(-6*time.Hour)), "n")))  // ok ttlwrite/already-expired
}

func TestSameMillisecond(t *testing.T) {
	f := newFixture(t)
	ts := btx.In(time.Minute)
	mut := bigtable.NewMutation()
	mut.Set(famSession, "card", ts, []byte("first"))
	mut.Set(famSession, "card", ts, []byte("second")) // want ttlwrite/same-timestamp
	mut.Set(famSession, "seat", ts, []byte("second")) // ok ttlwrite/same-timestamp
	btxtest.Must(t, f.logins.Apply(context.Background(), "lobby", mut))
}

func TestIsNew(t *testing.T) {
	row := bigtable.Row{famDevice: {{Column: "device:model", Timestamp: bigtable.Time(shift)}}}
	if IsNew(row) {
		t.Error("new")
	}
}
