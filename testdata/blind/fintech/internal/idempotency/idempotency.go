// Package idempotency remembers requests by their Idempotency-Key header for
// a day, with the reply that the first one got.
package idempotency

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/clock"
	"example.com/payments/internal/schema"
	"example.com/payments/internal/store"
)

// Day is how long keys are kept.
const Day = 24 * time.Hour

// ErrInFlight says that the first request has not been answered yet.
var ErrInFlight = errors.New("idempotency: request in flight")

// Reply is a remembered reply.
type Reply struct {
	Status    int
	Body      json.RawMessage
	CreatedAt time.Time
	ValidTill time.Time
}

// Store is what the middleware needs.
type Store interface {
	Claim(ctx context.Context, key, owner string) (bool, error)
	Remember(ctx context.Context, key string, r Reply) error
	Lookup(ctx context.Context, key string) (Reply, error)
}

// Keys implements Store.
type Keys struct {
	tbl  store.Table
	read store.Reader
	clk  clock.Clock
	ttl  time.Duration
}

var _ Store = (*Keys)(nil)

// Option configures Keys.
type Option func(*Keys)

// WithClock replaces the system's clock.
func WithClock(c clock.Clock) Option { return func(k *Keys) { k.clk = c } }

// WithTTL replaces the day.
func WithTTL(d time.Duration) Option { return func(k *Keys) { k.ttl = d } }

// New keeps keys in tbl.
func New(tbl store.Table, opts ...Option) *Keys {
	k := &Keys{tbl: tbl, read: store.NewReader(tbl), clk: clock.System{}, ttl: Day}
	for _, o := range opts {
		o(k)
	}
	return k
}

// Claim takes the key for owner; false if somebody has it.
func (k *Keys) Claim(ctx context.Context, key, owner string) (bool, error) {
	now := k.clk.Now()
	claim := bigtable.NewMutation()
	store.PutString(claim, schema.KeyOwner, bigtable.Time(now.Add(k.ttl)), owner) // ok ttlwrite/write-time
	taken := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamKey.String()), bigtable.TimestampRangeFilter(now, time.Time{}))
	cond := bigtable.NewCondMutation(taken, nil, claim) // ok ttlread/conditional-mutation
	var had bool
	if err := k.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&had)); err != nil {
		return false, fmt.Errorf("claim: %w", err)
	}
	return !had, nil
}

// ClaimLegacy is Claim for the batch API, which has no deadline.
func (k *Keys) ClaimLegacy(ctx context.Context, key, owner string) (bool, error) {
	claim := bigtable.NewMutation()
	store.PutString(claim, schema.KeyOwner, store.ExpiresIn(k.clk, k.ttl), owner)  // ok ttlwrite/write-time
	cond := bigtable.NewCondMutation(store.LatestOf(schema.FamKey, 1), nil, claim) // want ttlread/conditional-mutation
	var had bool
	err := k.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&had))
	return !had, err
}

// Remember stores the reply.
func (k *Keys) Remember(ctx context.Context, key string, r Reply) error {
	mut := bigtable.NewMutation()
	until := store.ExpiresIn(k.clk, k.ttl)
	store.Put(mut, schema.ReplyBody, until, r.Body)                                  // ok ttlwrite/write-time
	store.PutString(mut, schema.ReplyStatus, until, strconv.Itoa(r.Status))          // ok ttlwrite/same-timestamp
	store.PutString(mut, schema.AuditActor, store.NowTS(), "idempotency middleware") // ok ttlwrite/write-time
	return k.tbl.Apply(ctx, key, mut)
}

// RememberError stores a failure, so that clients do not hammer.
func (k *Keys) RememberError(ctx context.Context, key string, cause error) error {
	mut := bigtable.NewMutation()
	store.PutString(mut, schema.ReplyBody, store.NowTS(), cause.Error())      // want ttlwrite/write-time
	store.PutString(mut, schema.ReplyStatus, store.StampOf(k.clk), "500")     // want ttlwrite/write-time
	store.PutString(mut, schema.AuditActor, store.StampOf(k.clk), "recovery") // ok ttlwrite/write-time
	return k.tbl.Apply(ctx, key, mut)
}

// RememberEmpty stores a 204.
func (k *Keys) RememberEmpty(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	store.PutString(mut, schema.ReplyStatus, bigtable.ServerTime, "204") // want ttlwrite/server-timestamp
	store.PutString(mut, schema.AuditActor, bigtable.ServerTime, "204")  // ok ttlwrite/server-timestamp
	return k.tbl.Apply(ctx, key, mut)
}

// Lookup finds a live reply.
func (k *Keys) Lookup(ctx context.Context, key string) (Reply, error) {
	row, err := k.read.Get(ctx, key, store.Only(schema.FamResponse), store.Live(k.clk.Now())) // ok ttlread/missing-filter
	if err != nil {
		return Reply{}, err
	}
	return parse(row)
}

