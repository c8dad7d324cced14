package auth

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// Columns of the key table.
var (
	colPub   = btstore.NewCol(FamKey, "pub", btstore.JSON[PublicKey]())
	colAlg   = btstore.NewCol(FamKey, "alg", btstore.String)
	colOwner = btstore.NewCol(FamMeta, "owner", btstore.String)
	colNext  = btstore.NewCol(FamMeta, "next", btstore.Int64)
)

// PublicKey is a key that verifies tokens.
type PublicKey struct {
	KID     string    `json:"kid"`
	Alg     string    `json:"alg"`
	N, E    string    `json:"-"`
	Version int64     `json:"version"`
	Updated time.Time `json:"updated"`
}

// KeyRing publishes and reads keys. Versions are numbers, three are kept.
type KeyRing struct {
	tbl     *btstore.Table
	version atomic.Int64
	rotated int64
}

// NewKeyRing makes a ring that goes on from a version.
func NewKeyRing(s *Service, from int64) *KeyRing {
	k := &KeyRing{tbl: s.keys}
	k.version.Store(from)
	return k
}

// Publish writes the next version.
func (k *KeyRing) Publish(ctx context.Context, ring string, key PublicKey) error {
	n := k.version.Add(1)
	m := bigtable.NewMutation()
	if err := colPub.Set(m, btstore.SeqNo(n), key); err != nil { // ok ttlwrite/unscaled-sequence
		return err
	}
	if err := colOwner.Set(m, bigtable.Now(), "authd"); err != nil { // ok ttlwrite/clock-in-sequence
		return err
	}
	return k.tbl.Apply(ctx, ring, m)
}

// PublishRaw writes the next version without the library's numbers.
func (k *KeyRing) PublishRaw(ctx context.Context, ring string, der []byte) error {
	m := bigtable.NewMutation()
	m.Set(FamKey, "der", bigtable.Timestamp(k.version.Add(1)), der) // want ttlwrite/unscaled-sequence
	return k.tbl.Apply(ctx, ring, m)
}

// PublishPEM counts for itself.
func (k *KeyRing) PublishPEM(ctx context.Context, ring string, pem []byte) error {
	k.rotated++
	m := bigtable.NewMutation()
	m.Set(FamKey, "pem", bigtable.Timestamp(k.rotated), pem) // want ttlwrite/unscaled-sequence
	return k.tbl.Apply(ctx, ring, m)
}

// PublishPEMScaled scales.
func (k *KeyRing) PublishPEMScaled(ctx context.Context, ring string, pem []byte) error {
	k.rotated++
	m := bigtable.NewMutation()
	m.Set(FamKey, "pem", bigtable.Timestamp(k.rotated*1000), pem) // ok ttlwrite/unscaled-sequence
	return k.tbl.Apply(ctx, ring, m)
}

// PublishAlg was written by somebody who did not know that keys are numbered.
func (k *KeyRing) PublishAlg(ctx context.Context, ring, alg string) error {
	m := bigtable.NewMutation()
	if err := colAlg.Set(m, bigtable.Now(), alg); err != nil { // want ttlwrite/clock-in-sequence
		return err
	}
	if err := colAlg.Set(m, bigtable.ServerTime, alg); err != nil { // want ttlwrite/clock-in-sequence
		return err
	}
	return k.tbl.Apply(ctx, ring, m)
}

// PublishCells leaves the timestamp out.
func (k *KeyRing) PublishCells(ctx context.Context, ring string, der []byte) error {
	return k.tbl.Write(ctx, ring, btstore.Cell{Family: FamKey, Column: "der", Value: der}) // want ttlwrite/clock-in-sequence
}

// PublishSeq does not.
func (k *KeyRing) PublishSeq(ctx context.Context, ring string, n int64, der []byte) error {
	if err := k.tbl.Write(ctx, ring, btstore.Cell{Family: FamKey, Column: "der", TS: btstore.SeqNo(n), Value: der}); err != nil { // ok ttlwrite/clock-in-sequence
		return err
	}
	return k.tbl.Mutate(ctx, ring, btstore.PutSeq(FamKey, "len", n, []byte(strconv.Itoa(len(der))))) // ok ttlwrite/unscaled-sequence
}

