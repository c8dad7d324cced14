// probe asks the questions that the on-call asks, every minute, and prints
// what is wrong. It runs for days.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/schema"
	"github.com/tramway/btops/internal/tenant"
)

var (
	opts   btx.Options
	every  = flag.Duration("every", time.Minute, "between two rounds")
	rounds = flag.Int("rounds", 0, "stop after so many, 0 is never")
	config = flag.String("config", "tenants.json", "tenants")
	canary = flag.String("canary", "canary", "rider that does not exist")
)

// today is the day that the canary's entries have.
var today time.Time

// boot is when the probe came up.
var boot time.Time // want ttlwrite/stale-clock[boot]

func init() {
	today = time.Now().Truncate(24 * time.Hour)
	boot = time.Now() // want ttlwrite/stale-clock[boot]
}

// finding is what a probe reports.
type finding struct {
	probe, what string
	at          time.Time
}

// probe is one question.
type probe interface {
	name() string
	ask(ctx context.Context) ([]string, error)
}

type base struct {
	*bigtable.Table
	id string
}

func (b base) name() string { return b.id }

// sessionProbe asks whether a sign-in works.
type sessionProbe struct{ base }

// lockProbe asks whether locks work.
type lockProbe struct{ base }

// codeProbe asks whether codes come and go.
type codeProbe struct{ base }

// journeyProbe asks whether there are trips.
type journeyProbe struct{ base }

// ledgerProbe asks whether accounts add up.
type ledgerProbe struct {
	base
	turn int64
}

// passProbe asks whether passes can be bought.
type passProbe struct {
	id    string
	store *tenant.Store
}

func main() {
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	cfg, err := tenant.Load(*config)
	btx.Fatal(err)
	probes := []probe{
		&sessionProbe{base{client.Open(schema.Sessions), "sessions"}},
		&lockProbe{base{client.Open(schema.Locks), "locks"}},
		&codeProbe{base{client.Open(schema.Passcodes), "codes"}},
		&journeyProbe{base{client.Open(schema.Journeys), "journeys"}},
	}
	for _, id := range cfg.IDs() {
		t, _ := cfg.Get(id)
		probes = append(probes,
			&passProbe{"passes of " + id, tenant.Open(client, cfg, t)},
			&ledgerProbe{base: base{client.Open(cfg.TableName(t, "ledger")), "ledger of " + id}})
	}
	for n := 0; *rounds == 0 || n < *rounds; n++ {
		for _, f := range round(ctx, probes) {
			fmt.Printf("%s %-12s %s\n", f.at.Format(time.TimeOnly), f.probe, f.what)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(*every):
			today = time.Now().Truncate(24 * time.Hour)
		}
	}
}

func round(ctx context.Context, probes []probe) []finding {
	var mu sync.Mutex
	var all []finding
	var wg sync.WaitGroup
	for _, p := range probes {
		wg.Add(1)
		go func() {
			defer wg.Done()
			what, err := p.ask(ctx)
			if err != nil {
				what = append(what, err.Error())
			}
			mu.Lock()
			defer mu.Unlock()
			for _, w := range what {
				all = append(all, finding{p.name(), w, time.Now()})
			}
		}()
	}
	wg.Wait()
	return all
}

func (p *sessionProbe) ask(ctx context.Context) ([]string, error) {
	key := "s#" + *canary
	m := bigtable.NewMutation()
	m.Set("token", "jwt", bigtable.Time(boot.Add(schema.TokenTTL)), []byte("canary"))    // want ttlwrite/stale-clock[boot]
	m.Set("token", "csrf", bigtable.Time(time.Now().Add(time.Minute)), []byte("canary")) // ok ttlwrite/stale-clock
	m.Set("token", "day", bigtable.Time(today.Add(48*time.Hour)), []byte("canary"))      // ok ttlwrite/stale-clock
	m.Set("profile", "boot", bigtable.Time(boot), []byte(os.Getenv("HOSTNAME")))         // ok ttlwrite/stale-clock
	if err := p.Apply(ctx, key, m); err != nil {
		return nil, err
	}
	row, err := p.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	if len(row["token"]) == 0 {
		return []string{"no token after sign-in"}, nil
	}
	row, err = p.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1)), btx.LiveOnly("token")) // want ttlread/overridden-filter
	if err != nil {
		return nil, err
	}
	if len(row["token"]) < 2 {
		return []string{"token and csrf differ"}, nil
	}
	return nil, nil
}

func (p *lockProbe) ask(ctx context.Context) ([]string, error) {
	var what []string
	err := p.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/hides-other-families[lockprobe]
		if len(r["owner"]) == 0 && len(r["lease"]) > 0 {
			what = append(what, r.Key()+" has a lease and no owner")
		}
		return true
	}, bigtable.RowFilter(btx.Live())) // want ttlread/hides-other-families[lockprobe]
	if err != nil {
		return nil, err
	}
	err = p.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/hides-other-families
		if n := len(r["lease"]); n > 1 {
			what = append(what, fmt.Sprintf("%s has %d leases", r.Key(), n))
		}
		return true
	}, bigtable.RowFilter(btx.Live())) // ok ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	m := bigtable.NewMutation()
	m.Set("lease", "canary", bigtable.Time(time.Now().Add(5*time.Second)), nil) // ok ttlwrite/write-time
	m.Set("lease", "canary", bigtable.Now(), nil)                               // want ttlwrite/write-time
	m.Set("owner", "canary", bigtable.Now(), nil)                               // ok ttlwrite/write-time
	return what, p.Apply(ctx, "canary", m)
}

