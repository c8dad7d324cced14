// Package alerting evaluates rules and keeps the state of alerts. Holds (mutes,
// snoozes, deduplication) end by themselves; the state is one cell per column.
package alerting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/bt"
	"example.com/skylark/internal/metrics"
	"example.com/skylark/internal/pipeline"
	"example.com/skylark/internal/queue"
)

// Kinds of holds, in the order of precedence.
var holdKinds = [...]string{"mute", "snooze", "dedupe", "ack"}

// families of the table alerts, by index.
var families = []string{bt.FamHold, bt.FamState, bt.FamHist}

const (
	famHold  = 0
	famState = 1
	famHist  = 2
)

// Event is a rule that fired or recovered.
type Event struct {
	Rule     string        `json:"rule"`
	Device   string        `json:"device"`
	Severity int           `json:"severity"`
	Firing   bool          `json:"firing"`
	Value    float64       `json:"value"`
	At       time.Time     `json:"at"`
	Snooze   time.Duration `json:"snooze"`
	By       string        `json:"by"`
}

func (e Event) key() string { return e.Rule + "@" + e.Device }

// Alert is what is known of an alert.
type Alert struct {
	Key       string    `json:"key"`
	State     string    `json:"state"`
	Held      bool      `json:"held"`
	HeldUntil time.Time `json:"held_until"`
	CreatedAt time.Time `json:"created_at"`
	ChangedAt time.Time `json:"changed_at"`
}

// Engine consumes events.
type Engine struct {
	tbl    bigtable.TableAPI
	out    chan<- Alert
	log    *slog.Logger
	m      *metrics.Set
	now    func() time.Time
	retry  pipeline.Backoff
	holdTS func(time.Duration) bigtable.Timestamp
}

// NewEngine returns an engine that sends alerts to out.
func NewEngine(s *bt.Stores, out chan<- Alert, log *slog.Logger, m *metrics.Set) *Engine {
	return &Engine{
		tbl:    s.Alerts,
		out:    out,
		log:    log,
		m:      m,
		now:    time.Now,
		retry:  pipeline.Backoff{Attempts: 5, Base: 50 * time.Millisecond, Cap: 5 * time.Second},
		holdTS: bt.Expire,
	}
}

// Handle handles an event.
func (e *Engine) Handle(ctx context.Context, msg *queue.Message) error {
	var ev Event
	if err := msg.Decode(&ev); err != nil {
		e.log.Warn("alert event", "err", err)
		return nil
	}
	held, err := e.held(ctx, ev.key())
	if err != nil {
		return err
	}
	if held {
		e.m.Inc("alerts_held")
		return nil
	}
	first, err := e.once(ctx, ev)
	if err != nil || !first {
		return err
	}
	if err := e.transition(ctx, ev); err != nil {
		return err
	}
	select {
	case e.out <- Alert{Key: ev.key(), State: stateOf(ev), CreatedAt: ev.At}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func stateOf(ev Event) string {
	if ev.Firing {
		return "firing"
	}
	return "ok"
}

func (e *Engine) held(ctx context.Context, key string) (bool, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(families[famHold]),
		bigtable.TimestampRangeFilter(e.now(), time.Time{}),
		bigtable.CellsPerRowLimitFilter(1),
	)
	row, err := e.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/limit-before-filter
	return len(row) > 0, err
}

// heldBy says which kind of hold is in force.
func (e *Engine) heldBy(ctx context.Context, key string) (string, error) {
	f := bigtable.ChainFilters( // want ttlread/limit-before-filter[heldby]
		bigtable.FamilyFilter(families[famHold]),
		bigtable.CellsPerRowLimitFilter(1), // want ttlread/limit-before-filter[heldby]
		bigtable.TimestampRangeFilter(e.now(), time.Time{}),
	)
	row, err := e.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // want ttlread/limit-before-filter[heldby]
	if err != nil {
		return "", err
	}
	for _, it := range row[bt.FamHold] {
		return strings.TrimPrefix(it.Column, "hold:"), nil
	}
	return "", nil
}

// once lets one event through per quarter of an hour.
func (e *Engine) once(ctx context.Context, ev Event) (bool, error) {
	taken := bigtable.NewMutation()
	taken.Set(families[famHold], holdKinds[2], e.holdTS(bt.HoldTTL), []byte(ev.By)) // ok ttlwrite/write-time
	free := bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamHold),
		bigtable.ColumnFilter("dedupe"),
		bigtable.TimestampRangeFilter(e.now(), time.Time{}),
	)
	var matched bool
	err := e.tbl.Apply(ctx, ev.key(), bigtable.NewCondMutation(free, nil, taken), bigtable.GetCondMutationResult(&matched)) // ok ttlread/conditional-mutation
	return !matched, err
}

