package alerts

import (
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/clock"
	"example.com/beacon/internal/store"
)

// Families of the tables that alerts use. They are the tenant's, not this package's.
const (
	famSilence  = "lease"
	famRule     = "pref"
	famRevision = "cursor"
	famHistory  = "meta"
	famFired    = "event"
	famAck      = "token"
)

// Rule says when to alert.
type Rule struct {
	Name     string        `json:"name"`
	Query    string        `json:"query"`
	Above    float64       `json:"above"`
	For      time.Duration `json:"for"`
	Revision int64         `json:"revision"`
}

// Silence keeps a rule quiet for a while.
type Silence struct {
	Rule string    `json:"rule"`
	By   string    `json:"by"`
	Till time.Time `json:"till"`
}

// Service keeps one tenant's alerts.
type Service struct {
	state  Table
	audit  Table
	login  Table
	rules  *Repo[Rule]
	quiet  *Repo[Silence]
	revs   *Repo[Rule]
	fired  *Repo[Rule]
	window time.Duration
}

// New returns a tenant's service.
func New(t *store.Tables, log *slog.Logger) *Service {
	state := Slow(t.State, log, 200*time.Millisecond)
	return &Service{
		state:  state,
		audit:  t.Audit,
		login:  t.Sessions,
		rules:  NewRepo[Rule](state, Config{Family: famRule}),
		quiet:  NewRepo[Silence](state, Config{Family: famSilence, Life: time.Minute}),
		revs:   NewRepo[Rule](state, Config{Family: famRevision}),
		fired:  NewRepo[Rule](t.Audit, Config{Family: famFired, Column: "alert"}),
		window: 90 * 24 * time.Hour,
	}
}

// Save stores a rule.
func (s *Service) Save(ctx context.Context, r Rule) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	key := "rule#" + r.Name
	if err := put(ctx, s.state, key, famRule, "doc", 0, b); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	if err := put(ctx, s.state, key, famRevision, "doc", clock.Seq(r.Revision), b); err != nil { // ok ttlwrite/unscaled-sequence
		return err
	}
	return put(ctx, s.state, key, famHistory, "saved", now(), nil) // ok ttlwrite/clock-in-zero
}

// SaveQuick stores a rule without a revision.
func (s *Service) SaveQuick(ctx context.Context, r Rule) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	key := "rule#" + r.Name
	if err := put(ctx, s.state, key, famRule, "doc", now(), b); err != nil { // want ttlwrite/clock-in-zero
		return err
	}
	return put(ctx, s.state, key, famRevision, "doc", now(), b) // want ttlwrite/clock-in-sequence
}

// Quiet silences a rule.
func (s *Service) Quiet(ctx context.Context, rule, by string, d time.Duration) error {
	return put(ctx, s.state, "rule#"+rule, famSilence, "by", after(d), []byte(by)) // ok ttlwrite/write-time
}

// QuietHour silences a rule for an hour, or tries to.
func (s *Service) QuietHour(ctx context.Context, rule, by string) error {
	return put(ctx, s.state, "rule#"+rule, famSilence, "by", now(), []byte(by)) // want ttlwrite/write-time
}

// QuietServer leaves the date to the server.
func (s *Service) QuietServer(ctx context.Context, rule, by string) error {
	return put(ctx, s.state, "rule#"+rule, famSilence, "by", bigtable.ServerTime, []byte(by)) // want ttlwrite/server-timestamp
}

// Unquiet ends a silence by dating it back.
func (s *Service) Unquiet(ctx context.Context, rule string) error {
	return put(ctx, s.state, "rule#"+rule, famSilence, "by", after(-time.Second), nil) // want ttlwrite/already-expired
}

// Fire records that a rule fired.
func (s *Service) Fire(ctx context.Context, r Rule) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := put(ctx, s.audit, "alert#"+r.Name, famFired, "alert", bigtable.ServerTime, b); err != nil { // ok ttlwrite/server-timestamp
		return err
	}
	return put(ctx, s.audit, "alert#"+r.Name, famFired, "short", clock.Backdated(time.Hour, s.window), b) // ok ttlwrite/already-expired
}

// FireOld records a rule that fired long ago.
func (s *Service) FireOld(ctx context.Context, r Rule) error {
	return put(ctx, s.audit, "alert#"+r.Name, famFired, "old", after(-100*24*time.Hour), nil) // want ttlwrite/already-expired
}

// Ack takes an alert.
func (s *Service) Ack(ctx context.Context, user, rule string) error {
	if err := put(ctx, s.login, user, famAck, "ack", after(30*time.Minute), []byte(rule)); err != nil { // ok ttlwrite/write-time
		return err
	}
	return put(ctx, s.login, user, famAck, "acked", now(), []byte(rule)) // want ttlwrite/write-time
}

// Store stores a rule in the repository.
func (s *Service) Store(ctx context.Context, r Rule) error {
	if err := s.rules.PutAt(ctx, r.Name, r, 0); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	return s.revs.PutAt(ctx, r.Name, r, clock.Seq(r.Revision)) // ok ttlwrite/unscaled-sequence
}

