// Package idemstore keeps responses by idempotency key.
package idemstore

import (
	"context"
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/idem"
	"github.com/parkwise/parkwise/internal/tenant"
)

const (
	colMark = "mark"
	colResp = "resp"
)

// record is a generic keyed store of JSON values that expire.
type record[T any] struct {
	tbl    bt.Table
	family string
	column string
}

func (r record[T]) put(ctx context.Context, key string, v T, ts bigtable.Timestamp) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(r.family, r.column, ts, raw)
	return r.tbl.Apply(ctx, key, mut)
}

func (r record[T]) get(ctx context.Context, key string, f bigtable.Filter) (T, error) {
	var zero T
	row, err := r.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
	if err != nil {
		return zero, err
	}
	return bt.DecodeJSON[T](row, r.family, r.column)
}

// Store implements the middleware's store.
type Store struct {
	tbl  bt.Table
	resp record[idem.Response]
}

// New opens the store.
func New(client *bigtable.Client) *Store {
	tbl := client.Open(bt.TableIdempotency)
	return &Store{tbl: tbl, resp: record[idem.Response]{tbl: tbl, family: bt.FamResp, column: colResp}}
}

func rowKey(id tenant.ID, key string) string { return tenant.Key(id, key) }

// Begin marks a key as being worked on, unless it is or a response is there.
func (s *Store) Begin(ctx context.Context, id tenant.ID, key string, until time.Time) (idem.Outcome, idem.Response, error) {
	live := bt.Live(clock.Now(ctx))
	mark := bigtable.NewMutation()
	mark.Set(bt.FamResp, colMark, bigtable.Time(until), []byte{1}) // ok ttlwrite/write-time
	var seen bool
	cond := bigtable.NewCondMutation(bt.In(bt.FamResp, live), nil, mark) // ok ttlread/conditional-mutation
	if err := s.tbl.Apply(ctx, rowKey(id, key), cond, bigtable.GetCondMutationResult(&seen)); err != nil {
		return idem.Fresh, idem.Response{}, err
	}
	if !seen {
		return idem.Fresh, idem.Response{}, nil
	}
	r, err := s.resp.get(ctx, rowKey(id, key), bt.In(bt.FamResp, live)) // ok ttlread/missing-filter
	if err == bt.ErrNotFound {
		return idem.InFlight, idem.Response{}, nil
	}
	return idem.Done, r, err
}

// BeginOnce is Begin for callers that never retry.
func (s *Store) BeginOnce(ctx context.Context, id tenant.ID, key string, until time.Time) (bool, error) {
	mark := bigtable.NewMutation()
	mark.Set(bt.FamResp, colMark, bigtable.Time(until), []byte{1}) // ok ttlwrite/write-time
	var seen bool
	cond := bigtable.NewCondMutation(bigtable.LatestNFilter(1), nil, mark) // want ttlread/conditional-mutation
	err := s.tbl.Apply(ctx, rowKey(id, key), cond, bigtable.GetCondMutationResult(&seen))
	return !seen, err
}

// Finish keeps a response.
func (s *Store) Finish(ctx context.Context, id tenant.ID, key string, r idem.Response, until time.Time) error {
	return s.resp.put(ctx, rowKey(id, key), r, bigtable.Time(until)) // ok ttlwrite/write-time
}

// FinishFailed keeps the response of a request that failed in a way that a retry cannot mend.
func (s *Store) FinishFailed(ctx context.Context, id tenant.ID, key string, r idem.Response) error {
	return s.resp.put(ctx, rowKey(id, key), r, bigtable.ServerTime) // want ttlwrite/server-timestamp
}

// FinishShort keeps a response for a minute.
func (s *Store) FinishShort(ctx context.Context, id tenant.ID, key string, r idem.Response) error {
	return s.resp.put(ctx, rowKey(id, key), r, bt.ExpiresIn(clock.Now(ctx), time.Minute)) // ok ttlwrite/write-time
}

// FinishForever keeps a response until it is deleted.
func (s *Store) FinishForever(ctx context.Context, id tenant.ID, key string, r idem.Response) error {
	return s.resp.put(ctx, rowKey(id, key), r, 0) // want ttlwrite/already-expired
}

// Last reads a response for the support desk.
func (s *Store) Last(ctx context.Context, id tenant.ID, key string) (idem.Response, error) {
	return s.resp.get(ctx, rowKey(id, key), bt.LatestIn(bt.FamResp)) // want ttlread/missing-filter
}

// Recent reads a response if it was kept today.
func (s *Store) Recent(ctx context.Context, id tenant.ID, key string) (idem.Response, error) {
	since := bt.Within(clock.Now(ctx), 24*time.Hour) // want ttlread/wrong-bound[idemrecent]
	return s.resp.get(ctx, rowKey(id, key), since)   // want ttlread/wrong-bound[idemrecent]
}

// Forget deletes a key.
func (s *Store) Forget(ctx context.Context, id tenant.ID, key string) error {
	mut := bigtable.NewMutation()
	mut.DeleteRow()
	return s.tbl.Apply(ctx, rowKey(id, key), mut)
}

// Keys lists the keys of a tenant, live or not.
func (s *Store) Keys(ctx context.Context, id tenant.ID) ([]string, error) {
	var keys []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(rowKey(id, "")), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return keys, err
}

// Copy hands the rows of a tenant to f, for the replay tool.
func (s *Store) Copy(ctx context.Context, id tenant.ID, f func(bigtable.Row) error) error {
	var ferr error
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(rowKey(id, "")), func(row bigtable.Row) bool { // want ttlread/missing-filter
		ferr = f(row)
		return ferr == nil
	})
	if ferr != nil {
		return ferr
	}
	return err
}

// CopyLive does the same without the expired ones.
func (s *Store) CopyLive(ctx context.Context, id tenant.ID, f func(bigtable.Row) error) error {
	var ferr error
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(rowKey(id, "")), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		ferr = f(row)
		return ferr == nil
	}, bigtable.RowFilter(bt.Live(clock.Now(ctx))))
	if ferr != nil {
		return ferr
	}
	return err
}
