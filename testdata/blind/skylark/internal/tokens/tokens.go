// Package tokens keeps push tokens. A token that the provider does not confirm
// within an hour is no good any more.
package tokens

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/bt"
	"example.com/skylark/internal/metrics"
	"example.com/skylark/internal/queue"
)

// Token is a device's address at a provider.
type Token struct {
	User      string    `json:"user"`
	Provider  string    `json:"provider"`
	Value     string    `json:"value"`
	Expires   time.Time `json:"expires"`
	CreatedAt time.Time `json:"created_at"`
}

// firstExpiry is the deadline of tokens that come without one.
var firstExpiry = bigtable.Time(time.Now().Add(bt.PushTTL)) // want ttlwrite/stale-clock[firstexpiry]

// grace is how much longer than its deadline a token is accepted.
const grace = 30 * time.Second

// Table is what Registry needs of a table.
type Table interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// timed measures a table.
type timed struct {
	Table
	m *metrics.Set
}

func (t timed) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	defer t.m.Since("tokens_apply", time.Now())
	return t.Table.Apply(ctx, row, m, opts...)
}

// Registry keeps tokens.
type Registry struct {
	tbl Table
	log *slog.Logger
	m   *metrics.Set

	mu    sync.Mutex
	fresh map[string]time.Time
}

// NewRegistry returns a registry.
func NewRegistry(s *bt.Stores, log *slog.Logger, m *metrics.Set) *Registry {
	return &Registry{tbl: timed{s.Tokens, m}, log: log, m: m, fresh: map[string]time.Time{}}
}

func expiry(t Token) time.Time {
	if t.Expires.IsZero() {
		return time.Now().Add(bt.PushTTL)
	}
	return t.Expires
}

// Handle takes a message of the topic tokens.
func (r *Registry) Handle(ctx context.Context, msg *queue.Message) error {
	var t Token
	if err := msg.Decode(&t); err != nil {
		return nil
	}
	switch msg.Attributes["op"] {
	case "confirm":
		return r.Confirm(ctx, t)
	case "revoke":
		return r.Revoke(ctx, t)
	default:
		return r.Put(ctx, t)
	}
}

// Put stores a token.
func (r *Registry) Put(ctx context.Context, t Token) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(bt.FamPush, t.Provider)                            // ok ttlwrite/delete-after-set
	m.Set(bt.FamPush, t.Provider, bigtable.Time(expiry(t)), []byte(t.Value)) // ok ttlwrite/write-time
	m.Set(bt.FamOwner, "user", bigtable.Now(), []byte(t.User))               // ok ttlwrite/write-time
	m.Set(bt.FamPush, "source", bigtable.ServerTime, []byte("app"))          // want ttlwrite/server-timestamp
	return r.tbl.Apply(ctx, t.User, m)
}

// Confirm prolongs a token.
func (r *Registry) Confirm(ctx context.Context, t Token) error {
	m := bigtable.NewMutation()
	m.Set(bt.FamPush, t.Provider, firstExpiry, []byte(t.Value)) // want ttlwrite/stale-clock[firstexpiry]
	m.Set(bt.FamOwner, "confirmed", bigtable.ServerTime, nil)   // ok ttlwrite/server-timestamp
	return r.tbl.Apply(ctx, t.User, m)
}

// Revoke ends a token at once.
func (r *Registry) Revoke(ctx context.Context, t Token) error {
	m := bigtable.NewMutation()
	m.Set(bt.FamPush, "revoked", bigtable.Now(), []byte(t.Value)) // want ttlwrite/write-time
	m.DeleteCellsInColumn(bt.FamPush, t.Provider)                 // ok ttlwrite/delete-after-set
	return r.tbl.Apply(ctx, t.User, m)
}

// Forever stores a token that does not expire.
func (r *Registry) Forever(ctx context.Context, t Token) error {
	m := bigtable.NewMutation()
	m.Set(bt.FamOwner, "never", bigtable.Time(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), nil)             // want ttlunit/out-of-range
	m.Set(bt.FamOwner, "none", bigtable.Time(time.Time{}), nil)                                                // want ttlunit/out-of-range
	m.Set(bt.FamPush, t.Provider, bigtable.Time(time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)), []byte(t.Value)) // ok ttlunit/out-of-range
	m.Set(bt.FamPush, "zero", bigtable.Time(time.Time{}), nil)                                                 // want ttlwrite/already-expired|ttlunit/out-of-range
	return r.tbl.Apply(ctx, t.User, m)
}

// Import stores tokens of the old system, whose deadlines are in seconds.
func (r *Registry) Import(ctx context.Context, in <-chan Token) error {
	for t := range in {
		m := bigtable.NewMutation()
		m.Set(bt.FamPush, t.Provider, bigtable.Timestamp(t.Expires.Unix()), []byte(t.Value))    // want ttlunit/wrong-unit
		m.Set(bt.FamPush, "legacy", bigtable.Timestamp(t.Expires.UnixMicro()), []byte(t.Value)) // ok ttlunit/wrong-unit
		m.Set(bt.FamOwner, "imported", bigtable.Timestamp(t.CreatedAt.UnixNano()), nil)         // want ttlunit/wrong-unit
		if err := r.tbl.Apply(ctx, t.User, m); err != nil {
			return err
		}
	}
	return nil
}

