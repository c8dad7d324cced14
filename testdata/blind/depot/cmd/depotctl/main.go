// Command depotctl has the long jobs of the operators.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/schema"
)

// job is one of the things that this command can do.
type job struct {
	help string
	run  func(ctx context.Context, e *env, args []string) error
}

// env is what the jobs share.
type env struct {
	client *bigtable.Client
	admin  *bigtable.AdminClient
	log    *slog.Logger
	dry    bool
	depot  string
}

var jobs = map[string]job{
	"reap":     {"delete what has expired", reap},
	"backfill": {"copy holds and passes from a file", backfill},
	"copy":     {"copy the parcels of a depot to another table", copyParcels},
	"export":   {"write everything to stdout", export},
	"renumber": {"number the revisions of a depot anew", renumber},
	"check":    {"look for what should not be there", check},
	"rotate":   {"replace all passes", rotate},
	"schema":   {"make the tables", makeSchema},
	"replay":   {"send the telemetry of a file again", replay},
	"stats":    {"count rows and cells", stats},
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		slog.Error("depotctl", "err", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	fs := flag.NewFlagSet("depotctl", flag.ContinueOnError)
	project := fs.String("project", os.Getenv("DEPOT_PROJECT"), "project")
	instance := fs.String("instance", os.Getenv("DEPOT_INSTANCE"), "instance")
	depot := fs.String("depot", "berlin", "depot")
	dry := fs.Bool("dry", false, "change nothing")
	if err := fs.Parse(args); err != nil {
		return err
	}
	j, ok := jobs[fs.Arg(0)]
	if !ok {
		for _, name := range slices.Sorted(maps.Keys(jobs)) {
			fmt.Fprintf(os.Stderr, "%-10s %s\n", name, jobs[name].help)
		}
		return fmt.Errorf("no job %q", fs.Arg(0))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	admin, err := bigtable.NewAdminClient(ctx, *project, *instance)
	if err != nil {
		return fmt.Errorf("admin: %w", err)
	}
	defer func() { err = errors.Join(err, admin.Close()) }()
	start := time.Now()
	e := &env{client: client, admin: admin, log: slog.Default().With("job", fs.Arg(0)), dry: *dry, depot: *depot}
	err = j.run(ctx, e, fs.Args()[1:])
	e.log.InfoContext(ctx, "done", "took", time.Since(start))
	return err
}

func makeSchema(ctx context.Context, e *env, args []string) error {
	if slices.Contains(args, "-staging") {
		return schema.EnsureStaging(ctx, e.admin, e.log)
	}
	if err := schema.Ensure(ctx, e.admin, e.log); err != nil {
		return err
	}
	return schema.CreateManifest(ctx, e.admin, e.depot)
}

// lines yields the fields of the lines of a file.
func lines(name string) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		f, err := os.Open(name)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		sc := bufio.NewScanner(f)
		for sc.Scan() {
			line := strings.TrimSpace(sc.Text())
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			if !yield(strings.Split(line, "\t"), nil) {
				return
			}
		}
		if err := sc.Err(); err != nil {
			yield(nil, err)
		}
	}
}
