// Command admin migrates tables, fills and purges them.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/parkwise/parkwise/internal/adminops"
	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/config"
	"github.com/parkwise/parkwise/internal/migrate"
	"github.com/parkwise/parkwise/internal/report"
	"github.com/parkwise/parkwise/internal/tenant"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "admin:", err)
		os.Exit(1)
	}
}

type command struct {
	name, usage string
	run         func(ctx context.Context, cfg config.Config, log *slog.Logger, args []string) error
}

var commands = []command{
	{"migrate", "migrate [-dry] [FROM]", cmdMigrate},
	{"op", "op [-dry] TENANT NAME [ARG]...", cmdOp},
	{"report", "report TENANT", cmdReport},
	{"get", "get [-all] TABLE KEY", cmdGet},
	{"put", "put [-ttl D] KEY FAMILY COLUMN VALUE", cmdPut},
}

func run(ctx context.Context, args []string) error {
	cfg, err := config.FromEnv()
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if len(args) > 0 {
		for _, c := range commands {
			if c.name == args[0] {
				return c.run(ctx, cfg, log, args[1:])
			}
		}
	}
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "\n  admin %s", c.usage)
	}
	return errors.New("usage:" + b.String())
}

func cmdMigrate(ctx context.Context, cfg config.Config, log *slog.Logger, args []string) error {
	fs := flag.NewFlagSet("migrate", flag.ContinueOnError)
	dry := fs.Bool("dry", false, "only log")
	if err := fs.Parse(args); err != nil {
		return err
	}
	from := 1
	if fs.NArg() > 0 {
		n, err := strconv.Atoi(fs.Arg(0))
		if err != nil {
			return err
		}
		from = n
	}
	admin, err := bigtable.NewAdminClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer admin.Close()
	var opts []migrate.Option
	if *dry {
		opts = append(opts, migrate.DryRun())
	}
	return migrate.New(admin, cfg.Region, log, opts...).Up(ctx, from)
}

func cmdOp(ctx context.Context, cfg config.Config, log *slog.Logger, args []string) error {
	fs := flag.NewFlagSet("op", flag.ContinueOnError)
	dry := fs.Bool("dry", false, "change nothing")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() < 2 {
		return errors.New("usage: op TENANT NAME [ARG]...")
	}
	id, err := tenant.Parse(fs.Arg(0))
	if err != nil {
		return err
	}
	op, err := adminops.Find(fs.Arg(1))
	if err != nil {
		return err
	}
	client, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer client.Close()
	env := &adminops.Env{Client: client, Region: cfg.Region, Log: log, Out: os.Stdout, Dry: *dry, Now: time.Now()}
	return op.Run(ctx, env, id, fs.Args()[2:])
}

func cmdReport(ctx context.Context, cfg config.Config, _ *slog.Logger, args []string) error {
	if len(args) != 1 {
		return errors.New("usage: report TENANT")
	}
	id, err := tenant.Parse(args[0])
	if err != nil {
		return err
	}
	client, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer client.Close()
	o, err := report.New(client).Overview(tenant.With(ctx, id))
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(o)
}

// cmdGet prints a row of any table.
func cmdGet(ctx context.Context, cfg config.Config, _ *slog.Logger, args []string) error {
	if len(args) != 2 {
		return errors.New("usage: get TABLE KEY")
	}
	client, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer client.Close()
	row, err := client.Open(args[0]).ReadRow(ctx, args[1]) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(row)
}

// cmdPut writes a support note beside a session, with a life of its own.
func cmdPut(ctx context.Context, cfg config.Config, log *slog.Logger, args []string) error {
	fs := flag.NewFlagSet("put", flag.ContinueOnError)
	ttl := fs.Duration("ttl", time.Hour, "life of the note")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() != 3 {
		return errors.New("usage: put [-ttl D] KEY COLUMN VALUE")
	}
	client, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer client.Close()
	auth := client.Open(bt.TableAuth)
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSession, fs.Arg(1), bigtable.Time(time.Now().Add(*ttl)), []byte(fs.Arg(2))) // ok ttlwrite/write-time
	mut.Set(bt.FamSession, "by", bigtable.Now(), []byte(os.Getenv("USER")))                   // want ttlwrite/write-time
	mut.Set(bt.FamProfile, "by", bigtable.Now(), []byte(os.Getenv("USER")))                   // ok ttlwrite/write-time
	if err := auth.Apply(ctx, fs.Arg(0), mut); err != nil {
		return err
	}
	row, err := auth.ReadRow(ctx, fs.Arg(0), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamSession), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[bt.FamSession] {
		log.Info("note", "column", it.Column, "value", string(it.Value))
	}
	return nil
}
