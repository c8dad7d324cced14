// Package device configures chargers and gates and watches whether they are alive.
package device

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/tenant"
)

// Config is a version of a device's configuration.
type Config struct {
	Version  int64             `json:"version"`
	Settings map[string]string `json:"settings"`
}

// State is what a device last said of itself.
type State string

// States.
const (
	StateIdle     State = "idle"
	StateCharging State = "charging"
	StateFaulted  State = "faulted"
)

// Heartbeat is a sign of life.
type Heartbeat struct {
	Firmware string    `json:"firmware"`
	SentAt   time.Time `json:"sent_at"`
	RSSI     int       `json:"rssi"`
}

type configs interface {
	PutConfig(ctx context.Context, id tenant.ID, dev string, c Config) error
	Config(ctx context.Context, id tenant.ID, dev string) (Config, error)
}

type states interface {
	SetState(ctx context.Context, id tenant.ID, dev string, s State) error
	State(ctx context.Context, id tenant.ID, dev string) (State, error)
}

type heartbeats interface {
	Beat(ctx context.Context, id tenant.ID, dev string, h Heartbeat) error
	LastBeat(ctx context.Context, id tenant.ID, dev string) (Heartbeat, error)
}

// Store keeps devices.
type Store interface {
	configs
	states
	heartbeats
}

// Service configures and watches devices.
type Service struct {
	store  Store
	silent time.Duration
	log    *slog.Logger
}

// New makes a Service.
func New(store Store, silent time.Duration, log *slog.Logger) *Service {
	return &Service{store: store, silent: silent, log: log}
}

// ErrConflict is returned where somebody else changed a configuration.
var ErrConflict = errors.New("device: configuration has changed")

// Configure writes the next version of a configuration.
func (s *Service) Configure(ctx context.Context, dev string, base int64, settings map[string]string) (Config, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return Config{}, err
	}
	cur, err := s.store.Config(ctx, id, dev)
	if err != nil {
		return Config{}, err
	}
	if cur.Version != base {
		return cur, ErrConflict
	}
	next := Config{Version: base + 1, Settings: settings}
	if err := s.store.PutConfig(ctx, id, dev, next); err != nil {
		return Config{}, fmt.Errorf("device: configure: %w", err)
	}
	return next, nil
}

// Beat takes a heartbeat.
func (s *Service) Beat(ctx context.Context, dev string, h Heartbeat, st State) error {
	id, err := tenant.From(ctx)
	if err != nil {
		return err
	}
	if h.SentAt.IsZero() {
		h.SentAt = clock.Now(ctx)
	}
	if err := s.store.Beat(ctx, id, dev, h); err != nil {
		return err
	}
	return s.store.SetState(ctx, id, dev, st)
}

// Silent lists the devices that have not been heard of.
func (s *Service) Silent(ctx context.Context, devs []string) ([]string, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, d := range devs {
		h, err := s.store.LastBeat(ctx, id, d)
		if err != nil || clock.Now(ctx).Sub(h.SentAt) > s.silent {
			out = append(out, d)
		}
	}
	return out, nil
}
