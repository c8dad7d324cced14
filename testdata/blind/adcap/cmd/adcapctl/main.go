// Command adcapctl creates tables and policies and repairs data.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/budget"
	"adcap.example/platform/internal/filters"
	"adcap.example/platform/internal/mutate"
	"adcap.example/platform/internal/provision"
	"adcap.example/platform/internal/schema"
)

type command struct {
	name, help string
	run        func(ctx context.Context, env *env, args []string) error
}

type env struct {
	admin  *bigtable.AdminClient
	client *bigtable.Client
	dry    bool
}

var commands []command

func init() {
	commands = []command{
		{"create", "create all tables", create},
		{"policies", "set the policies", policies},
		{"ensure", "families of the second generation", ensure},
		{"age", "set the age of a family: table.family duration", age},
		{"expire-user", "end all caps of a user", expireUser},
		{"extend", "give a user another day of silence", extend},
		{"dump", "print a user's row", dump},
		{"prune", "delete rows without live cells", prune},
		{"balance", "print a campaign's balance", balance},
	}
}

func main() {
	project := flag.String("project", os.Getenv("ADCAP_PROJECT"), "project")
	instance := flag.String("instance", "adcap", "instance")
	dry := flag.Bool("dry", false, "only say what would be done")
	flag.Parse()
	if flag.NArg() == 0 {
		usage()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	admin, err := bigtable.NewAdminClient(ctx, *project, *instance)
	if err != nil {
		log.Fatal(err)
	}
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		log.Fatal(err)
	}
	e := &env{admin: admin, client: client, dry: *dry}
	for _, c := range commands {
		if c.name == flag.Arg(0) {
			if err := c.run(ctx, e, flag.Args()[1:]); err != nil {
				log.Fatalf("%s: %v", c.name, err)
			}
			return
		}
	}
	usage()
}

func usage() {
	for _, c := range commands {
		fmt.Fprintf(os.Stderr, "%-12s %s\n", c.name, c.help)
	}
	os.Exit(2)
}

func create(ctx context.Context, e *env, args []string) error {
	steps := []func(context.Context, provision.Admin) error{
		provision.CreateFreqCap,
		provision.CreateConsent,
		provision.CreateAudience,
	}
	for _, s := range steps {
		if err := s(ctx, e.admin); err != nil {
			return err
		}
	}
	for _, market := range args {
		if err := provision.CreateBudget(ctx, e.admin, market); err != nil {
			return err
		}
	}
	return nil
}

func policies(ctx context.Context, e *env, _ []string) error {
	if e.dry {
		return nil
	}
	return errors.Join(provision.Apply(ctx, e.admin), provision.ApplyMap(ctx, e.admin))
}

func ensure(ctx context.Context, e *env, _ []string) error {
	a := e.admin
	return errors.Join(
		provision.Ensure(ctx, a, schema.TableFreqCap, schema.FamCap, time.Second, 0),          // ok ttlgc/age-mismatch
		provision.Ensure(ctx, a, schema.TableFreqCap, schema.FamSeen, schema.SeenLifetime, 0), // ok ttlgc/age-mismatch
		provision.Ensure(ctx, a, schema.TableConsent, schema.FamRev, 0, schema.RevVersions),   // ok ttlgc/policy-mismatch
		provision.Ensure(ctx, a, schema.TableConsent, schema.FamCur, 0, 1),                    // ok ttlgc/age-on-zero
		provision.Ensure(ctx, a, schema.TableAudience, schema.FamModel, 365*24*time.Hour, 2),  // want ttlgc/age-on-sequence
		provision.Ensure(ctx, a, schema.TableAudience, schema.FamMember, 90*24*time.Hour, 0),  // want ttlgc/age-mismatch
		provision.Ensure(ctx, a, schema.TableConsent, schema.FamGrant, time.Second, 1),        // want ttlgc/versions-with-expiry
		provision.Ensure(ctx, a, schema.TableConsent, schema.FamMeta, 90*24*time.Hour, 3),     // ok ttlgc/versions-with-expiry
		provision.Ensure(ctx, a, schema.TablePacing, schema.FamRate, 0, 1),                    // ok ttlgc/policy-mismatch
	)
}

func age(ctx context.Context, e *env, args []string) error {
	if len(args) != 2 {
		return errors.New("want table.family and a duration")
	}
	table, family, err := provision.Parse(args[0])
	if err != nil {
		return err
	}
	d, err := time.ParseDuration(args[1])
	if err != nil {
		return err
	}
	return provision.AgeFamily(ctx, e.admin, table, family, d) // ok ttlgc/age-mismatch
}

func expireUser(ctx context.Context, e *env, args []string) error {
	tbl := e.client.Open(schema.TableFreqCap)
	for _, user := range args {
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(schema.FamCap)
		m.Set(schema.FamSeg, "expired-by", bigtable.Now(), []byte(os.Getenv("USER"))) // ok ttlwrite/delete-after-set
		if err := tbl.Apply(ctx, "u#"+user, m); err != nil {
			return err
		}
	}
	return nil
}

func extend(ctx context.Context, e *env, args []string) error {
	tbl := e.client.Open("freqcap")
	for _, user := range args {
		m := bigtable.NewMutation()
		m.Set("cap", "silence", bigtable.Time(time.Now().Add(24*time.Hour)), []byte("cli")) // ok ttlwrite/write-time
		m.Set("cap", "silence-by", bigtable.Now(), []byte(os.Getenv("USER")))               // want ttlwrite/write-time
		if err := tbl.Apply(ctx, "u#"+user, m); err != nil {
			return err
		}
	}
	return nil
}

func dump(ctx context.Context, e *env, args []string) error {
	tbl := e.client.Open("freqcap")
	for _, user := range args {
		row, err := tbl.ReadRow(ctx, "u#"+user) // want ttlread/missing-filter
		if err != nil {
			return err
		}
		for family, items := range row {
			for _, it := range items {
				fmt.Println(family, it.Column, len(it.Value))
			}
		}
	}
	return nil
}

func prune(ctx context.Context, e *env, _ []string) error {
	tbl := e.client.Open("consent")
	now := bigtable.Now()
	var dead []string
	err := tbl.ReadRows(ctx, bigtable.PrefixRange("c#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r["grant"] {
			if it.Timestamp >= now {
				return true
			}
		}
		dead = append(dead, r.Key())
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter("grant")))
	if err != nil {
		return err
	}
	for _, k := range dead {
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily("grant")
		if err := tbl.Apply(ctx, k, m); err != nil {
			return err
		}
	}
	return nil
}

func balance(ctx context.Context, e *env, args []string) error {
	if len(args) != 2 {
		return errors.New("want market and campaign")
	}
	tbl := e.client.Open(args[0] + schema.BudgetSuffix)
	row, err := tbl.ReadRow(ctx, args[1], bigtable.RowFilter(bigtable.InterleaveFilters(filters.LiveFamily("hold", time.Now()), filters.Versions("entry", 1)))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row["hold"] {
		fmt.Println("held", it.Column, mutate.ParseInt(it.Value))
	}
	raw, err := tbl.ReadRow(ctx, args[1], bigtable.RowFilter(bigtable.FamilyFilter("hold"))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	fmt.Println("stored holds", len(raw["hold"]))
	held, spent, err := budget.Open(e.client, args[0]).Balance(ctx, args[1])
	fmt.Println(held, spent)
	return err
}
