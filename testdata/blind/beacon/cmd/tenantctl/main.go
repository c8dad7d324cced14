// Command tenantctl creates, updates and removes tenants and their tables.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sort"
	"strings"
	"text/tabwriter"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/config"
	"example.com/beacon/internal/control"
	"example.com/beacon/internal/jobs"
	"example.com/beacon/internal/layout"
	"example.com/beacon/internal/reports"
	"example.com/beacon/internal/schema"
)

type app struct {
	settings *config.Settings
	admin    *bigtable.AdminClient
	client   *bigtable.Client
	prov     *schema.Provisioner
	reg      *control.Registry
	log      *slog.Logger
}

type command struct {
	name, args, help string
	run              func(ctx context.Context, a *app, args []string) error
}

var commands = []command{
	{"create", "TENANT REGION", "register a tenant and create its tables", create},
	{"update", "TENANT", "bring a tenant's tables up to date", update},
	{"diff", "TENANT", "show what update would do", diff},
	{"drop", "TENANT", "remove a tenant and its tables", drop},
	{"retention", "TENANT DAYS", "set how long events are kept", retention},
	{"repair", "TENANT", "add what old tenants lack", repair},
	{"trial", "TENANT", "create a trial's tables", trial},
	{"move", "TENANT NEWPREFIX", "copy a tenant's tables", move},
	{"fast", "TENANT", "set a tenant's policies in few requests", fast},
	{"list", "", "list tenants", list},
	{"invites", "TENANT", "list open invitations", invites},
}

func main() {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	cfg := flag.String("config", "beacon.json", "settings")
	dry := flag.Bool("n", false, "change nothing")
	flag.Usage = usage
	flag.Parse()
	if flag.NArg() == 0 {
		usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *cfg, *dry, flag.Args(), log); err != nil {
		log.Error("failed", "err", err)
		os.Exit(1)
	}
}

func usage() {
	w := tabwriter.NewWriter(os.Stderr, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "usage: tenantctl [-config FILE] [-n] COMMAND ARG...")
	for _, c := range commands {
		fmt.Fprintf(w, "  %s %s\t%s\n", c.name, c.args, c.help)
	}
	w.Flush()
}

func run(ctx context.Context, path string, dry bool, args []string, log *slog.Logger) error {
	s, err := config.Load(path)
	if err != nil {
		return err
	}
	admin, err := bigtable.NewAdminClient(ctx, s.Project, s.Instance)
	if err != nil {
		return err
	}
	defer admin.Close()
	client, err := bigtable.NewClient(ctx, s.Project, s.Instance)
	if err != nil {
		return err
	}
	defer client.Close()
	a := &app{
		settings: s,
		admin:    admin,
		client:   client,
		prov:     schema.New(admin, s.Layout, log, dry),
		reg:      control.New(client, control.InviteTTL(48*time.Hour)),
		log:      log,
	}
	for _, c := range commands {
		if c.name != args[0] {
			continue
		}
		if want := len(strings.Fields(c.args)); len(args)-1 != want {
			return fmt.Errorf("%s needs %d arguments: %s", c.name, want, c.args)
		}
		return c.run(ctx, a, args[1:])
	}
	return fmt.Errorf("unknown command %q", args[0])
}

func (a *app) names(tenant string) layout.Names { return layout.For(a.settings.Prefix, tenant) }

func create(ctx context.Context, a *app, args []string) error {
	if err := schema.Control(ctx, a.admin); err != nil {
		return err
	}
	if err := a.prov.Ensure(ctx, a.names(args[0])); err != nil {
		return err
	}
	return a.reg.Put(ctx, control.Tenant{Name: args[0], Region: args[1], Since: time.Now(), State: "active"})
}

func update(ctx context.Context, a *app, args []string) error {
	n := a.names(args[0])
	if err := a.prov.Ensure(ctx, n); err != nil {
		return err
	}
	return errors.Join(
		schema.Plans(ctx, a.admin),
		schema.Notes(ctx, a.admin),
		schema.Tokens(ctx, a.admin, n.Sessions()),
	)
}

func diff(ctx context.Context, a *app, args []string) error {
	lines, err := a.prov.Diff(ctx, a.names(args[0]))
	if err != nil {
		return err
	}
	sort.Strings(lines)
	for _, l := range lines {
		fmt.Println(l)
	}
	return nil
}

func drop(ctx context.Context, a *app, args []string) error {
	if err := a.reg.SetState(ctx, args[0], "dropped"); err != nil {
		return err
	}
	return a.prov.Drop(ctx, a.names(args[0]))
}

