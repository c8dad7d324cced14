// Package btx is what every operator's tool of this repository shares: the
// flags that name an instance, clients, clocks, filters and bulk writes.
package btx

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/api/option"
)

// Options are the flags that all tools have.
type Options struct {
	Project    string
	Instance   string
	AppProfile string
	Endpoint   string
	Prefix     string
	Timeout    time.Duration
	DryRun     bool
	Verbose    bool
}

// Register defines the flags on fs.
func (o *Options) Register(fs *flag.FlagSet) {
	fs.StringVar(&o.Project, "project", envOr("BT_PROJECT", "tramway-dev"), "project")
	fs.StringVar(&o.Instance, "instance", envOr("BT_INSTANCE", "riders"), "instance")
	fs.StringVar(&o.AppProfile, "app-profile", "ops", "application profile, batch traffic has its own")
	fs.StringVar(&o.Endpoint, "endpoint", "", "another endpoint, for the emulator")
	fs.StringVar(&o.Prefix, "prefix", "", "prefix of table names, for copies in staging")
	fs.DurationVar(&o.Timeout, "timeout", 30*time.Minute, "give up after this time")
	fs.BoolVar(&o.DryRun, "n", false, "write nothing")
	fs.BoolVar(&o.Verbose, "v", false, "say more")
}

func envOr(name, def string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return def
}

func (o *Options) clientOptions() []option.ClientOption {
	var opts []option.ClientOption
	if o.Endpoint != "" {
		opts = append(opts, option.WithEndpoint(o.Endpoint), option.WithoutAuthentication())
	}
	return opts
}

// Client opens a data client.
func (o *Options) Client(ctx context.Context) (*bigtable.Client, error) {
	if o.Project == "" || o.Instance == "" {
		return nil, errors.New("which -project and -instance?")
	}
	cfg := bigtable.ClientConfig{AppProfile: o.AppProfile}
	c, err := bigtable.NewClientWithConfig(ctx, o.Project, o.Instance, cfg, o.clientOptions()...)
	if err != nil {
		return nil, fmt.Errorf("open %s/%s: %w", o.Project, o.Instance, err)
	}
	return c, nil
}

// Admin opens an admin client.
func (o *Options) Admin(ctx context.Context) (*bigtable.AdminClient, error) {
	a, err := bigtable.NewAdminClient(ctx, o.Project, o.Instance, o.clientOptions()...)
	if err != nil {
		return nil, fmt.Errorf("admin %s/%s: %w", o.Project, o.Instance, err)
	}
	return a, nil
}

// Table is the name of a table with the prefix of this run.
func (o *Options) Table(name string) string {
	if o.Prefix == "" {
		return name
	}
	return strings.TrimSuffix(o.Prefix, "-") + "-" + name
}

// Context ends at the timeout, or when the operator presses ^C.
func (o *Options) Context() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	return ctx, func() { cancel(); stop() }
}

// Logf prints with -v only.
func (o *Options) Logf(format string, args ...any) {
	if o.Verbose {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}

// Fatal prints and exits, if there is an error.
func Fatal(err error) {
	if err == nil {
		return
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[0], err)
	os.Exit(1)
}

// Confirm asks before a step that cannot be undone.
func Confirm(format string, args ...any) bool {
	fmt.Fprintf(os.Stderr, format+" [y/N] ", args...)
	var answer string
	if _, err := fmt.Scanln(&answer); err != nil {
		return false
	}
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")
}
