// Command tenantjobs runs batch jobs over all tenants, from cron.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"tenants.example/platform/internal/btx"
	"tenants.example/platform/internal/docs"
	"tenants.example/platform/internal/export"
	"tenants.example/platform/internal/pagecache"
	"tenants.example/platform/internal/provision"
	"tenants.example/platform/internal/ratelimit"
	"tenants.example/platform/internal/registry"
	"tenants.example/platform/internal/schema"
	"tenants.example/platform/internal/sessions"
)

type env struct {
	cfg    schema.Config
	client *bigtable.Client
	admin  *bigtable.AdminClient
	reg    *registry.Registry
	args   []string
	round  int64
}

type job struct {
	name string
	help string
	run  func(context.Context, *env) error
}

var jobs = []job{
	{"provision", "create tables of new tenants", runProvision},
	{"reports", "write the monthly reports", runReports},
	{"quotas", "start a month", runQuotas},
	{"compact", "renumber long histories", runCompact},
	{"sweep", "delete what is over", runSweep},
	{"digest", "mark documents for the digest", runDigest},
	{"warm", "fill the page caches", runWarm},
	{"announce", "put a notice into every cache", runAnnounce},
	{"import", "take over rows of the old system", runImport},
	{"stale", "list quotas and drafts that nobody touches", runStale},
	{"house", "jobs for the house tenant", runHouse},
	{"peek", "look at a row", runPeek},
	{"fix-masks", "update families one by one", runMasks},
}

func runProvision(ctx context.Context, e *env) error {
	p := &provision.Provisioner{Admin: e.admin, Log: slog.Default()}
	if err := p.Shared(ctx); err != nil {
		return err
	}
	var errs []error
	for _, t := range e.cfg.Tenants {
		if t.Plan == "legacy" {
			errs = append(errs, p.Legacy(ctx, t.ID))
			continue
		}
		errs = append(errs, p.Tenant(ctx, t.ID), p.ApplyDefault(ctx, t.ID))
	}
	return errors.Join(errs...)
}

func runReports(ctx context.Context, e *env) error {
	act := export.OpenActivity(e.client)
	return e.reg.ForEach(ctx, 4, func(ctx context.Context, t *registry.Tenant) error {
		rep, err := export.Summary(ctx, t, act)
		if err != nil {
			return err
		}
		f, err := os.Create(fmt.Sprintf("report-%s-%s.csv", t.ID, time.Now().Format("2006-01")))
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintf(f, "# %s: %d documents\n", rep.Tenant, rep.Docs)
		x := &export.Exporter{Tenant: t, Out: f}
		if err := x.CSV(ctx); err != nil {
			return err
		}
		return t.Docs.Apply(ctx, "reports", reportMark(rep))
	})
}

// reportMark notes that a report was made, beside the documents.
func reportMark(rep export.Report) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(schema.FamDraft, "report", bigtable.Now(), fmt.Append(nil, rep.Docs)) // ok ttlwrite/write-time
	m.Set(schema.FamMeta, "report", 0, fmt.Append(nil, rep.Docs))               // ok ttlwrite/clock-in-zero
	return m
}

func runQuotas(ctx context.Context, e *env) error {
	month := time.Now().UTC().Format("2006-01")
	return e.reg.ForEach(ctx, 8, func(ctx context.Context, t *registry.Tenant) error {
		l := ratelimit.New(t, ratelimit.Options{})
		got, err := l.LockMonth(ctx, month)
		if err != nil || !got {
			return err
		}
		u, err := l.Load(ctx, "calls")
		if err != nil {
			return err
		}
		m := bigtable.NewMutation()
		m.Set(schema.FamQuota, "used", btx.Sequence(u.Version+1), btx.Int(0))                     // ok ttlwrite/clock-in-sequence
		m.Set(schema.FamQuota, "granted", bigtable.Now(), btx.Int(t.Config.MonthlyCall))          // want ttlwrite/clock-in-sequence
		m.Set(schema.FamQuota, "month", bigtable.Time(time.Now().UTC()), []byte(month))           // want ttlwrite/clock-in-sequence
		m.Set(schema.FamWindow, "reset", bigtable.Time(time.Now().Add(time.Hour)), []byte(month)) // ok ttlwrite/write-time
		m.Set(schema.FamWindow, "reset_by", bigtable.ServerTime, []byte("tenantjobs"))            // want ttlwrite/server-timestamp
		return t.Limits.Apply(ctx, schema.Key("q", "calls"), m)
	})
}

