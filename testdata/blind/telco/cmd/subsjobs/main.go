// Command subsjobs runs the background jobs of the subscriber platform.
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"cloud.google.com/go/bigtable"

	"telco.example/subs/internal/balance"
	"telco.example/subs/internal/bt"
	"telco.example/subs/internal/names"
	"telco.example/subs/internal/platform"
	"telco.example/subs/internal/porting"
	"telco.example/subs/internal/roaming"
	"telco.example/subs/internal/sims"
	"telco.example/subs/internal/sms"
	"telco.example/subs/internal/usage"
)

type jobs struct {
	cfg      *platform.Config
	log      *slog.Logger
	c        *bt.Client
	sessions *bt.Table
	ports    *bt.Table
	balances *bigtable.Table
	roaming  *bigtable.Table
	devices  *bigtable.Table
	archive  *bt.Table
	cache    *roaming.Cache
	porting  *porting.Service
	money    *balance.Service
	usages   map[string]*usage.Store
	stmts    map[string]*bigtable.PreparedStatement
}

func main() {
	cfgPath := flag.String("config", "", "configuration file")
	once := flag.String("once", "", "run this job once and end")
	flag.Parse()
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	cfg, err := platform.Load(*cfgPath)
	if err != nil {
		log.Error("configuration", "err", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c, err := bt.Dial(ctx, cfg, log)
	if err != nil {
		log.Error("dial", "err", err)
		os.Exit(1)
	}
	defer c.Close()
	j := newJobs(cfg, log, c)
	if err := j.prepare(ctx); err != nil {
		log.Error("statements", "err", err)
		os.Exit(1)
	}
	r := &platform.Runner{Log: log}
	r.Add(platform.Job{Name: "sessions", Every: cfg.Interval("sessions", time.Minute), Run: j.countSessions})
	r.Add(platform.Job{Name: "archive", Every: cfg.Interval("archive", time.Hour), Run: j.archiveSessions})
	r.Add(platform.Job{Name: "holds", Every: cfg.Interval("holds", 5*time.Minute), Run: j.sweepHolds})
	r.Add(platform.Job{Name: "ledgers", Every: cfg.Interval("ledgers", 24*time.Hour), Run: j.checkLedgers})
	r.Add(platform.Job{Name: "claims", Every: cfg.Interval("claims", 10*time.Minute), Run: j.purgeClaims})
	r.Add(platform.Job{Name: "rollover", Every: cfg.Interval("rollover", time.Hour), Run: j.rollover})
	r.Add(platform.Job{Name: "visits", Every: cfg.Interval("visits", time.Hour), Run: j.importVisits})
	r.Add(platform.Job{Name: "quality", Every: cfg.Interval("quality", time.Hour), Run: j.quality})
	r.Add(platform.Job{Name: "stats", Every: cfg.Interval("stats", time.Hour), Run: j.stats})
	r.Add(platform.Job{Name: "heartbeat", Every: 10 * time.Second, Run: j.heartbeat})
	if *once != "" {
		if !r.Once(ctx, *once) {
			log.Error("no such job", "job", *once)
			os.Exit(2)
		}
		return
	}
	r.Run(ctx)
}

func newJobs(cfg *platform.Config, log *slog.Logger, c *bt.Client) *jobs {
	raw := c.Raw()
	sims.Init(c)
	sms.Setup(raw)
	j := &jobs{
		cfg:      cfg,
		log:      log,
		c:        c,
		sessions: c.Open(names.TableSessions),
		ports:    c.Open(names.TablePorting),
		balances: raw.Open(names.TableBalances),
		roaming:  raw.Open(names.TableRoaming),
		devices:  raw.Open(names.TableDevices),
		archive:  c.Open(names.TableArchive),
		cache:    roaming.New(c),
		porting:  porting.New(c, platform.SystemClock{}, log, porting.WithKeep(2)),
		money:    balance.New(raw, platform.SystemClock{}, cfg.Retry),
		usages:   map[string]*usage.Store{},
		stmts:    map[string]*bigtable.PreparedStatement{},
	}
	for _, m := range cfg.Markets {
		j.usages[m] = usage.Open(c, m, log)
	}
	return j
}

// heartbeat tells the monitoring that we are alive.
func (j *jobs) heartbeat(ctx context.Context) error {
	host, _ := os.Hostname()
	if err := j.sessions.PutNow(ctx, "job#"+host, names.FamProfile, "beat", nil); err != nil { // ok ttlwrite/server-timestamp
		return err
	}
	if err := j.sessions.PutFor(ctx, "job#"+host, names.FamSession, "beat", time.Minute, nil); err != nil { // ok ttlwrite/write-time
		return err
	}
	if err := j.sessions.PutFor(ctx, "job#"+host, names.FamAuth, "beat", 0, nil); err != nil { // want ttlwrite/write-time
		return err
	}
	return j.sessions.PutNow(ctx, "job#"+host, names.FamSession, "host", []byte(host)) // want ttlwrite/server-timestamp
}

// countSessions counts by radio technology.
func (j *jobs) countSessions(ctx context.Context) error {
	byRAT := map[string]int{}
	err := j.sessions.Scan(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter
		byRAT[string(bt.Cell(r, names.FamSession, "rat"))]++
		return true
	})
	if err != nil {
		return err
	}
	live := map[string]int{}
	err = j.sessions.Scan(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		live[string(bt.Cell(r, names.FamSession, "rat"))]++
		return true
	}, bigtable.RowFilter(bt.LiveIn(names.FamSession)))
	if err != nil {
		return err
	}
	rows := 0
	err = j.sessions.Scan(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { // ok ttlread/missing-filter
		rows++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	j.log.Info("sessions", "by_rat", byRAT, "live", live, "rows", rows)
	return err
}

// archiveSessions copies ended sessions into the archive, with their real end.
func (j *jobs) archiveSessions(ctx context.Context) error {
	var keys []string
	var muts []*bigtable.Mutation
	now := time.Now()
	err := j.sessions.Scan(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		n := 0
		for _, it := range r[names.FamSession] {
			if it.Timestamp.Time().After(now) {
				continue
			}
			m.Set(names.FamSession, it.Column, bigtable.Now(), it.Value) // ok ttlwrite/write-time
			n++
		}
		if n > 0 {
			keys, muts = append(keys, r.Key()), append(muts, m)
		}
		return len(keys) < 5000
	}, bigtable.RowFilter(bigtable.FamilyFilter(names.FamSession)))
	if err != nil || len(keys) == 0 {
		return err
	}
	if err := j.archive.Put(ctx, "last", names.FamSession, "run", bigtable.ServerTime, nil); err != nil { // ok ttlwrite/server-timestamp
		return err
	}
	return j.archive.MutateMany(ctx, keys, muts)
}

// archived reads a session from the archive.
func (j *jobs) archived(ctx context.Context, imsi string) (bigtable.Row, error) {
	return j.archive.Get(ctx, imsi) // ok ttlread/missing-filter
}

// sweepHolds tells the OCS which holds are over.
func (j *jobs) sweepHolds(ctx context.Context) error {
	var over []string
	err := j.balances.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/expired-only[holdsover]
		for _, it := range r[names.FamHold] {
			over = append(over, it.Row+"/"+it.Column)
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamHold), bigtable.TimestampRangeFilter(time.Unix(0, 0), time.Now())))) // want ttlread/expired-only[holdsover]
	if err != nil {
		return err
	}
	j.log.Info("holds over", "n", len(over))
	var soon int64
	err = j.balances.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[names.FamHold] {
			if left := time.Until(it.Timestamp.Time()); left > 0 && left < time.Minute { // ok ttlage/not-write-time
				soon++
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(names.FamHold)))
	j.log.Info("holds ending", "n", soon)
	return err
}

