// Package services has the business logic: structs of functions, made from Deps.
package services

import (
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/config"
	"example.com/chirpnest/internal/events"
	"example.com/chirpnest/internal/flags"
	"example.com/chirpnest/internal/repos"
)

// Repos are all repositories.
type Repos struct {
	Sessions      *repos.SessionRepo
	Refresh       *repos.RefreshRepo
	Notifications *repos.NotificationRepo
	Posts         *repos.PostRepo
	Stories       *repos.StoryRepo
	Timelines     *repos.TimelineRepo
	Jobs          *repos.JobRepo
	Profiles      *repos.ProfileRepo
	Outbox        *repos.OutboxRepo
	Archive       *repos.ArchiveRepo
}

// Deps is what services are made from.
type Deps struct {
	Config config.Config
	Client *bigtable.Client
	Tables repos.Tables
	Repos  Repos
	Events *events.Emitter
	Flags  *flags.Set
	Clock  func() time.Time
	Log    *slog.Logger
}
