// seed fills an emulator or a developer's instance with riders, passes, trips
// and everything else that the apps expect.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/schema"
	"github.com/tramway/btops/internal/tenant"
)

var (
	opts    btx.Options
	riders  = flag.Int("riders", 100, "riders")
	trips   = flag.Int("trips", 10, "trips of each")
	tid     = flag.String("tenant", "north", "tenant")
	seedNum = flag.Uint64("seed", 1, "of the random numbers")
)

// now is the clock of the seed: everything gets the same time, so that two
// seeds can be compared.
var now = time.Now() // want ttlwrite/stale-clock[seednow]

var (
	lines = []string{"1", "2", "7", "S3", "N12"}
	zones = []string{"A", "B", "C"}
	langs = []string{"en", "de", "pl"}
)

// cell is a row of the tables below.
type cell struct {
	family, column string
	ts             bigtable.Timestamp
	value          string
}

func main() {
	log.SetFlags(0)
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	rnd := rand.New(rand.NewPCG(*seedNum, 0))
	for _, s := range []struct {
		name string
		f    func(context.Context, *bigtable.Client, *rand.Rand) error
	}{
		{"sessions", sessions},
		{"demo riders", demo},
		{"passes", passes},
		{"journeys", journeys},
		{"rosters", rosters},
		{"settings", settings},
		{"vehicles", vehicles},
		{"gates", gates},
		{"audit", audit},
		{"old sessions", oldSessions},
	} {
		start := time.Now()
		if err := s.f(ctx, client, rnd); err != nil {
			btx.Fatal(fmt.Errorf("%s: %w", s.name, err))
		}
		log.Printf("%s: %s", s.name, time.Since(start).Round(time.Millisecond))
	}
}

func riderID(i int) string { return fmt.Sprintf("r%06d", i) }

func pick(rnd *rand.Rand, from []string) string { return from[rnd.IntN(len(from))] }

func sessions(ctx context.Context, c *bigtable.Client, rnd *rand.Rand) error {
	bulk := btx.NewBulk(c.Open(schema.Sessions), 0, opts.DryRun)
	for i := range *riders {
		m := bigtable.NewMutation()
		ttl := schema.TokenTTL
		if rnd.IntN(10) == 0 {
			ttl = time.Minute
		}
		m.Set(schema.Token, "jwt", bigtable.Time(time.Now().Add(ttl)), []byte(fmt.Sprintf("jwt-%d", i))) // ok ttlwrite/write-time
		m.Set(schema.Token, "refresh", bigtable.Time(now.Add(schema.TokenTTL)), []byte("refresh"))       // want ttlwrite/stale-clock[seednow]
		m.Set(schema.Device, "phone", btx.Expiry(schema.DeviceTTL), []byte("Pixel"))                     // ok ttlwrite/write-time
		m.Set(schema.Profile, "lang", bigtable.Time(now), []byte(pick(rnd, langs)))                      // ok ttlwrite/stale-clock
		btx.PutFor(m, schema.Token, "csrf", schema.TokenTTL, "x")                                        // ok ttlwrite/write-time
		if err := bulk.Add(ctx, "s#"+riderID(i), m); err != nil {
			return err
		}
	}
	return bulk.Flush(ctx)
}

// demo are the riders of the demonstration: one in each state.
func demo(ctx context.Context, c *bigtable.Client, _ *rand.Rand) error {
	tbl := c.Open(schema.Sessions)
	for _, d := range []struct {
		key   string
		cells []cell
	}{
		{"s#alice", []cell{
			{"token", "jwt", btx.Expiry(schema.TokenTTL), "alice"}, // ok ttlwrite/write-time
			{"profile", "name", bigtable.Now(), "Alice"},           // ok ttlwrite/write-time
		}},
		{"s#bob", []cell{
			{"token", "jwt", bigtable.Now(), "bob"},    // want ttlwrite/write-time[demobob]
			{"profile", "name", bigtable.Now(), "Bob"}, // ok ttlwrite/write-time
		}},
	} {
		m := bigtable.NewMutation()
		for _, x := range d.cells {
			m.Set(x.family, x.column, x.ts, []byte(x.value)) // want ttlwrite/write-time[demobob]
		}
		if err := tbl.Apply(ctx, d.key, m); err != nil {
			return err
		}
	}
	return nil
}