func retention(ctx context.Context, a *app, args []string) error {
	var days int
	if _, err := fmt.Sscan(args[1], &days); err != nil {
		return fmt.Errorf("days %q: %w", args[1], err)
	}
	return a.prov.Retention(ctx, a.names(args[0]), days)
}

// repair adds what tenants of the first year do not have.
func repair(ctx context.Context, a *app, args []string) error {
	n := a.names(args[0])
	if err := a.prov.Leases(ctx, n); err != nil {
		return err
	}
	if err := a.prov.Cursors(ctx, n, 1); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	if err := a.prov.Profiles(ctx, n); err != nil {
		return err
	}
	// Old tenants' tables have names that no rule builds.
	for _, old := range []string{"acme", "globex"} {
		table := strings.ToUpper(old) + "_sess"
		if err := a.admin.SetGCPolicy(ctx, table, "token", bigtable.MaxAgePolicy(time.Second)); err != nil { // ok ttlgc/age-mismatch
			return err
		}
	}
	if err := policy(ctx, a, n.State(), "lease", time.Second); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := policy(ctx, a, n.Audit(), "event", 90*24*time.Hour); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := policy(ctx, a, n.Audit(), "grant", 15*time.Minute); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := policy(ctx, a, n.Metrics(), "point", 90*24*time.Hour); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := policy(ctx, a, n.Ledger(), "entry", 7*365*24*time.Hour); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	return nil
}

// policy sets an age.
func policy(ctx context.Context, a *app, table, family string, age time.Duration) error {
	a.log.Info("policy", "table", table, "family", family, "age", age)
	return a.admin.SetGCPolicy(ctx, table, family, bigtable.MaxAgePolicy(age)) // ok ttlgc/age-mismatch
}

// trialPolicies are the policies of trials, which were drawn up by sales.
var trialPolicies = []struct {
	kind   func(layout.Names) string
	family string
	policy bigtable.GCPolicy
}{
	{layout.Names.Audit, "event", bigtable.MaxAgePolicy(14 * 24 * time.Hour)},                                                    // want ttlgc/age-mismatch
	{layout.Names.Audit, "grant", bigtable.MaxAgePolicy(time.Second)},                                                            // ok ttlgc/age-mismatch
	{layout.Names.Metrics, "point", bigtable.UnionPolicy(bigtable.MaxAgePolicy(720*time.Hour), bigtable.MaxVersionsPolicy(100))}, // want ttlgc/versions-with-expiry
	{layout.Names.Metrics, "latest", bigtable.MaxAgePolicy(720 * time.Hour)},                                                     // want ttlgc/age-on-zero
	{layout.Names.Metrics, "rollup", bigtable.MaxAgePolicy(9600 * time.Hour)},                                                    // ok ttlgc/policy-mismatch
	{layout.Names.Traces, "span", bigtable.MaxVersionsPolicy(1)},                                                                 // want ttlgc/no-policy
}

func trial(ctx context.Context, a *app, args []string) error {
	n := a.names(args[0])
	if err := schema.Trial(ctx, a.admin, n); err != nil {
		return err
	}
	for _, p := range trialPolicies {
		if err := a.admin.SetGCPolicy(ctx, p.kind(n), p.family, p.policy); err != nil {
			return fmt.Errorf("%s of %s: %w", p.family, p.kind(n), err)
		}
	}
	return nil
}

func move(ctx context.Context, a *app, args []string) error {
	from, to := a.names(args[0]), layout.For(args[1], args[0])
	m := jobs.NewMigration(a.client, a.log)
	return errors.Join(
		m.Sessions(ctx, from, to),
		m.Audit(ctx, from, to),
		m.Ledger(ctx, from, to),
		m.Journal(ctx, from, to),
	)
}

func list(ctx context.Context, a *app, _ []string) error {
	all, err := a.reg.List(ctx)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	for _, t := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", t.Name, t.Region, t.State, t.Since.Format(time.DateOnly))
	}
	return w.Flush()
}

func invites(ctx context.Context, a *app, args []string) error {
	ps, err := reports.New(a.client).OpenInvites(ctx)
	if err != nil {
		return err
	}
	return reports.Run(ctx, ps, reports.Params("t#"+args[0]), func(rr bigtable.ResultRow) error {
		var v any
		if err := rr.GetByName("invite", &v); err != nil {
			return err
		}
		fmt.Println(v)
		return nil
	})
}
