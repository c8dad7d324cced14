// loadgen makes traffic like Friday's. Runs against staging, writes what the services write.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"log"
	mrand "math/rand"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	gcbt "cloud.google.com/go/bigtable"

	"acme.test/opskit/kit"
)

var (
	qps       = flag.Int("qps", 50, "requests per second")
	duration  = flag.Duration("for", time.Minute, "how long")
	merchants = flag.Int("merchants", 20, "merchants")
	mix       = flag.String("mix", "auth", "auth, login, fx, ledger, velocity or all")
	listen    = flag.String("listen", ":9100", "metrics")
	prefix    = flag.String("prefix", "", "prefix of the tables, staging- for instance")
	holdFor   = flag.Duration("hold", kit.HoldTTL, "lifetime of holds")
)

type generator struct {
	payments gcbt.TableAPI
	sessions *gcbt.Table
	rates    *gcbt.Table
	ledger   *gcbt.Table
	velocity *gcbt.Table

	seq    atomic.Int64
	serial int
	errs   atomic.Int64
	done   atomic.Int64

	once   sync.Once
	expiry gcbt.Timestamp
}

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *duration)
	defer cancel()
	client, err := gcbt.NewClient(ctx, "acme-staging", "core")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	g := &generator{
		payments: client.OpenTable("payments"),
		sessions: client.Open("sessions"),
		rates:    client.Open("rates"),
		ledger:   client.Open("eu-ledger"),
		velocity: client.Open(*prefix + "velocity"),
	}
	go func() {
		http.Handle("/metrics", kit.Counters)
		http.HandleFunc("/quitquitquit", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintln(w, "bye")
			cancel()
		})
		if err := http.ListenAndServe(*listen, nil); err != nil {
			log.Print(err)
		}
	}()
	tick := time.NewTicker(time.Second / time.Duration(*qps))
	defer tick.Stop()
	var wg sync.WaitGroup
	for {
		select {
		case <-ctx.Done():
			wg.Wait()
			log.Printf("%d done, %d errors", g.done.Load(), g.errs.Load())
			return
		case <-tick.C:
			wg.Add(1)
			go func() {
				defer wg.Done()
				if err := g.one(ctx); err != nil && !errors.Is(err, context.Canceled) {
					g.errs.Add(1)
					log.Print(err)
				}
				g.done.Add(1)
			}()
		}
	}
}

func (g *generator) one(ctx context.Context) error {
	merchant := fmt.Sprintf("m%04d", mrand.Intn(*merchants))
	switch *mix {
	case "auth":
		return g.auth(ctx, merchant)
	case "login":
		return g.login(ctx, merchant)
	case "fx":
		return g.fx(ctx)
	case "ledger":
		return g.book(ctx, merchant)
	case "velocity":
		return g.velocityCheck(ctx, merchant)
	default:
		return errors.Join(g.auth(ctx, merchant), g.login(ctx, merchant), g.fx(ctx), g.book(ctx, merchant), g.velocityCheck(ctx, merchant))
	}
}

func id() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}

