package registered

import (
	"context"
	"log"
	"time"

	"cloud.google.com/go/bigtable"
)

// Middleware wraps handlers.
type middleware func(handler) handler

func logged(next handler) handler {
	return func(ctx context.Context, e event) error {
		log.Println(e.kind)
		return next(ctx, e)
	}
}

func retried(n int) middleware {
	return func(next handler) handler {
		return func(ctx context.Context, e event) (err error) {
			for range n {
				if err = next(ctx, e); err == nil {
					return nil
				}
			}
			return err
		}
	}
}

// stamped gives what it wraps the time itself.
func stamped(next handler) handler {
	return func(ctx context.Context, e event) error {
		e.at = bigtable.Time(time.Now().Add(time.Minute))
		return next(ctx, e)
	}
}

func chain(h handler, ms ...middleware) handler {
	for _, m := range ms {
		h = m(h)
	}
	return h
}

type server struct {
	a      *app
	handle handler
}

func newServer(a *app) *server {
	return &server{a: a, handle: logged(a.token)}
}

func (s *server) serve(ctx context.Context) {
	_ = s.handle(ctx, event{at: bigtable.Now()}) // want `write-time: .*"token"`
	_ = s.handle(ctx, event{at: bigtable.Time(time.Now().Add(time.Minute))})
}

func wraps(ctx context.Context, a *app) {
	h := logged(a.token)
	_ = h(ctx, event{at: bigtable.Now()}) // want `write-time: .*"token"`
	_ = logged(a.profile)(ctx, event{at: bigtable.Now()})
	_ = retried(3)(a.token)(ctx, event{at: bigtable.Now()}) // want `write-time: .*"token"`
	_ = retried(3)(a.profile)(ctx, event{at: bigtable.Now()})
	_ = logged(logged(a.token))(ctx, event{at: bigtable.Now()}) // want `write-time: .*"token"`
}

func okWraps(ctx context.Context, a *app) {
	_ = stamped(a.token)(ctx, event{at: bigtable.Now()})
	_ = logged(stamped(a.token))(ctx, event{at: bigtable.Now()})
	_ = chain(a.profile, logged, retried(3))(ctx, event{at: bigtable.Now()})
	_ = chain(a.token, stamped)(ctx, event{at: bigtable.Now()})
}
