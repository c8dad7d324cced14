// Package keys rotates the keys that sign tokens. Every key set is a numbered generation.
package keys

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/idp/internal/clock"
	"example.com/idp/internal/ids"
	"example.com/idp/internal/schema"
	"example.com/idp/internal/store"
)

const (
	colPrivate = "private"
	colPublic  = "public"
	colMeta    = "meta"
	colCurrent = "current"
	rowSigning = "signing"
)

// ErrNoKey is returned before the first rotation.
var ErrNoKey = errors.New("keys: no key")

// Key is one generation of the signing key.
type Key struct {
	ID         ids.KeyID `json:"kid"`
	Generation int64     `json:"gen"`
	DER        []byte    `json:"-"`
	NotBefore  time.Time `json:"nbf"`
	Modified   time.Time `json:"modified"`
}

// Ring keeps the keys.
type Ring struct {
	tbl  *bigtable.Table
	clk  clock.Clock
	log  *slog.Logger
	mu   sync.Mutex
	gen  int64
	seen atomic.Int64
	step atomic.Int64
	byID map[ids.KeyID]int64
}

// NewRing opens the table of keys.
func NewRing(c *bigtable.Client, clk clock.Clock, log *slog.Logger) *Ring {
	return &Ring{tbl: c.Open(schema.TableKeys), clk: clk, log: log, byID: map[ids.KeyID]int64{}}
}

func generate() ([]byte, error) {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return x509.MarshalECPrivateKey(k)
}

func (r *Ring) Rotate(ctx context.Context) (Key, error) {
	der, err := generate()
	if err != nil {
		return Key{}, fmt.Errorf("keys: %w", err)
	}
	cur, err := r.Current(ctx)
	if err != nil && !errors.Is(err, ErrNoKey) {
		return Key{}, err
	}
	next := Key{ID: ids.NewKey(), Generation: cur.Generation + 1, DER: der, NotBefore: r.clk.Now()}
	meta, err := json.Marshal(next)
	if err != nil {
		return Key{}, err
	}
	mut := bigtable.NewMutation()
	mut.Set(schema.FamKey, colPrivate, bigtable.Timestamp(next.Generation*1000), der) // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamKey, colMeta, store.Seq(next.Generation), meta)                 // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamActive, colCurrent, 0, []byte(next.ID))                         // ok ttlwrite/clock-in-zero
	return next, r.tbl.Apply(ctx, rowSigning, mut)
}

func (r *Ring) RotateLocal(ctx context.Context, der []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gen++
	mut := bigtable.NewMutation()
	mut.Set(schema.FamKey, colPrivate, bigtable.Timestamp(r.gen), der)         // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamKey, colPublic, bigtable.Timestamp(r.gen*1000), nil)     // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamActive, colCurrent, bigtable.Timestamp(r.gen*1000), nil) // want ttlwrite/clock-in-zero
	return r.tbl.Apply(ctx, rowSigning, mut)
}

func (r *Ring) RotateAtomic(ctx context.Context, der []byte) error {
	n := r.seen.Add(1)
	mut := bigtable.NewMutation()
	mut.Set(schema.FamKey, colPrivate, bigtable.Timestamp(n), der)                     // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamKey, colPublic, bigtable.Timestamp(r.step.Add(1000)), nil)       // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamKey, colMeta, bigtable.Timestamp(r.seen.Load()*1000), []byte{1}) // ok ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, rowSigning, mut)
}

func (r *Ring) RotateByID(ctx context.Context, id ids.KeyID, der []byte) error {
	r.mu.Lock()
	r.byID[id]++
	n := r.byID[id]
	r.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(schema.FamKey, colPrivate, bigtable.Timestamp(n), der)     // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamKey, colPublic, bigtable.Timestamp(n)*1000, nil) // ok ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, string(id), mut)
}