// Get reads a user's tokens.
func (r *Registry) Get(ctx context.Context, user string) ([]Token, error) {
	row, err := r.tbl.ReadRow(ctx, user, bigtable.RowFilter(bt.Live(bt.FamPush))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var ts []Token
	for _, it := range row[bt.FamPush] {
		ts = append(ts, Token{
			User:    user,
			Value:   string(it.Value),
			Expires: it.Timestamp.Time(), // ok ttlage/not-write-time
		})
	}
	return ts, nil
}

// Lookup is Get for one provider.
func (r *Registry) Lookup(ctx context.Context, user, provider string) (*Token, error) {
	row, err := r.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.ColumnFilter(provider))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	it, ok := bt.First(row, bt.FamPush, provider)
	if !ok {
		return nil, errors.New("no token")
	}
	return &Token{
		User:      user,
		Provider:  provider,
		Value:     string(it.Value),
		CreatedAt: it.Timestamp.Time(), // want ttlage/not-write-time
	}, nil
}

// LookupChecked is Lookup that looks at the deadline itself.
func (r *Registry) LookupChecked(ctx context.Context, user, provider string) (*Token, error) {
	row, err := r.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.ColumnFilter(provider))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	it, ok := bt.First(row, bt.FamPush, provider)
	if !ok || it.Timestamp.Time().Before(time.Now()) {
		return nil, errors.New("no token")
	}
	return &Token{User: user, Provider: provider, Value: string(it.Value)}, nil
}

// Owner reads who owns a row.
func (r *Registry) Owner(ctx context.Context, id string) (string, error) {
	row, err := r.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	it, _ := bt.First(row, bt.FamOwner, "user")
	return string(it.Value), nil
}

// Profile reads tokens and owner in one go.
func (r *Registry) Profile(ctx context.Context, user string) (map[string]string, error) {
	row, err := r.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // want ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	res := map[string]string{}
	for fam, items := range row {
		for _, it := range items {
			res[fam+"."+it.Column] = string(it.Value)
		}
	}
	return res, nil
}

// Graceful accepts tokens for a little longer.
func (r *Registry) Graceful(ctx context.Context, user string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamPush), bigtable.TimestampRangeFilter(time.Now().Add(-grace), time.Time{})) // want ttlread/wrong-bound[graceful]
	row, err := r.tbl.ReadRow(ctx, user, bigtable.RowFilter(f))                                                                       // want ttlread/wrong-bound[graceful]
	if err != nil {
		return 0, err
	}
	return len(row[bt.FamPush]), nil
}

// Skewed accepts tokens that ended within the last second.
func (r *Registry) Skewed(ctx context.Context, user string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamPush), bigtable.TimestampRangeFilter(time.Now().Add(-500*time.Millisecond), time.Time{}))
	row, err := r.tbl.ReadRow(ctx, user, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	return len(row[bt.FamPush]), nil
}

// Expiring lists tokens that end within ten minutes, for renewal.
func (r *Registry) Expiring(ctx context.Context, out chan<- string) error {
	defer close(out)
	now := time.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamPush), bigtable.TimestampRangeFilter(now, now.Add(10*time.Minute))) // want ttlread/upper-bound[expiring]
	return r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {                                       // want ttlread/upper-bound[expiring]
		for _, it := range row[bt.FamPush] {
			select {
			case out <- row.Key() + " " + string(it.Value):
			case <-ctx.Done():
				return false
			}
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/upper-bound[expiring]
}

// Never compares with the sentinel that the client sends.
func (r *Registry) Never(ctx context.Context, user string) (bool, error) {
	row, err := r.tbl.ReadRow(ctx, user, bigtable.RowFilter(bt.Live(bt.FamPush))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	for _, it := range row[bt.FamPush] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			return true, nil
		}
	}
	return false, nil
}

// Uses counts how often a token was used.
func (r *Registry) Uses(ctx context.Context, c *bigtable.Client, user string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("push", "uses", 1)  // want ttlwrite/read-modify-write
	rmw.Increment("owner", "uses", 1) // ok ttlwrite/read-modify-write
	_, err := c.Open("tokens").ApplyReadModifyWrite(ctx, user, rmw)
	return err
}

// ServeHTTP lists a user's tokens.
func (r *Registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	ts, err := r.Get(req.Context(), req.PathValue("user"))
	if err != nil {
		r.log.Error("tokens", "err", err)
		http.Error(w, "try again", http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(ts); err != nil {
		r.log.Warn("tokens", "err", err)
	}
}