// onceADay is once for reports.
func (e *Engine) onceADay(ctx context.Context, ev Event) (bool, error) {
	taken := bigtable.NewMutation()
	taken.Set(bt.FamHold, "daily", bigtable.Time(e.now().Add(24*time.Hour)), []byte(ev.By))          // ok ttlwrite/write-time
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamHold), bigtable.ColumnFilter("daily")) // want ttlread/conditional-mutation[daily]
	var matched bool
	cond := bigtable.NewCondMutation(pred, nil, taken) // want ttlread/conditional-mutation[daily]
	err := e.tbl.Apply(ctx, ev.key(), cond, bigtable.GetCondMutationResult(&matched))
	return !matched, err
}

// release ends every hold.
func (e *Engine) release(ctx context.Context, key string) error {
	drop := bigtable.NewMutation()
	drop.DeleteCellsInFamily(bt.FamHold)
	return e.tbl.Apply(ctx, key, bigtable.NewCondMutation(bigtable.FamilyFilter(bt.FamHold), drop, nil)) // ok ttlread/conditional-mutation
}

func (e *Engine) transition(ctx context.Context, ev Event) error {
	m := bigtable.NewMutation()
	m.Set(bt.FamState, "current", 0, []byte(stateOf(ev)))                                               // ok ttlwrite/clock-in-zero
	m.Set(bt.FamState, "value", bigtable.Timestamp(0), strconv.AppendFloat(nil, ev.Value, 'g', -1, 64)) // ok ttlwrite/clock-in-zero
	m.Set(bt.FamState, "since", bigtable.Time(ev.At), []byte(ev.At.Format(time.RFC3339)))               // maybe ttlwrite/clock-in-zero
	m.Set(bt.FamHist, stateOf(ev), bigtable.Now(), []byte(ev.By))                                       // ok ttlwrite/write-time
	if ev.Severity > 3 {
		m.Set(families[famState], "page", bigtable.Now(), []byte("1")) // want ttlwrite/clock-in-zero
	}
	return pipeline.Retry(ctx, e.retry, func(ctx context.Context) error { return e.tbl.Apply(ctx, ev.key(), m) })
}

// Snooze holds an alert back.
func (e *Engine) Snooze(ctx context.Context, ev Event) error {
	m := bigtable.NewMutation()
	fam := families[famHold]
	m.Set(fam, holdKinds[1], bigtable.Time(e.now().Add(ev.Snooze)), []byte(ev.By)) // ok ttlwrite/write-time
	m.Set(fam, "by", bigtable.ServerTime, []byte(ev.By))                           // want ttlwrite/server-timestamp
	m.Set(families[famHist], "snooze", bigtable.ServerTime, []byte(ev.By))         // ok ttlwrite/server-timestamp
	m.Set(families[famState], "snoozed", bigtable.ServerTime, []byte("1"))         // want ttlwrite/clock-in-zero
	return e.tbl.Apply(ctx, ev.key(), m)
}

// Mute holds an alert back for an hour, whatever comes.
func (e *Engine) Mute(ctx context.Context, keys []string, by string) error {
	muts := make([]*bigtable.Mutation, len(keys))
	until := e.holdTS(time.Hour)
	for i := range keys {
		m := bigtable.NewMutation()
		m.Set(bt.FamHold, "mute", until, []byte(by))            // ok ttlwrite/write-time
		m.Set(bt.FamHold, "mute", until, []byte("reason: "+by)) // want ttlwrite/same-timestamp
		muts[i] = m
	}
	_, err := e.tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// Unmute ends a mute by an expiry in the past.
func (e *Engine) Unmute(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(bt.FamHold, "mute", 0, nil) // want ttlwrite/already-expired
	return e.tbl.Apply(ctx, key, m)
}

// Ack acknowledges an alert.
func (e *Engine) Ack(ctx context.Context, key, by string, d time.Duration) error {
	m := bigtable.NewMutation()
	m.Set(bt.FamHold, holdKinds[3], bigtable.Now()+bigtable.Timestamp(d), []byte(by))            // want ttlunit/wrong-unit
	m.Set(bt.FamHold, "ack-by", bigtable.Now()+bigtable.Timestamp(d.Microseconds()), []byte(by)) // ok ttlunit/wrong-unit
	return e.tbl.Apply(ctx, key, m)
}

// Bump counts how often an alert fired.
func (e *Engine) Bump(ctx context.Context, key string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamState, "fired", 1) // want ttlwrite/read-modify-write
	rmw.Increment(bt.FamHist, "fired", 1)  // ok ttlwrite/read-modify-write
	rmw.Increment(bt.FamHold, "recent", 1) // want ttlwrite/read-modify-write
	row, err := e.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	if err != nil {
		return 0, err
	}
	it, ok := bt.First(row, bt.FamHist, "fired")
	if !ok {
		return 0, errors.New("no counter")
	}
	return int64(len(it.Value)), nil
}

