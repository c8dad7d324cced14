package btimpl

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/domain"
	"example.com/meridian/orderhub/internal/filter"
	"example.com/meridian/orderhub/internal/platform/bt"
)

// fixedClock is a clock that stands.
type fixedClock struct{ t time.Time }

func (c fixedClock) Now() time.Time { return c.t }

// fakeGateway remembers what was written.
type fakeGateway struct {
	bt.TableGateway
	applied []string
}

func (g *fakeGateway) Apply(_ context.Context, row string, _ *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	g.applied = append(g.applied, row)
	return nil
}

func (g *fakeGateway) ReadRow(context.Context, string, ...bigtable.ReadOption) (bigtable.Row, error) {
	return bigtable.Row{constants.FamilyToken: {{Row: "s1", Column: "token:jwt", Timestamp: 1000, Value: []byte("x")}}}, nil
}

// fakeFactory makes fakeGateways.
type fakeFactory struct{ g *fakeGateway }

func (f fakeFactory) CreateTable(string) bt.TableGateway { return f.g }
func (f fakeFactory) Close() error                       { return nil }

func TestCreateApplies(t *testing.T) {
	g := &fakeGateway{}
	c := fixedClock{time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)} // ok ttlwrite/already-expired
	d := NewBigtableSessionDAO(fakeFactory{g}, filter.NewDefaultFactory(c), c)
	s, err := domain.NewSessionBuilder().WithID("s1").WithCustomer("c1").WithJWT("jwt").Build()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Create(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	if len(g.applied) != 1 || g.applied[0] != "s1" {
		t.Errorf("applied %v", g.applied)
	}
}

func TestHoldKinds(t *testing.T) {
	for _, tc := range []struct {
		name string
		hold domain.Hold
		want int
	}{
		{"standard", domain.Hold{Sku: "a", Quantity: 1}, 1},
		{"requested", domain.Hold{Sku: "a", Quantity: 1, Until: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := &fakeGateway{}
			d := NewBigtableHoldDAO(fakeFactory{g}, fixedClock{time.Unix(1700000000, 0)})
			if err := d.Place(context.Background(), "o1", tc.hold); err != nil {
				t.Fatal(err)
			}
			if len(g.applied) != tc.want {
				t.Errorf("%d writes", len(g.applied))
			}
		})
	}
}

func emulator(t *testing.T) *bigtable.Client {
	t.Helper()
	ctx := context.Background()
	srv, err := bttest.NewServer("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	conn, err := grpc.NewClient(srv.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	admin, err := bigtable.NewAdminClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	err = admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: constants.TableIdempotency, ColumnFamilies: map[string]bigtable.Family{
		constants.FamilyLock: {GCPolicy: bigtable.MaxAgePolicy(time.Millisecond)}, // ok ttlgc/age-mismatch
	}})
	if err != nil {
		t.Fatal(err)
	}
	client, err := bigtable.NewClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestLock(t *testing.T) {
	ctx := context.Background()
	client := emulator(t)
	d := NewBigtableIdempotencyDAO(client, fixedClock{time.Now()})
	ok, err := d.Acquire(ctx, "k", "me")
	if err != nil || !ok {
		t.Fatalf("acquire: %v %v", ok, err)
	}
	row, err := client.Open(constants.TableIdempotency).ReadRow(ctx, "k") // want ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if got := len(row[constants.FamilyLock]); got != 1 {
		t.Errorf("%d cells", got)
	}
	live, err := client.Open(constants.TableIdempotency).ReadRow(ctx, "k", bigtable.RowFilter(filter.Live())) // ok ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if got := len(live[constants.FamilyLock]); got != 1 {
		t.Errorf("%d live cells", got)
	}
}

func TestDeadLock(t *testing.T) {
	ctx := context.Background()
	client := emulator(t)
	m := bigtable.NewMutation()
	m.Set(constants.FamilyLock, constants.ColOwner, bigtable.ServerTime, []byte("dead")) // want ttlwrite/server-timestamp
	if err := client.Open(constants.TableIdempotency).Apply(ctx, "k", m); err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Millisecond)
	d := NewBigtableIdempotencyDAO(client, fixedClock{time.Now().Add(time.Second)})
	if ok, err := d.Acquire(ctx, "k", "me"); err != nil || !ok {
		t.Errorf("acquire: %v %v", ok, err)
	}
}
