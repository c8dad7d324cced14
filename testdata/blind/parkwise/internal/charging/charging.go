// Package charging follows charging sessions and their telemetry.
package charging

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/tenant"
)

// Sample is one reading of a charger.
type Sample struct {
	At     time.Time `json:"at"`
	KW     float64   `json:"kw"`
	KWh    float64   `json:"kwh"`
	SoC    int       `json:"soc"`
	Source string    `json:"source"`
}

// Session is a charging session.
type Session struct {
	ID        string     `json:"id"`
	Charger   string     `json:"charger"`
	Driver    string     `json:"driver"`
	StartedAt time.Time  `json:"started_at"`
	StoppedAt *time.Time `json:"stopped_at,omitempty"`
	KWh       float64    `json:"kwh"`
	UpdatedAt time.Time  `json:"updated_at"`
}

// Telemetry is the part of the store that takes samples.
type Telemetry interface {
	Append(ctx context.Context, id tenant.ID, sid string, s Sample) error
	AppendFor(ctx context.Context, id tenant.ID, sid string, s Sample, ttl time.Duration) error
	AppendBatch(ctx context.Context, id tenant.ID, sid string, samples []Sample) error
	Samples(ctx context.Context, id tenant.ID, sid string) ([]Sample, error)
}

// Sessions is the part of the store that keeps sessions.
type Sessions interface {
	Start(ctx context.Context, id tenant.ID, s Session) error
	Stop(ctx context.Context, id tenant.ID, sid string, kwh float64) error
	Session(ctx context.Context, id tenant.ID, sid string) (Session, error)
}

// Service follows charging sessions.
type Service struct {
	telemetry Telemetry
	sessions  Sessions
	log       *slog.Logger
	batch     int
	parallel  int
}

// New makes a Service.
func New(t Telemetry, s Sessions, batch int, log *slog.Logger) *Service {
	return &Service{telemetry: t, sessions: s, log: log, batch: batch, parallel: 4}
}

// ErrImplausible is returned for readings that no charger can give.
var ErrImplausible = errors.New("charging: implausible sample")

func check(s Sample) error {
	switch {
	case math.IsNaN(s.KW), math.IsInf(s.KW, 0), s.KW < 0, s.KW > 500:
		return fmt.Errorf("%w: %v kW", ErrImplausible, s.KW)
	case s.SoC < 0 || s.SoC > 100:
		return fmt.Errorf("%w: %d %%", ErrImplausible, s.SoC)
	}
	return nil
}

// Ingest takes the samples of a charger.
func (s *Service) Ingest(ctx context.Context, sid string, samples []Sample) error {
	id, err := tenant.From(ctx)
	if err != nil {
		return err
	}
	var good []Sample
	for _, sm := range samples {
		if err := check(sm); err != nil {
			s.log.WarnContext(ctx, "sample dropped", "session", sid, "err", err)
			continue
		}
		good = append(good, sm)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(s.parallel)
	for len(good) > 0 {
		n := min(s.batch, len(good))
		part := good[:n]
		good = good[n:]
		g.Go(func() error { return s.telemetry.AppendBatch(ctx, id, sid, part) })
	}
	return g.Wait()
}

// Ping takes a reading that matters for an hour only.
func (s *Service) Ping(ctx context.Context, sid string, kw float64) error {
	id, err := tenant.From(ctx)
	if err != nil {
		return err
	}
	sm := Sample{At: clock.Now(ctx), KW: kw, Source: "ping"}
	return s.telemetry.AppendFor(ctx, id, sid, sm, time.Hour)
}

// Curve is the charging curve of a session in kW per minute.
func (s *Service) Curve(ctx context.Context, sid string) ([]float64, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return nil, err
	}
	samples, err := s.telemetry.Samples(ctx, id, sid)
	if err != nil {
		return nil, err
	}
	if len(samples) == 0 {
		return nil, nil
	}
	first := samples[0].At
	for _, sm := range samples {
		if sm.At.Before(first) {
			first = sm.At
		}
	}
	var sum, n [24 * 60]float64
	last := -1
	for _, sm := range samples {
		m := int(sm.At.Sub(first) / time.Minute)
		if m < 0 || m >= len(sum) {
			continue
		}
		sum[m] += sm.KW
		n[m]++
		last = max(last, m)
	}
	out := make([]float64, last+1)
	for i := range out {
		if n[i] > 0 {
			out[i] = sum[i] / n[i]
		}
	}
	return out, nil
}

// Stop ends a session and returns what it took.
func (s *Service) Stop(ctx context.Context, sid string) (Session, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return Session{}, err
	}
	samples, err := s.telemetry.Samples(ctx, id, sid)
	if err != nil {
		return Session{}, err
	}
	var kwh float64
	for _, sm := range samples {
		kwh = math.Max(kwh, sm.KWh)
	}
	if err := s.sessions.Stop(ctx, id, sid, kwh); err != nil {
		return Session{}, err
	}
	return s.sessions.Session(ctx, id, sid)
}
