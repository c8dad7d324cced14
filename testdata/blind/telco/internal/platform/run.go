package platform

import (
	"context"
	"encoding/json"
	"expvar"
	"log/slog"
	"math/rand"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Clock is what services take so that tests can stop the time.
type Clock interface{ Now() time.Time }

// SystemClock is the clock on the wall.
type SystemClock struct{}

// Now is time.Now.
func (SystemClock) Now() time.Time { return time.Now() }

// Deadline is the moment d from now.
func Deadline(d time.Duration) time.Time { return time.Now().Add(d) }

// Today is midnight UTC of the current day.
func Today() time.Time { return time.Now().UTC().Truncate(24 * time.Hour) }

// Epoch is a moment in seconds, for partners that want seconds.
func Epoch(t time.Time) int64 { return t.Unix() }

// Retry calls f until it succeeds.
func Retry(ctx context.Context, attempts int, backoff time.Duration, f func() error) error {
	var err error
	for i := 0; i < attempts; i++ {
		if err = f(); err == nil {
			return nil
		}
		d := backoff<<uint(i) + time.Duration(rand.Int63n(int64(backoff)+1))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d):
		}
	}
	return err
}

var metrics = expvar.NewMap("subs")

// Count adds one to a metric.
func Count(name string) { metrics.Add(name, 1) }

// Observe adds a duration to a metric.
func Observe(name string, start time.Time) {
	metrics.AddFloat(name+"_seconds", time.Since(start).Seconds())
	metrics.Add(name+"_count", 1)
}

// Job is something that a ticker runs.
type Job struct {
	Name  string
	Every time.Duration
	Run   func(context.Context) error
}

// Runner runs jobs until its context ends.
type Runner struct {
	Log  *slog.Logger
	jobs []Job
	busy sync.Map
	runs atomic.Int64
}

// Add adds a job.
func (r *Runner) Add(j Job) { r.jobs = append(r.jobs, j) }

// Run blocks until ctx ends.
func (r *Runner) Run(ctx context.Context) {
	var wg sync.WaitGroup
	for _, j := range r.jobs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			t := time.NewTicker(j.Every)
			defer t.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-t.C:
					r.once(ctx, j)
				}
			}
		}()
	}
	wg.Wait()
}

// Once runs one job by its name.
func (r *Runner) Once(ctx context.Context, name string) bool {
	for _, j := range r.jobs {
		if j.Name == name {
			r.once(ctx, j)
			return true
		}
	}
	return false
}

func (r *Runner) once(ctx context.Context, j Job) {
	if _, busy := r.busy.LoadOrStore(j.Name, true); busy {
		r.Log.Warn("job still runs", "job", j.Name)
		return
	}
	defer r.busy.Delete(j.Name)
	defer Observe("job_"+j.Name, time.Now())
	r.runs.Add(1)
	if err := j.Run(ctx); err != nil {
		Count("job_" + j.Name + "_errors")
		r.Log.Error("job failed", "job", j.Name, "err", err)
	}
}

// JSON answers v.
func JSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		slog.Error("answer", "err", err)
	}
}

// Fail answers an error.
func Fail(w http.ResponseWriter, status int, err error) {
	Count("http_errors")
	JSON(w, status, map[string]string{"error": err.Error()})
}

// Decode reads a JSON body of at most 1 MB.
func Decode(r *http.Request, v any) error {
	defer r.Body.Close()
	return json.NewDecoder(http.MaxBytesReader(nil, r.Body, 1<<20)).Decode(v)
}

// Logged logs requests and counts them.
func Logged(log *slog.Logger, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		defer func() {
			Observe("http", start)
			log.Info("request", "method", r.Method, "path", r.URL.Path, "took", time.Since(start))
		}()
		h.ServeHTTP(w, r)
	})
}
