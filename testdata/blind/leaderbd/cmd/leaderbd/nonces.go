package main

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"cloud.google.com/go/bigtable"

	"studio.example/leaderbd/internal/kit"
	"studio.example/leaderbd/internal/schema"
)

// nonces keeps clients from sending the same purchase twice.
type nonces struct {
	tbl  kit.Table
	life time.Duration
	edit func(string, bigtable.Timestamp) kit.Edit
}

// NonceOpt configures nonces.
type NonceOpt func(*nonces)

// WithLife is how long a nonce is good for.
func WithLife(d time.Duration) NonceOpt { return func(n *nonces) { n.life = d } }

func newNonces(t kit.Table, opts ...NonceOpt) *nonces {
	n := &nonces{
		tbl:  t,
		life: time.Minute,
		edit: func(col string, ts bigtable.Timestamp) kit.Edit { return kit.Put(schema.FamSession, col, ts, nil) },
	}
	for _, o := range opts {
		o(n)
	}
	return n
}

var errReplay = errors.New("nonce unknown or used")

// issue makes a nonce.
func (n *nonces) issue(ctx context.Context, player string) (string, error) {
	id := rand.Text()
	err := kit.Change(ctx, n.tbl, player,
		n.edit("nonce_"+id, kit.ExpireIn(n.life)),                              // ok ttlwrite/write-time
		n.edit("issued", bigtable.Now()),                                       // want ttlwrite/write-time[is]
		kit.Put(schema.FamProfile, "nonce_issued", bigtable.Now(), []byte(id)), // ok ttlwrite/write-time
	)
	return id, err
}

// spend takes a nonce; it deletes and therefore need not look at the time.
func (n *nonces) spend(ctx context.Context, player, id string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInColumn(schema.FamSession, "nonce_"+id)
	pred := kit.In(schema.FamSession, bigtable.ColumnFilter("nonce_"+id))
	var had bool
	if err := n.tbl.Apply(ctx, player, bigtable.NewCondMutation(pred, del, nil), bigtable.GetCondMutationResult(&had)); err != nil { // ok ttlread/conditional-mutation
		return err
	}
	if !had {
		return errReplay
	}
	return nil
}

// check says whether a nonce is still good.
func (n *nonces) check(ctx context.Context, player, id string) error {
	read := func(extra ...bigtable.Filter) (bigtable.Row, error) {
		fs := append([]bigtable.Filter{bigtable.FamilyFilter(schema.FamSession), bigtable.ColumnFilter("nonce_" + id)}, extra...)
		return n.tbl.ReadRow(ctx, player, bigtable.RowFilter(bigtable.ChainFilters(fs...))) // want ttlread/missing-filter[nc]
	}
	row, err := read(kit.Live()) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	if len(row) > 0 {
		return nil
	}
	if row, err = read(kit.Latest(1)); err == nil && len(row) > 0 { // want ttlread/missing-filter[nc]
		return errors.New("nonce expired")
	}
	return errReplay
}

// guarded lets only requests with a fresh nonce through.
func (n *nonces) guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		player, id := r.PathValue("player"), r.Header.Get("X-Nonce")
		if err := errors.Join(n.check(r.Context(), player, id), n.spend(r.Context(), player, id)); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		h.ServeHTTP(w, r)
	})
}
