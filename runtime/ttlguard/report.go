package ttlguard

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// maxKinds bounds how many distinct violations are told apart. What is beyond
// counts by rule and is not reported.
const maxKinds = 10_000

// A kind is what makes violations the same.
type kind struct{ rule, method, table, family, message string }

// A seen is what is known of a kind of violation.
type seen struct {
	violation Violation // Count and Since: what has not been reported
	reported  time.Time // when it was last
}

// A reporter counts violations and reports each kind once per interval.
type reporter struct {
	every  time.Duration
	logger func() *slog.Logger
	call   func(context.Context, Violation)
	test   TB
	strict bool // what is not judged fails the test
	now    func() time.Time

	mu    sync.Mutex
	rules map[string]int64
	kinds map[kind]*seen
	order []*seen // of kinds, as they came
}

// add counts violations and reports those that are due.
func (r *reporter) add(ctx context.Context, violations []Violation) {
	var due []Violation
	r.mu.Lock()
	now := r.now() // with the lock, so that reports stand in the order of their times
	if r.rules == nil {
		r.rules, r.kinds = map[string]int64{}, map[kind]*seen{}
	}
	for _, v := range violations {
		r.rules[v.Rule] += v.Count
		k := kind{v.Rule, v.Method, v.Table, v.Family, v.Message}
		s := r.kinds[k]
		switch {
		case s == nil && len(r.kinds) == maxKinds:
			continue
		case s == nil:
			s = &seen{violation: v}
			s.violation.Count = 0
			r.kinds[k] = s
			r.order = append(r.order, s)
		}
		if s.violation.Count == 0 {
			s.violation.Since = now
		}
		s.violation.Count += v.Count
		// A clock that was set back must not silence what is due.
		since := now.Sub(s.reported)
		if s.reported.IsZero() || v.Rule != NotJudged && (since < 0 || since >= r.every) {
			due = append(due, s.take(now))
		}
	}
	r.mu.Unlock()
	r.send(ctx, due)
}

// take returns what has not been reported, which it is now.
func (s *seen) take(now time.Time) Violation {
	v := s.violation
	s.reported, s.violation.Count = now, 0
	return v
}

// flush reports what has not been.
func (r *reporter) flush(ctx context.Context) {
	var due []Violation
	r.mu.Lock()
	now := r.now()
	for _, s := range r.order {
		if s.violation.Count > 0 && s.violation.Rule != NotJudged {
			due = append(due, s.take(now))
		}
	}
	r.mu.Unlock()
	r.send(ctx, due)
}

// send hands violations to whoever wants them, without the lock: a callback
// may use the client.
func (r *reporter) send(ctx context.Context, due []Violation) {
	for _, v := range due {
		if r.call != nil {
			r.call(ctx, v)
		}
		if r.test != nil {
			r.test.Helper()
			if v.Rule != NotJudged || r.strict {
				r.test.Errorf("ttlguard: %s", v)
				continue
			}
			if t, ok := r.test.(interface{ Logf(string, ...any) }); ok {
				t.Logf("ttlguard: %s", v)
				continue
			}
		}
		logger := r.logger()
		if logger == nil {
			continue
		}
		logger.LogAttrs(ctx, slog.LevelWarn, "ttlguard: "+v.Message,
			slog.String("rule", v.Rule), slog.String("method", v.Method), slog.String("table", v.Table),
			slog.String("family", v.Family), slog.Int64("count", v.Count), slog.Time("since", v.Since))
	}
}

func (r *reporter) counts() map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make(map[string]int64, len(r.rules))
	for rule, n := range r.rules {
		all[rule] = n
	}
	return all
}
