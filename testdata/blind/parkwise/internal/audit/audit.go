// Package audit records who did what.
package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/tenant"
)

// Event is an audit event.
type Event struct {
	ID        string          `json:"id"`
	Actor     string          `json:"actor"`
	Action    string          `json:"action"`
	Subject   string          `json:"subject"`
	Data      json.RawMessage `json:"data,omitempty"`
	CreatedAt time.Time       `json:"created_at"`
}

// Store keeps events.
type Store interface {
	Append(ctx context.Context, id tenant.ID, e Event) error
	List(ctx context.Context, id tenant.ID, cursor string, size int) (bt.Page[Event], error)
}

type actorKey struct{}

// WithActor returns a context with the acting user.
func WithActor(ctx context.Context, actor string) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// Recorder records events.
type Recorder struct {
	store Store
	log   *slog.Logger
}

// NewRecorder makes a Recorder.
func NewRecorder(store Store, log *slog.Logger) *Recorder { return &Recorder{store: store, log: log} }

// Record records an event; an event that cannot be stored is logged in full.
func (r *Recorder) Record(ctx context.Context, action, subject string) error {
	id, err := tenant.From(ctx)
	if err != nil {
		return err
	}
	actor, _ := ctx.Value(actorKey{}).(string)
	e := Event{ID: uuid.NewString(), Actor: actor, Action: action, Subject: subject, CreatedAt: clock.Now(ctx)}
	if err := r.store.Append(ctx, id, e); err != nil {
		r.log.ErrorContext(ctx, "audit event lost", "event", e, "err", err)
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}
