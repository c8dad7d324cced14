// Command platform runs the jobs, or one of them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/clickstream"
	"example.com/lakehouse/internal/conf"
	"example.com/lakehouse/internal/dedup"
	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/features"
	"example.com/lakehouse/internal/jobs"
	"example.com/lakehouse/internal/offsets"
	"example.com/lakehouse/internal/quality"
	"example.com/lakehouse/internal/sched"
	"example.com/lakehouse/internal/staging"
	"example.com/lakehouse/internal/warehouse"
)

func main() {
	config := flag.String("config", "/etc/lakehouse.yaml", "configuration")
	verbose := flag.Bool("v", false, "debug log")
	flag.Parse()
	level := slog.LevelInfo
	if *verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *config, flag.Args(), log); err != nil && !errors.Is(err, context.Canceled) {
		log.Error("platform", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, config string, args []string, log *slog.Logger) error {
	cfg, err := conf.Load(config)
	if err != nil {
		return err
	}
	client, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer client.Close()
	if len(args) == 0 {
		args = []string{"run"}
	}
	env := jobs.Env{Client: client, Conf: cfg, Clock: etl.SystemClock{}, Log: log}
	switch cmd, rest := args[0], args[1:]; cmd {
	case "run":
		return serve(ctx, env)
	case "once":
		return once(ctx, env, rest)
	case "import":
		return importFiles(ctx, env, rest)
	case "export":
		return export(ctx, env, rest)
	case "stage":
		return stageFiles(ctx, env, rest)
	case "quality":
		return check(ctx, env, rest)
	case "stats":
		return stats(ctx, env, rest)
	case "mirror":
		return mirror(ctx, env, rest)
	default:
		return fmt.Errorf("unknown command %q", cmd)
	}
}

func serve(ctx context.Context, env jobs.Env) error {
	reg, err := sched.NewRegistry(jobs.All(env)...)
	if err != nil {
		return err
	}
	host, _ := os.Hostname()
	leases := sched.NewLeases(env.Client, host, env.Conf.Sched.Lease)
	if err := leases.Boot(ctx); err != nil {
		return err
	}
	return sched.New(reg, leases, env.Conf.Sched, env.Log).Loop(ctx)
}

func once(ctx context.Context, env jobs.Env, names []string) error {
	reg, err := sched.NewRegistry(jobs.All(env)...)
	if err != nil {
		return err
	}
	for _, n := range names {
		j, ok := reg.Get(n)
		if !ok {
			return fmt.Errorf("no job %q", n)
		}
		rep, err := j.Run(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", n, err)
		}
		env.Log.Info("done", "job", n, "report", rep.String())
	}
	return nil
}

func importFiles(ctx context.Context, env jobs.Env, files []string) error {
	seen := dedup.New(env.Client, env.Conf.Dedup, env.Log, dedup.WithWindow(env.Conf.Dedup.Window))
	im := clickstream.NewImporter(env.Client, env.Conf.Clicks, env.Log, func(ctx context.Context, id string) (bool, error) {
		first, err := seen.Once(ctx, "import", id)
		return !first, err
	})
	marks := offsets.Open(env.Client, env.Log)
	for i, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		var n int
		if strings.HasSuffix(name, ".csv") {
			partner, _, _ := strings.Cut(filepath.Base(name), "_")
			n, err = im.ImportCSV(ctx, partner, f)
		} else {
			n, err = im.ImportJSON(ctx, f)
		}
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := marks.Save(ctx, offsets.Mark{Pipeline: "import", Seq: int64(i) + 1, Position: name, Note: fmt.Sprint(n)}); err != nil { // ok ttlwrite/unscaled-sequence
			return err
		}
	}
	return im.Close(ctx)
}

func export(ctx context.Context, env jobs.Env, args []string) error {
	x := clickstream.NewExporter(env.Client, env.Conf.Clicks, env.Log)
	dir := "."
	if len(args) > 0 {
		dir = args[0]
	}
	n, err := x.Shards(ctx, env.Conf.Clicks.Workers, func(shard int) (io.WriteCloser, error) {
		return os.Create(filepath.Join(dir, fmt.Sprintf("clicks-%02d.jsonl", shard)))
	})
	env.Log.Info("exported", "lines", n)
	return err
}

func stageFiles(ctx context.Context, env jobs.Env, args []string) error {
	if len(args) < 2 {
		return errors.New("stage SOURCE FILE...")
	}
	area, ok := staging.Areas(env.Client, env.Conf.Staging)[args[0]]
	if !ok {
		return fmt.Errorf("no source %q", args[0])
	}
	for _, name := range args[1:] {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		n, err := area.Upload(ctx, filepath.Base(name), f, 1<<20)
		f.Close()
		if err != nil {
			return err
		}
		rev, err := area.Commit(ctx, filepath.Base(name), fmt.Sprintf("%s:%d", name, n))
		if err != nil {
			return err
		}
		env.Log.Info("staged", "file", name, "parts", n, "rev", rev)
	}
	return nil
}

func check(ctx context.Context, env jobs.Env, tables []string) error {
	c := quality.NewChecker(env.Client, env.Conf.Quality, env.Log)
	for _, t := range tables {
		c.Register(t, quality.UTF8{Table: t, Family: "meta"})
		ps, err := c.Table(ctx, t)
		if err != nil {
			return err
		}
		quality.Rank(ps)
		if err := c.Summary(ctx, t, ps); err != nil {
			return err
		}
		for _, p := range ps {
			fmt.Printf("%s %s %s %s: %s\n", p.Severity, p.Table, p.Row, p.Column, p.Text)
		}
	}
	return nil
}

func stats(ctx context.Context, env jobs.Env, entities []string) error {
	s := features.NewStats(env.Client, env.Clock)
	st := features.Open(env.Client, env.Conf.Features)
	sess := clickstream.NewSessions(env.Client, env.Clock)
	for _, e := range entities {
		m, err := s.Get(ctx, e)
		if err != nil {
			return err
		}
		v, err := st.Get(ctx, e)
		if err != nil {
			return err
		}
		live, err := sess.ExistsNow(ctx, e)
		if err != nil {
			return err
		}
		fmt.Println(e, m, v.Values, live)
	}
	return nil
}

func mirror(ctx context.Context, env jobs.Env, keys []string) error {
	m := warehouse.Open(env.Client, env.Log)
	for _, k := range keys {
		row, err := m.Read(ctx, k)
		if err != nil {
			return err
		}
		fmt.Println(k, row)
	}
	return nil
}