// Import takes the keys of another ring over, oldest first.
func (k *KeyRing) Import(ctx context.Context, ring string, ders [][]byte) error {
	b := k.tbl.NewBatch(100)
	for i, der := range ders {
		if err := b.Put(ctx, ring, FamKey, "der", bigtable.Timestamp(i), der); err != nil { // want ttlwrite/unscaled-sequence
			return err
		}
	}
	return b.Close(ctx)
}

// ImportScaled is Import with room between the numbers.
func (k *KeyRing) ImportScaled(ctx context.Context, ring string, ders [][]byte) error {
	b := k.tbl.NewBatch(100)
	for i, der := range ders {
		if err := b.Put(ctx, ring, FamKey, "der", btstore.SeqNo(int64(i)), der); err != nil { // ok ttlwrite/unscaled-sequence
			return err
		}
	}
	return b.Close(ctx)
}

// Bootstrap writes the first key.
func (k *KeyRing) Bootstrap(ctx context.Context, ring string, der []byte) error {
	m := bigtable.NewMutation()
	Key.SetAt(m, "der", 1, der)             // want ttlwrite/unscaled-sequence
	Key.SetAt(m, "alg", 1000, nil)          // ok ttlwrite/unscaled-sequence
	Key.Set(m, "len", 1, nil)               // ok ttlwrite/unscaled-sequence
	Key.SetAt(m, "by", btstore.Wall(), nil) // want ttlwrite/clock-in-sequence
	return k.tbl.Apply(ctx, ring, m)
}

// Reserve takes a number from the ring's own counter.
func (k *KeyRing) Reserve(ctx context.Context, ring string) (int64, error) {
	return k.tbl.Bump(ctx, ring, FamMeta, "next", 1) // ok ttlwrite/read-modify-write
}

// ReserveOld did so from the family of the keys.
func (k *KeyRing) ReserveOld(ctx context.Context, ring string) (int64, error) {
	return k.tbl.Bump(ctx, ring, FamKey, "next", 1) // want ttlwrite/read-modify-write
}

func keyOf(row bigtable.Row) (PublicKey, error) {
	key, ok, err := colPub.Get(row)
	if err != nil || !ok {
		return PublicKey{}, fmt.Errorf("auth: no key in %q: %w", row.Key(), err)
	}
	it, _ := colPub.Item(row)
	key.Version = btstore.NumberOf(it.Timestamp) // ok ttlage/not-write-time
	key.Updated = it.Timestamp.Time()            // want ttlage/not-write-time
	return key, nil
}

// Current reads the newest key.
func (k *KeyRing) Current(ctx context.Context, ring string) (PublicKey, error) {
	return btstore.Fetch(ctx, k.tbl, ring, keyOf, btstore.Where(Key.Head())) // ok ttlread/missing-filter
}

// CurrentSlow reads whatever is there.
func (k *KeyRing) CurrentSlow(ctx context.Context, ring string) (PublicKey, error) {
	return btstore.Fetch(ctx, k.tbl, ring, keyOf) // want ttlread/missing-filter
}

// CurrentFamily reads whatever is there of the family.
func (k *KeyRing) CurrentFamily(ctx context.Context, ring string) (PublicKey, error) {
	return btstore.Fetch(ctx, k.tbl, ring, keyOf, btstore.Where(bigtable.FamilyFilter(FamKey))) // want ttlread/version-limit
}

