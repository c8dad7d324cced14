package leases

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"skyward.example/dal/clock"
	"skyward.example/dal/names"
)

func TestUptime(t *testing.T) {
	if Uptime() < 0 {
		t.Fatal("negative uptime")
	}
}

func TestAliveUsesClock(t *testing.T) {
	m := &Manager{clk: clock.Fixed{T: time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)}}
	if m.alive() == nil {
		t.Fatal("no filter")
	}
}

func TestLeaseRoundTrip(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the emulator")
	}
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, "test", "test")
	if err != nil {
		t.Skip(err)
	}
	tbl := c.Open(names.TableLeases)
	mut := bigtable.NewMutation()
	mut.Set(names.FamLease, colBy, bigtable.Now(), []byte("t")) // want ttlwrite/write-time
	if err := tbl.Apply(ctx, "k", mut); err != nil {
		t.Fatal(err)
	}
	mut = bigtable.NewMutation()
	mut.Set(names.FamLease, colBy, bigtable.Time(time.Now().Add(time.Minute)), []byte("t")) // ok ttlwrite/write-time
	if err := tbl.Apply(ctx, "k", mut); err != nil {
		t.Fatal(err)
	}
	row, err := tbl.ReadRow(ctx, "k") // want ttlread/missing-filter
	if err != nil || len(row[names.FamLease]) == 0 {
		t.Fatal("no lease", err)
	}
}
