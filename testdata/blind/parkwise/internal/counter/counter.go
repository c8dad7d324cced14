// Package counter counts: energy, occupancy, requests.
package counter

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/httpx"
	"github.com/parkwise/parkwise/internal/tenant"
)

// Usage is a day's usage of a tenant.
type Usage struct {
	Day      string
	WattHour int64
	Minutes  int64
}

// Store keeps counters.
type Store interface {
	AddEnergy(ctx context.Context, id tenant.ID, at time.Time, wh int64) error
	Usage(ctx context.Context, id tenant.ID, day time.Time) (Usage, error)
	SetOccupancy(ctx context.Context, id tenant.ID, garage string, n int64) error
	Take(ctx context.Context, id tenant.ID, bucket string, until time.Time) (int64, error)
}

// ErrLimited is returned where a caller asks too often.
var ErrLimited = errors.New("counter: rate limited")

// Limit limits the requests of a tenant per minute.
func Limit(store Store, perMinute int64, log *slog.Logger) httpx.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx := r.Context()
			id, err := tenant.From(ctx)
			if err != nil {
				next.ServeHTTP(w, r)
				return
			}
			now := clock.Now(ctx)
			n, err := store.Take(ctx, id, now.Format("1504"), now.Add(time.Minute)) // ok ttlwrite/write-time
			if err != nil {
				log.WarnContext(ctx, "rate limit", "err", err)
			}
			if n > perMinute {
				w.Header().Set("Retry-After", "60")
				http.Error(w, ErrLimited.Error(), http.StatusTooManyRequests)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Charge takes one request off a tenant's budget outside of HTTP.
func Charge(ctx context.Context, store Store, bucket string) error {
	id, err := tenant.From(ctx)
	if err != nil {
		return err
	}
	_, err = store.Take(ctx, id, bucket, time.Now())
	return err
}
