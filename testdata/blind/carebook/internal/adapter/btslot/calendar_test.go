package btslot

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/carebook/appointments/internal/adapter/bt"
	"github.com/carebook/appointments/internal/domain/slot"
	"github.com/carebook/appointments/internal/names"
	"github.com/carebook/appointments/internal/platform/retry"
)

// noon is when all tests take place.
var noon = time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)

// memory is a table that forgets everything but its mutations.
type memory struct {
	rows    map[string]bigtable.Row
	applied []string
}

func (m *memory) ReadRow(_ context.Context, row string, _ ...bigtable.ReadOption) (bigtable.Row, error) {
	return m.rows[row], nil
}

func (m *memory) ReadRows(_ context.Context, _ bigtable.RowSet, f func(bigtable.Row) bool, _ ...bigtable.ReadOption) error {
	for _, r := range m.rows {
		if !f(r) {
			break
		}
	}
	return nil
}

func (m *memory) Apply(_ context.Context, row string, _ *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	m.applied = append(m.applied, row)
	return nil
}

func (m *memory) ApplyBulk(_ context.Context, keys []string, _ []*bigtable.Mutation, _ ...bigtable.ApplyOption) ([]error, error) {
	m.applied = append(m.applied, keys...)
	return nil, nil
}

func (m *memory) ApplyReadModifyWrite(context.Context, string, *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	return nil, nil
}

var _ bt.Rows = (*memory)(nil)

func TestHoldWritesOnce(t *testing.T) {
	mem := &memory{}
	c := &Calendar{rows: mem, policy: retry.Policy{Attempts: 1}, turns: map[string]int64{}}
	c.SetNow(func() time.Time { return noon }) // ok ttlwrite/already-expired
	if err := c.Hold(context.Background(), slot.Slot{Key: "a", Holder: "p", Version: 2}); err != nil {
		t.Fatal(err)
	}
	if len(mem.applied) != 1 {
		t.Fatalf("applied %v", mem.applied)
	}
}

func TestStatuses(t *testing.T) {
	item := func(n int64, s slot.Status) bigtable.ReadItem {
		return bigtable.ReadItem{Column: "state:status", Timestamp: bt.Seq(n), Value: []byte(s)}
	}
	for _, tc := range []struct {
		name  string
		items []bigtable.ReadItem
		want  int
		fails bool
	}{
		{"empty", nil, 0, false},
		{"one", []bigtable.ReadItem{item(3, slot.Booked)}, 1, false},
		{"two", []bigtable.ReadItem{item(3, slot.Booked), item(2, slot.Held)}, 2, false},
		{"gap", []bigtable.ReadItem{item(3, slot.Booked), item(1, slot.Held)}, 0, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := statuses(bigtable.Row{names.FamState: tc.items})
			if len(got) != tc.want || (err != nil) != tc.fails {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

func TestAgainstEmulator(t *testing.T) {
	ctx := context.Background()
	srv, err := bttest.NewServer("localhost:0")
	if err != nil {
		t.Skip(err)
	}
	defer srv.Close()
	conn, err := grpc.NewClient(srv.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	admin, err := bigtable.NewAdminClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	err = admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: names.Slots,
		ColumnFamilies: map[string]bigtable.Family{
			names.FamHold:   {GCPolicy: bigtable.MaxAgePolicy(time.Second)},          // ok ttlgc/age-mismatch
			names.FamState:  {GCPolicy: bigtable.MaxVersionsPolicy(1)},               // want ttlgc/policy-mismatch
			names.FamClinic: {GCPolicy: bigtable.MaxAgePolicy(365 * 24 * time.Hour)}, // ok ttlgc/policy-mismatch
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	client, err := bigtable.NewClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	tbl := client.Open(names.Slots)
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, names.ColStatus, 1000, []byte(slot.Free))        // ok ttlwrite/unscaled-sequence
	mut.Set(names.FamHold, names.ColOwner, bigtable.ServerTime, []byte("p")) // want ttlwrite/server-timestamp
	mut.Set(names.FamClinic, colStarts, bigtable.Now(), []byte(noon.Format(time.RFC3339)))
	if err := tbl.Apply(ctx, "a", mut); err != nil {
		t.Fatal(err)
	}
	c := &Calendar{rows: tbl, now: time.Now, policy: retry.Policy{Attempts: 1}, turns: map[string]int64{}}
	if s, err := c.Load(ctx, "a"); err != nil || s.Status != slot.Free {
		t.Fatalf("got %+v, %v", s, err)
	}
	row, err := tbl.ReadRow(ctx, "a") // want ttlread/missing-filter
	if err != nil || len(row[names.FamState]) != 1 {
		t.Fatalf("got %v, %v", row, err)
	}
}