func (p *codeProbe) ask(ctx context.Context) ([]string, error) {
	m := bigtable.NewMutation()
	m.Set("code", "sms", bigtable.Time(time.Now().Add(schema.CodeTTL)), []byte("000000")) // ok ttlwrite/write-time
	m.DeleteCellsInColumn("code", "sms")                                                  // want ttlwrite/delete-after-set
	m.DeleteCellsInColumn("code", "tries")                                                // ok ttlwrite/delete-after-set
	if err := p.Apply(ctx, "000", m); err != nil {
		return nil, err
	}
	var what []string
	limit := bigtable.ChainFilters(bigtable.CellsPerRowOffsetFilter(1), bigtable.TimestampRangeFilter(time.Now(), time.Time{})) // want ttlread/limit-before-filter[codeprobe]
	row, err := p.ReadRow(ctx, "000", bigtable.RowFilter(limit))                                                                // want ttlread/limit-before-filter[codeprobe]
	if err != nil {
		return nil, err
	}
	if len(row["code"]) > 0 {
		what = append(what, "a second code")
	}
	// Chain of one: the API refuses it.
	row, err = p.ReadRow(ctx, "000", bigtable.RowFilter(bigtable.ChainFilters(btx.Live()))) // want ttlunit/invalid-filter
	if err != nil {
		return what, err
	}
	row2, err := p.ReadRow(ctx, "000", bigtable.RowFilter(bigtable.ChainFilters(btx.Live(), bigtable.LatestNFilter(0)))) // want ttlunit/invalid-filter
	if err != nil {
		return what, err
	}
	if len(row["code"]) != len(row2["code"]) {
		what = append(what, "versions")
	}
	return what, nil
}

func (p *journeyProbe) ask(ctx context.Context) ([]string, error) {
	n := 0
	err := p.ReadRows(ctx, bigtable.PrefixRange("r"), func(r bigtable.Row) bool { // want ttlread/wrong-bound[journeyprobe]
		n += len(r["leg"])
		return true
	}, bigtable.RowFilter(btx.Within(24*time.Hour)), bigtable.LimitRows(100)) // want ttlread/wrong-bound[journeyprobe]
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return []string{"no trips today"}, nil
	}
	n = 0
	err = p.ReadRows(ctx, bigtable.PrefixRange("r"), func(r bigtable.Row) bool { // ok ttlread/wrong-bound
		n += len(r["leg"])
		return true
	}, bigtable.RowFilter(btx.Within(schema.LegTTL)), bigtable.LimitRows(100)) // ok ttlread/wrong-bound ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	// Trips of today by their value, whatever the timestamps.
	err = p.ReadRows(ctx, bigtable.PrefixRange("r"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r["leg"] {
			if it.Timestamp.Time().Before(time.Now().Add(-schema.LegTTL)) { // ok ttlage/not-write-time
				continue
			}
			if t, err := time.Parse(time.RFC3339, string(it.Value)); err == nil && t.After(today) {
				n++
			}
		}
		return true
	}, bigtable.LimitRows(100))
	log.Printf("%d trips", n)
	return nil, err
}

func (p *ledgerProbe) ask(ctx context.Context) ([]string, error) {
	p.turn++
	m := bigtable.NewMutation()
	m.Set("entry", "turn", bigtable.Timestamp(p.turn), nil)       // want ttlwrite/unscaled-sequence
	m.Set("entry", "turn2", bigtable.Timestamp(p.turn)*1000, nil) // ok ttlwrite/unscaled-sequence
	m.Set("entry", "boot", bigtable.Time(boot), nil)              // want ttlwrite/clock-in-sequence
	m.Set("total", "turn", 0, []byte(fmt.Sprint(p.turn)))         // ok ttlwrite/clock-in-zero
	if err := p.Apply(ctx, "canary", m); err != nil {
		return nil, err
	}
	row, err := p.ReadRow(ctx, "canary", bigtable.RowFilter(bigtable.LatestNFilter(6))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	have := len(row["entry"])
	row, err = p.ReadRow(ctx, "canary", bigtable.RowFilter(bigtable.LatestNFilter(5))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	if len(row["entry"]) == 0 {
		return []string{"no entries"}, nil
	}
	var what []string
	newest := row["entry"][0]
	if old := time.Since(newest.Timestamp.Time()); old > time.Hour { // want ttlage/not-write-time
		what = append(what, fmt.Sprintf("no entry for %s, %d kept", old, have))
	}
	for _, it := range row["entry"] {
		if it.Timestamp > newest.Timestamp {
			what = append(what, "the entries are not in order")
		}
	}
	return what, nil
}

func (p *passProbe) name() string { return p.id }

func (p *passProbe) ask(ctx context.Context) ([]string, error) {
	pass := tenant.Pass{Rider: *canary, Kind: "probe", Expires: time.Now().Add(time.Hour)}
	if err := p.store.PutPass(ctx, pass); err != nil {
		return nil, err
	}
	ok, err := p.store.HasPass(ctx, *canary, "probe")
	if err == nil && !ok {
		err = errors.New("no pass")
	}
	if err != nil {
		return nil, err
	}
	row, err := p.store.Passes().ReadRow(ctx, "r#"+*canary) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	if len(row["pass"]) == 0 {
		return []string{"no pass in the row"}, nil
	}
	row, err = p.store.Passes().ReadRow(ctx, "r#"+*canary, btx.LiveOnly("pass")) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row["pass"] {
		if it.Timestamp == -1 { // want ttlage/server-sentinel
			return []string{"a pass without end"}, nil
		}
		issued := now().Sub(it.Timestamp.Time()) // want ttlage/not-write-time
		if issued > 24*time.Hour {
			return []string{"a pass of yesterday"}, nil
		}
	}
	return nil, nil
}

func now() time.Time { return time.Now() }