func (r *Ring) Publish(ctx context.Context, id ids.KeyID, pub []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamKey, colPublic, bigtable.Now(), pub)                        // want ttlwrite/clock-in-sequence
	mut.Set(schema.FamActive, colPublic, 0, pub)                                  // ok ttlwrite/clock-in-zero
	mut.Set(schema.FamActive, "published", bigtable.Time(r.clk.Now()), []byte{1}) // want ttlwrite/clock-in-zero
	return r.tbl.Apply(ctx, string(id), mut)
}

func (r *Ring) Import(ctx context.Context, id ids.KeyID, der []byte, made time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamKey, colPrivate, bigtable.Time(made), der)                           // want ttlwrite/clock-in-sequence
	mut.Set(schema.FamKey, colPublic, bigtable.ServerTime, nil)                            // want ttlwrite/clock-in-sequence
	mut.Set(schema.FamKey, colMeta, bigtable.Timestamp(time.Now().UnixMicro()), []byte{1}) // want ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, string(id), mut)
}

func (r *Ring) ImportNumbered(ctx context.Context, id ids.KeyID, der []byte, number int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamKey, colPrivate, bigtable.Time(time.UnixMilli(number)), der) // ok ttlwrite/clock-in-sequence
	mut.Set(schema.FamKey, colPublic, bigtable.Timestamp(number*1e3), nil)         // ok ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, string(id), mut)
}

func (r *Ring) ImportAll(ctx context.Context, ders [][]byte) error {
	mut := bigtable.NewMutation()
	for i := range ders {
		mut.Set(schema.FamKey, colPrivate, bigtable.Timestamp(i), ders[i]) // want ttlwrite/unscaled-sequence
	}
	for i, n := 0, int64(1000); i < len(ders); i, n = i+1, n+1000 {
		mut.Set(schema.FamKey, colMeta, bigtable.Timestamp(n), nil) // ok ttlwrite/unscaled-sequence
	}
	mut.Set(schema.FamKey, "count", bigtable.Timestamp(len(ders)), nil) // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamKey, "total", store.Seq(int64(len(ders))), nil)   // ok ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, rowSigning, mut)
}

func (r *Ring) Use(ctx context.Context, id ids.KeyID) error {
	m := bigtable.NewReadModifyWrite()
	m.Increment(schema.FamKey, "uses", 1) // want ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, string(id), m)
	return err
}

func (r *Ring) Tag(ctx context.Context, id ids.KeyID, tag string) error {
	m := bigtable.NewReadModifyWrite()
	m.AppendValue(schema.FamActive, "tags", []byte(tag)) // want ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, string(id), m)
	return err
}

func (r *Ring) Current(ctx context.Context) (Key, error) {
	row, err := r.tbl.ReadRow(ctx, rowSigning, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter ttlread/version-limit
	if err != nil {
		return Key{}, err
	}
	return newest(row)
}

func newest(row bigtable.Row) (Key, error) {
	it, ok := store.First(row, schema.FamKey, colMeta)
	if !ok {
		return Key{}, ErrNoKey
	}
	var k Key
	if err := json.Unmarshal(it.Value, &k); err != nil {
		return k, err
	}
	k.Generation = store.SeqOf(it)
	k.Modified = it.Timestamp.Time() // want ttlage/not-write-time
	return k, nil
}

func (r *Ring) All(ctx context.Context) ([]Key, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamKey), bigtable.ColumnFilter(colMeta), bigtable.LatestNFilter(schema.KeyVersions))
	row, err := r.tbl.ReadRow(ctx, rowSigning, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Key
	for _, it := range row[schema.FamKey] {
		var k Key
		if json.Unmarshal(it.Value, &k) == nil {
			k.Generation = store.SeqOf(it) // ok ttlage/not-write-time
			out = append(out, k)
		}
	}
	return out, nil
}