func passes(ctx context.Context, c *bigtable.Client, rnd *rand.Rand) error {
	cfg := &tenant.Config{Env: "dev", Patterns: map[string]string{"ledger": "{env}-{tenant}-ledger", "passes": "{tenant}-passes"}}
	s := tenant.Open(c, cfg, tenant.Tenant{ID: *tid})
	for i := range *riders {
		p := tenant.Pass{Rider: riderID(i), Kind: "week", Zones: []string{pick(rnd, zones)}, Holder: riderID(i), Expires: time.Now().Add(schema.PassTTL)}
		if err := s.PutPass(ctx, p); err != nil {
			return err
		}
		if _, err := s.Append(ctx, p.Rider, tenant.Entry{Cents: 2900, Reason: "week"}); err != nil {
			return err
		}
	}
	// The conductor's pass never ends; that is what -1 meant once.
	m := bigtable.NewMutation()
	b, err := json.Marshal(tenant.Pass{Rider: "conductor", Kind: "staff"})
	if err != nil {
		return err
	}
	m.Set(schema.Pass, "staff", -1, b)                                                        // want ttlwrite/server-timestamp
	m.Set(schema.Pass, "staff-new", bigtable.Time(time.Now().AddDate(10, 0, 0)), b)           // ok ttlwrite/write-time
	m.Set(schema.Holder, "staff", -1, []byte("conductor"))                                    // ok ttlwrite/server-timestamp
	m.Set(schema.Usage, "staff", bigtable.ServerTime, []byte("1"))                            // ok ttlwrite/server-timestamp
	m.Set(schema.Pass, "crew", bigtable.Timestamp(time.Now().AddDate(1, 0, 0).UnixNano()), b) // want ttlunit/wrong-unit
	return s.Passes().Apply(ctx, "r#conductor", m)
}

func journeys(ctx context.Context, c *bigtable.Client, rnd *rand.Rand) error {
	bulk := btx.NewBulk(c.Open(schema.Journeys), 0, opts.DryRun)
	for i := range *riders {
		for j := range *trips {
			at := time.Now().Add(-time.Duration(rnd.IntN(20*24)) * time.Hour)
			m := bigtable.NewMutation()
			m.Set(schema.Leg, "in", bigtable.Time(at), []byte(at.Format(time.RFC3339)))                        // ok ttlwrite/already-expired
			m.Set(schema.Leg, "out", bigtable.Time(at.Add(17*time.Minute)), []byte(pick(rnd, lines)))          // ok ttlwrite/already-expired
			m.Set(schema.Meta, "class", bigtable.Time(at), []byte("2"))                                        // ok ttlwrite/already-expired
			m.Set(schema.Leg, "old", bigtable.Time(time.Now().Add(-45*24*time.Hour)), []byte("for the tests")) // want ttlwrite/already-expired
			m.Set(schema.Meta, "old", bigtable.Time(time.Now().Add(-45*24*time.Hour)), nil)                    // ok ttlwrite/already-expired
			if err := bulk.Add(ctx, fmt.Sprintf("%s#%04d", riderID(i), j), m); err != nil {
				return err
			}
		}
	}
	return bulk.Flush(ctx)
}

func rosters(ctx context.Context, c *bigtable.Client, _ *rand.Rand) error {
	tbl := c.Open(schema.Rosters)
	for i, line := range lines {
		m := bigtable.NewMutation()
		for rev := 1; rev <= 3; rev++ {
			m.Set(schema.Rev, "plan", bigtable.Timestamp(rev), []byte(line)) // want ttlwrite/unscaled-sequence
		}
		for rev := 1000; rev <= 3000; rev += 1000 {
			m.Set(schema.Rev, "plan2", bigtable.Timestamp(rev), []byte(line)) // ok ttlwrite/unscaled-sequence
		}
		for rev := int64(1); rev <= 3; rev++ {
			m.Set(schema.Rev, "plan3", btx.Seq(rev), []byte(line)) // ok ttlwrite/unscaled-sequence
		}
		m.Set(schema.Rev, "order", bigtable.Timestamp(i), []byte(line))       // want ttlwrite/unscaled-sequence
		m.Set(schema.Note, "order", bigtable.Timestamp(i*1000), []byte(line)) // ok ttlwrite/unscaled-sequence
		m.Set(schema.Rev, "seeded", bigtable.ServerTime, nil)                 // want ttlwrite/clock-in-sequence
		m.Set(schema.Note, "seeded", bigtable.ServerTime, nil)                // ok ttlwrite/clock-in-sequence
		if err := tbl.Apply(ctx, "line#"+line, m); err != nil {
			return err
		}
	}
	return nil
}