// auth is what the gateway does for an authorisation.
func (g *generator) auth(ctx context.Context, merchant string) error {
	key := merchant + "#" + id()
	row, err := g.payments.ReadRow(ctx, key, gcbt.RowFilter(gcbt.ChainFilters(gcbt.FamilyFilter("idem"), gcbt.TimestampRangeFilter(time.Now(), time.Time{})))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	if len(row) > 0 {
		kit.Counters.Add("duplicates", 1)
		return nil
	}
	m := gcbt.NewMutation()
	now := time.Now()
	m.Set("idem", "req", gcbt.Time(now.Add(kit.IdemTTL)), []byte(id()))                             // ok ttlwrite/write-time
	m.Set("idem", "gen", gcbt.Time(now), []byte("loadgen"))                                         // want ttlwrite/write-time
	m.Set("hold", "amount", gcbt.Time(now.Add(*holdFor)), []byte(strconv.Itoa(mrand.Intn(100000)))) // ok ttlwrite/write-time
	m.Set("hold", "gen", gcbt.ServerTime, []byte("loadgen"))                                        // want ttlwrite/server-timestamp
	m.Set("detail", "gen", gcbt.ServerTime, []byte("loadgen"))                                      // ok ttlwrite/server-timestamp
	m.Set("hold", "until", gcbt.Timestamp(now.Add(*holdFor).Unix()), nil)                           // want ttlunit/wrong-unit
	m.Set("detail", "until", gcbt.Timestamp(now.Add(*holdFor).UnixMicro()), nil)                    // ok ttlunit/wrong-unit
	if err := g.payments.Apply(ctx, key, m); err != nil {
		return err
	}
	// read it back, as the capture would
	row, err = g.payments.ReadRow(ctx, key) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	if len(row["hold"]) == 0 {
		return fmt.Errorf("%s: hold is gone already", key)
	}
	return nil
}

// login makes a session or finds one.
func (g *generator) login(ctx context.Context, merchant string) error {
	user := merchant + ".u" + strconv.Itoa(mrand.Intn(50))
	row, err := g.sessions.ReadRow(ctx, user, gcbt.RowFilter(gcbt.ColumnFilter("web"))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	if len(row["token"]) > 0 {
		kit.Counters.Add("sessions_hit", 1)
		return nil
	}
	g.once.Do(func() {
		g.expiry = gcbt.Time(time.Now().Add(kit.TokenTTL)) // want ttlwrite/stale-clock[once]
	})
	m := gcbt.NewMutation()
	m.Set("token", "web", g.expiry, []byte(id()))                                // want ttlwrite/stale-clock[once]
	m.Set("token", "app", gcbt.Time(time.Now().Add(kit.TokenTTL)), []byte(id())) // ok ttlwrite/stale-clock
	m.Set("profile", "login", gcbt.Now(), []byte("loadgen"))                     // ok ttlwrite/write-time
	ts := gcbt.Now()
	m.Set("token", "since", ts, []byte("loadgen")) // want ttlwrite/write-time
	return g.sessions.Apply(ctx, user, m)
}

var pairs = []string{"EURUSD", "EURGBP", "USDJPY", "GBPUSD"}

// fx writes and reads quotes.
func (g *generator) fx(ctx context.Context) error {
	pair := pairs[mrand.Intn(len(pairs))]
	m := gcbt.NewMutation()
	mid := strconv.FormatFloat(1+mrand.Float64(), 'f', 5, 64)
	m.Set("quote", "mid", gcbt.ServerTime, []byte(mid)) // ok ttlwrite/server-timestamp
	m.Set("quote", "bid", gcbt.ServerTime, []byte(mid))
	m.Set("quote", "mid", gcbt.ServerTime, []byte(mid+"0"))              // want ttlwrite/same-timestamp
	m.Set("curve", "1d", gcbt.Timestamp(g.seq.Add(1)*1000), []byte(mid)) // ok ttlwrite/unscaled-sequence
	m.Set("curve", "1w", gcbt.Timestamp(g.seq.Load()), []byte(mid))      // want ttlwrite/unscaled-sequence
	m.Set("curve", "1m", kit.SeqTS(int(g.seq.Add(1))), []byte(mid))      // want ttlwrite/unscaled-sequence[seqts_load]
	if err := g.rates.Apply(ctx, pair, m); err != nil {
		return err
	}
	live := gcbt.ChainFilters(gcbt.FamilyFilter("quote"), gcbt.TimestampRangeFilter(time.Now().Add(-kit.QuoteTTL), time.Time{}), gcbt.LatestNFilter(1))
	row, err := g.rates.ReadRow(ctx, pair, gcbt.RowFilter(live)) // ok ttlread/wrong-bound
	if err != nil {
		return err
	}
	if len(row) == 0 {
		return fmt.Errorf("%s: no quote", pair)
	}
	cached := gcbt.ChainFilters(gcbt.FamilyFilter("quote"), gcbt.TimestampRangeFilter(time.Now().Add(-5*time.Minute), time.Time{}), gcbt.LatestNFilter(1)) // want ttlread/wrong-bound[cached]
	row, err = g.rates.ReadRow(ctx, pair, gcbt.RowFilter(cached))                                                                                          // want ttlread/wrong-bound[cached]
	if err != nil {
		return err
	}
	kit.Counters.Add("quotes", int64(len(row["quote"])))
	if row, err = g.rates.ReadRow(ctx, pair, gcbt.RowFilter(gcbt.ChainFilters(gcbt.FamilyFilter("curve"), gcbt.LatestNFilter(3)))); err != nil { // ok ttlread/version-limit
		return err
	}
	kit.Counters.Add("points", int64(len(row["curve"])))
	return nil
}

// book writes a ledger entry.
func (g *generator) book(ctx context.Context, merchant string) error {
	g.serial++
	m := gcbt.NewMutation()
	m.Set("entry", "amount", gcbt.Timestamp(g.serial*1000), []byte("100")) // ok ttlwrite/unscaled-sequence
	m.Set("entry", "serial", gcbt.Timestamp(g.serial), []byte("100"))      // want ttlwrite/unscaled-sequence
	m.Set("entry", "gen", gcbt.Now(), []byte("loadgen"))                   // want ttlwrite/clock-in-sequence
	m.Set("balance", "cents", 0, []byte("100"))                            // ok ttlwrite/clock-in-zero
	m.Set("meta", "gen", gcbt.Now(), []byte("loadgen"))                    // ok ttlwrite/clock-in-sequence
	if err := g.ledger.Apply(ctx, merchant, m); err != nil {
		return err
	}
	row, err := g.ledger.ReadRow(ctx, merchant, gcbt.RowFilter(gcbt.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	var sum int
	for _, it := range row["entry"] {
		n, _ := strconv.Atoi(string(it.Value))
		sum += n
	}
	if row, err = g.ledger.ReadRow(ctx, merchant); err != nil { // want ttlread/missing-filter
		return err
	}
	for _, it := range row["entry"] {
		n, _ := strconv.Atoi(string(it.Value))
		sum -= n
	}
	if sum != 0 {
		kit.Counters.Add("superseded", 1)
	}
	return nil
}

// velocityCheck counts the payments of the last hour.
func (g *generator) velocityCheck(ctx context.Context, merchant string) error {
	rmw := gcbt.NewReadModifyWrite()
	rmw.Increment("window", "n", 1)                 // want ttlwrite/read-modify-write
	rmw.AppendValue("window", "last", []byte(id())) // want ttlwrite/read-modify-write
	row, err := g.velocity.ApplyReadModifyWrite(ctx, merchant, rmw)
	if err != nil {
		return err
	}
	kit.Counters.Add("velocity", int64(len(row["window"])))
	limits, err := g.velocity.ReadRow(ctx, merchant, gcbt.RowFilter(gcbt.FamilyFilter("cap"))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	if len(limits["cap"]) == 0 {
		m := gcbt.NewMutation()
		m.Set("cap", "n", 0, []byte("1000"))               // ok ttlwrite/clock-in-zero
		m.Set("cap", "amount", gcbt.Now(), []byte("1000")) // want ttlwrite/clock-in-zero
		return g.velocity.Apply(ctx, merchant, m)
	}
	now := time.Now()
	win := gcbt.ChainFilters(gcbt.FamilyFilter("window"), gcbt.TimestampRangeFilter(now.Add(-kit.WindowTTL), time.Time{})) // want ttlread/wrong-bound[win]
	row, err = g.velocity.ReadRow(ctx, merchant, gcbt.RowFilter(win))                                                      // want ttlread/wrong-bound[win]
	if err != nil {
		return err
	}
	kit.Counters.Add("window_cells", int64(len(row["window"])))
	return nil
}