// checkLedgers adds up ledgers and compares with the balance.
func (j *jobs) checkLedgers(ctx context.Context) error {
	type sum struct{ bal, ledger int64 }
	sums := map[string]sum{}
	err := j.balances.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/version-limit[ledgers]
		s := sum{bal: bt.Int(bt.Cell(r, names.FamBalance, "cents"))}
		for _, it := range r[names.FamLedger] {
			s.ledger += bt.Int(it.Value)
		}
		sums[r.Key()] = s
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("bal|ledger"), bigtable.ColumnFilter("cents|entry")))) // want ttlread/version-limit[ledgers]
	if err != nil {
		return err
	}
	err = j.balances.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/version-limit
		s := sum{bal: bt.Int(bt.Cell(r, names.FamBalance, "cents"))}
		for _, it := range r[names.FamLedger] {
			s.ledger += bt.Int(it.Value)
		}
		if s != sums[r.Key()] {
			j.log.Warn("ledger differs", "key", r.Key())
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("bal|ledger"), bigtable.ColumnFilter("cents|entry"), bigtable.LatestNFilter(names.LedgerVersions))))
	return err
}

// purgeClaims deletes the rows of claims that are over.
func (j *jobs) purgeClaims(ctx context.Context) error {
	n, err := j.porting.Purge(ctx)
	if err != nil {
		return err
	}
	j.log.Info("claims purged", "n", n)
	var open []string
	err = j.ports.Scan(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter[openclaims]
		if len(r[names.FamClaim]) > 0 {
			open = append(open, r.Key()+" "+string(bt.Cell(r, names.FamClaim, "recipient")))
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[openclaims]
	if err != nil {
		return err
	}
	var cases []string
	err = j.ports.Scan(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		cases = append(cases, string(bt.Cell(r, names.FamCase, "opened")))
		return true
	})
	j.log.Info("claims", "open", len(open), "cases", len(cases))
	return err
}

// rollover closes the month.
func (j *jobs) rollover(ctx context.Context) error {
	now := time.Now().UTC()
	if now.Day() != 1 {
		return nil
	}
	usage.SetMonth(now.Truncate(24 * time.Hour))
	for market, st := range j.usages {
		keys, err := st.Keys(ctx, "")
		if err != nil {
			return err
		}
		for _, k := range keys {
			u, err := st.Get(ctx, k)
			if err != nil {
				return err
			}
			if err := st.RollLive(ctx, k, u.Units["data"]); err != nil {
				return err
			}
		}
		j.log.Info("rolled over", "market", market, "n", len(keys))
	}
	return nil
}

// importVisits reads what the clearing house sent.
func (j *jobs) importVisits(ctx context.Context) error {
	visits := map[string]string{"262019999999999": "22201"}
	for imsi, plmn := range visits {
		m := roaming.NewVisitMutation(plmn)
		if err := j.roaming.Apply(ctx, imsi, m); err != nil { // want ttlwrite/write-time
			return err
		}
		d := roaming.NewVisitMutation(plmn)
		if err := j.devices.Apply(ctx, imsi, d); err != nil { // ok ttlwrite/write-time
			return err
		}
		good := bigtable.NewMutation()
		roaming.VisitCells(good, roaming.Visit{IMSI: imsi, PLMN: plmn}, bt.ExpiresIn(names.RoamingTTL)) // ok ttlwrite/write-time
		if err := j.roaming.Apply(ctx, imsi, good); err != nil {
			return err
		}
		bad := bigtable.NewMutation()
		roaming.VisitCells(bad, roaming.Visit{IMSI: imsi, PLMN: plmn}, bigtable.ServerTime) // want ttlwrite/server-timestamp[visitcells]
		if err := j.roaming.Apply(ctx, imsi, bad); err != nil {                             // want ttlwrite/server-timestamp[visitcells]
			return err
		}
	}
	return nil
}

// quality scores the other operators.
func (j *jobs) quality(ctx context.Context) error {
	scores, err := sms.ScoresLatest(ctx)
	if err != nil {
		return err
	}
	for op, s := range scores {
		if s < 10 {
			j.log.Warn("bad quality", "operator", op, "score", s)
		}
		if err := sms.Score(ctx, op, s+1); err != nil {
			return err
		}
	}
	return nil
}