func runCompact(ctx context.Context, e *env) error {
	return e.reg.ForEach(ctx, 2, func(ctx context.Context, t *registry.Tenant) error {
		s := docs.New(t)
		titles, err := s.Titles(ctx)
		if err != nil {
			return err
		}
		for key := range titles {
			doc := strings.TrimPrefix(key, "doc#")
			revs, err := s.History(ctx, doc)
			if err != nil {
				return err
			}
			if len(revs) < schema.RevVersions {
				continue
			}
			slices.Reverse(revs)
			m := bigtable.NewMutation()
			m.DeleteCellsInFamily(schema.FamRev) // ok ttlwrite/delete-after-set
			for i, r := range revs {
				m.Set(schema.FamRev, "body", bigtable.Timestamp(len(revs)-i), r.Body)                    // want ttlwrite/unscaled-sequence
				m.Set(schema.FamRev, "author", bigtable.Timestamp((len(revs)-i)*1000), []byte(r.Author)) // ok ttlwrite/unscaled-sequence
			}
			if err := t.Docs.Apply(ctx, key, m); err != nil {
				return err
			}
		}
		return nil
	})
}

// runSweep deletes expired sessions' rows and drafts; deleting needs no filter, and may have any.
func runSweep(ctx context.Context, e *env) error {
	auth := e.client.Open(e.cfg.Tables.Auth)
	var keys []string
	var muts []*bigtable.Mutation
	err := auth.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // ok ttlread/expired-only
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(schema.FamSession)
		keys, muts = append(keys, row.Key()), append(muts, m)
		return true
	}, bigtable.RowFilter(btx.Of(schema.FamSession, bigtable.TimestampRangeFilter(time.Time{}, time.Now())))) // ok ttlread/expired-only
	if err != nil {
		return err
	}
	if len(keys) > 0 {
		if _, err := auth.ApplyBulk(ctx, keys, muts); err != nil {
			return err
		}
	}
	n := 0
	err = auth.ReadRows(ctx, bigtable.PrefixRange("i#"), func(row bigtable.Row) bool { // want ttlread/expired-only[sweepcount]
		n++
		return true
	}, bigtable.RowFilter(btx.Of(schema.FamInvite, bigtable.TimestampRangeFilter(time.Time{}, time.Now())))) // want ttlread/expired-only[sweepcount]
	slog.Info("open invitations", "n", n)
	return err
}

func runDigest(ctx context.Context, e *env) error {
	return e.reg.ForEach(ctx, 4, func(ctx context.Context, t *registry.Tenant) error {
		rmw := bigtable.NewReadModifyWrite()
		rmw.Increment(schema.FamMeta, "digests", 1)  // want ttlwrite/read-modify-write
		rmw.Increment(schema.FamDraft, "digests", 1) // ok ttlwrite/read-modify-write
		if _, err := t.Docs.ApplyReadModifyWrite(ctx, "digest", rmw); err != nil {
			return err
		}
		var changed []string
		since := time.Now().Add(-24 * time.Hour)
		err := t.Docs.ReadRows(ctx, bigtable.PrefixRange("doc#"), func(row bigtable.Row) bool { // ok ttlread/version-limit
			it, ok := btx.Item(row, schema.FamRev, "body")
			if ok && time.Since(it.Timestamp.Time()) < 24*time.Hour { // want ttlage/not-write-time
				changed = append(changed, row.Key())
			}
			return true
		}, btx.Newest(1))
		if err != nil {
			return err
		}
		err = t.Docs.ReadRows(ctx, bigtable.PrefixRange("doc#"), func(row bigtable.Row) bool { // want ttlread/wrong-bound[digest]
			changed = append(changed, row.Key())
			return true
		}, bigtable.RowFilter(btx.Of(schema.FamRev, bigtable.TimestampRangeFilter(since, time.Time{})))) // want ttlread/wrong-bound[digest]
		slog.Info("digest", "tenant", t.ID, "documents", len(changed))
		return err
	})
}

