package ttlguard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/ttlvet/ttlvet/runtime/strategy"
	"github.com/ttlvet/ttlvet/runtime/strategy/filter"
)

// A Guard holds requests against declared tables. [New] makes one. It is safe
// for concurrent use by any number of clients.
type Guard struct {
	tables   map[string]*table // by name
	patterns []*table          // the most special first

	reject    bool
	strict    bool
	disabled  map[string]bool // rules, and analyzers
	now       func() time.Time
	report    reporter
	retries   retries
	zeros     zeros
	survivors survivors
	filters   filter.Cache
	panics    atomic.Int64
}

// An Option configures a [Guard].
type Option func(*Guard) error

// New returns a guard of the tables that the options declare, of which there
// must be one at least. The error says what is wrong with a declaration.
func New(options ...Option) (*Guard, error) {
	g := &Guard{
		tables:   map[string]*table{},
		disabled: map[string]bool{},
		now:      time.Now,
		report:   reporter{every: time.Minute, logger: slog.Default},
	}
	var errs []error
	for _, o := range options {
		if o == nil {
			errs = append(errs, errors.New("ttlguard: an option is nil"))
		} else if err := o(g); err != nil {
			errs = append(errs, err)
		}
	}
	if len(g.tables) == 0 && len(g.patterns) == 0 && len(errs) == 0 {
		errs = append(errs, errors.New("ttlguard: no tables: give Tables, Registry or Declare"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	g.report.now, g.report.strict = g.now, g.strict
	return g, nil
}

// A Table is a *ttl.Table. The package is not named, so that a program that
// only guards others needs no Bigtable client.
type Table interface {
	comparable
	Name() string
	Strategies() []strategy.Family
}

// Tables declares tables as package ttl knows them.
func Tables[T Table](tables ...T) Option {
	return func(g *Guard) error {
		for i, t := range tables {
			if none := *new(T); t == none {
				return fmt.Errorf("ttlguard: table %d is nil", i)
			}
			if err := g.declare(t.Name(), t.Strategies()); err != nil {
				return err
			}
		}
		return nil
	}
}

// Reject makes requests fail that violate an agreement: with the gRPC code
// FailedPrecondition, a message that names rule and remedy, and before
// anything is sent. Of a bulk of mutations all fail when one does. The
// violation is reported as well.
func Reject() Option {
	return func(g *Guard) error { g.reject = true; return nil }
}

// Strict adds the rules that ttlvet has under the flag of that name, as far as
// the wire shows them: ttlwrite/stale-survivor, ttlgc/existing-data, and
// ttlread/missing-filter for families with real timestamps and limits. And
// ttlread/hides-other-families, since nobody knows here which families a
// program wants. What the guard does not understand ([NotJudged]) is a violation
// then, which [Reject] rejects and by which [FailTest] fails.
func Strict() Option {
	return func(g *Guard) error { g.strict = true; return nil }
}

// Disable leaves out rules, "ttlread/missing-filter", or all of an analyzer,
// "ttlread"; or reports of what is [NotJudged].
func Disable(rules ...string) Option {
	return func(g *Guard) error {
		for _, r := range rules {
			if err := knownRule(r); err != nil {
				return err
			}
			g.disabled[r] = true
		}
		return nil
	}
}

// WithLogger sets where violations are reported, in place of [slog.Default]. A nil
// logger reports nowhere.
func WithLogger(logger *slog.Logger) Option {
	return func(g *Guard) error { g.report.logger = func() *slog.Logger { return logger }; return nil }
}

// OnViolation has a function called with every report of a violation, in the
// goroutine of the request, beside the logger. It is called as often as the
// logger.
func OnViolation(f func(context.Context, Violation)) Option {
	return func(g *Guard) error { g.report.call = f; return nil }
}

// Interval sets how often one violation is reported, a minute by default. With
// 0 it is reported each time.
func Interval(d time.Duration) Option {
	return func(g *Guard) error { g.report.every = d; return nil }
}

// WithClock sets the clock, in place of [time.Now]. It must be the one by which
// the program makes its timestamps.
func WithClock(now func() time.Time) Option {
	return func(g *Guard) error {
		if now == nil {
			return errors.New("ttlguard: the clock is nil")
		}
		g.now = now
		return nil
	}
}

// A TB is the part of [testing.TB] that is needed.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// FailTest makes the test fail with every violation, which is not logged
// besides. Requests are sent, unless there is [Reject].
func FailTest(t TB) Option {
	return func(g *Guard) error { g.report.test = t; return nil }
}

// Counts returns how often each rule was violated, by the rule's name, since
// the guard was made: for expvar, or as a counter metric with the rule as
// attribute. A violation counts once per cell that is written, once per read,
// and not again when the request is retried.
func (g *Guard) Counts() map[string]int64 { return g.report.counts() }

// Flush reports what was counted since the last report of each violation. Call
// it before the program ends.
func (g *Guard) Flush(ctx context.Context) { g.report.flush(ctx) }

type allowed struct{}

// Allow returns a context under which requests are not held to the rules, or
// to none at all when no rules are named. reason says why; without one nothing
// is allowed, so that nobody has to guess later.
//
//	ctx = ttlguard.Allow(ctx, "the report counts expired sessions", "ttlread/expired-only")
//
// A request that the client sends in a session has no context on the wire, and
// is held to all rules ([Session]): give a job that needs this a client of its
// own, with sessions disabled by bigtable.ClientConfig.
func Allow(ctx context.Context, reason string, rules ...string) context.Context {
	if reason == "" {
		return ctx
	}
	before, _ := ctx.Value(allowed{}).([]string)
	if rules == nil {
		rules = []string{""} // all
	}
	return context.WithValue(ctx, allowed{}, append(before[:len(before):len(before)], rules...))
}

// on reports whether a rule counts.
func (g *Guard) on(ctx context.Context, rule string) bool {
	analyzer := analyzerOf(rule)
	if g.disabled[rule] || g.disabled[analyzer] {
		return false
	}
	exempt, _ := ctx.Value(allowed{}).([]string)
	for _, r := range exempt {
		if r == "" || r == rule || r == analyzer {
			return false
		}
	}
	return true
}
