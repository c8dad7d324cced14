// Package events is EventEmitter.
package events

import (
	"context"
	"errors"
	"sync"
)

// Handler gets the payload as it was emitted.
type Handler func(ctx context.Context, payload any) error

// Names of the events of this code base.
const (
	SessionRevoked  = "session.revoked"
	SessionTouched  = "session.touched"
	PostPublished   = "post.published"
	PostEdited      = "post.edited"
	UserFollowed    = "user.followed"
	UserWentOffline = "user.offline"
	JobFailed       = "job.failed"
	StoryViewed     = "story.viewed"
)

// Emitter keeps handlers by name.
type Emitter struct {
	mu       sync.RWMutex
	handlers map[string][]Handler
}

func NewEmitter() *Emitter { return &Emitter{handlers: map[string][]Handler{}} }

// On adds a handler.
func (e *Emitter) On(name string, h Handler) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.handlers[name] = append(e.handlers[name], h)
}

// Off drops all handlers of a name.
func (e *Emitter) Off(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.handlers, name)
}

// Emit calls every handler in order.
func (e *Emitter) Emit(ctx context.Context, name string, payload any) error {
	e.mu.RLock()
	hs := append([]Handler(nil), e.handlers[name]...)
	e.mu.RUnlock()
	var errs []error
	for _, h := range hs {
		if err := h(ctx, payload); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Typed turns a typed handler into a Handler.
func Typed[T any](f func(context.Context, T) error) Handler {
	return func(ctx context.Context, payload any) error {
		v, ok := payload.(T)
		if !ok {
			return nil
		}
		return f(ctx, v)
	}
}