func parse(row bigtable.Row) (Reply, error) {
	body, ok := store.Newest(row, schema.ReplyBody)
	if !ok {
		return Reply{}, ErrInFlight
	}
	code, err := strconv.Atoi(store.Text(row, schema.ReplyStatus))
	if err != nil {
		return Reply{}, fmt.Errorf("status: %w", err)
	}
	return Reply{Status: code, Body: body.Value, ValidTill: body.Timestamp.Time()}, nil // ok ttlage/not-write-time
}

// Owner tells who claimed a key.
func (k *Keys) Owner(ctx context.Context, key string) (string, error) {
	row, err := k.read.Get(ctx, key) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return store.Text(row, schema.KeyOwner), nil
}

// Actor tells who wrote last about a key.
func (k *Keys) Actor(ctx context.Context, key string) (string, error) {
	row, err := k.read.Get(ctx, key) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return store.Text(row, schema.AuditActor), nil
}

// Replay returns the reply for the replay tool, with its age.
func (k *Keys) Replay(ctx context.Context, key string) (Reply, error) {
	return store.Load(ctx, k.tbl, key, func(row bigtable.Row) (Reply, error) { // ok ttlread/missing-filter
		it, ok := store.Newest(row, schema.ReplyBody)
		if !ok {
			return Reply{}, store.ErrNotFound
		}
		return Reply{Body: it.Value, CreatedAt: it.Timestamp.Time()}, nil // want ttlage/not-write-time
	}, bigtable.RowFilter(store.LiveFamily(schema.FamResponse, k.clk.Now())))
}

// Body returns only the body.
func (k *Keys) Body(ctx context.Context, key string) ([]byte, error) {
	return store.Load(ctx, k.tbl, key, func(row bigtable.Row) ([]byte, error) { // want ttlread/missing-filter
		it, ok := store.Newest(row, schema.ReplyBody)
		if !ok {
			return nil, store.ErrNotFound
		}
		return it.Value, nil
	})
}

// Reserve books a range of keys at once for a batch.
func (k *Keys) Reserve(ctx context.Context, owner string, keys []string) error {
	b := store.NewBatch(k.tbl, 200)
	for _, key := range keys {
		mut := bigtable.NewMutation()
		mut.Set(schema.FamKey.String(), "owner", bigtable.Now(), []byte(owner)) // want ttlwrite/write-time
		if err := b.Add(ctx, key, mut); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

// Renew is Reserve done right, for keys that are about to run out.
func (k *Keys) Renew(ctx context.Context, owner string, keys []string) error {
	b := store.NewBatch(k.tbl, 200)
	until := bigtable.Time(k.clk.Now().Add(Day))
	for _, key := range keys {
		mut := bigtable.NewMutation()
		mut.Set(schema.FamKey.String(), "owner", until, []byte(owner)) // ok ttlwrite/write-time
		if err := b.Add(ctx, key, mut); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

// Forget makes a key free again.
func (k *Keys) Forget(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("key", "owner", 0, nil) // want ttlwrite/already-expired
	return k.tbl.Apply(ctx, key, mut)
}

// Drop is what Forget should have been.
func (k *Keys) Drop(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily("key") // ok ttlwrite/delete-after-set
	mut.DeleteCellsInFamily("response")
	return k.tbl.Apply(ctx, key, mut)
}

// Import takes over keys from the old service; it stored expiries in seconds.
func (k *Keys) Import(ctx context.Context, key, owner string, expiry time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set("key", "owner", bigtable.Timestamp(expiry.Unix()), []byte(owner))          // want ttlunit/wrong-unit
	mut.Set("key", "source", bigtable.Timestamp(expiry.UnixMicro()), []byte("import")) // ok ttlunit/wrong-unit
	mut.Set("key", "batch", bigtable.Timestamp(expiry.Unix()*1e6), []byte("import"))   // ok ttlunit/wrong-unit
	return k.tbl.Apply(ctx, key, mut)
}

// Middleware answers repeated requests from memory.
func Middleware(s Store, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		key := req.Header.Get("Idempotency-Key")
		if key == "" || req.Method == http.MethodGet {
			next.ServeHTTP(w, req)
			return
		}
		ctx := req.Context()
		if r, err := s.Lookup(ctx, key); err == nil {
			w.Header().Set("Idempotent-Replay", "true")
			w.WriteHeader(r.Status)
			_, _ = w.Write(r.Body)
			return
		}
		mine, err := s.Claim(ctx, key, req.RemoteAddr)
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		if !mine {
			http.Error(w, ErrInFlight.Error(), http.StatusConflict)
			return
		}
		rec := &recorder{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(rec, req)
		if err := s.Remember(ctx, key, Reply{Status: rec.status, Body: rec.body}); err != nil {
			w.Header().Set("Idempotency-Lost", "true")
		}
	})
}

type recorder struct {
	http.ResponseWriter
	status int
	body   []byte
}

func (r *recorder) WriteHeader(code int) {
	r.status = code
	r.ResponseWriter.WriteHeader(code)
}

func (r *recorder) Write(b []byte) (int, error) {
	r.body = append(r.body, b...)
	return r.ResponseWriter.Write(b)
}