func runWarm(ctx context.Context, e *env) error {
	pages := map[string]pagecache.Page{
		"/":      {HTML: []byte("<html></html>"), Type: "text/html"},
		"/login": {HTML: []byte("<html></html>"), Type: "text/html"},
	}
	return e.reg.ForEach(ctx, 4, func(ctx context.Context, t *registry.Tenant) error {
		return pagecache.New(t, pagecache.Policy{}).Warm(ctx, pages)
	})
}

// put writes a cell into a tenant's cache.
func put(ctx context.Context, t *registry.Tenant, family, column string, ts bigtable.Timestamp, v string) error {
	m := bigtable.NewMutation()
	m.Set(family, column, ts, []byte(v))
	return t.Cache.Apply(ctx, "notice", m)
}

func runAnnounce(ctx context.Context, e *env) error {
	text := strings.Join(e.args, " ")
	return e.reg.ForEach(ctx, 8, func(ctx context.Context, t *registry.Tenant) error {
		return errors.Join(
			put(ctx, t, schema.FamPage, "text", bigtable.ServerTime, text),                          // ok ttlwrite/server-timestamp
			put(ctx, t, schema.FamPage, "since", bigtable.Now(), t.ID),                              // ok ttlwrite/write-time
			put(ctx, t, schema.FamLock, "owner", btx.Expiry(schema.LockTTL), "announce"),            // ok ttlwrite/write-time
			put(ctx, t, schema.FamLock, "since", bigtable.ServerTime, "announce"),                   // want ttlwrite/server-timestamp
			put(ctx, t, schema.FamLock, "note", bigtable.Now(), text),                               // want ttlwrite/write-time
			put(ctx, t, schema.FamLock, "gone", btx.Expiry(-time.Minute), text),                     // want ttlwrite/already-expired
			put(ctx, t, schema.FamPage, "older", bigtable.Time(time.Now().Add(-time.Minute)), text), // ok ttlwrite/already-expired
		)
	})
}

func runStale(ctx context.Context, e *env) error {
	limit := time.Now().AddDate(0, -1, 0)
	return e.reg.ForEach(ctx, 4, func(ctx context.Context, t *registry.Tenant) error {
		l := ratelimit.New(t, ratelimit.Options{Window: 5 * time.Minute})
		old, err := l.Stale(ctx, "calls")
		if err != nil {
			return err
		}
		row, err := t.Limits.ReadRow(ctx, schema.Key("q", "calls"), btx.LiveOf(schema.FamQuota)) // want ttlread/wrong-bound
		if err != nil {
			return err
		}
		n := len(row[schema.FamQuota])
		drafts := 0
		err = t.Docs.ReadRows(ctx, bigtable.PrefixRange("doc#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
			for _, it := range row[schema.FamDraft] {
				if it.Timestamp.Time().After(limit) {
					drafts++
				}
			}
			return true
		})
		slog.Info("stale", "tenant", t.ID, "quota", old, "versions", n, "drafts", drafts)
		return err
	})
}