func (r *Ring) Every(ctx context.Context) (int, error) {
	row, err := r.tbl.ReadRow(ctx, rowSigning, bigtable.RowFilter(bigtable.LatestNFilter(schema.KeyVersions+1))) // want ttlread/version-limit
	if err != nil {
		return 0, err
	}
	return len(row[schema.FamKey]), nil
}

func (r *Ring) Private(ctx context.Context, id ids.KeyID) ([]byte, error) {
	row, err := r.tbl.ReadRow(ctx, string(id)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	if it, ok := store.First(row, schema.FamKey, colPrivate); ok {
		return it.Value, nil
	}
	return nil, ErrNoKey
}

func (r *Ring) ActiveID(ctx context.Context) (ids.KeyID, error) {
	row, err := r.tbl.ReadRow(ctx, rowSigning) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[schema.FamActive] {
		return ids.KeyID(it.Value), nil
	}
	return "", ErrNoKey
}

func (r *Ring) Fresh(ctx context.Context) ([]string, error) {
	day := r.clk.Now().Add(-24 * time.Hour)
	var out []string
	err := r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/wrong-bound[key1]
		for _, it := range row[schema.FamKey] {
			out = append(out, it.Row)
		}
		return true
	}, bigtable.RowFilter(store.In(schema.FamKey, bigtable.TimestampRangeFilter(day, time.Time{})))) // want ttlread/wrong-bound[key1]
	return out, err
}

func (r *Ring) LiveKeys(ctx context.Context) ([]string, error) {
	f := store.In(schema.FamKey, store.Live(r.clk.Now()))                                                                           // want ttlread/wrong-bound[key2]
	return store.Scan(ctx, store.Wrap(r.tbl, schema.TableKeys), bigtable.InfiniteRange(""), func(row bigtable.Row) (string, bool) { // want ttlread/wrong-bound[key2]
		for _, it := range row[schema.FamKey] {
			return it.Row, true
		}
		return "", false
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[key2]
}

func (r *Ring) Generations(ctx context.Context, from, to int64) (int, error) {
	f := store.In(schema.FamKey, bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(from*1000), bigtable.Timestamp(to*1000))) // ok ttlread/wrong-bound ttlunit/wrong-unit
	row, err := r.tbl.ReadRow(ctx, rowSigning, bigtable.RowFilter(f))                                                             // ok ttlread/wrong-bound
	return len(row[schema.FamKey]), err
}

func (r *Ring) Due(ctx context.Context, max time.Duration) (bool, error) {
	row, err := r.tbl.ReadRow(ctx, rowSigning, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		return false, err
	}
	it, ok := store.First(row, schema.FamKey, colPrivate)
	if !ok {
		return true, nil
	}
	return time.Since(it.Timestamp.Time()) > max, nil // want ttlage/not-write-time
}

func (r *Ring) DueByMeta(ctx context.Context, max time.Duration) (bool, error) {
	k, err := r.Current(ctx)
	if errors.Is(err, ErrNoKey) {
		return true, nil
	}
	return time.Since(k.NotBefore) > max, err // ok ttlage/not-write-time
}

func (r *Ring) Claim(ctx context.Context, id ids.KeyID) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamActive, colCurrent, 0, []byte(id))                                                                // ok ttlwrite/clock-in-zero
	return r.tbl.Apply(ctx, rowSigning, bigtable.NewCondMutation(store.Column(schema.FamActive, colCurrent), nil, mut)) // ok ttlread/conditional-mutation
}

func (r *Ring) Announce(ctx context.Context, n int64, note string) error {
	ts := store.Seq(n)
	mut := bigtable.NewMutation()
	mut.Set(schema.FamKey, colMeta, ts, []byte("{}"))
	mut.Set(schema.FamKey, colMeta, ts, []byte(note)) // want ttlwrite/same-timestamp
	mut.Set(schema.FamActive, "note", 0, []byte("-"))
	mut.Set(schema.FamActive, "note", 0, []byte(note)) // want ttlwrite/same-timestamp
	return r.tbl.Apply(ctx, rowSigning, mut)
}