func settings(ctx context.Context, c *bigtable.Client, _ *rand.Rand) error {
	tbl := c.Open(schema.Settings)
	m := bigtable.NewMutation()
	for k, v := range map[string]string{"currency": "EUR", "fare.base": "290", "fare.zone": "110"} {
		m.Set(schema.Cur, k, 0, []byte(v)) // ok ttlwrite/clock-in-zero
	}
	m.Set(schema.Cur, "seeded", bigtable.Time(time.Now()), nil)         // want ttlwrite/clock-in-zero
	m.Set(schema.Cur, "version", bigtable.Timestamp(2000), []byte("2")) // want ttlwrite/clock-in-zero
	m.Set(schema.Cur, "region", bigtable.Timestamp(0), []byte("west"))  // ok ttlwrite/clock-in-zero
	return tbl.Apply(ctx, "global", m)
}

func vehicles(ctx context.Context, c *bigtable.Client, rnd *rand.Rand) error {
	tbl := c.Open(schema.Vehicles)
	for i := range 20 {
		m := bigtable.NewMutation()
		m.Set(schema.State, "pos", bigtable.Now(), []byte(fmt.Sprintf("%d,%d", rnd.IntN(100), rnd.IntN(100)))) // ok ttlwrite/write-time
		m.Set(schema.State, "line", bigtable.ServerTime, []byte(pick(rnd, lines)))                             // ok ttlwrite/server-timestamp
		if err := tbl.Apply(ctx, fmt.Sprintf("v#%03d", i), m); err != nil {
			return err
		}
	}
	return nil
}

func gates(ctx context.Context, c *bigtable.Client, _ *rand.Rand) error {
	tbl := c.Open(schema.Gates)
	for i := range 8 {
		m := bigtable.NewMutation()
		m.Set(schema.State, "open", bigtable.Now(), []byte("seed"))             // want ttlwrite/write-time
		m.Set(schema.State, "held", btx.Expiry(schema.GateTTL), []byte("seed")) // ok ttlwrite/write-time
		m.Set(schema.State, "mode", bigtable.ServerTime, []byte("both"))        // want ttlwrite/server-timestamp
		if err := tbl.Apply(ctx, fmt.Sprintf("%s#g%d", *tid, i), m); err != nil {
			return err
		}
	}
	return nil
}

func audit(ctx context.Context, c *bigtable.Client, _ *rand.Rand) error {
	tbl := c.Open(schema.Audit)
	m := bigtable.NewMutation()
	m.Set(schema.Event, "seeded", bigtable.Now(), []byte(os.Getenv("USER"))) // ok ttlwrite/write-time
	m.Set(schema.Actor, "name", bigtable.ServerTime, []byte("seed"))         // ok ttlwrite/server-timestamp
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.Actor, "seeds", 1) // ok ttlwrite/read-modify-write
	if _, err := tbl.ApplyReadModifyWrite(ctx, "seed", rmw); err != nil {
		return err
	}
	return tbl.Apply(ctx, "seed", m)
}

// oldSessions fills the table that the second version of the app still reads;
// its families have real timestamps whatever their names.
func oldSessions(ctx context.Context, c *bigtable.Client, _ *rand.Rand) error {
	tbl := c.Open("sessions_v2")
	m := bigtable.NewMutation()
	m.Set("token", "jwt", bigtable.ServerTime, []byte("old")) // ok ttlwrite/server-timestamp
	m.Set("device", "phone", bigtable.Now(), []byte("old"))   // ok ttlwrite/write-time
	m.Set("entry", "log", bigtable.Now(), []byte("old"))      // ok ttlwrite/clock-in-sequence
	m.Set("cur", "lang", bigtable.Now(), []byte("en"))        // ok ttlwrite/clock-in-zero
	if err := tbl.Apply(ctx, "s#old", m); err != nil {
		return err
	}
	_, err := tbl.ReadRow(ctx, "s#old", bigtable.RowFilter(bigtable.FamilyFilter("token"))) // ok ttlread/missing-filter
	return err
}
