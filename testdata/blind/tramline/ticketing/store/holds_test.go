package store

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"tramline.example/dal"
	"tramline.example/ticketing"
)

// fakeTable is a dal.Table in memory that knows nothing of filters.
type fakeTable struct {
	rows  map[string]bigtable.Row
	muts  []*bigtable.Mutation
	fails error
}

func (f *fakeTable) ReadRow(_ context.Context, key string, _ ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.rows[key], f.fails
}

func (f *fakeTable) ReadRows(_ context.Context, _ bigtable.RowSet, each func(bigtable.Row) bool, _ ...bigtable.ReadOption) error {
	for _, r := range f.rows {
		if !each(r) {
			break
		}
	}
	return f.fails
}

func (f *fakeTable) Apply(_ context.Context, _ string, m *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	f.muts = append(f.muts, m)
	return f.fails
}

func (f *fakeTable) ApplyBulk(_ context.Context, _ []string, ms []*bigtable.Mutation, _ ...bigtable.ApplyOption) ([]error, error) {
	f.muts = append(f.muts, ms...)
	return nil, f.fails
}

func (f *fakeTable) ApplyReadModifyWrite(context.Context, string, *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	return nil, f.fails
}

// fixedClock stands still.
type fixedClock struct{ t time.Time }

func (c fixedClock) Now() time.Time { return c.t }

var noon = time.Date(2025, 5, 1, 12, 0, 0, 0, time.UTC)

func TestPlace(t *testing.T) {
	f := &fakeTable{}
	s := &HoldStore{tbl: f, clock: fixedClock{noon}, ttl: dal.HoldTTL, log: slog.Default()}                        // ok ttlwrite/already-expired
	err := s.Place(t.Context(), ticketing.Hold{Trip: "t", Seat: "1", Until: noon.Add(time.Minute), Created: noon}) // ok ttlwrite/already-expired
	if err != nil {
		t.Fatal(err)
	}
	if len(f.muts) != 1 {
		t.Errorf("%d mutations", len(f.muts))
	}
}

func TestPlaceFails(t *testing.T) {
	want := errors.New("no")
	s := &HoldStore{tbl: &fakeTable{fails: want}, clock: fixedClock{noon}, ttl: dal.HoldTTL, log: slog.Default()} // ok ttlwrite/already-expired
	if err := s.Release(t.Context(), "t", "1"); !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
}

func emulator(t *testing.T) *bigtable.Client {
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
	a, err := bigtable.NewAdminClient(t.Context(), "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.CreateTableFromConf(t.Context(), &bigtable.TableConf{TableID: dal.TableHolds, ColumnFamilies: map[string]bigtable.Family{
		dal.FamHold:  {GCPolicy: bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
		dal.FamRider: {GCPolicy: bigtable.MaxVersionsPolicy(1)},      // ok ttlgc/policy-mismatch
	}}); err != nil {
		t.Fatal(err)
	}
	c, err := bigtable.NewClient(t.Context(), "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOwner(t *testing.T) {
	for _, tc := range []struct {
		name string
		ts   bigtable.Timestamp
		want string
	}{
		{"alive", bigtable.Time(time.Now().Add(time.Hour)), "anna"},    // ok ttlwrite/write-time
		{"none", bigtable.Time(time.Now().Add(2 * time.Hour)), "anna"}, // ok ttlwrite/write-time
	} {
		t.Run(tc.name, func(t *testing.T) {
			tbl := emulator(t).Open(dal.TableHolds)
			m := bigtable.NewMutation()
			m.Set(dal.FamHold, "owner", tc.ts, []byte("anna"))          // ok ttlwrite/write-time
			m.Set(dal.FamRider, "name", bigtable.Now(), []byte("Anna")) // ok ttlwrite/write-time
			if err := tbl.Apply(t.Context(), "t#1", m); err != nil {
				t.Fatal(err)
			}
			s := &HoldStore{tbl: tbl, clock: dal.SystemClock{}, ttl: dal.HoldTTL, log: slog.Default()}
			got, err := s.Current(t.Context(), "t", "1")
			if err != nil || got != tc.want {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestSeed(t *testing.T) {
	tbl := emulator(t).Open(dal.TableHolds)
	m := bigtable.NewMutation()
	m.Set(dal.FamHold, "owner", bigtable.Now(), []byte("ben")) // want ttlwrite/write-time
	if err := tbl.Apply(t.Context(), "t#2", m); err != nil {
		t.Fatal(err)
	}
	row, err := tbl.ReadRow(t.Context(), "t#2") // want ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if len(row[dal.FamHold]) != 1 {
		t.Errorf("got %v", row)
	}
}

func TestSeedRider(t *testing.T) {
	tbl := emulator(t).Open(dal.TableHolds)
	m := bigtable.NewMutation()
	m.Set(dal.FamRider, "name", bigtable.Now(), []byte("Ben")) // ok ttlwrite/write-time
	if err := tbl.Apply(t.Context(), "t#3", m); err != nil {
		t.Fatal(err)
	}
	row, err := tbl.ReadRow(t.Context(), "t#3", bigtable.RowFilter(bigtable.FamilyFilter(dal.FamRider))) // ok ttlread/missing-filter
	if err != nil || len(row[dal.FamRider]) != 1 {
		t.Errorf("got %v, %v", row, err)
	}
}
