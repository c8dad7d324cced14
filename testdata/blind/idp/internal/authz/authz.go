// Package authz keeps the state and nonce parameters of authorization requests.
package authz

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/idp/internal/clock"
	"example.com/idp/internal/schema"
	"example.com/idp/internal/store"
)

const (
	colRedirect = "redirect"
	colNonce    = "nonce"
	colUsed     = "used"
)

// ErrReplay is returned for a nonce that was seen.
var ErrReplay = errors.New("authz: replay")

// Repo stores the parameters.
type Repo struct {
	tbl *store.Table
	clk clock.Clock
}

// NewRepo returns a repo.
func NewRepo(c *bigtable.Client, clk clock.Clock) *Repo {
	return &Repo{tbl: store.Open(c, schema.TableAuthz), clk: clk}
}

// slot is a family with the lifetime of its cells.
type slot struct {
	family string
	ttl    time.Duration
}

var (
	stateSlot = slot{schema.FamState, schema.StateTTL}
	nonceSlot = slot{schema.FamNonce, schema.NonceTTL}
)

func (r *Repo) save(ctx context.Context, key string, s slot, column, value string) error {
	return r.tbl.Put(ctx, key, s.family, column, store.ExpiresIn(r.clk, s.ttl), []byte(value)) // ok ttlwrite/write-time ttlwrite/clock-in-zero
}

func (r *Repo) Begin(ctx context.Context, state, redirect, nonce string) error {
	if err := r.save(ctx, state, stateSlot, colRedirect, redirect); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	return r.save(ctx, state, nonceSlot, colNonce, nonce) // ok ttlwrite/write-time
}

func (r *Repo) BeginZero(ctx context.Context, state, redirect string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamState, colRedirect, 0, []byte(redirect)) // want ttlwrite/already-expired[aut3]
	return r.tbl.Apply(ctx, state, mut)                        // want ttlwrite/already-expired[aut3]
}

func (r *Repo) Mark(ctx context.Context, state string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamState, colUsed, store.Stamp(), []byte("1"))                                   // want ttlwrite/write-time[aut4]
	mut.Set(schema.FamNonce, colUsed, bigtable.Time(r.clk.Now().Add(schema.NonceTTL)), []byte("1")) // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, state, mut)                                                             // want ttlwrite/write-time[aut4]
}

func (r *Repo) Redirect(ctx context.Context, state string) (string, error) {
	row, err := r.tbl.ReadRow(ctx, state) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[schema.FamState] {
		return string(it.Value), nil
	}
	return "", store.ErrNotFound
}

func (r *Repo) RedirectLive(ctx context.Context, state string) (string, error) {
	it, err := r.tbl.Get(ctx, state, schema.FamState, colRedirect, store.Live(r.clk.Now())) // ok ttlread/missing-filter
	return string(it.Value), err
}

func (r *Repo) Both(ctx context.Context, state string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, state, bigtable.RowFilter(store.Live(r.clk.Now()))) // ok ttlread/missing-filter ttlread/hides-other-families
}

func (r *Repo) NonceOnce(ctx context.Context, nonce string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamNonce, colUsed, store.ExpiresIn(r.clk, schema.NonceTTL), []byte("1")) // ok ttlwrite/write-time
	var seen bool
	cond := bigtable.NewCondMutation(store.Column(schema.FamNonce, colUsed), nil, mut) // want ttlread/conditional-mutation
	if err := r.tbl.Apply(ctx, nonce, cond, bigtable.GetCondMutationResult(&seen)); err != nil {
		return err
	}
	if seen {
		return ErrReplay
	}
	return nil
}

func (r *Repo) Prune(ctx context.Context) ([]string, error) {
	var out []string
	f := store.In(schema.FamState, bigtable.TimestampRangeFilter(time.Unix(0, 0), r.clk.Now())) // want ttlread/expired-only[aut1]
	err := r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {        // want ttlread/expired-only[aut1]
		out = append(out, row.Key())
		return true
	}, bigtable.RowFilter(f)) // want ttlread/expired-only[aut1]
	return out, err
}

func (r *Repo) Pending(ctx context.Context) (int, error) {
	now, n := r.clk.Now(), 0
	err := r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { // want ttlread/upper-bound[aut2]
		n++
		return true
	}, bigtable.RowFilter(store.In(schema.FamState, bigtable.TimestampRangeFilter(now, now.Add(time.Minute))))) // want ttlread/upper-bound[aut2]
	return n, err
}