// Silenced tells whether a rule is silent now.
func (s *Service) Silenced(ctx context.Context, rule string) (bool, error) {
	items, err := one(ctx, s.state, "rule#"+rule, famSilence, alive()) // ok ttlread/missing-filter
	return len(items) > 0, err
}

// WasSilenced tells whether a rule was ever silent, for all one knows.
func (s *Service) WasSilenced(ctx context.Context, rule string) (bool, error) {
	items, err := one(ctx, s.state, "rule#"+rule, famSilence) // want ttlread/missing-filter
	return len(items) > 0, err
}

// SilencedBy says who silenced a rule.
func (s *Service) SilencedBy(ctx context.Context, rule string) (string, error) {
	items, err := one(ctx, s.state, "rule#"+rule, famSilence, bigtable.ColumnFilter("by"), bigtable.LatestNFilter(1)) // want ttlread/missing-filter
	if err != nil || len(items) == 0 {
		return "", err
	}
	return string(items[0].Value), nil
}

// Rule reads a rule.
func (s *Service) Rule(ctx context.Context, name string) (r Rule, err error) {
	items, err := one(ctx, s.state, "rule#"+name, famRule) // ok ttlread/missing-filter
	if err != nil || len(items) == 0 {
		return r, err
	}
	return r, json.Unmarshal(items[0].Value, &r)
}

// Revision reads a rule's last revision.
func (s *Service) Revision(ctx context.Context, name string) (int64, error) {
	items, err := one(ctx, s.state, "rule#"+name, famRevision, bigtable.LatestNFilter(1)) // ok ttlread/version-limit
	if err != nil || len(items) == 0 {
		return 0, err
	}
	return clock.FromSeq(items[0].Timestamp), nil
}

// Revisions reads what revisions there are.
func (s *Service) Revisions(ctx context.Context, name string) ([]int64, error) {
	items, err := one(ctx, s.state, "rule#"+name, famRevision, bigtable.ColumnFilter("doc")) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, it := range items {
		out = append(out, clock.FromSeq(it.Timestamp))
	}
	return out, nil
}

// RevisedSince reads the revisions since a time.
func (s *Service) RevisedSince(ctx context.Context, name string) (int, error) {
	items, err := one(ctx, s.state, "rule#"+name, famRevision, bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{})) // want ttlread/wrong-bound
	return len(items), err
}

// FiredSince counts how often rules fired, as far as the log goes back.
func (s *Service) FiredSince(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	err := each(ctx, s.audit, "alert#", famFired, func(key string, items []bigtable.ReadItem) error { // ok ttlread/missing-filter
		out[key] += len(items)
		return nil
	}, bigtable.TimestampRangeFilter(time.Now().Add(-s.window), time.Time{}))
	return out, err
}

// FiredNow counts with the bound of another family.
func (s *Service) FiredNow(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	err := each(ctx, s.audit, "alert#", famFired, func(key string, items []bigtable.ReadItem) error { // want ttlread/wrong-bound[firednow]
		out[key] += len(items)
		return nil
	}, alive()) // want ttlread/wrong-bound[firednow]
	return out, err
}

// FiredWeek counts with the bound of another time.
func (s *Service) FiredWeek(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	err := each(ctx, s.audit, "alert#", famFired, func(key string, items []bigtable.ReadItem) error { // want ttlread/wrong-bound[firedweek]
		out[key] += len(items)
		return nil
	}, bigtable.TimestampRangeFilter(time.Now().Add(-7*24*time.Hour), time.Time{})) // want ttlread/wrong-bound[firedweek]
	return out, err
}

// FiredEver counts all that is there.
func (s *Service) FiredEver(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	err := each(ctx, s.audit, "alert#", famFired, func(key string, items []bigtable.ReadItem) error { // want ttlread/missing-filter
		out[key] += len(items)
		return nil
	})
	return out, err
}

// Acked lists who takes care of what.
func (s *Service) Acked(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := each(ctx, s.login, "", famAck, func(key string, items []bigtable.ReadItem) error { // ok ttlread/missing-filter
		for _, it := range items {
			out[key] = string(it.Value)
		}
		return nil
	}, alive(), bigtable.LatestNFilter(1))
	return out, err
}

// AckedFor says for how long somebody has taken care of something.
func (s *Service) AckedFor(ctx context.Context, user string) (string, error) {
	items, err := one(ctx, s.login, user, famAck, alive(), bigtable.ColumnFilter("ack")) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range items {
		age := time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
		return strconv.FormatFloat(age.Minutes(), 'f', 0, 64), nil
	}
	return "", store.ErrNotFound
}

// LoadRule reads a rule from the repository.
func (s *Service) LoadRule(ctx context.Context, name string) (Rule, error) {
	return s.rules.Get(ctx, name, bigtable.LatestNFilter(1)) // ok ttlread/missing-filter
}
