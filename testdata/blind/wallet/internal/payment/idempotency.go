package payment

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/schema"
)

// lifetime chooses how long an idempotency key lives.
type lifetime interface {
	For(channel string) time.Duration
}

// channelLifetimes is the production lifetime.
type channelLifetimes struct {
	byChannel map[string]time.Duration
}

func (l channelLifetimes) For(channel string) time.Duration {
	if d, ok := l.byChannel[channel]; ok {
		return d
	}
	return _idemTTL
}

// Keys keeps idempotency keys of callers that are not payments.
type Keys struct {
	store    *Store
	lifetime lifetime
}

// NewKeys provides Keys.
func NewKeys(store *Store, byChannel map[string]time.Duration) *Keys {
	return &Keys{store: store, lifetime: channelLifetimes{byChannel: byChannel}}
}

// Remember stores the response of a request.
func (k *Keys) Remember(ctx context.Context, channel, key string, response []byte) error {
	ts := btx.ExpiresIn(k.store.clock, k.lifetime.For(channel))
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyIdem.String(), "response", ts, response) // ok ttlwrite/write-time
	return k.store.tbl.Apply(ctx, channel+"#"+key, mut)
}

// RememberForever stores the response of a request that must never run twice.
func (k *Keys) RememberForever(ctx context.Context, channel, key string, response []byte) error {
	ts := btx.ExpiresAt(k.store.clock.Now().AddDate(100, 0, 0))
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyIdem.String(), "response", ts, response) // ok ttlwrite/already-expired
	return k.store.tbl.Apply(ctx, channel+"#"+key, mut)
}

// RememberDefault stores the response of an old client, which sends no time.
func (k *Keys) RememberDefault(ctx context.Context, channel, key string, response []byte, deadline time.Time) error {
	ts := bigtable.ServerTime
	if !deadline.IsZero() {
		ts = bigtable.Time(deadline)
	}
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyIdem.String(), "response", ts, response) // strict ttlwrite/server-timestamp
	return k.store.tbl.Apply(ctx, channel+"#"+key, mut)
}

// RememberOverride stores a response for as long as the channel's override says.
func (k *Keys) RememberOverride(ctx context.Context, channel, key string, response []byte) error {
	ts := bigtable.Now()
	if l, ok := k.lifetime.(channelLifetimes); ok {
		if d, ok := l.byChannel[channel]; ok {
			ts = btx.ExpiresIn(k.store.clock, d)
		}
	}
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyIdem.String(), "response", ts, response) // want ttlwrite/write-time
	return k.store.tbl.Apply(ctx, channel+"#"+key, mut)
}

// Recall returns the stored response of a request.
func (k *Keys) Recall(ctx context.Context, channel, key string) ([]byte, error) {
	row, err := k.read(ctx, channel+"#"+key, bigtable.RowFilter(btx.Only(schema.FamilyIdem, btx.Live(k.store.clock.Now())))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	v, ok := btx.Value(row, schema.FamilyIdem, "response")
	if !ok {
		return nil, ErrNotFound
	}
	return v, nil
}

// RecallAny is Recall for keys without a channel.
func (k *Keys) RecallAny(ctx context.Context, key string) ([]byte, error) {
	row, err := k.read(ctx, "#"+key) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	v, ok := btx.Value(row, schema.FamilyIdem, "response")
	if !ok {
		return nil, ErrNotFound
	}
	return v, nil
}

// RecallColumn reads one column, twice filtered.
func (k *Keys) RecallColumn(ctx context.Context, key string, col schema.Column) ([]byte, error) {
	row, err := k.read(ctx, "#"+key, bigtable.RowFilter(btx.Only(schema.FamilyIdem, btx.Live(k.store.clock.Now()))), bigtable.RowFilter(bigtable.ColumnFilter(col.String()))) // want ttlread/overridden-filter // maybe ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	v, ok := btx.Value(row, schema.FamilyIdem, col)
	if !ok {
		return nil, ErrNotFound
	}
	return v, nil
}

func (k *Keys) read(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return k.store.tbl.ReadRow(ctx, key, opts...)
}

// Known says whether a payment has any state at all.
func (s *Store) Known(ctx context.Context, id string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/version-limit
		bigtable.FamilyFilter(schema.FamilyState.String()),
		bigtable.StripValueFilter(),
	)))
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// Reserve writes an empty first version if there is none.
func (s *Store) Reserve(ctx context.Context, id string) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamilyState.String(), schema.ColDoc.String(), 1000, nil) // ok ttlwrite/unscaled-sequence
	pred := bigtable.FamilyFilter(schema.FamilyState.String())
	return s.tbl.Apply(ctx, id, bigtable.NewCondMutation(pred, nil, set)) // ok ttlread/conditional-mutation
}

// Tombstone writes a version that comes before all others.
func (s *Store) Tombstone(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyState.String(), "tombstone", 1, nil) // want ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, id, mut)
}

// Split writes the parts of a payment as versions of one column.
func (s *Store) Split(ctx context.Context, id string, parts []int64) error {
	mut := bigtable.NewMutation()
	for i, part := range parts {
		mut.Set(schema.FamilyState.String(), "part", bigtable.Timestamp(i+1), []byte{byte(part)}) // want ttlwrite/unscaled-sequence
	}
	mut.Set(schema.FamilyState.String(), "parts", bigtable.Timestamp(len(parts)*1000), nil) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, id, mut)
}
