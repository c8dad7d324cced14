// Package container is awilix without the magic: one object with everything.
package container

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/api/option"

	"example.com/chirpnest/internal/config"
	"example.com/chirpnest/internal/events"
	"example.com/chirpnest/internal/flags"
	"example.com/chirpnest/internal/repos"
	"example.com/chirpnest/internal/services"
)

// Container has all dependencies.
type Container struct {
	Config   config.Config
	Log      *slog.Logger
	Client   *bigtable.Client
	Events   *events.Emitter
	Flags    *flags.Set
	Tables   repos.Tables
	Repos    services.Repos
	Auth     *services.AuthService
	Presence *services.PresenceService
	Limits   *services.LimitService
	Notify   *services.NotifyService
	Posts    *services.PostService
	Reports  []services.Report
}

// New builds it.
func New(ctx context.Context, cfg config.Config, opts ...option.ClientOption) (*Container, error) {
	client, err := bigtable.NewClient(ctx, cfg.Bigtable.Project, cfg.Bigtable.Instance, opts...)
	if err != nil {
		return nil, fmt.Errorf("bigtable: %w", err)
	}
	c := &Container{
		Config: cfg,
		Log:    slog.New(slog.NewJSONHandler(os.Stderr, nil)),
		Client: client,
		Events: events.NewEmitter(),
		Flags:  flags.FromEnv(),
		Tables: repos.OpenTables(client),
	}
	rd := repos.Deps{
		Client: client,
		Tables: c.Tables,
		Clock:  time.Now,
		Log:    c.Log,
		Seq:    repos.NewSequencer(),
		Env:    cfg.Env,
	}
	c.Repos = services.Repos{
		Sessions:      repos.NewSessionRepo(rd),
		Refresh:       repos.NewRefreshRepo(rd, cfg.Auth.RefreshTTL),
		Notifications: repos.NewNotificationRepo(rd),
		Posts:         repos.NewPostRepo(rd),
		Stories:       repos.NewStoryRepo(rd),
		Timelines:     repos.NewTimelineRepo(rd),
		Jobs:          repos.NewJobRepo(rd, cfg.Jobs.LeaseTTL),
		Profiles:      repos.NewProfileRepo(rd),
		Outbox:        repos.NewOutboxRepo(rd),
		Archive:       repos.NewArchiveRepo(rd),
	}
	sd := services.Deps{
		Config: cfg,
		Client: client,
		Tables: c.Tables,
		Repos:  c.Repos,
		Events: c.Events,
		Flags:  c.Flags,
		Clock:  time.Now,
		Log:    c.Log,
	}
	c.Auth = services.NewAuthService(sd)
	c.Presence = services.NewPresenceService(sd)
	c.Limits = services.NewLimitService(sd)
	c.Notify = services.NewNotifyService(sd)
	c.Posts = services.NewPostService(sd)
	c.Reports = services.NewReports(sd)
	return c, nil
}

// Close lets go of everything.
func (c *Container) Close() error { return c.Client.Close() }