// All reads the keys that tokens may still be signed with.
func (k *KeyRing) All(ctx context.Context, ring string) ([]string, error) {
	row, err := k.tbl.Get(ctx, ring, btstore.Where(Key.Live())) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[FamKey] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// Ten reads more than are kept.
func (k *KeyRing) Ten(ctx context.Context, ring string) ([]string, error) {
	row, err := k.tbl.Get(ctx, ring, btstore.Where(btstore.Newest(FamKey, 10))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[FamKey] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// Recent reads the keys of the last day, or what somebody took for it.
func (k *KeyRing) Recent(ctx context.Context, ring string) (PublicKey, error) {
	return btstore.Fetch(ctx, k.tbl, ring, keyOf, btstore.Where(btstore.Younger(FamKey, 24*time.Hour))) // want ttlread/wrong-bound
}

// At reads the key of a version.
func (k *KeyRing) At(ctx context.Context, ring string, n int64) (PublicKey, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(FamKey),
		bigtable.TimestampRangeFilterMicros(btstore.SeqNo(n), btstore.SeqNo(n+1)), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(1),
	)
	return btstore.Fetch(ctx, k.tbl, ring, keyOf, btstore.Where(f)) // ok ttlread/version-limit
}

// ByAlg finds the newest key of an algorithm.
func (k *KeyRing) ByAlg(ctx context.Context, ring, alg string) (bool, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(FamKey),
		bigtable.ColumnFilter("alg"),
		bigtable.ValueFilter(alg),
		bigtable.LatestNFilter(1), // want ttlread/version-limit[byalg]
	)
	row, err := k.tbl.Get(ctx, ring, btstore.Where(f)) // want ttlread/version-limit[byalg]
	return len(row[FamKey]) > 0, err
}

// ByAlgNow asks the newest one.
func (k *KeyRing) ByAlgNow(ctx context.Context, ring, alg string) (bool, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(FamKey),
		bigtable.ColumnFilter("alg"),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(alg),
	)
	row, err := k.tbl.Get(ctx, ring, btstore.Where(f)) // ok ttlread/version-limit
	return len(row[FamKey]) > 0, err
}

// Owner reads the other family.
func (k *KeyRing) Owner(ctx context.Context, ring string) (string, error) {
	row, err := k.tbl.Get(ctx, ring) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	owner, _, err := colOwner.Get(row)
	return owner, err
}

// Next reads the counter.
func (k *KeyRing) Next(ctx context.Context, ring string) (int64, time.Time, error) {
	row, err := k.tbl.Get(ctx, ring, btstore.Columns(FamMeta, "next")) // ok ttlread/missing-filter
	if err != nil {
		return 0, time.Time{}, err
	}
	it, _ := colNext.Item(row)
	n, _, err := colNext.Get(row)
	return n, it.Timestamp.Time(), err // ok ttlage/not-write-time
}

// EnsureFirst publishes a key in a ring that has none.
func (k *KeyRing) EnsureFirst(ctx context.Context, ring string, der []byte) (bool, error) {
	m := bigtable.NewMutation()
	Key.Set(m, "der", 1, der)
	had, err := k.tbl.If(ctx, ring, bigtable.FamilyFilter(FamKey), nil, m) // ok ttlread/conditional-mutation
	return !had, err
}

// ReplaceAlg changes the algorithm where it is an old one.
func (k *KeyRing) ReplaceAlg(ctx context.Context, ring, from, to string, n int64) (bool, error) {
	m := bigtable.NewMutation()
	if err := colAlg.Set(m, btstore.SeqNo(n), to); err != nil {
		return false, err
	}
	cond := bigtable.ChainFilters(bigtable.FamilyFilter(FamKey), bigtable.ColumnFilter("alg"), bigtable.ValueFilter(from)) // want ttlread/conditional-mutation[replacealg]
	return k.tbl.If(ctx, ring, cond, m, nil)                                                                               // want ttlread/conditional-mutation[replacealg]
}

// ReplaceAlgNow asks the newest one.
func (k *KeyRing) ReplaceAlgNow(ctx context.Context, ring, from, to string, n int64) (bool, error) {
	m := bigtable.NewMutation()
	if err := colAlg.Set(m, btstore.SeqNo(n), to); err != nil {
		return false, err
	}
	cond := bigtable.ChainFilters(btstore.Newest(FamKey, 1), bigtable.ColumnFilter("alg"), bigtable.ValueFilter(from))
	return k.tbl.If(ctx, ring, cond, m, nil) // ok ttlread/conditional-mutation
}