// runHouse knows the house tenant's tables by name.
func runHouse(ctx context.Context, e *env) error {
	const house = "acme"
	docsTbl := e.client.Open(house + "-docs")
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, "body", bigtable.ServerTime, []byte("welcome"))    // want ttlwrite/clock-in-sequence
	m.Set(schema.FamRev, "author", bigtable.Timestamp(1000), []byte(house)) // ok ttlwrite/clock-in-sequence
	m.Set(schema.FamMeta, "title", bigtable.ServerTime, []byte("Welcome"))  // want ttlwrite/clock-in-zero
	m.Set(schema.FamMeta, "owner", 0, []byte(house))                        // ok ttlwrite/clock-in-zero
	m.AddIntToCell("usage", "writes", bigtable.ServerTime, 1)               // want ttlwrite/aggregate-server-time
	m.AddIntToCell("usage", "writes_total", bigtable.Timestamp(0), 1)       // ok ttlwrite/aggregate-server-time
	if err := docsTbl.Apply(ctx, "doc#welcome", m); err != nil {
		return err
	}

	pub := e.client.Open(strings.Join([]string{house, "public"}, "-"))
	pm := bigtable.NewMutation()
	pm.Set(schema.FamRev, "body", bigtable.ServerTime, []byte("welcome"))  // ok ttlwrite/clock-in-sequence
	pm.Set(schema.FamSession, "visitor", bigtable.Now(), nil)              // ok ttlwrite/write-time
	pm.Set(schema.FamMeta, "title", bigtable.ServerTime, []byte("Public")) // ok ttlwrite/clock-in-zero
	if err := pub.Apply(ctx, "welcome", pm); err != nil {
		return err
	}

	cache := e.client.Open(fmt.Sprintf("%s-%s", house, "cache"))
	row, err := cache.ReadRow(ctx, "p#welcome") // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for family, items := range row {
		slog.Info("cached", "family", family, "cells", len(items))
	}
	lim := e.client.Open("acme-limits")
	for _, key := range []string{"q#calls", "q#bytes"} {
		row, err := lim.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(0))) // want ttlunit/invalid-filter // maybe ttlread/*
		if err != nil {
			return err
		}
		slog.Info("quota", "key", key, "used", btx.ParseInt(btx.Cell(row, schema.FamQuota, "used")))
	}
	return nil
}

func runPeek(ctx context.Context, e *env) error {
	if len(e.args) != 2 {
		return errors.New("peek TABLE KEY")
	}
	row, err := e.client.Open(e.args[0]).ReadRow(ctx, e.args[1]) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for family, items := range row {
		for _, it := range items {
			fmt.Printf("%s\t%s\t%d\t%q\n", family, it.Column, it.Timestamp, it.Value)
		}
	}
	s := sessions.NewStore(e.client, e.cfg)
	n, err := s.Count(ctx)
	fmt.Println("sessions:", n)
	return err
}

func main() {
	path := flag.String("config", "/etc/platform/platform.json", "configuration file")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: tenantjobs [-config FILE] JOB [ARG...]")
		for _, j := range jobs {
			fmt.Fprintf(os.Stderr, "  %-10s %s\n", j.name, j.help)
		}
	}
	flag.Parse()
	i := slices.IndexFunc(jobs, func(j job) bool { return j.name == flag.Arg(0) })
	if i < 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx := context.Background()
	cfg, err := schema.Load(*path)
	if err != nil {
		slog.Error("configuration", "err", err)
		os.Exit(2)
	}
	client, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		slog.Error("bigtable", "err", err)
		os.Exit(1)
	}
	defer client.Close()
	admin, err := bigtable.NewAdminClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		slog.Error("bigtable admin", "err", err)
		os.Exit(1)
	}
	defer admin.Close()
	e := &env{cfg: cfg, client: client, admin: admin, reg: registry.New(client, cfg), args: flag.Args()[1:]}
	start := time.Now()
	if err := jobs[i].run(ctx, e); err != nil {
		slog.Error("job failed", "job", jobs[i].name, "err", err)
		os.Exit(1)
	}
	slog.Info("job done", "job", jobs[i].name, "took", time.Since(start))
}