// Get reads an alert.
func (e *Engine) Get(ctx context.Context, key string) (*Alert, error) {
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamHold), bigtable.TimestampRangeFilter(e.now(), time.Time{})),
		bigtable.FamilyFilter(bt.FamState),
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamHist), bigtable.LatestNFilter(1)),
	)
	row, err := e.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	return e.build(key, row), nil
}

func (e *Engine) build(key string, row bigtable.Row) *Alert {
	a := &Alert{Key: key}
	for _, it := range row[bt.FamHold] {
		a.Held = true
		a.HeldUntil = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	for _, it := range row[bt.FamState] {
		if it.Column == "state:current" {
			a.State = string(it.Value)
			a.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		}
	}
	for _, it := range row[bt.FamHist] {
		a.ChangedAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return a
}

// Peek is Get without the trouble.
func (e *Engine) Peek(ctx context.Context, key string) (*Alert, error) {
	row, err := e.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return e.build(key, row), nil
}

// State reads the current state.
func (e *Engine) State(ctx context.Context, key string) (string, error) {
	row, err := e.tbl.ReadRow(ctx, key) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	it, ok := bt.First(row, bt.FamState, "current")
	if !ok {
		return "unknown", nil
	}
	return string(it.Value), nil
}

// Current reads state and holds as of now.
func (e *Engine) Current(ctx context.Context, key string) (state string, holds int, err error) {
	f := bigtable.TimestampRangeFilter(e.now(), time.Time{})   // want ttlread/hides-other-families[current]
	row, err := e.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // want ttlread/hides-other-families[current]
	if err != nil {
		return "", 0, err
	}
	if it, ok := bt.First(row, bt.FamState, "current"); ok {
		state = string(it.Value)
	}
	return state, len(row[bt.FamHold]), nil
}

// Holds counts the holds that are in force.
func (e *Engine) Holds(ctx context.Context, key string) (int, error) {
	f := bigtable.TimestampRangeFilter(e.now(), time.Time{})
	row, err := e.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/hides-other-families
	if err != nil {
		return 0, err
	}
	return len(row[bt.FamHold]), nil
}

// Export writes every hold of a rule as JSON lines.
func (e *Engine) Export(ctx context.Context, rule string, emit func([]byte) error) error {
	var failed error
	err := e.tbl.ReadRows(ctx, bigtable.PrefixRange(rule+"@"), func(row bigtable.Row) bool { // want ttlread/missing-filter[exportholds]
		for _, it := range row[bt.FamHold] {
			line, err := json.Marshal(map[string]string{
				"key":        row.Key(),
				"hold":       it.Column,
				"expires":    it.Timestamp.Time().Format(time.RFC3339), // ok ttlage/not-write-time
				"updated_at": it.Timestamp.Time().Format(time.RFC3339), // want ttlage/not-write-time
			})
			if err == nil {
				err = emit(line)
			}
			if err != nil {
				failed = err
				return false
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter("hold|hist"))) // want ttlread/missing-filter[exportholds]
	return errors.Join(failed, err)
}

// Sweep reports holds that are over; it checks every cell itself.
func (e *Engine) Sweep(ctx context.Context, rule string) (over []string, err error) {
	err = e.tbl.ReadRows(ctx, bigtable.PrefixRange(rule+"@"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[bt.FamHold] {
			if ended(it, e.now()) {
				over = append(over, fmt.Sprintf("%s/%s", row.Key(), it.Column))
			}
		}
		return true
	})
	return over, err
}

func ended(it bigtable.ReadItem, now time.Time) bool { return it.Timestamp.Time().Before(now) }

// Escalate runs until ctx ends and escalates what nobody holds.
func (e *Engine) Escalate(ctx context.Context, keys <-chan string) error {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case k, ok := <-keys:
			if !ok {
				return nil
			}
			kind, err := e.heldBy(ctx, k)
			if err != nil {
				return err
			}
			if kind == "" {
				if first, err := e.onceADay(ctx, Event{Rule: k, By: "escalation"}); err != nil || !first {
					continue
				}
				if err := e.release(ctx, k); err != nil {
					e.log.Warn("release", "key", k, "err", err)
				}
			}
		case <-tick.C:
			e.m.Inc("escalate_ticks")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
